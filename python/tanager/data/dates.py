"""Dates, times and spans as text, the same from every file and frame: `2024-01-05`, or `2024-01-05 10:30:00`.

Midnight without a zone is the day alone, as pandas writes it to CSV; a T between day and time is a blank. So
a model that learned from a file of dates knows those of a frame, and the other way round.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from typing import Any

import numpy as np

from tanager.data.columns import Factor, Level, RawColumn, from_list, is_missing
from tanager.data.spans import canonical_span, is_span, span_text

__all__ = ["date_text", "dated", "from_times"]

_TIMESTAMP = re.compile(
    r"(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})?"
)


def date_text(value: object) -> str:
    """A date, a point in time, a time of day or a span of time as text.

    >>> date_text(datetime(2024, 1, 5)), date_text(datetime(2024, 1, 5, 10, 30)), date_text(date(2024, 1, 5))
    ('2024-01-05', '2024-01-05 10:30:00', '2024-01-05')
    """
    if isinstance(value, np.datetime64):
        return _canonical(str(value))
    if isinstance(value, datetime):
        return _canonical(value.isoformat(sep=" "))
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta | np.timedelta64):
        return span_text(value)
    return str(value)


def _canonical(text: str) -> str:
    """The text of a point in time, or any other text as it is."""
    found = _TIMESTAMP.fullmatch(text)
    if found is None:
        return text
    day, minutes, seconds, fraction, zone = found.groups()
    fraction = (fraction or "").rstrip("0")
    if minutes == "00:00" and int(seconds or 0) == 0 and not fraction and zone is None:
        return day
    zone = {"Z": "+00:00"}.get(zone or "", zone or "")
    return f"{day} {minutes}:{seconds or '00'}{'.' * bool(fraction)}{fraction}{zone}"


def dated(column: RawColumn) -> RawColumn:
    """A column of dates, spans or texts of these, which then are texts as `date_text` has them; or any other.

    >>> dated(Factor(np.array([0, 1]), ["2024-01-05T00:00", "2024-01-05T10:30Z"])).levels
    ['2024-01-05', '2024-01-05 10:30:00+00:00']
    """
    if not isinstance(column, Factor) or not isinstance(column.levels, list) or not column.levels:
        return column
    if not _is_date(column.levels[0]) or not all(map(_is_date, column.levels)):
        return column
    position: dict[Level, int] = {}
    places = [position.setdefault(_text(level), len(position)) for level in column.levels]
    if len(position) == len(column.levels):
        return Factor(column.codes, list(position), column.declared)
    return Factor(np.array([*places, -1], dtype=np.int64)[column.codes], list(position), column.declared)


def _text(level: Any) -> str:
    return canonical_span(_canonical(level)) if isinstance(level, str) else date_text(level)


def _is_date(level: object) -> bool:
    if isinstance(level, str):
        return _TIMESTAMP.fullmatch(level) is not None or is_span(level)
    return isinstance(level, date | time | timedelta | np.datetime64 | np.timedelta64)


def from_times(values: Iterable[Any]) -> Factor:
    """A column of dates or times, each a Python object or None."""
    return from_list([None if is_missing(value) else date_text(value) for value in values])
