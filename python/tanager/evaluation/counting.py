"""Cross-validation of count-based learners from one pass of counting.

The tables of a training part are those of all rows minus those of the held-out fold. Counts are integers, so
that this equals learning from the training rows exactly, and k folds cost about one fit instead of k.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tanager import _core
from tanager.data import TableEncoder
from tanager.estimators import BayesianNetworkClassifier
from tanager.evaluation.splits import Split
from tanager.evaluation.task import Task
from tanager.registry import LEARNERS

# Parameters that count-based cross-validation does not know: with any of them every fold is fitted.
_REFITTED = ("categorical", "class_prior", "class_weight", "numeric")

__all__ = ["COUNT_BASED", "cross_validate_by_counting"]

#: Learners whose structure and tables depend on the rows through counts alone.
COUNT_BASED = tuple(name for name, about in LEARNERS.items() if about.counts_suffice)


def cross_validate_by_counting(
    estimator: BayesianNetworkClassifier, task: Task, splits: Sequence[Split]
) -> list[NDArray[np.float64]] | None:
    """P(c | x) of each split's test rows from its training part, or None where counting is not exact.

    It is exact where the splits are folds of all rows, every training part has every class, every attribute
    is categorical (cut points would be learned anew in each training part), no value is missing (whether
    "missing" is a value of its own depends on the training part), rows have no weights (sums of them are
    rounded), and the estimator neither weighs classes, nor shifts their prior, nor declares kinds of columns.
    """
    if estimator.learner not in COUNT_BASED or any(task.numeric) or task.has_missing:
        return None
    if task.weights is not None or any(getattr(estimator, name, None) is not None for name in _REFITTED):
        return None
    folds = _folds(task, splits)
    if folds is None:
        return None
    encoder = TableEncoder(discretize="none", missing=estimator.missing, estimator=type(estimator).__name__)
    table = encoder.fit_transform(task.X)
    names = list(task.feature_names)
    data = table.data.with_class(task.y.astype(np.uint32), len(task.classes))
    parts = _core.cross_validate(
        data,
        folds,
        len(splits),
        estimator.learner,
        estimator._settings(names),
        estimator._score(),
        estimator.parameters,
        estimator.n_jobs,
    )
    return [_in_order_of(split.test, part) for split, part in zip(splits, parts, strict=True)]


def _in_order_of(rows: NDArray[np.intp], part: NDArray[np.float64]) -> NDArray[np.float64]:
    """What the core gave in the order of the table, in the order of a split given by hand."""
    if _ascends(rows):
        return part
    place: NDArray[np.float64] = part[np.argsort(np.argsort(rows))]
    return place


def _ascends(rows: NDArray[np.intp]) -> bool:
    """Is every row behind the one before it? Then there are no two alike."""
    return bool((rows[1:] > rows[:-1]).all())


def _folds(task: Task, splits: Sequence[Split]) -> NDArray[np.uint32] | None:
    """The fold of every row, or None where the splits are not folds or a training part lacks a class."""
    if len(splits) < 2:
        return None
    folds = np.full(task.n_rows, len(splits), dtype=np.uint32)
    of_class = np.bincount(task.y, minlength=len(task.classes))
    tested = 0
    for index, split in enumerate(splits):
        folds[split.test] = index
        tested += split.test.size
        if split.train.size + split.test.size != task.n_rows:
            return None
        if not _ascends(split.train) and np.unique(split.train).size < split.train.size:
            return None
        if (np.bincount(task.y[split.test], minlength=of_class.size) == of_class).any():
            return None
    if tested != task.n_rows or (folds == len(splits)).any():
        return None
    return folds
