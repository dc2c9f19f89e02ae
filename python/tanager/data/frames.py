"""From whatever holds a table (frame, array, nested lists) to named raw columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from tanager.data.arrow_parts import as_table
from tanager.data.columns import RawColumn, as_array, column_name, from_array
from tanager.data.dates import dated, from_times
from tanager.data.polars_columns import polars_columns
from tanager.data.series import ReadText, from_native, from_series, pandas_columns
from tanager.data.spans import from_spans
from tanager.data.table import Frame
from tanager.exceptions import DataError, DataTypeError, own_errors
from tanager.scikit_learn import check_array

__all__ = ["READ_TEXT", "Header", "RawTable", "column_labels", "raw_table"]

#: A mark in the metadata of a field of Arrow: text that was only read as a dictionary (`ReadText`).
READ_TEXT = b"tanager.read_text"

#: Values of the columns of a frame that are read together.
BATCH = 1 << 22
#: Values of a pandas frame that may be copied into one array, which is quicker than column by column.
SMALL = 1 << 16


@dataclass(frozen=True)
class RawTable:
    """Columns that have not been encoded yet.

    Attributes:
        names: the column names where all of them are strings, else None (arrays, integer labels).
        rows: the number of rows.
        width: the number of columns.
        column: gives a column by its position, read when it is asked for.
        matrix: the array in which all columns lie, in this order, where they do.
    """

    names: list[str] | None
    rows: int
    width: int
    column: Callable[[int], RawColumn]
    matrix: NDArray[Any] | None = None

    @property
    def columns(self) -> list[RawColumn]:
        """All columns."""
        return [self.column(i) for i in range(self.width)]

    @property
    def labels(self) -> list[str]:
        """What the columns are called: their names, or x and their positions."""
        return column_labels(self.names, self.width)

    def frame(self) -> Frame:
        """The same columns as a frame."""
        return Frame(dict(zip(self.labels, self.columns, strict=True)))

    def batches(self) -> Iterator[range]:
        """Columns to be read together: all of an array, otherwise so many that their copies stay small."""
        size = self.width if self.matrix is not None else max(1, min(self.width, BATCH // max(self.rows, 1)))
        for start in range(0, self.width, size):
            yield range(start, min(start + size, self.width))


def column_labels(names: list[str] | None, count: int) -> list[str]:
    """What messages and networks call the columns: their names, or x and their positions from 0 on.

    >>> column_labels(None, 2), column_labels(["a", "b"], 2)
    (['x0', 'x1'], ['a', 'b'])
    """
    return list(names) if names is not None else [f"x{i}" for i in range(count)]


class Header:
    """The names seen at fit; where a frame's columns with these names stand is found out once per header."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self._labels: list[Any] | None = None
        self._positions: list[int] = []

    def positions(self, labels: list[Any]) -> list[int]:
        """Where the columns of fit stand among other labels; an error where they do not."""
        if labels != self._labels:
            _check_names(self.names, labels)
            place = {label: i for i, label in enumerate(labels)}
            self._positions = [place[name] for name in self.names]
            self._labels = labels
        return self._positions


def raw_table(
    X: Any,
    header: Header | None = None,
    estimator: str = "tanager",
    fitted: bool = False,
) -> RawTable:
    """Reads the columns of a pandas, polars or pyarrow frame or batch, a 2-D array or nested lists.

    With a `header`, the names seen at fit, a frame's columns are matched by name, whatever their order;
    missing and unexpected ones are an error. Without names the position counts. `fitted` says that levels are
    known.
    """
    if isinstance(X, Frame):
        return _from_own(X, header, estimator)
    if type(X) is np.ndarray and X.ndim == 2 and X.size and X.dtype.kind in "biuf":
        return _from_matrix(X, _array_labels(header, X.shape[1]))  # what check_array would find nothing in
    X = as_table(X)
    native = _native_columns(X)
    if native is not None:
        return _from_frame(*native, header, estimator, fitted)
    try:
        frame = nw.from_native(X, pass_through=True)
    except (TypeError, ValueError, nw.exceptions.NarwhalsError) as error:
        raise DataError(f"the frame cannot be read: {error}") from error
    if isinstance(frame, nw.DataFrame):
        series: list[Any] = list(frame.iter_columns())
        return _from_frame(
            "narwhals",
            list(frame.columns),
            *frame.shape,
            series,
            header,
            estimator,
            fitted,
        )
    if isinstance(frame, nw.LazyFrame):
        raise DataTypeError("a lazy frame holds no rows yet: call .collect() first")
    X = as_array(X)
    with own_errors():
        array = check_array(X, dtype=None, finite=False, estimator=estimator)
    if isinstance(X, np.ma.MaskedArray):
        array = np.ma.MaskedArray(array, np.ma.getmaskarray(X))
    return _from_matrix(array, _array_labels(header, array.shape[1]))


