"""What all classifiers share: encode, fit in the core, predict in the core."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from tanager import _core
from tanager.data import (
    EncodedTable,
    LabelCodes,
    TableEncoder,
    check_class_prior,
    check_weights,
    column_labels,
    weigh_classes,
)
from tanager.estimators.concentrations import TunedTables
from tanager.estimators.exportable import ExportableClassifier
from tanager.estimators.generative import GenerativeClassifier
from tanager.estimators.naming import named_columns
from tanager.estimators.nested import NestedSettings
from tanager.estimators.readable import ReadableClassifier
from tanager.exceptions import DataError
from tanager.network import Network
from tanager.parameters import ParametersLike
from tanager.scores import ScoreLike
from tanager.settings import is_whole, one_of

__all__ = ["BayesianNetworkClassifier", "Search", "column_position"]

Search = tuple[float, float, list[tuple[str, list[list[int]], float]], int]
"""N, the rows classified correctly at the start, the steps (operation, groups, rows), the trials left out."""


class BayesianNetworkClassifier(
    ReadableClassifier,
    ExportableClassifier,
    GenerativeClassifier,
    TunedTables,
    NestedSettings,
    ClassifierMixin,
    BaseEstimator,
):
    """The base of all classifiers. A subclass names its learner and its settings."""

    #: The learner's name in the core's registry.
    learner: ClassVar[str]

    parameters: ParametersLike
    discretize: Any
    categorical: Iterable[str | int] | str | None = None
    numeric: Iterable[str | int] | str | None = None
    missing: str
    handle_unknown: str
    #: "exact": the sum over all values that a missing one may have; a row for which that is beyond the memory
    #: limit is refused by its number. "approximate": exact where no table of more than 2^18 cells is needed,
    #: and in other rows by beliefs about the missing values that are kept apart, updated node by node.
    missing_at_predict: str = "exact"
    class_weight: Mapping[Any, float] | str | None = None
    class_prior: ArrayLike | Mapping[Any, float] | None = None
    n_jobs: int | None

    classes_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    network_: Network
    #: The network's score; with missing="available" as `network_score` scales it to N. Learners without a
    #: score have none.
    structure_score_: float
    encoder_: TableEncoder
    model_: _core.Classifier
    class_prior_: NDArray[np.float64] | None

    def _settings(self, names: list[str]) -> dict[str, Any]:
        """The learner's settings; `names` are the columns'."""
        return {}

    def _score(self) -> ScoreLike:
        """The score to maximise; learners without one leave this."""
        return "ll"

    def _folds(self, codes: NDArray[Any]) -> tuple[NDArray[np.uint32], int] | None:
        """The fold of each row and their number, for a learner that searches on folds given by hand."""
        return None

    def _keep_search(self, search: Search, names: list[str]) -> None:
        """Keeps how the structure was found; learners that do not search leave this."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learns structure and tables. X is a frame or a 2-D array, y the labels."""
        _ = self._approximate  # a wrong word is told before anything is learned
        labels = LabelCodes().fit(y)
        if len(labels.classes_) < 2:
            label = labels.classes_.tolist()[0]
            raise DataError(f"y has one class, {label!r}: a classifier needs at least two")
        encoder = TableEncoder(
            categorical=self.categorical,
            numeric=self.numeric,
            discretize=self.discretize,
            missing=self.missing,
            handle_unknown=self.handle_unknown,
            estimator=type(self).__name__,
            n_jobs=self.n_jobs,
        )
        codes, classes = labels.codes_, labels.classes_
        weights = None if sample_weight is None else check_weights(sample_weight, len(codes))
        weights = weigh_classes(self.class_weight, classes, codes, weights)
        prior = None if self.class_prior is None else check_class_prior(self.class_prior, classes)
        table = encoder.fit_transform(X, codes, weights)
        folds = self._folds(codes)
        if self.missing == "drop":
            kept = table.complete_rows()
            table, codes = table.take(kept), codes[kept]
            weights = None if weights is None else weights[kept]
            folds = None if folds is None else (folds[0][kept], folds[1])
            if len(np.unique(codes)) < 2:
                raise DataError(
                    'missing="drop" leaves rows of one class only: a classifier needs at least two'
                )
        names = column_labels(encoder.names, encoder.n_features)
        data = table.data.with_class(codes, len(classes), weights)
        with named_columns(names):
            model, structure_score = _core.fit_classifier(
                data,
                self.learner,
                self._settings(names),
                self._score(),
                self.parameters,
                self.n_jobs,
                getattr(self, "progress", None),
                folds,
            )
        # Only now, so that nothing half-fitted stays behind after an error or an interruption.
        self.encoder_, self.model_, self.class_prior_ = encoder, model, prior
        self.classes_ = classes
        self.n_features_in_ = encoder.n_features
        if encoder.names is not None:
            self.feature_names_in_ = np.asarray(encoder.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.network_ = Network.build(names, model.nodes)
        if structure_score is not None:
            self.structure_score_ = structure_score
        if model.search is not None:
            self._keep_search(model.search, names)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row; of equally probable ones the first in `classes_`."""
        best = self.predict_log_proba(X).argmax(axis=1)
        labels: NDArray[Any] = self.classes_[best]
        return labels

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """P(c | x) of each row and class, in the order of `classes_`."""
        data = self._encode(X)
        if self.class_prior_ is not None:
            return np.exp(self._shift(self.model_.log_posterior(data, self.n_jobs, self._approximate)))
        return self.model_.posterior(data, self.n_jobs, self._approximate)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """ln P(c | x) of each row and class, in the order of `classes_`."""
        data = self._encode(X)
        posterior = self.model_.log_posterior(data, self.n_jobs, self._approximate)
        return posterior if self.class_prior_ is None else self._shift(posterior)

    def predict_joint_log_proba(self, X: Any) -> NDArray[np.float64]:
        """ln P(c, x) of each row and class, in the order of `classes_`; the prior is that of training."""
        data = self._encode(X)
        return self.model_.log_joint(data, self.n_jobs, self._approximate)

    @property
    def _approximate(self) -> bool:
        return (
            one_of(self.missing_at_predict, "missing_at_predict", ("exact", "approximate")) == "approximate"
        )

    def _shift(self, posterior: NDArray[np.float64]) -> NDArray[np.float64]:
        """From the training prior π to `class_prior` π': P'(c | x) ∝ P(c | x) π'_c / π_c.

        A class that the row, or the training set, rules out stays impossible; where all are, π' answers.
        """
        prior = np.asarray(self.class_prior_)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.log(prior) - self.model_.log_prior
            shifted = np.where(np.isneginf(posterior), -np.inf, posterior + ratio)
            impossible = np.isneginf(shifted).all(axis=1, keepdims=True)
            shifted = np.where(impossible, np.log(prior), shifted)
        total: NDArray[np.float64] = np.logaddexp.reduce(shifted, axis=1, keepdims=True)
        normalised: NDArray[np.float64] = shifted - total
        return normalised

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags

    def _encode(self, X: Any) -> _core.Dataset:
        check_is_fitted(self)
        return self._dataset(self.encoder_.transform(X))

    def _dataset(self, table: EncodedTable) -> _core.Dataset:
        return table.data


def column_position(column: int | str | None, names: list[str], setting: str) -> int | None:
    """The position of a column that is given by name or by position."""
    if column is None:
        return None
    if isinstance(column, str):
        if column in names:
            return names.index(column)
    elif is_whole(column) and 0 <= column < len(names):
        return int(column)
    shown = ", ".join(names[:20]) + (" …" if len(names) > 20 else "")
    raise DataError(f"{setting} = {column!r} is not a column: columns are {shown}, or positions from 0 on")
