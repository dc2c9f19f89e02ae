"""Encoding mixed frames for scikit-learn estimators that only take numbers.

Levels come from the whole task, as a declared domain would give them: they carry no information about the
class. What is learned from values (medians, scales, cut points) is learned from training rows alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.pipeline import make_pipeline

from tanager.evaluation.task import Task, column_of, is_missing

__all__ = ["FrameEncoder", "category_codes", "encoding_pipeline", "levels_of"]

_Levels = tuple[tuple[str, ...] | None, ...]

# Estimators that split on one column at a time: one code per category is enough, and scale does not matter.
_TREES = ("DecisionTree", "ExtraTree", "RandomForest", "GradientBoosting", "Bagging", "AdaBoost")
# Estimators of counts: they want categories only, so numbers are cut by MDL.
_COUNTING = ("CategoricalNB", "MultinomialNB", "ComplementNB", "BernoulliNB")


class FrameEncoder(TransformerMixin, BaseEstimator):
    """Frame to floats: numbers standardised (or cut into bins), categories one-hot or as codes.

    `levels[i]` lists the categories of column i, or is None where the column is numeric. A missing category
    is a level of its own; a missing number takes the training median. With `cut` numbers become MDL bins.
    """

    def __init__(self, levels: _Levels, one_hot: bool = True, cut: bool = False) -> None:
        self.levels = levels
        self.one_hot = one_hot
        self.cut = cut

    def fit(self, X: Any, y: Any = None) -> FrameEncoder:
        """Learn median, mean, scale and, with `cut`, the cut points of every numeric column."""
        self.medians_, self.means_, self.scales_, self.cuts_ = {}, {}, {}, {}
        for index, levels in enumerate(self.levels):
            if levels is not None:
                continue
            numbers = column_of(X, index).astype(np.float64)
            known = ~np.isnan(numbers)
            median = float(np.median(numbers[known])) if known.any() else 0.0
            filled = np.where(known, numbers, median)
            self.medians_[index] = median
            self.means_[index] = float(filled.mean())
            self.scales_[index] = float(filled.std()) or 1.0
            if self.cut:
                from tanager.data import mdl_cut_points

                self.cuts_[index] = np.asarray(mdl_cut_points(filled, np.asarray(y)), dtype=np.float64)
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """One float column per number or code, or one per category where `one_hot`."""
        blocks = [self._block(column_of(X, index), index) for index in range(len(self.levels))]
        return np.hstack(blocks)

    def _block(self, values: NDArray[Any], index: int) -> NDArray[np.float64]:
        levels = self.levels[index]
        if levels is None:
            numbers = values.astype(np.float64)
            filled = np.where(np.isnan(numbers), self.medians_[index], numbers)
            if not self.cut:
                scaled: NDArray[np.float64] = (filled[:, None] - self.means_[index]) / self.scales_[index]
                return scaled
            codes = np.searchsorted(self.cuts_[index], filled, side="left")
            size = self.cuts_[index].size + 1
        else:
            codes = category_codes(values, levels)
            size = len(levels) + 1
        return np.eye(size)[codes] if self.one_hot else codes[:, None].astype(np.float64)


def category_codes(values: NDArray[Any], levels: tuple[str, ...]) -> NDArray[np.intp]:
    """Position of every value among `levels`; missing and unknown values come last."""
    table = {level: code for code, level in enumerate(levels)}
    gaps = is_missing(values)
    codes = [
        len(levels) if gap else table.get(str(value), len(levels))
        for value, gap in zip(values.tolist(), gaps, strict=True)
    ]
    return np.asarray(codes, dtype=np.intp)


def levels_of(task: Task, index: int) -> tuple[str, ...]:
    """The sorted categories of one column, as text, without the missing one."""
    values = task.column(index)
    return tuple(sorted({str(value) for value in values[~is_missing(values)].tolist()}))


def encoding_pipeline(estimator: Any, task: Task) -> Any:
    """The estimator behind the encoding that it needs for this task's columns.

    Trees and their ensembles get one code per category, estimators of counts get numbers cut by MDL within
    the training rows, everything else one-hot columns and standardised numbers.
    """
    kind = type(estimator).__name__
    levels: _Levels = tuple(
        None if numeric else levels_of(task, index) for index, numeric in enumerate(task.numeric)
    )
    estimator = clone(estimator)
    if kind == "CategoricalNB" and estimator.min_categories is None:
        estimator.set_params(min_categories=[1 if level is None else len(level) + 1 for level in levels])
    one_hot = kind != "CategoricalNB" and not any(part in kind for part in _TREES)
    return make_pipeline(FrameEncoder(levels, one_hot=one_hot, cut=kind in _COUNTING), estimator)
