"""A task: one data set made ready for evaluation, with its class as codes and a checksum of its content."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

__all__ = ["Task", "as_task", "column_of", "feature_names_of", "is_missing"]

_Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Task:
    """What `compare` evaluates on: attributes `X` (any frame or 2-D array), class codes `y` and their labels.

    `numeric[i]` says whether attribute i is a number to be discretised; `checksum` covers names and values;
    `origin` says where the rows came from and `notes` what was done to them before any split.
    """

    name: str
    X: Any
    y: _Codes
    classes: tuple[str, ...]
    feature_names: tuple[str, ...]
    numeric: tuple[bool, ...]
    checksum: str
    origin: str = ""
    notes: tuple[str, ...] = field(default=())

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.y.size)

    def rows(self, indices: NDArray[np.intp]) -> Any:
        """The attributes of some rows, in the kind of frame that the task holds."""
        return _safe_indexing(self.X, indices)

    def column(self, index: int) -> NDArray[Any]:
        """One attribute as a numpy array."""
        return column_of(self.X, index)

    def missing(self) -> NDArray[np.bool_]:
        """For every row: does any attribute lack its value?"""
        gaps = np.zeros(self.n_rows, dtype=np.bool_)
        for index in range(len(self.feature_names)):
            gaps |= is_missing(self.column(index))
        return gaps


def column_of(X: Any, index: int) -> NDArray[Any]:
    """Column `index` of a frame or 2-D array as a numpy array."""
    if isinstance(X, np.ndarray):
        return X[:, index]
    frame = nw.from_native(X, eager_only=True)
    return np.asarray(frame.get_column(frame.columns[index]).to_numpy())


def feature_names_of(X: Any) -> tuple[str, ...]:
    """Column names of a frame, or x0, x1, … of an array."""
    if isinstance(X, np.ndarray):
        return tuple(f"x{index}" for index in range(X.shape[1]))
    return tuple(str(name) for name in nw.from_native(X, eager_only=True).columns)


def is_missing(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Which values are None or NaN."""
    if values.dtype.kind == "f":
        return np.asarray(np.isnan(values))
    if values.dtype.kind in "biuUS":
        return np.zeros(values.shape, dtype=np.bool_)
    absent = [value is None or bool(np.ndim(value) == 0 and value != value) for value in values.tolist()]
    return np.asarray(absent, dtype=np.bool_)


def checksum_of(X: Any, names: Sequence[str], labels: Sequence[str], y: _Codes) -> str:
    """SHA-256 over column names, values and class labels; frames of any kind with equal content agree."""
    digest = hashlib.sha256()
    for index, name in enumerate(names):
        values = column_of(X, index)
        gaps = is_missing(values)
        digest.update(f"\x1d{name}\x1f".encode())
        if values.dtype.kind in "biuf":
            numbers = values.astype(np.float64)
            numbers[gaps] = np.nan
            digest.update(np.ascontiguousarray(numbers).tobytes())
        else:
            texts = ("\x00" if gap else str(value) for value, gap in zip(values.tolist(), gaps, strict=True))
            digest.update("\x1f".join(texts).encode())
    digest.update("\x1d".join(labels).encode())
    digest.update(y.astype(np.int64).tobytes())
    return digest.hexdigest()


def _is_numeric(values: NDArray[Any]) -> bool:
    """Floats are numeric; integers with many distinct values too; everything else names categories."""
    if values.dtype.kind == "f":
        return True
    return values.dtype.kind in "iu" and np.unique(values).size > 20


def make_task(
    name: str, X: Any, y: Any, origin: str, numeric: Sequence[bool] | None = None, notes: Sequence[str] = ()
) -> Task:
    """Build a task from attributes and labels; rows whose class is missing are refused."""
    if not isinstance(X, np.ndarray) and not hasattr(X, "columns") and not hasattr(X, "column_names"):
        X = np.asarray(X, dtype=object if not hasattr(X, "dtype") else None)
    labels = np.asarray(y)
    gaps = is_missing(labels)
    if gaps.any():
        raise ValueError(f"data set {name!r}: the class of row {int(gaps.argmax())} is missing")
    texts = np.asarray([str(label) for label in labels.tolist()])
    classes, codes = np.unique(texts, return_inverse=True)
    if classes.size < 2:
        raise ValueError(f"data set {name!r} has {classes.size} class; comparing needs at least 2")
    names = feature_names_of(X)
    if numeric is None:
        numeric = [_is_numeric(column_of(X, index)) for index in range(len(names))]
    codes = codes.astype(np.int64)
    return Task(
        name=name,
        X=X,
        y=codes,
        classes=tuple(str(label) for label in classes),
        feature_names=names,
        numeric=tuple(bool(flag) for flag in numeric),
        checksum=checksum_of(X, names, [str(label) for label in classes], codes),
        origin=origin,
        notes=tuple(notes),
    )


def complete_cases(task: Task) -> Task:
    """The task without the rows that lack a value, as the papers evaluate."""
    gaps = task.missing()
    if not gaps.any():
        return task
    kept = np.flatnonzero(~gaps)
    if not kept.size:
        raise ValueError(f"data set {task.name!r} has no row without missing values")
    labels = [task.classes[code] for code in task.y[kept]]
    note = f"{int(gaps.sum())} of {task.n_rows} rows with missing values left out"
    return make_task(task.name, task.rows(kept), labels, task.origin, task.numeric, (*task.notes, note))


def as_task(data: Any, name: str | None = None, target: str = "class") -> Task:
    """A task from an ``(X, y)`` pair."""
    if isinstance(data, Task):
        return data
    if isinstance(data, tuple) and len(data) == 2:
        return make_task(name or "data", data[0], data[1], "given as arrays")
    raise TypeError(f"a data set is a name, a path, a table or a pair (X, y), not {type(data).__name__}")


def discretized(task: Task) -> Task:
    """The task with every numeric attribute cut by MDL on all rows, as many papers do before they split."""
    if not any(task.numeric):
        return task
    from tanager.data import mdl_cut_points

    columns: list[NDArray[Any]] = []
    for index, numeric in enumerate(task.numeric):
        values = task.column(index)
        if numeric:
            values = cut_labels(values.astype(np.float64), task.y, mdl_cut_points)
        columns.append(values)
    table = np.empty((task.n_rows, len(columns)), dtype=object)
    for index, values in enumerate(columns):
        table[:, index] = values
    note = f"{sum(task.numeric)} numeric attributes cut by MDL on all rows before splitting"
    labels = [task.classes[code] for code in task.y]
    nothing = [False] * len(columns)
    made = make_task(task.name, table, labels, task.origin, nothing, (*task.notes, note))
    return replace(made, feature_names=task.feature_names)


def cut_labels(numbers: NDArray[np.float64], y: _Codes, cut_points: Callable[..., Any]) -> NDArray[Any]:
    """Name of the interval that every number falls into; a missing number stays missing."""
    known = ~np.isnan(numbers)
    cuts = np.asarray(cut_points(numbers[known], y[known]), dtype=np.float64)
    ends = ["-inf", *(f"{cut:.6g}" for cut in cuts), "inf"]
    names = np.array([f"({low}, {high}]" for low, high in pairwise(ends)], dtype=object)
    labels = names[np.searchsorted(cuts, numbers, side="left").clip(max=cuts.size)]
    labels[~known] = None
    return np.asarray(labels)
