"""Which rows train and which rows test: stratified folds with repeats, hold-out, or splits given by hand."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tanager import _core
from tanager.exceptions import CapacityError, DataError, DataTypeError
from tanager.settings import is_whole

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
    """How rows are split; `cv` is a number of folds, a test share below 1, a splitter of scikit-learn, or
    pairs of row indices."""

    cv: Any = 5
    repeats: int = 5
    random_state: int = 0

    @classmethod
    def checked(cls, cv: Any, repeats: Any, random_state: Any) -> Plan:
        """The plan, or one sentence on what is wrong with it.

        >>> import numpy as np
        >>> Plan.checked(np.int64(5), 1, 0)
        Plan(cv=5, repeats=1, random_state=0)
        """
        if not is_whole(repeats) or repeats < 1:
            raise DataError(f"repeats is a whole number from 1 on, not {repeats!r}")
        if not is_whole(random_state) or random_state < 0:
            raise DataError(
                f"random_state is a whole number from 0 on, so that the same splits can be made again, "
                f"not {random_state!r}"
            )
        if random_state + repeats > 2**32:
            raise DataError(
                f"every repeat has a seed of its own, random_state and those behind it, of which there are "
                f"2**32: random_state {random_state} with {repeats} repeats is beyond them"
            )
        if is_whole(cv):
            cv = int(cv)
        elif isinstance(cv, float | np.floating):
            cv = float(cv)
        elif isinstance(cv, bool | str | bytes | type) or not (
            hasattr(cv, "split") or hasattr(cv, "__iter__")
        ):
            raise DataTypeError(
                "cv is a number of folds, a share of test rows, a splitter of scikit-learn, or pairs of "
                f"training and test rows, not {cv!r}"
            )
        elif not hasattr(cv, "split"):
            cv = tuple(cv)  # an iterator serves every data set, not the first alone
        return cls(cv, int(repeats), int(random_state))

    @property
    def description(self) -> str:
        """One phrase for reports."""
        times = "" if self.repeats == 1 else f"{self.repeats} times "
        if isinstance(self.cv, int):
            return f"{times}{self.cv}-fold stratified cross-validation, seed {self.random_state}"
        if isinstance(self.cv, float):
            return f"{times}stratified hold-out of {self.cv:.0%}, seed {self.random_state}"
        return f"splits by {self.cv!r}" if hasattr(self.cv, "split") else "splits given by hand"


def plan_splits(plan: Plan, y: NDArray[np.int64]) -> list[Split]:
    """The splits of a plan for class codes `y`, always the same for the same seed.

    A class with fewer rows than folds is spread as far as it goes.

    >>> import numpy as np
    >>> splits = plan_splits(Plan(cv=2, repeats=2), np.array([0, 0, 1, 1]))
    >>> [(s.repeat, s.fold, len(s.train), len(s.test)) for s in splits]
    [(0, 0, 2, 2), (0, 1, 2, 2), (1, 0, 2, 2), (1, 1, 2, 2)]
    """
    if isinstance(plan.cv, int):
        return _folds(plan, y)
    if isinstance(plan.cv, float):
        return _hold_out(plan, y)
    if hasattr(plan.cv, "split"):
        return _given(plan.cv.split(np.zeros((y.size, 1)), y), y.size)
    return _given(plan.cv, y.size)


def _folds(plan: Plan, y: NDArray[np.int64]) -> list[Split]:
    from sklearn.model_selection import StratifiedKFold  # takes long to import

    largest = int(np.bincount(y).max())
    if plan.cv < 2:
        raise DataError(f"cross-validation needs at least 2 folds, not {plan.cv}")
    if plan.cv > largest:
        raise DataError(f"{plan.cv} folds are more than the {largest} rows of the largest class")
    _check_size(plan, plan.repeats * plan.cv, y.size)
    splits = []
    for repeat in range(plan.repeats):
        folds = StratifiedKFold(plan.cv, shuffle=True, random_state=plan.random_state + repeat)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
            for fold, (train, test) in enumerate(folds.split(np.zeros((y.size, 1)), y)):
                splits.append(Split(repeat, fold, train, test))
    return splits


def _hold_out(plan: Plan, y: NDArray[np.int64]) -> list[Split]:
    from sklearn.model_selection import StratifiedShuffleSplit  # takes long to import

    if not 0.0 < plan.cv < 1.0:
        raise DataError(f"a hold-out share lies strictly between 0 and 1, not {plan.cv}")
    _check_size(plan, plan.repeats, y.size)
    counts = np.bincount(y)
    # scikit-learn refuses to stratify a class of one row; such rows then only train
    lonely = np.flatnonzero(counts[y] < 2)
    rest = np.flatnonzero(counts[y] >= 2)
    splitter = StratifiedShuffleSplit(plan.repeats, test_size=plan.cv, random_state=plan.random_state)
    return [
        Split(repeat, 0, np.sort(np.concatenate([rest[train], lonely])), np.sort(rest[test]))
        for repeat, (train, test) in enumerate(splitter.split(np.zeros((rest.size, 1)), y[rest]))
    ]


def _check_size(plan: Plan, splits: int, rows: int) -> None:
    """Refuses splits whose lists of rows, 8 bytes for each, do not fit into memory."""
    needed, limit = splits * (8 * rows + 500), _core.memory_limit()
    if needed > limit:
        raise CapacityError(
            f"{plan.description} of {rows} rows: the rows of all {splits} splits take {needed} bytes, "
            f"more than the memory limit of {limit} bytes allows; ask for fewer repeats"
        )


def _given(pairs: Iterable[Any], n_rows: int) -> list[Split]:
    """Splits as they come; one that tests a row again begins another repeat."""
    splits: list[Split] = []
    repeat = fold = 0
    tested = np.zeros(n_rows, dtype=np.bool_)
    for index, pair in enumerate(pairs):
        train, test = _rows_of(pair, index)
        rows = np.concatenate([train, test])
        if not train.size or not test.size or rows.min() < 0 or rows.max() >= n_rows:
            raise DataError(f"split {index} has no rows or rows outside 0..{n_rows - 1}")
        if np.intersect1d(train, test).size:
            raise DataError(f"split {index} tests rows that it trains on")
        if tested[test].any():
            repeat, fold = repeat + 1, 0
            tested[:] = False
        tested[test] = True
        splits.append(Split(repeat, fold, train, test))
        fold += 1
    if not splits:
        raise DataError("no splits were given")
    return splits


def _rows_of(pair: Any, index: int) -> tuple[_Rows, _Rows]:
    try:
        train, test = (np.asarray(rows) for rows in pair)
    except (TypeError, ValueError):
        raise DataTypeError(f"split {index} is not a pair of training and test rows: {pair!r}") from None
    for rows in (train, test):
        if rows.ndim != 1 or (rows.size and rows.dtype.kind not in "iu"):
            raise DataTypeError(f"split {index} does not hold positions of rows, which are whole numbers")
    return train.astype(np.intp), test.astype(np.intp)
