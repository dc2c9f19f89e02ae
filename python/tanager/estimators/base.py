"""What all classifiers share: encode, fit in the core, predict in the core."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from tanager import _core
from tanager.data import EncodedTable, LabelCodes, TableEncoder, check_weights
from tanager.exceptions import DataError
from tanager.network import Network
from tanager.parameters import ParametersLike
from tanager.scores import ScoreLike

__all__ = ["BayesianNetworkClassifier", "column_position"]


class BayesianNetworkClassifier(ClassifierMixin, BaseEstimator):
    """The base of all classifiers. A subclass names its learner and its settings."""

    #: The learner's name in the core's registry.
    learner: ClassVar[str]

    parameters: ParametersLike
    discretize: Any
    missing: str
    handle_unknown: str
    n_jobs: int | None

    classes_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    network_: Network
    structure_score_: float
    encoder_: TableEncoder
    model_: _core.Classifier

    def _settings(self, names: list[str]) -> dict[str, Any]:
        """The learner's settings; `names` are the columns'."""
        return {}

    def _score(self) -> ScoreLike:
        """The score to maximise; learners without one leave this."""
        return "ll"

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learns structure and tables. X is a frame or a 2-D array, y the labels."""
        labels = LabelCodes().fit(y)
        if len(labels.classes_) < 2:
            label = labels.classes_.tolist()[0]
            raise DataError(f"y has one class, {label!r}: a classifier needs at least two")
        encoder = TableEncoder(
            discretize=self.discretize,
            missing=self.missing,
            handle_unknown=self.handle_unknown,
            estimator=type(self).__name__,
        )
        weights = None if sample_weight is None else check_weights(sample_weight, len(labels.codes_))
        table = encoder.fit_transform(X, labels.codes_, weights)
        if table.rows != len(labels.codes_):
            raise DataError(f"X has {table.rows} rows, but y has {len(labels.codes_)} labels")
        names = _names(encoder)
        data = _dataset(table, names, labels.codes_, len(labels.classes_), weights)
        model, structure_score = _core.fit_classifier(
            data, self.learner, self._settings(names), self._score(), self.parameters, self.n_jobs
        )
        # Only now, so that nothing half-fitted stays behind after an error or an interruption.
        self.encoder_, self.model_ = encoder, model
        self.classes_ = labels.classes_
        self.n_features_in_ = encoder.n_features
        if encoder.names is not None:
            self.feature_names_in_ = np.asarray(encoder.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.network_ = Network.build(names, model.nodes)
        if structure_score is not None:
            self.structure_score_ = structure_score
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row; of equally probable ones the first in `classes_`."""
        best = self.predict_log_proba(X).argmax(axis=1)
        labels: NDArray[Any] = self.classes_[best]
        return labels

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """P(c | x) of each row and class, in the order of `classes_`."""
        data = self._encode(X)
        return self.model_.posterior(data, self.n_jobs)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """ln P(c | x) of each row and class, in the order of `classes_`."""
        data = self._encode(X)
        return self.model_.log_posterior(data, self.n_jobs)

    def predict_joint_log_proba(self, X: Any) -> NDArray[np.float64]:
        """ln P(c, x) of each row and class, in the order of `classes_`."""
        data = self._encode(X)
        return self.model_.log_joint(data, self.n_jobs)

    def _encode(self, X: Any) -> _core.Dataset:
        check_is_fitted(self)
        return _dataset(self.encoder_.transform(X), _names(self.encoder_))


def column_position(column: int | str | None, names: list[str], setting: str) -> int | None:
    """The position of a column that is given by name or by position."""
    if column is None:
        return None
    if isinstance(column, str):
        if column in names:
            return names.index(column)
    elif not isinstance(column, bool) and isinstance(column, (int, np.integer)) and 0 <= column < len(names):
        return int(column)
    shown = ", ".join(names[:20]) + (" …" if len(names) > 20 else "")
    raise DataError(f"{setting} = {column!r} is not a column: columns are {shown}, or positions from 0 on")


def _names(encoder: TableEncoder) -> list[str]:
    return encoder.names if encoder.names is not None else [f"x{i}" for i in range(encoder.n_features)]


def _dataset(
    table: EncodedTable,
    names: list[str],
    class_codes: NDArray[Any] | None = None,
    n_classes: int | None = None,
    weights: NDArray[np.float64] | None = None,
) -> _core.Dataset:
    return _core.Dataset.from_columns(
        table.columns, table.arities, class_codes, n_classes, weights=weights, names=names
    )
