"""What all classifiers and densities share: how they encode, and what they keep of a fit."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from tanager import _core
from tanager.data import EncodedTable, TableEncoder
from tanager.data.encoding_settings import EncodingSettings, ReadsTables
from tanager.estimators.nested import NestedSettings
from tanager.network import Network
from tanager.parameters import ParametersLike
from tanager.registry import DENSITY_LEARNERS, LEARNERS, About
from tanager.scikit_learn import MissingAllowed
from tanager.scores import ScoreLike
from tanager.settings import parent_limit, random_source, whole

__all__ = ["BayesianNetworkEstimator", "Search"]

Search = tuple[float, float, list[tuple[str, list[list[int]], float]], int]
"""N, the rows classified correctly at the start, the steps (operation, groups, rows), the trials left out."""


#: Everything that is learned, by name.
_ABOUT = {**LEARNERS, **DENSITY_LEARNERS}


class BayesianNetworkEstimator(NestedSettings, ReadsTables, MissingAllowed):
    """The base of all classifiers and densities.

    A subclass names its learner, and its settings beside those of `ReadsTables`.
    """

    #: The learner's name in the core's registry.
    learner: ClassVar[str]

    parameters: ParametersLike

    n_features_in_: int
    feature_names_in_: NDArray[Any]
    network_: Network
    #: The network's score; with missing="available" as `network_score` scales it to N. Learners without a
    #: score have none.
    structure_score_: float
    encoder_: TableEncoder
    model_: _core.Network

    @property
    def _about(self) -> About:
        """What the registry tells about the learner."""
        return _ABOUT[self.learner]

    def _settings(self, names: list[str]) -> dict[str, Any]:
        """The learner's settings, which the registry names, as the core takes them; `names` are the columns'.

        A learner checks here what the core would not.
        """
        settings = {one.name: getattr(self, one.name) for one in self._about.settings}
        if "k" in settings:
            settings["k"] = parent_limit(settings["k"], len(names))
        return settings

    def _score(self) -> ScoreLike:
        """The score to maximise; learners without one leave this."""
        return "ll"

    def _keep_search(self, search: Search, names: list[str]) -> None:
        """Keeps how the structure was found; learners that do not search leave this."""

    def _encoder(self) -> TableEncoder:
        return TableEncoder(estimator=type(self).__name__, **self._told(EncodingSettings))

    def _learn(
        self, data: _core.Dataset, names: list[str], folds: tuple[NDArray[np.uint32], int] | None = None
    ) -> tuple[_core.Network, float | None]:
        """Structure, tables and score; a learner that is more than one network has its own way."""
        settings, progress = self._settings(names), getattr(self, "progress", None)
        return _core.fit(
            data, self.learner, settings, self._score(), self.parameters, self.n_jobs, progress, folds
        )

    def _keep(
        self, encoder: TableEncoder, model: _core.Network, score: float | None, class_name: str | None
    ) -> None:
        """What was fitted; called last, so that nothing half-fitted stays behind after an error."""
        self.model_ = model
        names = self._keep_encoder(encoder)
        self.network_ = Network.build(names, model.nodes, class_name)
        if score is not None:
            self.structure_score_ = score
        if (search := getattr(model, "search", None)) is not None:
            self._keep_search(search, names)

    def _keep_encoder(self, encoder: TableEncoder) -> list[str]:
        """The encoder and what it knows of the columns; gives their names."""
        self.encoder_ = encoder
        self.n_features_in_ = encoder.n_features
        if encoder.names is not None:
            self.feature_names_in_ = np.asarray(encoder.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return encoder.labels

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        return tags

    def _encode(self, X: Any) -> _core.Dataset:
        check_is_fitted(self)
        return self._dataset(self.encoder_.transform(X))

    def _dataset(self, table: EncodedTable) -> _core.Dataset:
        return table.data

    def _codes(self, rows: int, seed: int) -> tuple[list[NDArray[np.uint32]], NDArray[np.uint32] | None]:
        """Codes of drawn rows, column by column, and of their classes."""
        return self.model_.sample(rows, seed)

    def _drawn(self, n_samples: int, random_state: Any) -> tuple[NDArray[Any], NDArray[Any] | None]:
        """Rows drawn from the network, and the codes of their classes where it has one.

        Values are levels, or intervals as text for numeric columns; None where missing, and in columns that
        the network does not use.
        """
        check_is_fitted(self)
        n, encodings = whole(n_samples, "n_samples", 1), self.encoder_.columns
        columns, classes = self._codes(n, int(random_source(random_state).randint(2**31)))
        used = {member for members, _ in self.model_.nodes for member in members}
        codes = [
            drawn.astype(encoding.dtype)
            if place in used
            else np.full(n, np.iinfo(encoding.dtype).max, dtype=encoding.dtype)
            for place, (drawn, encoding) in enumerate(zip(columns, encodings, strict=True))
        ]
        table = EncodedTable(codes, [encoding.arity for encoding in encodings])
        rows: NDArray[Any] = np.column_stack(list(self.encoder_.inverse_transform(table).values()))
        return rows, classes
