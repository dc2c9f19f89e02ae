"""What all classifiers share: encode, fit in the core, predict in the core."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self, TypeVar, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin

from tanager import _core
from tanager.data import (
    EncodedTable,
    LabelCodes,
    TableEncoder,
    check_class_prior,
    check_weights,
    weigh_classes,
)
from tanager.data.encoding_settings import EncodingSettings
from tanager.data.schema import Schema
from tanager.data.sources import is_source
from tanager.estimators.concentrations import TunedTables
from tanager.estimators.counted import CountedClassifier
from tanager.estimators.estimator import Search
from tanager.estimators.exportable import ExportableClassifier
from tanager.estimators.generative import GenerativeClassifier
from tanager.estimators.readable import ReadableClassifier
from tanager.exceptions import DataError
from tanager.settings import one_of
from tanager.streaming import Progress

__all__ = ["BayesianNetworkClassifier", "ClassifierSettings", "Search"]

Encoder = TypeVar("Encoder")


class ClassifierSettings(EncodingSettings, total=False):
    """The settings of every classifier, for type checkers."""

    missing_at_predict: str
    class_weight: Mapping[Any, float] | str | None
    class_prior: ArrayLike | Mapping[Any, float] | None


@dataclass(frozen=True)
class TrainingRows:
    """Encoded rows with their classes, checked, ready to be learned from."""

    table: EncodedTable
    codes: NDArray[Any]
    classes: NDArray[Any]
    weights: NDArray[np.float64] | None
    #: The classes' probabilities at predict, where they were given.
    prior: NDArray[np.float64] | None
    #: The fold of each row and their number, where they were given.
    folds: tuple[NDArray[np.uint32], int] | None
    #: Which of the rows given these are.
    kept: NDArray[Any] | slice

    def labelled(self, table: EncodedTable, names: list[str]) -> _core.Dataset:
        """A table of these rows with their classes and weights, and the names of its columns."""
        return table.data.with_class(self.codes, len(self.classes), self.weights, names)


class BayesianNetworkClassifier(
    ReadableClassifier,
    ExportableClassifier,
    GenerativeClassifier,
    TunedTables,
    ClassifierMixin,
    CountedClassifier,
):
    """The base of all classifiers. A subclass names its learner and its settings.

    Parameters:
        missing_at_predict: how missing values are summed out at predict. "exact": over all values that they
            may have; a row for which that is beyond the memory limit is refused by its number. "approximate":
            exact where no table of more than 2^18 cells is needed, and in other rows by beliefs about the
            missing values that are kept apart, updated node by node.
        class_weight: None, "balanced", or a weight by class; multiplied with `sample_weight`.
        class_prior: the classes' probabilities at predict, where they differ from those at fit: one for each
            of `classes_`, or by class.
        **settings: those of `ReadsTables`.
    """

    classes_: NDArray[Any]
    class_prior_: NDArray[np.float64] | None

    def __init__(
        self,
        *,
        missing_at_predict: str = "exact",
        class_weight: Mapping[Any, float] | str | None = None,
        class_prior: ArrayLike | Mapping[Any, float] | None = None,
        **settings: Unpack[EncodingSettings],
    ) -> None:
        super().__init__(**settings)
        self.missing_at_predict = missing_at_predict
        self.class_weight = class_weight
        self.class_prior = class_prior

    def _folds(self, codes: NDArray[Any]) -> tuple[NDArray[np.uint32], int] | None:
        """The fold of each row and their number, for a learner that searches on folds given by hand."""
        return None

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        target: str | None = None,
        weight: str | None = None,
        schema: Schema | None = None,
        memory: int | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """Learns structure and tables.

        Parameters:
            X: a frame or a 2-D array; or, with `target`, a table that is read in parts, never whole: a
                Parquet or CSV file (also .gz) or folder by its path, a pyarrow dataset or reader, a polars
                LazyFrame, a DuckDB relation, or a function that starts a list of frames again.
            y: the labels.
            sample_weight: weights of the rows.
            target: the column of labels, where X holds it; rows without one are left out, with a warning.
            weight: the column of weights, where X holds it.
            schema: levels and cuts of a table that is read in parts, which then need not be looked for.
            memory: bytes for larger tables that are counted in one pass over such a table; None for a quarter
                of the machine's.
            progress: called with what is done, the rows done and the rows there are, while parts are read.
        """
        self._check_told_once(y, sample_weight, target, weight)
        if y is None and (target is not None or is_source(X)):
            return self._fit_source(X, target, weight, schema, memory, progress)
        self._forget()

        def encode(X: Any, codes: NDArray[Any], weights: Any) -> tuple[TableEncoder, EncodedTable]:
            encoder = self._encoder()
            return encoder, encoder.fit_transform(X, codes, weights)

        encoder, rows = self._training(X, y, sample_weight, encode)
        names = encoder.labels
        data, folds, prior, classes = rows.labelled(rows.table, names), rows.folds, rows.prior, rows.classes
        del rows  # the codes of y, four bytes per row, are one byte per row in `data`
        model, score = self._learn(data, names, folds)
        self.class_prior_, self.classes_ = prior, classes
        self._keep(encoder, model, score, "class")
        self._learn_numbers(X, y, sample_weight)
        return self

    @staticmethod
    def _check_told_once(y: Any, sample_weight: Any, target: str | None, weight: str | None) -> None:
        """Refuses labels or weights beside a table that is said to hold them itself."""
        if y is not None and target is not None:
            raise DataError(
                f"y and target = {target!r} are both given: target is for a table that holds the labels, "
                "y for labels beside the table"
            )
        if y is not None and weight is not None:
            raise DataError(
                f"y and weight = {weight!r} are both given: weight goes with target, sample_weight with y"
            )
        if target is not None and sample_weight is not None:
            raise DataError(
                f"sample_weight and target = {target!r} are both given: weights of a table that holds the "
                "labels are a column of it too, weight="
            )

    def _learn_numbers(self, X: Any, y: Any, sample_weight: Any) -> None:
        """What is learned of numbers that were not cut; nothing, where all are."""

    def _training(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        encode: Callable[[Any, NDArray[Any], Any], tuple[Encoder, EncodedTable]],
    ) -> tuple[Encoder, TrainingRows]:
        """Checks labels, weights and prior, and encodes; `encode` gives what it fitted, and the rows."""
        self._approximate()  # a wrong word is told before anything is learned
        labels = LabelCodes().fit(y)
        if len(labels.classes_) < 2:
            label = labels.classes_.tolist()[0]
            raise DataError(f"y has one class, {label!r}: a classifier needs at least two")
        codes, classes = labels.codes_, labels.classes_
        weights = weigh_classes(self.class_weight, classes, codes, sample_weight)
        prior = None if self.class_prior is None else check_class_prior(self.class_prior, classes)
        encoder, table = encode(X, codes, weights)
        folds = self._folds(codes)
        kept: NDArray[Any] | slice = slice(None)
        if self.missing == "drop":
            kept = table.complete_rows()
            table, codes = table.take(kept), codes[kept]
            weights = None if weights is None else weights[kept]
            folds = None if folds is None else (folds[0][kept], folds[1])
            if len(np.unique(codes)) < 2:
                raise DataError(
                    'missing="drop" leaves rows of one class only: a classifier needs at least two'
                )
        return encoder, TrainingRows(table, codes, classes, weights, prior, folds, kept)

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row; of equally probable ones the first in `classes_`."""
        best = self.predict_log_proba(X).argmax(axis=1)
        labels: NDArray[Any] = self.classes_[best]
        return labels

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy: the share of the rows, by their weights, whose label is predicted."""
        if not any(isinstance(label, bytes) for label in self.__dict__.get("classes_", np.empty(0)).tolist()):
            return float(super().score(X, y, sample_weight))
        # scikit-learn's accuracy refuses labels that are bytes.
        predicted, labels = self.predict(X).tolist(), np.asarray(y)
        if labels.shape != (len(predicted),):
            raise DataError(f"y has shape {labels.shape}, expected ({len(predicted)},): a label for each row")
        right = [label == one for label, one in zip(labels.tolist(), predicted, strict=True)]
        weights = None if sample_weight is None else check_weights(sample_weight, len(right))
        return float(np.average(right, weights=weights))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """P(c | x) of each row and class, in the order of `classes_`."""
        data = self._encode(X)
        if self.class_prior_ is not None:
            return np.exp(self._shift(self.model_.log_posterior(data, self.n_jobs, self._approximate())))
        return self.model_.posterior(data, self.n_jobs, self._approximate())

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """ln P(c | x) of each row and class, in the order of `classes_`."""
        data = self._encode(X)
        posterior = self.model_.log_posterior(data, self.n_jobs, self._approximate())
        return posterior if self.class_prior_ is None else self._shift(posterior)

    def predict_joint_log_proba(self, X: Any) -> NDArray[np.float64]:
        """ln P(c, x) of each row and class, in the order of `classes_`; the prior is that of training."""
        data = self._encode(X)
        return self.model_.log_joint(data, self.n_jobs, self._approximate())

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
