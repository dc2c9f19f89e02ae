"""From whatever holds a table (frame, array, nested lists) to named raw columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from sklearn.utils import check_array

from tanager.data.columns import RawColumn, as_array, from_array, from_series
from tanager.data.table import Frame
from tanager.exceptions import DataError, DataTypeError

__all__ = ["RawTable", "column_labels", "raw_table"]

#: Values of the columns of a frame that are read together.
BATCH = 1 << 23


@dataclass(frozen=True)
class RawTable:
    """Columns that have not been encoded yet.

    Attributes:
        names: the column names where all of them are strings, else None (arrays, integer labels).
        rows: the number of rows.
        width: the number of columns.
        column: gives a column by its position, read when it is asked for.
        in_place: whether columns lie in one array, so that all of them may be asked for at once.
    """

    names: list[str] | None
    rows: int
    width: int
    column: Callable[[int], RawColumn]
    in_place: bool = False

    @property
    def columns(self) -> list[RawColumn]:
        """All columns."""
        return [self.column(i) for i in range(self.width)]

    def batches(self) -> Iterator[range]:
        """Columns to be read together: all of an array, otherwise so many that their copies stay small."""
        size = self.width if self.in_place else max(1, min(self.width, BATCH // max(self.rows, 1)))
        for start in range(0, self.width, size):
            yield range(start, min(start + size, self.width))


def column_labels(names: list[str] | None, count: int) -> list[str]:
    """What messages and networks call the columns: their names, or x and their positions from 0 on.

    >>> column_labels(None, 2), column_labels(["a", "b"], 2)
    (['x0', 'x1'], ['a', 'b'])
    """
    return list(names) if names is not None else [f"x{i}" for i in range(count)]


def raw_table(X: Any, order: list[str] | None = None, estimator: str = "tanager") -> RawTable:
    """Reads the columns of a pandas, polars or pyarrow frame, a 2-D array or nested lists.

    With `order`, the names seen at fit, a frame's columns are matched by name, whatever their order; missing
    and unexpected ones are an error. Without names the position counts.
    """
    if isinstance(X, Frame):
        return _from_own(X, order, estimator)
    try:
        frame = nw.from_native(X, pass_through=True)
    except (TypeError, ValueError, nw.exceptions.NarwhalsError) as error:
        raise DataError(f"the frame cannot be read: {error}") from error
    if isinstance(frame, nw.DataFrame):
        return _from_frame(frame, order, estimator)
    if isinstance(frame, nw.LazyFrame):
        raise DataTypeError("a lazy frame holds no rows yet: call .collect() first")
    X = as_array(X)
    array = check_array(X, dtype=None, ensure_all_finite=False, estimator=estimator)
    if isinstance(X, np.ma.MaskedArray):
        array = np.ma.MaskedArray(array, np.ma.getmaskarray(X))
    known = order if order is not None and len(order) == array.shape[1] else None
    return _from_matrix(array, column_labels(known, array.shape[1]))


def _from_matrix(array: Any, labels: list[str], names: list[str] | None = None) -> RawTable:
    def column(i: int) -> RawColumn:
        return from_array(array[:, i], f"column {labels[i]!r}")

    return RawTable(names, array.shape[0], array.shape[1], column, array.dtype.kind in "biuf")


def _from_own(frame: Frame, order: list[str] | None, estimator: str) -> RawTable:
    _check_size(*frame.shape, estimator)
    if order is not None:
        _check_names(order, frame.columns)
    names = frame.columns if order is None else list(order)
    return RawTable(names, len(frame), len(names), lambda i: frame.raw(names[i]))


def _check_size(rows: int, width: int, estimator: str) -> None:
    if rows == 0 or width == 0:
        what = "sample" if rows == 0 else "feature"
        raise DataError(
            f"Found array with 0 {what}(s) (shape=({rows}, {width})) "
            f"while a minimum of 1 is required by {estimator}."
        )


def _from_frame(frame: nw.DataFrame[Any], order: list[str] | None, estimator: str) -> RawTable:
    labels: list[Any] = list(frame.columns)
    rows, width = frame.shape
    _check_size(rows, width, estimator)
    names = _string_names(labels)
    if len(set(labels)) < width:
        twice = next(label for label in labels if labels.count(label) > 1)
        raise DataError(f"column name {twice!r} occurs more than once, names must differ")
    if order is not None and names is not None:
        _check_names(order, names)
        names = list(order)
    selected = names if names is not None else labels
    shown = column_labels(names, width)
    place = {label: i for i, label in enumerate(labels)}
    positions = [place[label] for label in selected]

    series: list[nw.Series[Any]] = list(frame.iter_columns())  # type: ignore[arg-type]

    def column(i: int) -> RawColumn:
        return from_series(series[positions[i]], f"column {shown[i]!r}")

    return RawTable(names, rows, width, column)


def _string_names(labels: list[Any]) -> list[str] | None:
    """scikit-learn's convention: names count where all are strings; a mixture is refused."""
    strings = [isinstance(label, str) for label in labels]
    if all(strings):
        return [str(label) for label in labels]
    if any(strings):
        types = sorted({type(label).__qualname__ for label in labels})
        raise DataTypeError(
            "Feature names are only supported if all input features have string names, but your input has "
            f"{types} as feature name / column name types."
        )
    return None


def _check_names(expected: list[str], found: list[str]) -> None:
    unexpected, missing = sorted(set(found) - set(expected)), sorted(set(expected) - set(found))
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
