"""Columns of pandas, polars and pyarrow, where these libraries keep them.

Every container has its own fast way to codes; this module finds it, so that Python only ever sees distinct
values and never each value.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from tanager import _core
from tanager.data.columns import (
    MOST_LEVELS,
    Factor,
    LazyLevels,
    Level,
    Numbers,
    RawColumn,
    Same,
    classify_objects,
    from_objects,
    is_missing,
)
from tanager.data.dates import from_times
from tanager.exceptions import DataError, DataTypeError

__all__ = ["ReadText", "from_native", "from_series", "pandas_columns"]

#: Up to so many rows of text a list is quicker than any engine.
A_FEW = 64


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
        return _from_arrow_dictionary(column.column, declared=False)
    found = _QUICK[library](column, fitted)
    if found is not None:
        return found
    series = column.series() if isinstance(column, PandasColumn) else column
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
        return (
            _from_list(values) if all(value is None or isinstance(value, str) for value in values) else None
        )
    return None


def _categorical(categorical: Any) -> Factor:
    categories = categorical.categories
    return Factor(
        categorical.codes,
        LazyLevels(categories, categories.tolist),
        True,
        Same(categories),
    )


def _quick_polars(series: Any, fitted: bool) -> RawColumn | None:
    dtype = series.dtype
    if dtype.is_numeric():
        plain = not series.null_count() and str(dtype) in _PLAIN
        return Numbers(series.to_numpy()) if plain else None
    kind = type(dtype).__name__
    if fitted and len(series) <= A_FEW and kind in ("Categorical", "Enum", "String"):
        return _from_list(series.to_list())
    return _from_polars(series, kind == "Enum") if kind in ("Categorical", "Enum") else None


_PLAIN = frozenset(f"{kind}{bits}" for kind in ("Int", "UInt", "Float") for bits in (8, 16, 32, 64))


def _from_list(values: list[Level]) -> Factor:
    """A few values, without any engine."""
    position: dict[Level, int] = {}
    codes = [-1 if value is None else position.setdefault(value, len(position)) for value in values]
    return Factor(np.array(codes, dtype=np.int64), list(position))


_PLAIN_ARROW = frozenset(
    ["float", "double", *(f"{u}int{bits}" for u in ("", "u") for bits in (8, 16, 32, 64))]
)


def _quick_arrow(chunked: Any, fitted: bool) -> RawColumn | None:
    if chunked.num_chunks == 1 and not chunked.null_count and str(chunked.type) in _PLAIN_ARROW:
        return Numbers(chunked.chunk(0).to_numpy())
    if fitted and chunked.num_chunks == 1 and hasattr(chunked.type, "value_type"):
        chunk = chunked.chunk(0)
        if not hasattr(chunk, "dictionary"):
            return None
        dictionary, indices = chunk.dictionary, chunk.indices
        # By value, so that a value may be there twice; NaN and null are another matter.
        if not (dictionary.null_count or indices.null_count) and "string" in str(dictionary.type):
            levels = LazyLevels(dictionary, dictionary.to_pylist)
            return Factor(indices.to_numpy(), levels, True, _Dictionary(dictionary))
    return None


_QUICK = {"pandas": _quick_pandas, "polars": _quick_polars, "pyarrow": _quick_arrow}


def from_series(series: nw.Series[Any], where: str) -> RawColumn:
    """A column of a pandas, polars or pyarrow frame, through the library's own dictionary encoding."""
    dtype = series.dtype
    implementation = series.implementation
    if dtype == nw.Boolean or dtype.is_numeric():
        return _from_plain(series, where)
    if dtype == nw.Categorical or dtype == nw.Enum:
        if implementation.is_pandas():
            categorical = series.to_native().array
            if not hasattr(categorical, "codes"):  # pandas around an Arrow dictionary
                return _from_arrow(categorical.__arrow_array__(), declared=True)
            return _categorical(categorical)
        if implementation.is_pyarrow():
            return _from_arrow(series.to_native(), declared=True)
        if implementation.is_polars():
            return _from_polars(series.to_native(), declared=dtype == nw.Enum)
    if dtype == nw.String:
        if implementation.is_pandas():
            return _from_pandas(series.to_native(), where)
        if implementation.is_pyarrow():
            return _from_arrow(series.to_native())
        if implementation.is_polars():
            return _from_polars(series.to_native())
    if dtype == nw.Object or dtype == nw.Unknown:
        if implementation.is_pandas():
            return _from_pandas(series.to_native(), where)
        if len(series) == series.null_count():  # polars' and pyarrow's type of nothing but nulls
            return Factor(np.full(len(series), -1, dtype=np.int64), [])
        return from_objects(np.array(series.to_list(), dtype=object), where)
    if dtype.is_temporal():
        return from_times(series.to_list())
    if dtype == nw.Categorical or dtype == nw.Enum or dtype == nw.String:
        return from_objects(np.array(series.to_list(), dtype=object), where)
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
        return _from_arrow(native.array.__arrow_array__())
    objects = isinstance(dtype, np.dtype) and dtype.kind == "O"
    strings = _core.factorize_strings(native.to_numpy()) if objects else None
    if strings is not None:
        return Factor(strings[0], native.take(strings[1]).tolist())
    try:
        codes, levels = native.factorize()
    except TypeError:
        return from_objects(native.to_numpy(dtype=object), where)
    return classify_objects(codes, levels.tolist(), where)


def _from_arrow(native: Any, declared: bool = False) -> RawColumn:
    """An array, in chunks or not, of strings, or of anything that pyarrow has a dictionary for."""
    if str(native.type) in ("string", "large_string"):
        return _from_arrow_strings(native)
    return _from_arrow_dictionary(native if declared else native.dictionary_encode(), declared)