def _array_labels(header: Header | None, width: int) -> list[str]:
    names = None if header is None or len(header.names) != width else header.names
    return column_labels(names, width)


def _native_columns(X: Any) -> tuple[str, list[Any], int, int, Any] | None:
    """Library, labels, rows, width and columns of a frame of a known library; None for anything else."""
    library = type(X).__module__.partition(".")[0]
    name = type(X).__name__
    if library == "pandas" and name == "DataFrame":
        if X.shape[0] * X.shape[1] <= SMALL and X.shape[1] > 1:
            first, *others = X.dtypes.tolist()
            plain = isinstance(first, np.dtype) and first.kind in "iuf"
            if plain and all(dtype is first or dtype == first for dtype in others):
                return "numpy", list(X.columns), *X.shape, X.to_numpy()
        return library, list(X.columns), *X.shape, pandas_columns(X)
    if library == "polars" and name == "DataFrame":
        return library, X.columns, *X.shape, polars_columns(X)
    if library == "pyarrow" and name == "Table":
        marked = [bool(field.metadata) and READ_TEXT in field.metadata for field in X.schema]
        columns = [
            ReadText(column) if text else column for column, text in zip(X.columns, marked, strict=True)
        ]
        return library, X.column_names, *X.shape, columns
    return None


def _from_matrix(array: Any, labels: list[str], names: list[str] | None = None) -> RawTable:
    def column(i: int) -> RawColumn:
        values = array[:, i]
        if values.dtype.kind in "mM":
            if isinstance(values, np.ma.MaskedArray):
                values = np.where(
                    np.ma.getmaskarray(values), np.array("NaT", dtype=values.dtype), values.data
                )
            if values.dtype.kind == "m":
                return from_spans(values)
            return from_times(None if np.isnat(value) else value for value in values)
        return dated(from_array(values, f"column {labels[i]!r}"))

    numbers = array if array.dtype.kind in "biuf" else None
    return RawTable(names, array.shape[0], array.shape[1], column, numbers)


def _from_own(frame: Frame, header: Header | None, estimator: str) -> RawTable:
    _check_size(*frame.shape, estimator)
    if header is not None:
        header.positions(frame.columns)
    names = frame.columns if header is None else list(header.names)
    return RawTable(names, len(frame), len(names), lambda i: frame.raw(names[i]))


def _check_size(rows: int, width: int, estimator: str) -> None:
    if rows == 0 or width == 0:
        what = "sample" if rows == 0 else "feature"
        raise DataError(
            f"Found array with 0 {what}(s) (shape=({rows}, {width})) "
            f"while a minimum of 1 is required by {estimator}."
        )


def _from_frame(
    library: str,
    labels: list[Any],
    rows: int,
    width: int,
    columns: Any,
    header: Header | None,
    estimator: str,
    fitted: bool,
) -> RawTable:
    _check_size(rows, width, estimator)
    names = None
    positions: list[int] | range = range(width)
    if header is not None and labels == header.names:
        names = header.names
    else:
        names = _string_names(labels)
        if len(set(labels)) < width:
            twice = next(label for label in labels if labels.count(label) > 1)
            raise DataError(f"column name {twice!r} occurs more than once, names must differ")
        if header is not None and names is not None:
            positions, names = header.positions(labels), list(header.names)
    shown = column_labels(names, width)

    def column(i: int) -> RawColumn:
        place = positions[i]
        if library == "numpy":
            return from_array(columns[:, place], f"column {shown[i]!r}")
        if library == "narwhals":
            return dated(from_series(columns[place], f"column {shown[i]!r}"))
        return dated(from_native(columns[place], library, shown[i], fitted))

    if library != "numpy":
        return RawTable(names, rows, width, column)
    ordered = columns if positions == range(width) else columns[:, positions]
    return RawTable(names, rows, width, column, ordered)


def _string_names(labels: list[Any]) -> list[str] | None:
    """scikit-learn's convention: names count where all are strings; a mixture is refused."""
    strings = [isinstance(label, str) for label in labels]
    if all(strings):
        return [str(column_name(label)) for label in labels]
    if any(strings):
        types = sorted({type(label).__qualname__ for label in labels})
        raise DataTypeError(
            "Feature names are only supported if all input features have string names, but your input has "
            f"{types} as feature name / column name types."
        )
    return None


def _check_names(expected: list[str], found: list[str]) -> None:
    unexpected, missing = (
        sorted(set(found) - set(expected)),
        sorted(set(expected) - set(found)),
    )
    if not unexpected and not missing:
        return
    message = "The feature names should match those that were passed during fit.\n"
    for title, names in (
        ("Feature names unseen at fit time:\n", unexpected),
        ("Feature names seen at fit time, yet now missing:\n", missing),
    ):
        if names:
            message += title + "".join(f"- {name}\n" for name in names[:5])
            message += "- ...\n" if len(names) > 5 else ""
    raise DataError(message)
