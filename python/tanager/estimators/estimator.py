"""What all classifiers and densities share: how they encode, and what they keep of a fit.

The settings of encoding are told here, once: a subclass takes them as ``**settings`` and passes them on, and
its signature and docstring show them as its own.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from typing import Any, ClassVar, TypedDict

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from tanager import _core
from tanager.data import EncodedTable, TableEncoder, column_labels
from tanager.estimators.nested import NestedSettings
from tanager.network import Network
from tanager.parameters import ParametersLike
from tanager.scikit_learn import MissingAllowed
from tanager.scores import ScoreLike
from tanager.settings import whole

__all__ = ["BayesianNetworkEstimator", "EncodingSettings", "Search"]

Search = tuple[float, float, list[tuple[str, list[list[int]], float]], int]
"""N, the rows classified correctly at the start, the steps (operation, groups, rows), the trials left out."""


class EncodingSettings(TypedDict, total=False):
    """The settings of every classifier and density, for type checkers."""

    discretize: Any
    categorical: Iterable[str | int] | str | None
    numeric: Iterable[str | int] | str | None
    missing: str
    handle_unknown: str
    n_jobs: int | None


def show_settings(kind: type) -> None:
    """Shows what a class takes as ``**settings``, and passes on, in its signature and its docstring.

    scikit-learn reads parameters off the signature of `__init__`; type checkers read them off the TypedDict.

    >>> from tanager import TANClassifier
    >>> "discretize" in inspect.signature(TANClassifier).parameters
    True
    >>> "discretize:" in str(TANClassifier.__doc__)
    True
    """
    init = vars(kind).get("__init__")
    own = list(inspect.signature(init).parameters.values()) if init is not None else []
    if init is not None and own[-1].kind is inspect.Parameter.VAR_KEYWORD:
        passed_to = next(vars(base)["__init__"] for base in kind.__mro__[1:] if "__init__" in vars(base))
        shared = [
            one for one in inspect.signature(passed_to).parameters.values() if one.kind is one.KEYWORD_ONLY
        ]
        init.__signature__ = inspect.Signature([*own[:-1], *shared], return_annotation=None)
    line = re.compile(r"^ +\*\*settings: those of `(\w+)`\.\n", re.MULTILINE)
    marked = line.search(kind.__doc__ or "")
    if marked and kind.__doc__:
        told = next(base.__doc__ or "" for base in kind.__mro__ if base.__name__ == marked[1])
        lines = told.partition("Parameters:\n")[2].partition("\n\n")[0].rstrip()
        kind.__doc__ = line.sub(lambda _: lines + "\n", kind.__doc__)


class BayesianNetworkEstimator(NestedSettings, MissingAllowed):
    """The base of all classifiers and densities. A subclass names its learner and its settings.

    Parameters:
        discretize: what cuts numeric columns: "mdl" (without a class: five bins of equal frequency), "none",
            or a transformer.
        categorical: columns that are categories whatever is in them, by name or position; or "all".
        numeric: columns that are numbers, in the same way.
        missing: missing values at fit: "category", "drop" or "available".
        handle_unknown: values unseen at fit: "marginalize" or "error".
        n_jobs: threads; None for all cores. The result does not depend on it.
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

    def __init__(
        self,
        *,
        discretize: Any = "mdl",
        categorical: Iterable[str | int] | str | None = None,
        numeric: Iterable[str | int] | str | None = None,
        missing: str = "category",
        handle_unknown: str = "marginalize",
        n_jobs: int | None = None,
    ) -> None:
        self.discretize = discretize
        self.categorical = categorical
        self.numeric = numeric
        self.missing = missing
        self.handle_unknown = handle_unknown
        self.n_jobs = n_jobs

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        show_settings(cls)

    def _settings(self, names: list[str]) -> dict[str, Any]:
        """The learner's settings; `names` are the columns'."""
        return {}

    def _score(self) -> ScoreLike:
        """The score to maximise; learners without one leave this."""
        return "ll"

    def _keep_search(self, search: Search, names: list[str]) -> None:
        """Keeps how the structure was found; learners that do not search leave this."""

    def _encoder(self) -> TableEncoder:
        return TableEncoder(
            categorical=self.categorical,
            numeric=self.numeric,
            discretize=self.discretize,
            missing=self.missing,
            handle_unknown=self.handle_unknown,
            estimator=type(self).__name__,
            n_jobs=self.n_jobs,
        )

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
        return column_labels(encoder.names, encoder.n_features)

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
        columns, classes = self._codes(n, int(check_random_state(random_state).randint(2**31)))
        used = {member for members, _ in self.model_.nodes for member in members}
        codes = [
            drawn.astype(encoding.dtype)
            if place in used
            else np.full(n, np.iinfo(encoding.dtype).max, dtype=encoding.dtype)
            for place, (drawn, encoding) in enumerate(zip(columns, encodings, strict=True))
        ]
        table = EncodedTable(codes, [encoding.arity for encoding in encodings], n)
        rows: NDArray[Any] = np.column_stack(list(self.encoder_.inverse_transform(table).values()))
        return rows, classes