def _from_arrow_dictionary(encoded: Any, declared: bool) -> Factor:
    if hasattr(encoded, "num_chunks"):
        if encoded.num_chunks > 1 and any(chunk.dictionary.null_count for chunk in encoded.chunks):
            return _from_chunks(
                [_from_dictionary(chunk, declared) for chunk in encoded.chunks],
                declared,
            )
        encoded = _one_array(encoded.unify_dictionaries())
    return _from_dictionary(encoded, declared)


def _from_chunks(chunks: list[Factor], declared: bool) -> Factor:
    """Chunks with dictionaries that pyarrow cannot unify: those with nulls."""
    position: dict[Level, int] = {}
    codes = [
        np.array([*(position.setdefault(level, len(position)) for level in chunk.levels), -1])[chunk.codes]
        for chunk in chunks
    ]
    return Factor(np.concatenate(codes), list(position), declared)


def _from_dictionary(encoded: Any, declared: bool) -> Factor:
    indices = encoded.indices
    if _is_unsigned(indices.type) and indices.null_count:
        indices = indices.cast({"uint8": "int16", "uint16": "int32"}.get(str(indices.type), "int64"))
    codes = indices.fill_null(-1).to_numpy() if indices.null_count else indices.to_numpy()
    return _without_repeats(codes, encoded.dictionary, declared)


def _is_unsigned(dtype: Any) -> bool:
    """Whether an Arrow type is an unsigned integer, which has no room for −1."""
    return str(dtype).startswith("uint")


class _Dictionary:
    """Equal where an Arrow dictionary lies in the same memory, which does not change while this lives."""

    def __init__(self, dictionary: Any) -> None:
        self._kept = dictionary
        addresses = [None if buffer is None else buffer.address for buffer in dictionary.buffers()]
        self._key = (
            str(dictionary.type),
            dictionary.offset,
            len(dictionary),
            *addresses,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Dictionary) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


def _without_repeats(codes: NDArray[Any], dictionary: Any, declared: bool) -> Factor:
    """An Arrow dictionary may hold nulls, which are missing values, and a value twice, which is one value."""
    count = len(dictionary)
    sound = not dictionary.null_count and str(dictionary.type) in (
        "string",
        "large_string",
    )
    if sound and len(dictionary.unique()) == count:
        return Factor(
            codes,
            LazyLevels(dictionary, dictionary.to_pylist),
            declared,
            _Dictionary(dictionary),
        )
    levels = dictionary.to_pylist()
    position: dict[Level, int] = {}
    lookup = [-1 if is_missing(level) else position.setdefault(level, len(position)) for level in levels]
    if len(position) == count:
        return Factor(codes, levels, declared)
    return Factor(np.array([*lookup, -1], dtype=np.int64)[codes], list(position), declared)


def _one_array(chunked: Any) -> Any:
    combined = chunked.combine_chunks()
    return combined.chunk(0) if hasattr(combined, "num_chunks") else combined  # older pyarrow keeps one chunk


def _from_arrow_strings(native: Any) -> Factor:
    array = native
    if hasattr(native, "num_chunks"):
        # Together, chunks may have more bytes than 32 bits can number.
        array = native.chunk(0) if native.num_chunks == 1 else _one_array(native.cast("large_string"))
    _, offsets, data = array.buffers()
    width: Any = np.int32 if str(array.type) == "string" else np.int64
    places = np.zeros(1, dtype=width) if offsets is None else np.frombuffer(offsets, dtype=width)
    if not places.flags.aligned:  # what came in a message may lie anywhere
        places = places.copy()
    codes, first = _core.factorize_arrow(
        np.empty(0, dtype=np.uint8) if data is None else np.frombuffer(data, dtype=np.uint8),
        places[array.offset : array.offset + len(array) + 1],
        array.is_null().to_numpy(zero_copy_only=False) if array.null_count else None,
    )
    return Factor(codes, array.take(first).to_pylist())


def _from_polars(native: Any, declared: bool = False) -> RawColumn:
    if declared:
        categories = native.dtype.categories
        levels = LazyLevels(categories, categories.to_list)
        return Factor(_physical(native), levels, True, native.dtype)
    # The categories of a polars Categorical are shared by the whole process: only an Enum's are declared.
    import polars as pl

    if native.dtype != pl.String:
        return _used(native)
    if find_spec("pyarrow") is not None:  # which gives the bytes of all strings
        return _from_arrow(native.to_arrow())
    unique = native.drop_nulls().unique().sort()
    return Factor(_physical(native.cast(pl.Enum(unique))), unique.to_list())


def _physical(native: Any) -> NDArray[Any]:
    """The codes of a polars Enum or Categorical, as they lie in memory where none is missing."""
    physical = native.to_physical()
    if not native.null_count():
        codes: NDArray[Any] = physical.to_numpy()
        return codes
    import polars as pl

    wide = {pl.UInt8: pl.Int16, pl.UInt16: pl.Int32}.get(physical.dtype)
    if wide is None:  # 32 bits, of which no process uses the last
        return np.asarray(physical.fill_null(2**32 - 1).to_numpy().view(np.int32))
    return np.asarray(physical.cast(wide).fill_null(-1).to_numpy())


def _used(native: Any) -> Factor:
    """A polars Categorical: of the categories of the whole process, those that its rows use."""
    codes = _physical(native)
    reading = _core.Reading([(codes, None, True)], [MOST_LEVELS])
    first = reading.first_rows(0)
    # One by one a few are quicker than by the engine.
    levels = (
        [native[row] for row in first.tolist()] if len(first) <= A_FEW else native.gather(first).to_list()
    )
    return Factor(reading.places(0), levels)
