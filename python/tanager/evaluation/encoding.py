"""Encoding mixed frames for scikit-learn estimators that only take numbers.

Domains come from the task, as declared levels would give them: they carry no information about the class.
What is learned from values (medians, scales, cut points) is learned from training rows alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin, clone

from tanager.data import Frame, mdl_cut_points
from tanager.data.columns import Factor, RawColumn
from tanager.evaluation.task import Task

__all__ = ["FrameEncoder", "category_codes", "encoding_pipeline"]

# Estimators that split on one column at a time: one code per category is enough, and scale does not matter.
_TREES = (
    "DecisionTree",
    "ExtraTree",
    "RandomForest",
    "GradientBoosting",
    "Bagging",
    "AdaBoost",
    "XGB",
    "LGBM",
    "CatBoost",
)
# Estimators of counts: they want categories only, so numbers are cut by MDL.
_COUNTING = ("CategoricalNB", "MultinomialNB", "ComplementNB", "BernoulliNB")


def category_codes(column: Factor) -> NDArray[np.intp]:
    """The codes of a factor with a code of its own, the last one, for missing values."""
    codes = np.asarray(column.codes, dtype=np.intp)
    return np.where(codes < 0, len(column.levels), codes)


class FrameEncoder(TransformerMixin, BaseEstimator):
    """Frame to floats: numbers standardised (or cut into bins), categories one-hot or as codes.

    A missing category is a level of its own; a missing number takes the training median. With `cut` numbers
    become MDL bins.
    """

    def __init__(self, one_hot: bool = True, cut: bool = False) -> None:
        self.one_hot = one_hot
        self.cut = cut

    def fit(self, X: Frame, y: Any = None) -> FrameEncoder:
        """Learn median, mean, scale and, with `cut`, the cut points of every numeric column."""
        self.medians_, self.means_, self.scales_, self.cuts_ = {}, {}, {}, {}
        for name in X.columns:
            column = X.raw(name)
            if isinstance(column, Factor):
                continue
            numbers = column.floats()
            known = ~np.isnan(numbers)
            median = float(np.median(numbers[known])) if known.any() else 0.0
            filled = np.where(known, numbers, median)
            self.medians_[name] = median
            self.means_[name] = float(filled.mean())
            self.scales_[name] = float(filled.std()) or 1.0
            if self.cut:
                self.cuts_[name] = mdl_cut_points(filled, np.asarray(y))
        return self

    def transform(self, X: Frame) -> NDArray[np.float64]:
        """One float column per number or code, or one per category where `one_hot`."""
        return np.hstack([self._block(X.raw(name), name) for name in X.columns])

    def _block(self, column: RawColumn, name: str) -> NDArray[np.float64]:
        if isinstance(column, Factor):
            codes, size = category_codes(column), len(column.levels) + 1
        else:
            numbers = column.floats()
            filled = np.where(np.isnan(numbers), self.medians_[name], numbers)
            if not self.cut:
                scaled: NDArray[np.float64] = (filled[:, None] - self.means_[name]) / self.scales_[name]
                return scaled
            codes, size = np.searchsorted(self.cuts_[name], filled), self.cuts_[name].size + 1
        return np.eye(size)[codes] if self.one_hot else codes[:, None].astype(np.float64)


def encoding_pipeline(estimator: Any, task: Task) -> Any:
    """The estimator behind the encoding that it needs for this task's columns.

    Trees and their ensembles get one code per category, estimators of counts get numbers cut by MDL within
    the training rows, everything else one-hot columns and standardised numbers.
    """
    from sklearn.pipeline import make_pipeline  # takes long to import

    kind = type(estimator).__name__
    estimator = clone(estimator)
    if kind == "CategoricalNB" and estimator.min_categories is None:
        columns = [task.X.raw(name) for name in task.X.columns]
        sizes = [len(column.levels) + 1 if isinstance(column, Factor) else 1 for column in columns]
        estimator.set_params(min_categories=sizes)
    one_hot = kind != "CategoricalNB" and not any(part in kind for part in _TREES)
    return make_pipeline(FrameEncoder(one_hot=one_hot, cut=kind in _COUNTING), estimator)
