"""Spans of time as text, the same from every file and frame: `1:30:00`, or `2 days, 1:30:00`.

The text is that of Python's `timedelta`. Libraries divide a span into units of their own, from weeks to
nanoseconds and less; what is shorter than a microsecond stays, as further digits.
"""

from __future__ import annotations

import re
from datetime import timedelta

import numpy as np
from numpy.typing import NDArray

from tanager.data.columns import Factor

__all__ = ["canonical_span", "from_spans", "is_span", "span_text"]

#: Attoseconds, the shortest unit of numpy, in a second, and in each of its units that has a fixed length.
_SECOND = 10**18
_UNITS = {
    "W": 7 * 86_400 * _SECOND,
    "D": 86_400 * _SECOND,
    "h": 3_600 * _SECOND,
    "m": 60 * _SECOND,
    "s": _SECOND,
    "ms": 10**15,
    "us": 10**12,
    "ns": 10**9,
    "ps": 10**6,
    "fs": 10**3,
    "as": 1,
}
# As pandas writes it, also to CSV. A number of days alone, which it writes where all are whole, may be
# anybody's text.
_PANDAS = re.compile(r"(-?\d{1,9}) days? \+?(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?")


def span_text(span: timedelta | np.timedelta64) -> str:
    """A span of time as text; months and years of numpy, which have no fixed length, in months.

    >>> [span_text(span) for span in (timedelta(hours=1), np.timedelta64(-1, "h"), np.timedelta64(5, "ns"))]
    ['1:00:00', '-1 day, 23:00:00', '0:00:00.000000005']
    """
    if isinstance(span, np.timedelta64):
        unit, size = np.datetime_data(span.dtype)
        if unit not in _UNITS:
            return str(span.astype("m8[M]") if unit == "Y" else span)
        return _text(int(span.astype(np.int64)) * size * _UNITS[unit])
    seconds = span.days * 86_400 + span.seconds
    nanoseconds = span.microseconds * 1000 + int(getattr(span, "nanoseconds", 0))  # those of pandas
    return _text(seconds * _SECOND + nanoseconds * 10**9)


def _text(attoseconds: int) -> str:
    seconds, rest = divmod(attoseconds, _SECOND)
    days, seconds = divmod(seconds, 86_400)
    fraction = f".{rest:018}".rstrip("0").ljust(7, "0") if rest else ""
    day = f"{days} day{'s' * (abs(days) != 1)}, " if days else ""
    return f"{day}{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}{fraction}"


def is_span(text: str) -> bool:
    """Whether text is a span of time as pandas writes it."""
    return _PANDAS.fullmatch(text) is not None


def canonical_span(text: str) -> str:
    """The text of a span as pandas writes it, or any other text as it is.

    >>> canonical_span("-1 days +23:00:00"), canonical_span("0 days 00:00:00.500"), canonical_span("2 days")
    ('-1 day, 23:00:00', '0:00:00.500000', '2 days')
    """
    found = _PANDAS.fullmatch(text)
    if found is None:
        return text
    days, hours, minutes, seconds, fraction = (part or "0" for part in found.groups())
    whole = ((int(days) * 24 + int(hours)) * 60 + int(minutes)) * 60 + int(seconds)
    return _text(whole * _SECOND + int(fraction.ljust(18, "0")))


def from_spans(values: NDArray[np.timedelta64]) -> Factor:
    """A column of spans of time, NaT where missing.

    >>> from_spans(np.array([90, "NaT", 30], dtype="m8[m]"))
    Factor(codes=array([ 1, -1,  0]), levels=['0:30:00', '1:30:00'], declared=False, domain=None)
    """
    spans, codes = np.unique(values, return_inverse=True)
    known = int((~np.isnat(spans)).sum())  # what is missing comes last
    return Factor(np.where(codes < known, codes, -1), [span_text(span) for span in spans[:known]])
