"""What may mislead: columns that tell rows apart, values that were not seen at fit."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tanager.data.columns import Factor, Numbers, RawColumn, as_number
from tanager.data.domains import UNKNOWN, ColumnEncoding
from tanager.exceptions import DataWarning

__all__ = ["nearly_unique", "unique_text", "unseen", "warn_of_columns"]

#: With fewer rows most values differ by chance.
_ROWS = 20


def warn_of_columns(said: Sequence[str], stacklevel: int) -> None:
    """One warning of what was said of columns, where anything was; of many columns only the first few."""
    if said:
        more = f"; and {len(said) - 5} columns more" if len(said) > 5 else ""
        warnings.warn("; ".join(said[:5]) + more, DataWarning, stacklevel=stacklevel)


def unique_text(where: str, distinct: int, known: int) -> str | None:
    """The warning about a column of categories of which more than half are different; None about others.

    >>> unique_text("column 'id'", 98, 100)
    "column 'id' has 98 different values in 100 rows: dates and identifiers tell rows apart, not classes"
    >>> unique_text("column 'colour'", 5, 100)
    """
    if known < _ROWS or distinct <= known / 2:
        return None
    return (
        f"{where} has {distinct} different values in {known} rows: dates and identifiers tell rows apart, "
        "not classes"
    )


def nearly_unique(column: RawColumn, where: str) -> str | None:
    """The same about a column; numbers are cut into intervals, and are no categories."""
    if isinstance(column, Numbers):
        return None
    codes = np.asarray(column.codes)
    known = codes[codes >= 0]
    if len(known) < _ROWS or len(column.levels) <= len(known) / 2:
        return None
    return unique_text(where, len(np.unique(known)), len(known))


def unseen(encoding: ColumnEncoding, column: RawColumn, rule: NDArray[np.uint32] | None) -> str:
    """How many values of a column were not seen at fit; `rule` has the codes of a factor's levels.

    A number was seen where a level equals it, or is its text.
    """
    if isinstance(column, Factor):
        codes = np.asarray(column.codes)
        known = codes[codes >= 0].astype(np.int64)
        table = np.asarray(rule)
        strange = known[table[known] == UNKNOWN]
        first = column.levels[int(strange[0])]
    else:
        values = column.values[~column.missing_mask()]
        seen = [number for number in map(as_number, encoding.levels or ()) if number is not None]
        known = values
        strange = values[~np.isin(values, np.array(seen, dtype=np.float64))]
        first = strange[0].item() if len(strange) else None
    different = len(np.unique(strange))
    which = f"{first!r}" if different == 1 else f"{different} different ones, such as {first!r}"
    return f"{encoding.name}: {len(strange):,} of {len(known):,} values not seen at fit ({which})"
