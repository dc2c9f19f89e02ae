"""Columns of polars: categoricals by their codes, of all columns at once."""

from __future__ import annotations

from functools import cached_property
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tanager import _core
from tanager.data.arrow_columns import from_arrow
from tanager.data.columns import A_FEW, MOST_LEVELS, Factor, LazyLevels, Numbers, RawColumn, from_list

__all__ = ["PolarsColumn", "from_polars", "polars_columns", "quick_polars"]

_PLAIN = frozenset(f"{kind}{bits}" for kind in ("Int", "UInt", "Float") for bits in (8, 16, 32, 64))


class PolarsFrame:
    """A frame of polars. Its codes are asked for once: column by column each costs a query."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    @cached_property
    def codes(self) -> dict[str, Any]:
        """The codes of the categoricals, as they lie in memory."""
        import polars as pl

        names = [name for name, dtype in self.frame.schema.items() if dtype in (pl.Categorical, pl.Enum)]
        codes: dict[str, Any] = self.frame.select(pl.col(names).to_physical()).to_dict(as_series=True)
        return codes


class PolarsColumn(NamedTuple):
    """A column of polars and the frame that it is of."""

    native: Any
    frame: PolarsFrame

    def series(self) -> Any:
        """The column with all that polars knows of it."""
        return self.native


def polars_columns(frame: Any) -> list[PolarsColumn]:
    """The columns of a frame of polars."""
    whole = PolarsFrame(frame)
    return [PolarsColumn(series, whole) for series in frame.get_columns()]


def quick_polars(column: PolarsColumn, fitted: bool) -> RawColumn | None:
    series = column.native
    dtype = series.dtype
    if dtype.is_numeric():
        plain = not series.null_count() and str(dtype) in _PLAIN
        return Numbers(series.to_numpy()) if plain else None
    kind = type(dtype).__name__
    if fitted and len(series) <= A_FEW and kind in ("Categorical", "Enum", "String"):
        return from_list(series.to_list())
    if kind not in ("Categorical", "Enum"):
        return None
    codes = _without_nulls(column.frame.codes[series.name])
    return _enum(series, codes) if kind == "Enum" else _used(series, codes)


def from_polars(native: Any) -> RawColumn:
    import polars as pl

    if native.dtype == pl.Enum:
        return _enum(native, _physical(native))
    if native.dtype == pl.Categorical:
        return _used(native, _physical(native))
    if find_spec("pyarrow") is not None:  # which gives the bytes of all strings
        compatible = getattr(pl, "CompatLevel", None)
        arrow = native.to_arrow(**({} if compatible is None else {"compat_level": compatible.newest()}))
        views = len(arrow) > 0 and str(arrow.type) == "string_view"
        return _viewed(native, arrow) if views else from_arrow(arrow)
    unique = native.drop_nulls().unique().sort()
    return Factor(_physical(native.cast(pl.Enum(unique))), unique.to_list())


def _viewed(native: Any, arrow: Any) -> Factor:
    """Strings where polars has them: to copy them side by side takes half as long as to tell them apart."""
    _, views, *buffers = arrow.buffers()
    rows = np.frombuffer(views, dtype=np.uint8).reshape(-1, 16)[arrow.offset : arrow.offset + len(arrow)]
    codes, first = _core.factorize_views(
        rows,
        [np.frombuffer(buffer, dtype=np.uint8) for buffer in buffers],
        arrow.is_null().to_numpy(zero_copy_only=False) if arrow.null_count else None,
    )
    return Factor(codes, native.gather(first).to_list())


def _physical(native: Any) -> NDArray[Any]:
    return _without_nulls(native.to_physical())


def _without_nulls(physical: Any) -> NDArray[Any]:
    """The codes of a polars Enum or Categorical, as they lie in memory where none is missing."""
    if not physical.null_count():
        codes: NDArray[Any] = physical.to_numpy()
        return codes
    import polars as pl

    wide = {pl.UInt8: pl.Int16, pl.UInt16: pl.Int32}.get(physical.dtype)
    if wide is None:  # 32 bits, of which no process uses the last
        return np.asarray(physical.fill_null(2**32 - 1).to_numpy().view(np.int32))
    return np.asarray(physical.cast(wide).fill_null(-1).to_numpy())


def _enum(native: Any, codes: NDArray[Any]) -> Factor:
    """A polars Enum, whose categories are declared."""
    categories = native.dtype.categories
    return Factor(codes, LazyLevels(categories, categories.to_list), True, native.dtype)


def _used(native: Any, codes: NDArray[Any]) -> Factor:
    """A polars Categorical. Its categories are the whole process's, not declared: those in use count."""
    reading = _core.Reading([(codes, None, True)], [MOST_LEVELS])
    first = reading.first_rows(0)
    # One by one a few are quicker than by the engine.
    levels = (
        [native[row] for row in first.tolist()] if len(first) <= A_FEW else native.gather(first).to_list()
    )
    return Factor(reading.places(0), levels)
