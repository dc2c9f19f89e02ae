"""Which rows train and which rows test: stratified folds with repeats, hold-out, or splits given by hand."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

__all__ = ["Plan", "Split", "plan_splits"]

_Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Split:
    """One pair of training and test rows."""

    repeat: int
    fold: int
    train: _Rows
    test: _Rows

    @property
    def checksum(self) -> str:
        """Hash of the exact rows."""
        digest = hashlib.sha256(np.ascontiguousarray(self.train, dtype=np.int64).tobytes())
        digest.update(b"|")
        digest.update(np.ascontiguousarray(self.test, dtype=np.int64).tobytes())
        return digest.hexdigest()[:16]


@dataclass(frozen=True)
class Plan:
    """How rows are split; `cv` is a number of folds, a test share below 1, or pairs of row indices."""

    cv: Any = 5
    repeats: int = 5
    random_state: int = 0

    @property
    def description(self) -> str:
        """One phrase for reports."""
        times = "" if self.repeats == 1 else f"{self.repeats} times "
        if isinstance(self.cv, int):
            return f"{times}{self.cv}-fold stratified cross-validation, seed {self.random_state}"
        if isinstance(self.cv, float):
            return f"{times}stratified hold-out of {self.cv:.0%}, seed {self.random_state}"
        return "splits given by hand"

    @property
    def is_cross_validation(self) -> bool:
        """Does every row get tested once per repeat?"""
        return isinstance(self.cv, int)


def plan_splits(plan: Plan, y: NDArray[np.int64]) -> list[Split]:
    """The splits of a plan for class codes `y`, always the same for the same seed.

    A class with fewer rows than folds is spread as far as it goes.

    >>> import numpy as np
    >>> splits = plan_splits(Plan(cv=2, repeats=2), np.array([0, 0, 1, 1]))
    >>> [(s.repeat, s.fold, len(s.train), len(s.test)) for s in splits]
    [(0, 0, 2, 2), (0, 1, 2, 2), (1, 0, 2, 2), (1, 1, 2, 2)]
    """
    if isinstance(plan.cv, bool) or plan.repeats < 1:
        raise ValueError("cv must be a number of folds or a share, and repeats at least 1")
    if isinstance(plan.cv, int):
        return _folds(plan, y)
    if isinstance(plan.cv, float):
        return _hold_out(plan, y)
    return _given(plan.cv, y.size)


def _folds(plan: Plan, y: NDArray[np.int64]) -> list[Split]:
    largest = int(np.bincount(y).max())
    if plan.cv < 2:
        raise ValueError(f"cross-validation needs at least 2 folds, not {plan.cv}")
    if plan.cv > largest:
        raise ValueError(f"{plan.cv} folds are more than the {largest} rows of the largest class")
    splits = []
    for repeat in range(plan.repeats):
        folds = StratifiedKFold(plan.cv, shuffle=True, random_state=plan.random_state + repeat)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
            for fold, (train, test) in enumerate(folds.split(np.zeros((y.size, 1)), y)):
                splits.append(Split(repeat, fold, train, test))
    return splits


def _hold_out(plan: Plan, y: NDArray[np.int64]) -> list[Split]:
    if not 0.0 < plan.cv < 1.0:
        raise ValueError(f"a hold-out share lies strictly between 0 and 1, not {plan.cv}")
    counts = np.bincount(y)
    # scikit-learn refuses to stratify a class of one row; such rows then only train
    lonely = np.flatnonzero(counts[y] < 2)
    rest = np.flatnonzero(counts[y] >= 2)
    splitter = StratifiedShuffleSplit(plan.repeats, test_size=plan.cv, random_state=plan.random_state)
    return [
        Split(repeat, 0, np.sort(np.concatenate([rest[train], lonely])), np.sort(rest[test]))
        for repeat, (train, test) in enumerate(splitter.split(np.zeros((rest.size, 1)), y[rest]))
    ]


def _given(pairs: Iterable[tuple[Any, Any]], n_rows: int) -> list[Split]:
    splits = []
    for fold, (train, test) in enumerate(pairs):
        one = Split(0, fold, np.asarray(train, dtype=np.intp), np.asarray(test, dtype=np.intp))
        rows = np.concatenate([one.train, one.test])
        if not one.train.size or not one.test.size or rows.min() < 0 or rows.max() >= n_rows:
            raise ValueError(f"split {fold} has no rows or rows outside 0..{n_rows - 1}")
        if np.intersect1d(one.train, one.test).size:
            raise ValueError(f"split {fold} tests rows that it trains on")
        splits.append(one)
    if not splits:
        raise ValueError("no splits were given")
    return splits
