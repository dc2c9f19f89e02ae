"""What all densities share: encode, fit in the core, score and sample in the core."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from tanager import _core
from tanager.data import EncodedTable, TableEncoder, check_weights, column_labels
from tanager.estimators.concentrations import TunedTables
from tanager.estimators.naming import named_columns
from tanager.estimators.nested import NestedSettings
from tanager.estimators.score_attribute import ScoreAttribute
from tanager.exceptions import DataError
from tanager.network import Network
from tanager.parameters import ParametersLike
from tanager.scores import ScoreLike
from tanager.settings import is_whole

__all__ = ["BayesianNetworkDensity", "ScoreMaximizingDensity"]


def mean_log_likelihood(estimator: Any, X: Any, y: Any = None, sample_weight: Any = None) -> float:
    """The mean of ln P(x) over the rows, weighted where weights are given; higher is better."""
    return float(np.average(estimator.score_samples(X), weights=sample_weight))


class BayesianNetworkDensity(TunedTables, NestedSettings, DensityMixin, BaseEstimator):
    """The base of all densities. A subclass names its learner and its settings."""

    #: The learner's name in the core's registry.
    learner: ClassVar[str]

    parameters: ParametersLike
    discretize: Any
    categorical: Iterable[str | int] | str | None = None
    numeric: Iterable[str | int] | str | None = None
    missing: str
    handle_unknown: str
    n_jobs: int | None

    n_features_in_: int
    feature_names_in_: NDArray[Any]
    network_: Network
    #: The network's score; with missing="available" as `network_score` scales it to N. Learners without a
    #: score have none.
    structure_score_: float
    encoder_: TableEncoder
    model_: _core.Density

    def _settings(self, names: list[str]) -> dict[str, Any]:
        """The learner's settings; `names` are the columns'."""
        return {}

    def _score(self) -> ScoreLike:
        """The score to maximise; learners without one leave this."""
        return "ll"

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learns structure and tables. X is a frame or a 2-D array; y is not looked at."""
        weights = None if sample_weight is None else check_weights(sample_weight)
        encoder = TableEncoder(
            categorical=self.categorical,
            numeric=self.numeric,
            discretize=self.discretize,
            missing=self.missing,
            handle_unknown=self.handle_unknown,
            estimator=type(self).__name__,
            n_jobs=self.n_jobs,
        )
        table = encoder.fit_transform(X, None, weights)
        if self.missing == "drop":
            complete = table.complete_rows()
            table = table.take(complete)
            weights = None if weights is None else weights[complete]
        names = column_labels(encoder.names, encoder.n_features)
        with named_columns(names):
            model, structure_score = _core.fit_density(
                table.data.with_class(weights=weights),
                self.learner,
                self._settings(names),
                self._score(),
                self.parameters,
                self.n_jobs,
                getattr(self, "progress", None),
            )
        # Only now, so that nothing half-fitted stays behind after an error or an interruption.
        self.encoder_, self.model_ = encoder, model
        self.n_features_in_ = encoder.n_features
        if encoder.names is not None:
            self.feature_names_in_ = np.asarray(encoder.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.network_ = Network.build(names, model.nodes, None)
        if structure_score is not None:
            self.structure_score_ = structure_score
        return self

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """ln P(x) of each row."""
        check_is_fitted(self)
        return self.model_.log_density(self.encoder_.transform(X).data, self.n_jobs)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The mean of ln P(x) over the rows, weighted where weights are given; higher is better."""
        return mean_log_likelihood(self, X, y, sample_weight)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags

    def sample(self, n_samples: int = 1, random_state: Any = None) -> NDArray[Any]:
        """Draws rows: levels, or intervals as text for numeric columns; None where missing."""
        check_is_fitted(self)
        if not is_whole(n_samples) or n_samples < 1:
            raise DataError(f"n_samples = {n_samples!r} is not allowed: it is a whole number from 1 on")
        seed = int(check_random_state(random_state).randint(2**31))
        columns = self.model_.sample(int(n_samples), seed)
        codes = [
            column.astype(encoding.dtype)
            for column, encoding in zip(columns, self.encoder_.columns, strict=True)
        ]
        arities = [encoding.arity for encoding in self.encoder_.columns]
        values = self.encoder_.inverse_transform(EncodedTable(codes, arities, int(n_samples)))
        rows: NDArray[Any] = np.column_stack(list(values.values()))
        return rows


class ScoreMaximizingDensity(BayesianNetworkDensity):
    """A density whose structure maximises `score`; a call of it is the mean log-likelihood.

    >>> from tanager import TreeDensity
    >>> model = TreeDensity(score="bic").fit([["a", "x"], ["b", "y"], ["b", "y"]])
    >>> model.score == "bic", round(model.score([["b", "y"]]), 3)
    (True, -0.757)
    """

    score = ScoreAttribute(mean_log_likelihood)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name; `score` is what the structure maximises."""
        params: dict[str, Any] = super().get_params(deep)
        return params | {"score": self.__dict__.get("score")}

    def _score(self) -> ScoreLike:
        return self.__dict__["score"]
