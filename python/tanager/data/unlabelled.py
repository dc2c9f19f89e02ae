"""Rows without a class: nothing can be learned from them. Where the class is a column they are left out."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from tanager.data.series import from_series
from tanager.exceptions import DataError, DataWarning

__all__ = ["LeftOut", "without_label"]


@dataclass(frozen=True)
class LeftOut:
    """How many rows were left out, of how many that were read, since they have no value in a column.

    >>> LeftOut(1, 10, "class") + LeftOut(0, 5, "class")
    LeftOut(rows=1, read=15, column='class')
    """

    rows: int = 0
    read: int = 0
    column: str | None = None

    def __add__(self, other: LeftOut) -> LeftOut:
        return LeftOut(self.rows + other.rows, self.read + other.read, self.column or other.column)

    def check(self, name: str) -> None:
        """Refuses a table of which no row is left."""
        if self.rows and self.rows == self.read:
            raise DataError(f"{name}: no row has a label, column {self.column!r} is empty")

    def warn(self, name: str, stacklevel: int) -> None:
        """Says how many, where there are any; `stacklevel` counts from who calls this."""
        if self.rows:
            warnings.warn(
                f"{name}: {self.rows} of {self.read} rows are left out, they have no value of the class "
                f"{self.column!r}",
                DataWarning,
                stacklevel=stacklevel + 1,
            )


def without_label(labels: nw.Series[Any]) -> NDArray[np.bool_] | None:
    """Which labels are missing; None where none is."""
    if labels.dtype == nw.String or labels.dtype.is_temporal():  # quicker than to tell them apart
        missing = labels.is_null().to_numpy() if labels.null_count() else np.zeros(1, dtype=np.bool_)
    else:
        missing = from_series(labels, "y").missing_mask()
    return missing if missing.any() else None
