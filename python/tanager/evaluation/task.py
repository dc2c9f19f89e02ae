"""A task: one data set made ready for evaluation, with its class as codes and a checksum of its content.

Kinds and domains of columns are settled here once, on all rows, so that every fold sees the same ones: a
category that a training part happens to lack is still in the domain, as it would be for a declared
categorical. Domains carry no information about the class; what does (cut points) is learned within the
training parts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tanager.data import Frame, LabelCodes, Table, check_weights, load_dataset, mdl_cut_points, read_table
from tanager.data.columns import Factor, Numbers, RawColumn, factorize_numbers, sort_levels
from tanager.data.discretise import Binning
from tanager.data.encoding import FEW_INTEGERS
from tanager.data.formats import Contents, make_table
from tanager.data.frames import raw_table
from tanager.exceptions import DataError, DataTypeError

__all__ = ["Task", "as_task", "complete_cases", "discretized", "make_task"]


@dataclass(frozen=True)
class Task:
    """What `compare` evaluates on: attributes `X`, class codes `y` and the `labels` of the classes.

    `checksum` covers names, domains, values and weights; `origin` says where the rows came from and `notes`
    what was done to them before any split. With `weights`, learners train on weighted rows; a tested row
    counts once. `target_name` is what the class column is called, where it has a name.
    """

    name: str
    X: Frame
    y: NDArray[np.int64]
    labels: NDArray[Any]
    checksum: str
    origin: str = ""
    notes: tuple[str, ...] = field(default=())
    weights: NDArray[np.float64] | None = None
    target_name: str | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.y.size)

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels as text."""
        return tuple(str(label) for label in self.labels.tolist())

    def target(self, rows: NDArray[np.intp] | None = None) -> NDArray[Any]:
        """The labels of some rows, or of all."""
        wanted: NDArray[Any] = self.labels[self.y if rows is None else self.y[rows]]
        return wanted

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the attributes."""
        return tuple(self.X.columns)

    @property
    def numeric(self) -> tuple[bool, ...]:
        """Which attributes are numbers, to be discretised."""
        return tuple(isinstance(self.X.raw(name), Numbers) for name in self.X.columns)

    @property
    def has_missing(self) -> bool:
        """Does any row lack a value?"""
        return any(_lacks_any(self.X.raw(name)) for name in self.X.columns)

    def rows(self, indices: NDArray[np.intp]) -> Frame:
        """The attributes of some rows."""
        return self.X[indices]

    def missing(self) -> NDArray[np.bool_]:
        """For every row: does any attribute lack its value?"""
        missing = np.zeros(self.n_rows, dtype=np.bool_)
        for name in self.X.columns:
            missing |= self.X.raw(name).missing_mask()
        return missing


def _lacks_any(column: RawColumn) -> bool:
    if isinstance(column, Factor):
        return bool(column.codes.min(initial=0) < 0)
    return bool(column.missing_mask().any())


_WEIGHTED = "rows weighted in training; every tested row counts once"


def make_task(
    name: str,
    X: Any,
    y: Any,
    origin: str,
    notes: Sequence[str] = (),
    weights: Any = None,
    target_name: str | None = None,
) -> Task:
    """Build a task from any frame or 2-D array, its labels and, where there are any, weights of the rows."""
    table = raw_table(X)
    labels = LabelCodes().fit(y)
    if len(labels.codes_) != table.rows:
        raise DataError(f"data set {name!r}: {table.rows} rows but {len(labels.codes_)} labels")
    if len(labels.classes_) < 2:
        raise DataError(f"data set {name!r} has one class; comparing classifiers needs at least two")
    frame = Frame({n: _settled(c, n) for n, c in zip(table.labels, table.columns, strict=True)})
    codes = labels.codes_.astype(np.int64)
    if weights is not None:
        weights = check_weights(weights, len(codes))
        notes = [*(note for note in notes if note != _WEIGHTED), _WEIGHTED]
    checksum = _checksum(frame, codes, labels.classes_, weights)
    return Task(name, frame, codes, labels.classes_, checksum, origin, tuple(notes), weights, target_name)


def as_task(data: Any, name: str | None = None, target: str = "class") -> Task:
    """A task from the name of a data set, a path, a table, a frame, or a pair ``(X, y)``.

    >>> task = as_task("tic-tac-toe")
    >>> task.n_rows, task.classes
    (958, ('negative', 'positive'))
    """
    if isinstance(data, Task):
        return data if name is None else replace(data, name=name)
    if isinstance(data, str) and not Path(data).suffix and not Path(data).exists():
        data = load_dataset(data)
    elif isinstance(data, str | Path):
        data = read_table(data, target=target)
    if isinstance(data, Table):
        if data.y is None:
            raise DataError(f"data set {data.name!r} has no class column")
        origin = "" if data.info is None else f"{data.info.origin}: {data.info.source}"
        return make_task(
            name or data.name, data.X, data.y, origin, weights=data.weights, target_name=data.target
        )
    if isinstance(data, tuple) and len(data) == 2:
        called = getattr(data[1], "name", None)
        return make_task(
            name or "data",
            data[0],
            data[1],
            "given as arrays",
            target_name=called if isinstance(called, str) else None,
        )
    if hasattr(data, "columns") or hasattr(data, "column_names"):
        return as_task(make_table(Contents(raw_table(data).frame()), name or "data", target))
    raise DataTypeError(
        f"a data set is a name, a path, a table, a frame or a pair (X, y), not {type(data).__name__}"
    )


def complete_cases(task: Task) -> Task:
    """The task without the rows that lack a value, as the papers evaluate."""
    missing = task.missing()
    if not missing.any():
        return task
    if missing.all():
        raise DataError(f"data set {task.name!r} has no row without missing values")
    kept = np.flatnonzero(~missing)
    # domains are those of the rows that stay, as if the others had never been there
    columns = {name: _undeclared(task.X.raw(name).take(kept)) for name in task.X.columns}
    note = f"{int(missing.sum())} of {task.n_rows} rows with missing values left out"
    weights = None if task.weights is None else task.weights[kept]
    return make_task(
        task.name,
        Frame(columns),
        task.target(kept),
        task.origin,
        (*task.notes, note),
        weights,
        task.target_name,
    )


def discretized(task: Task) -> Task:
    """The task with every number cut by MDL on all rows, as many papers do before they split."""
    if not any(task.numeric):
        return task
    columns = {name: _cut(task.X.raw(name), task.y, task.weights) for name in task.X.columns}
    frame = Frame(columns)
    note = f"{sum(task.numeric)} numeric attributes cut by MDL on all rows before splitting"
    checksum = _checksum(frame, task.y, task.labels, task.weights)
    return replace(task, X=frame, checksum=checksum, notes=(*task.notes, note))


def _cut(column: RawColumn, y: NDArray[np.int64], weights: NDArray[np.float64] | None) -> RawColumn:
    if isinstance(column, Factor):
        return column
    values = column.floats()
    binning = Binning(mdl_cut_points(values, y, weights))
    codes = np.searchsorted(binning.cut_points, values).astype(np.int32)
    codes[np.isnan(values)] = -1
    return Factor(codes, [binning.describe(code) for code in range(binning.bins)], declared=True)


def _settled(column: RawColumn, name: str) -> RawColumn:
    """Numbers as floats, or a factor whose levels are declared: the same kind and domain for every fold."""
    if isinstance(column, Numbers):
        if not column.integer:
            return Numbers(column.floats())
        factor = factorize_numbers(column)
        if len(factor.levels) > FEW_INTEGERS:
            return Numbers(column.floats())
        return Factor(factor.codes, factor.levels, declared=True)
    if column.declared:
        return column
    seen = np.unique(column.codes[column.codes >= 0])
    levels = sort_levels([column.levels[int(code)] for code in seen], f"column {name!r}")
    place = {level: code for code, level in enumerate(levels)}
    lookup = np.array([place.get(level, -1) for level in column.levels] + [-1], dtype=np.int32)
    return Factor(lookup[column.codes], levels, declared=True)


def _undeclared(column: RawColumn) -> RawColumn:
    return column._replace(declared=False) if isinstance(column, Factor) else column


def _checksum(
    frame: Frame, y: NDArray[np.int64], labels: NDArray[Any], weights: NDArray[np.float64] | None
) -> str:
    digest = hashlib.sha256()
    for name in frame.columns:
        column = frame.raw(name)
        digest.update(f"\x1d{name}\x1f".encode())
        if isinstance(column, Factor):
            digest.update("\x1f".join(f"{type(level).__name__} {level}" for level in column.levels).encode())
            digest.update(np.ascontiguousarray(column.codes, dtype=np.int32).tobytes())
        else:
            digest.update(np.ascontiguousarray(column.floats(), dtype=np.float64).tobytes())
    digest.update("\x1d".join(f"{type(label).__name__} {label}" for label in labels.tolist()).encode())
    digest.update(np.ascontiguousarray(y).tobytes())
    if weights is not None:
        digest.update(b"\x1dweights" + np.ascontiguousarray(weights, dtype=np.float64).tobytes())
    return digest.hexdigest()
