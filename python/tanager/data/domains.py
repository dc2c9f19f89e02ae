"""What was learned about one column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tanager.data.columns import Level
from tanager.data.discretise import Binning
from tanager.exceptions import DataError

__all__ = ["FEW_INTEGERS", "UNKNOWN", "Codes", "ColumnEncoding"]

#: An integer column with at most this many distinct values is categorical unless declared otherwise.
FEW_INTEGERS = 20
#: What stands for no code on the way into the core.
UNKNOWN = 2**32 - 1

Codes = NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.uint32]


@dataclass(frozen=True)
class ColumnEncoding:
    """What the encoder learned about one column.

    Attributes:
        name: the column's name, or x and its position.
        levels: the values of a categorical column, in the order of their codes; for a numeric column None.
        binning: how a numeric column's values become codes; for a categorical one None.
        missing_level: whether the last code stands for "missing".
    """

    name: str
    levels: tuple[Level, ...] | None
    binning: Binning | None
    missing_level: bool

    @property
    def kind(self) -> Literal["categorical", "numeric"]:
        """What its values are."""
        return "categorical" if self.binning is None else "numeric"

    @property
    def arity(self) -> int:
        """The number of codes; a column without any value has one."""
        values = len(self.levels or ()) if self.binning is None else self.binning.bins
        return max(values + self.missing_level, 1)

    @property
    def cut_points(self) -> NDArray[np.float64] | None:
        """Where a numeric column is cut; a value equal to a cut point lies to its left."""
        return None if self.binning is None else self.binning.cut_points

    @property
    def dtype(self) -> np.dtype[Any]:
        """The narrowest unsigned type that holds the codes and, as its largest value, the missing code."""
        return np.dtype(np.uint8 if self.arity <= 255 else np.uint16 if self.arity <= 65535 else np.uint32)

    @property
    def missing_code(self) -> int:
        """The code of a missing value: a level of its own, or the type's largest value."""
        return self.arity - 1 if self.missing_level else int(np.iinfo(self.dtype).max)

    @property
    def texts(self) -> tuple[str, ...]:
        """The text of every code."""
        return tuple(map(self.describe, range(self.arity)))

    def describe(self, value: int) -> str:
        """A code as text: the level, or the interval that it stands for."""
        if not 0 <= value < self.arity:
            raise DataError(
                f"column {self.name!r}: code {value} is not allowed, allowed are 0 to {self.arity - 1}"
            )
        if self.missing_level and value == self.arity - 1:
            return "missing"
        if self.binning is not None:
            return self.binning.describe(value)
        return str(self.levels[value]) if self.levels else "none"

    @property
    def core_missing(self) -> int:
        """The code of a missing value as the core takes it."""
        return self.arity - 1 if self.missing_level else UNKNOWN
