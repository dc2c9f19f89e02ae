"""A table that was read or generated: attributes, class, and where it came from. Needs no frame library."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from tanager.data.columns import Factor, Numbers, RawColumn, column_values
from tanager.exceptions import DataError, DataTypeError, UnknownNameError, imported

__all__ = ["DatasetInfo", "Frame", "Table"]


class Frame:
    """Named columns of equal length; rows are taken as from an array, columns by name.

    Estimators of tanager read it as it is, with declared levels. Everything else may call `to_pandas`,
    `to_polars`, `to_arrow` or `numpy.asarray`.

    >>> from tanager.data.columns import Numbers
    >>> colour = Factor(np.array([1, 0, -1]), ["red", "blue"])
    >>> frame = Frame({"colour": colour, "size": Numbers(np.array([1.5, 2.0, 3.0]))})
    >>> frame.shape, frame["colour"].tolist(), frame[[2, 0]]["size"].tolist()
    ((3, 2), ['blue', 'red', None], [3.0, 1.5])
    """

    def __init__(self, columns: Mapping[str, RawColumn]) -> None:
        self._columns = dict(columns)
        lengths = {len(_data(column)) for column in self._columns.values()}
        if len(lengths) > 1:
            raise DataError(f"columns have different lengths: {sorted(lengths)}")
        self._rows = lengths.pop() if lengths else 0

    @property
    def columns(self) -> list[str]:
        """The names."""
        return list(self._columns)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self._rows, len(self._columns)

    @property
    def ndim(self) -> int:
        """Two."""
        return 2

    def raw(self, name: str) -> RawColumn:
        """A column as it is stored: codes and levels, or numbers."""
        return self._columns[name]

    def drop(self, name: str) -> Frame:
        """All columns but one."""
        return Frame({other: column for other, column in self._columns.items() if other != name})

    def __len__(self) -> int:
        return self._rows

    @overload
    def __getitem__(self, key: str) -> NDArray[Any]: ...
    @overload
    def __getitem__(self, key: Any) -> Frame: ...
    def __getitem__(self, key: Any) -> NDArray[Any] | Frame:
        if isinstance(key, str):
            if key not in self._columns:
                raise UnknownNameError(f"{key!r} is not a column; columns are {', '.join(self._columns)}")
            return column_values(self._columns[key])
        if isinstance(key, tuple):  # frame[rows, ...], as scikit-learn takes rows of an array
            key, *rest = key
            if rest not in ([Ellipsis], [slice(None)]):
                raise DataTypeError("columns of a Frame are taken by name, one at a time")
        rows = np.asarray(key) if not isinstance(key, slice) else key
        return Frame({name: column.take(rows) for name, column in self._columns.items()})

    def __iter__(self) -> Iterator[Any]:
        raise DataTypeError("a Frame is not iterable; use .columns or numpy.asarray(frame)")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        columns = [column_values(column) for column in self._columns.values()]
        if any(column.dtype == object for column in columns):
            matrix = np.empty(self.shape, dtype=object)
            for i, column in enumerate(columns):
                matrix[:, i] = column
            return matrix.astype(dtype or object)
        return np.column_stack(columns).astype(dtype or np.float64)

    def __repr__(self) -> str:
        return f"Frame({self._rows} rows: {', '.join(self._columns)})"

    def to_pandas(self) -> Any:
        """A pandas frame; factors become categoricals with the same levels, incomplete integers Int64."""
        pd = imported("pandas", "to_pandas")

        def series(column: RawColumn) -> Any:
            if isinstance(column, Factor):
                levels = pd.Index(list(column.levels))
                return pd.Categorical.from_codes(column.codes, categories=levels)
            if column.integer and column.missing is not None:
                return pd.array(_with_gaps(column), dtype="Int64")
            return column_values(column)

        return pd.DataFrame({name: series(column) for name, column in self._columns.items()})

    def to_polars(self) -> Any:
        """A polars frame; factors of strings become Enums with the same levels."""
        pl = imported("polars", "to_polars")

        def series(name: str, column: RawColumn) -> Any:
            if isinstance(column, Numbers) and column.integer and column.missing is not None:
                return pl.Series(name, _with_gaps(column).tolist(), dtype=pl.Int64)
            values = column_values(column)
            if isinstance(column, Factor) and all(isinstance(level, str) for level in column.levels):
                return pl.Series(name, values.tolist(), dtype=pl.Enum(list(column.levels)))
            return pl.Series(name, values.tolist() if values.dtype == object else values)

        return pl.DataFrame([series(name, column) for name, column in self._columns.items()])

    def to_arrow(self) -> Any:
        """A pyarrow table; factors become dictionary columns."""
        pa = imported("pyarrow", "to_arrow")

        def array(column: RawColumn) -> Any:
            if isinstance(column, Factor):
                codes = pa.array(np.asarray(column.codes, dtype=np.int32), mask=np.asarray(column.codes) < 0)
                return pa.DictionaryArray.from_arrays(codes, pa.array(list(column.levels)))
            if column.integer:
                return pa.array(column.values, mask=column.missing)
            return pa.array(column_values(column), from_pandas=True)

        return pa.table({name: array(column) for name, column in self._columns.items()})


@dataclass(frozen=True)
class DatasetInfo:
    """What is known about a data set.

    Attributes:
        name: as `load_dataset` takes it.
        rows, attributes, numeric, classes: how many of each; `numeric` of the attributes are numbers.
        missing: whether values are missing.
        origin: "generated", "bundled", "folder" or "openml".
        source: where it comes from.
        licence: on which terms.
        checksum: SHA-256 of its canonical text (see `Table.checksum`).
        description: one line.
    """

    name: str
    rows: int
    attributes: int
    numeric: int
    classes: int
    missing: bool
    origin: str
    source: str
    licence: str
    checksum: str
    description: str = ""


@dataclass(frozen=True)
class Table:
    """Attributes `X`, labels `y` (None without a target), the target's name, row weights and provenance."""

    name: str
    X: Frame
    y: NDArray[Any] | Any  # users need not ask whether it is None after each `load_dataset`
    target: str | None
    weights: NDArray[np.float64] | None = None
    info: DatasetInfo | None = None

    @property
    def feature_names(self) -> list[str]:
        """The attributes' names."""
        return self.X.columns

    def __len__(self) -> int:
        return len(self.X)

    def __repr__(self) -> str:
        target = f", class {self.target!r}" if self.target is not None else ""
        return f"Table({self.name!r}, {self.X.shape[0]} rows, {self.X.shape[1]} attributes{target})"

    def take(self, rows: Any) -> Table:
        """Some of the rows, by mask or by position."""
        y = None if self.y is None else self.y[rows]
        weights = None if self.weights is None else self.weights[rows]
        return replace(self, X=self.X[rows], y=y, weights=weights)

    def to_pandas(self) -> Any:
        """Attributes and class in one pandas frame, the class last."""
        frame = self.X.to_pandas()
        if self.target is not None:
            frame[self.target] = self.y
        return frame

    def to_csv(self) -> str:
        """The canonical text: a header, then one line per row; missing values are empty."""
        columns = [column_values(self.X.raw(name)) for name in self.X.columns]
        names = list(self.X.columns)
        if self.y is not None and self.target is not None:
            columns.append(self.y)
            names.append(self.target)
        texts = [[_field(value) for value in column.tolist()] for column in columns]
        lines = [",".join(map(_field, names)), *map(",".join, zip(*texts, strict=True))]
        return "\n".join(lines) + "\n"

    @property
    def checksum(self) -> str:
        """SHA-256 of `to_csv()`: the same for the same values in the same order."""
        return hashlib.sha256(self.to_csv().encode()).hexdigest()


def _with_gaps(column: Numbers) -> NDArray[Any]:
    """Integers as objects, None where missing."""
    values: NDArray[Any] = column.values.astype(object)
    values[column.missing_mask()] = None
    return values


def _data(column: RawColumn) -> NDArray[Any]:
    return column.codes if isinstance(column, Factor) else column.values


def _field(value: object) -> str:
    if value is None or value != value:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    text = str(value)
    if any(mark in text for mark in ',"\n\r'):
        text = '"' + text.replace('"', '""') + '"'
    return text
