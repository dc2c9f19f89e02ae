"""What a file holds, before one column is called the class; and columns of text."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tanager.data.columns import Factor, Numbers, RawColumn
from tanager.data.dates import dated
from tanager.data.table import Frame
from tanager.exceptions import DataError

__all__ = ["MISSING_FIELDS", "Contents", "TextColumn", "is_number", "short"]

#: What stands for a missing value in a CSV file.
MISSING_FIELDS = frozenset({"", "?", "NA", "N/A", "NaN", "nan", "NULL", "null"})

_INTEGER = re.compile(r"[+-]?\d{1,18}")
_FLOAT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
# 01234 is a code, such as a postcode, and not the number 1234.
_LEADING_ZERO = re.compile(r"[+-]?0\d")


@dataclass(frozen=True)
class Contents:
    """The columns of a file, all of them, and row weights where the file gives some."""

    frame: Frame
    weights: NDArray[np.float64] | None = None


def is_number(field: str) -> bool:
    """Whether a field is a finite decimal number, with a point and an exponent or not.

    >>> [is_number(field) for field in ("-1.5e3", ".5", "inf", "1e999", "1_000", "")]
    [True, True, False, False, False, False]
    """
    return _FLOAT.fullmatch(field) is not None and math.isfinite(float(field))


class TextColumn:
    """A column of text as it comes, block by block: no more of it is kept than its distinct fields and codes.

    It becomes numbers where every field that is not missing is one, else a factor. The numbers are whole
    where none has a point or an exponent, whether some are missing or not. A column in which some field has a
    zero before another digit holds codes, such as postcodes, and is a factor.

    >>> column = TextColumn()
    >>> column.add(["1", "?"])
    >>> column.add(["2"])
    >>> column.finished().values.dtype.kind
    'i'
    """

    def __init__(self) -> None:
        self._position: dict[str, int] = {}
        self._blocks: list[NDArray[np.int32]] = []

    def add(self, fields: Sequence[str]) -> None:
        """More rows."""
        position = self._position
        codes = (position.setdefault(field, len(position)) for field in fields)
        self._blocks.append(np.fromiter(codes, np.int32, len(fields)))

    def finished(self, where: str = "", lines: Sequence[int] = ()) -> RawColumn:
        """The column; a number that 64 bits cannot hold is refused, with the file and the line that it is in.

        >>> numbers, codes = TextColumn(), TextColumn()
        >>> numbers.add(["1", "?", "2.5"])
        >>> codes.add(["01", "1"])
        >>> numbers.finished().values.tolist(), codes.finished().levels
        ([1.0, nan, 2.5], ['01', '1'])
        """
        codes = self._blocks[0] if len(self._blocks) == 1 else np.concatenate(self._blocks)
        self._blocks = []
        levels = list(self._position)
        known = [level for level in levels if level not in MISSING_FIELDS]
        if known and all(_FLOAT.fullmatch(level) and not _LEADING_ZERO.match(level) for level in known):
            return _numbers(codes, levels, where, lines)
        if len(known) == len(levels):
            return dated(Factor(codes, levels))
        place = {level: code for code, level in enumerate(known)}
        return dated(
            Factor(np.array([place.get(level, -1) for level in levels], dtype=np.int32)[codes], known)
        )


def _numbers(codes: NDArray[np.int32], levels: list[str], where: str, lines: Sequence[int]) -> Numbers:
    missing = np.array([level in MISSING_FIELDS for level in levels])
    if all(gone or _INTEGER.fullmatch(level) for gone, level in zip(missing, levels, strict=True)):
        whole = np.array(
            [0 if gone else int(level) for gone, level in zip(missing, levels, strict=True)], np.int64
        )
        return Numbers(whole[codes], missing[codes] if missing.any() else None)
    numbers = np.array(
        [np.nan if gone else float(level) for gone, level in zip(missing, levels, strict=True)]
    )
    if np.isinf(numbers).any():
        code = int(np.isinf(numbers).argmax())
        place = f"{where}, line {lines[int((codes == code).argmax())]}: " if lines else ""
        raise DataError(f"{place}{short(levels[code])!r} is too large for a number of 64 bits")
    return Numbers(numbers[codes])


def short(text: str) -> str:
    """Text for a message, cut off where it is long."""
    return text if len(text) <= 40 else text[:37] + "…"
