"""What a file holds, before one column is called the class; and columns of text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tanager.data.columns import Factor, Numbers, RawColumn
from tanager.data.table import Frame

__all__ = ["MISSING_FIELDS", "Contents", "is_number", "text_column"]

#: What stands for a missing value in a CSV file.
MISSING_FIELDS = frozenset({"", "?", "NA", "N/A", "NaN", "nan", "NULL", "null"})

_INTEGER = re.compile(r"[+-]?\d{1,18}")
_FLOAT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?")


@dataclass(frozen=True)
class Contents:
    """The columns of a file, all of them, and row weights where the file gives some."""

    frame: Frame
    weights: NDArray[np.float64] | None = None


def is_number(field: str) -> bool:
    """Whether a field is a finite decimal number, with a point and an exponent or not.

    >>> [is_number(field) for field in ("-1.5e3", ".5", "inf", "1_000", "")]
    [True, True, False, False, False]
    """
    return _FLOAT.fullmatch(field) is not None


def text_column(fields: Sequence[str]) -> RawColumn:
    """Numbers where every field that is not missing is one (integers where none has a point), else a factor.

    >>> text_column(["1", "?", "2"]).values.tolist(), text_column(["1", "x"]).levels
    ([1.0, nan, 2.0], ['1', 'x'])
    """
    position: dict[str, int] = {}
    codes = np.fromiter(
        (position.setdefault(field, len(position)) for field in fields), np.int64, len(fields)
    )
    levels = list(position)
    known = [level for level in levels if level not in MISSING_FIELDS]
    if known and all(is_number(level) for level in known):
        if len(known) == len(levels) and all(_INTEGER.fullmatch(level) for level in known):
            return Numbers(np.array([int(level) for level in levels], dtype=np.int64)[codes])
        numbers = [np.nan if level in MISSING_FIELDS else float(level) for level in levels]
        return Numbers(np.array(numbers, dtype=np.float64)[codes])
    if len(known) == len(levels):
        return Factor(codes, levels)
    place = {level: code for code, level in enumerate(known)}
    return Factor(np.array([place.get(level, -1) for level in levels], dtype=np.int64)[codes], known)
