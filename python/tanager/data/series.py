"""Columns of pandas, polars and pyarrow, where these libraries keep them: the way to each.

Every container has its own fast way to codes; this module finds it, so that Python only ever sees distinct
values and never each value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np

from tanager import _core
from tanager.data.arrow_columns import from_arrow, from_arrow_dictionary, quick_arrow
from tanager.data.columns import (
    A_FEW,
    Factor,
    LazyLevels,
    Numbers,
    RawColumn,
    Same,
    classify_objects,
    from_list,
    from_objects,
    is_missing,
)
from tanager.data.dates import from_times
from tanager.data.polars_columns import PolarsColumn, from_polars, quick_polars
from tanager.data.spans import from_spans
from tanager.exceptions import DataError, DataTypeError

__all__ = ["ReadText", "from_native", "from_series", "pandas_columns"]


@dataclass(frozen=True)
class ReadText:
    """Text that was read as an Arrow dictionary because that is quicker: its values in no order, some perhaps
    unused, and not levels that anybody declared."""

    column: Any


class PandasColumn(NamedTuple):
    """A column of pandas as its array: to make a Series of each takes longer than to predict a row."""

    array: Any
    frame: Any
    place: int

    def series(self) -> Any:
        """The column with all that pandas knows of it."""
        return self.frame.iloc[:, self.place]


def from_native(column: Any, library: str, name: str, fitted: bool) -> RawColumn:
    """A column as a library has it: at once for the common types, else through narwhals.

    With `fitted` levels need not be declared: they are looked up by value.
    """
    if isinstance(column, ReadText):
        return from_arrow_dictionary(column.column, declared=False)
    found = _QUICK[library](column, fitted)
    if found is not None:
        return found
    series = column.series() if isinstance(column, PandasColumn | PolarsColumn) else column
    return from_series(nw.from_native(series, series_only=True), f"column {name!r}")


def pandas_columns(frame: Any) -> list[PandasColumn]:
    """The columns of a frame of pandas."""
    arrays = getattr(frame, "_iter_column_arrays", None)  # what pandas itself walks by
    found = [series.array for _, series in frame.items()] if arrays is None else arrays()
    return [PandasColumn(array, frame, place) for place, array in enumerate(found)]


def _quick_pandas(column: PandasColumn, fitted: bool) -> RawColumn | None:
    array = column.array
    if type(array).__name__ == "Categorical":  # asked first: in single rows of many columns every look counts
        return _categorical(array)
    dtype = array.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "iuf":
        return Numbers(np.asarray(array))
    if fitted and len(array) <= A_FEW and dtype.name in ("object", "str", "string"):
        values = [None if is_missing(value) else value for value in array.tolist()]
        return from_list(values) if all(value is None or isinstance(value, str) for value in values) else None
    return None


def _categorical(categorical: Any) -> Factor:
    categories = categorical.categories
    if categories.dtype.kind in "mM":  # who makes text of them needs a list
        return Factor(categorical.codes, categories.tolist(), True)
    return Factor(
        categorical.codes,
        LazyLevels(categories, categories.tolist),
        True,
        Same(categories),
    )


_QUICK: dict[str, Callable[[Any, bool], RawColumn | None]] = {
    "pandas": _quick_pandas,
    "polars": quick_polars,
    "pyarrow": quick_arrow,
}


def from_series(series: nw.Series[Any], where: str) -> RawColumn:
    """A column of a pandas, polars or pyarrow frame, through the library's own dictionary encoding."""
    dtype = series.dtype
    implementation = series.implementation
    if dtype == nw.Boolean or dtype.is_numeric():
        return _from_plain(series, where)
    categories = dtype == nw.Categorical or dtype == nw.Enum
    if categories or dtype == nw.String:
        if implementation.is_pyarrow():
            return from_arrow(series.to_native(), declared=categories)
        if implementation.is_polars():
            return from_polars(series.to_native())
        if implementation.is_pandas() and not categories:
            return _from_pandas(series.to_native(), where)
        if implementation.is_pandas():
            categorical = series.to_native().array
            if not hasattr(categorical, "codes"):  # pandas around an Arrow dictionary
                return from_arrow(categorical.__arrow_array__(), declared=True)
            return _categorical(categorical)
        return from_objects(np.array(series.to_list(), dtype=object), where)
    if dtype == nw.Object or dtype == nw.Unknown:
        if implementation.is_pandas():
            return _from_pandas(series.to_native(), where)
        if len(series) == series.null_count():  # polars' and pyarrow's type of nothing but nulls
            return Factor(np.full(len(series), -1, dtype=np.int64), [])
        return from_objects(np.array(series.to_list(), dtype=object), where)
    if dtype == nw.Duration:  # a list of them would lose nanoseconds
        return from_spans(series.to_numpy())
    if dtype.is_temporal():
        return from_times(series.to_list())
    raise DataTypeError(
        f"{where}: type {dtype} is not supported, allowed are numbers, strings, booleans, dates, categories"
    )


def _from_plain(series: nw.Series[Any], where: str) -> RawColumn:
    """Numbers and booleans of any frame."""
    if series.dtype in (nw.Int128, nw.UInt128):
        try:
            series = series.cast(nw.Int64)
        except Exception:  # each library has its own for what does not fit
            raise DataError(f"{where}: an integer lies outside of 64 bits") from None
    nulls = series.is_null().to_numpy() if series.null_count() else None
    if series.dtype == nw.Boolean:
        if nulls is None:
            return Factor(
                series.to_numpy().astype(np.bool_, copy=False).view(np.uint8),
                [False, True],
            )
        codes = series.fill_null(value=False).to_numpy().astype(np.int8)
        codes[nulls] = -1
        return Factor(codes, [False, True])
    if series.dtype.is_integer() and nulls is not None:
        return Numbers(series.fill_null(value=0).to_numpy(), nulls)
    if series.dtype.is_integer():
        return Numbers(series.to_numpy())
    values = np.asarray(series.to_numpy())
    if values.dtype.kind != "f":  # decimals
        values = np.array([np.nan if v is None else v for v in values], dtype=np.float64)
    return Numbers(values)


def _from_pandas(native: Any, where: str) -> RawColumn:
    dtype = native.dtype
    if getattr(dtype, "storage", None) == "pyarrow" or str(getattr(dtype, "pyarrow_dtype", "")) == "string":
        return from_arrow(native.array.__arrow_array__())
    objects = isinstance(dtype, np.dtype) and dtype.kind == "O"
    strings = _core.factorize_strings(native.to_numpy()) if objects else None
    if strings is not None:
        return Factor(strings[0], native.take(strings[1]).tolist())
    try:
        codes, levels = native.factorize()
    except TypeError:
        return from_objects(native.to_numpy(dtype=object), where)
    return classify_objects(codes, levels.tolist(), where)
