"""A small labelled matrix: one row per data set, one column per learner."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tanager.exceptions import DataError, UnknownNameError, imported
from tanager.text_table import aligned

__all__ = ["ScoreTable"]


class ScoreTable:
    """Scores by data set and learner; behaves like a mapping of rows and like a numpy matrix.

    >>> table = ScoreTable(["car", "vote"], ["nb", "tan"], [[0.85, 0.94], [0.90, 0.94]])
    >>> table["car"]["tan"]
    0.94
    >>> table.column("nb")
    array([0.85, 0.9 ])
    >>> print(table)
              nb     tan
    car   0.8500  0.9400
    vote  0.9000  0.9400
    """

    def __init__(self, rows: Sequence[str], columns: Sequence[str], values: Any) -> None:
        self.rows = tuple(rows)
        self.columns = tuple(columns)
        self.values: NDArray[np.float64] = np.asarray(values, dtype=np.float64)
        if self.values.shape != (len(self.rows), len(self.columns)):
            raise DataError(f"{self.values.shape} values for {len(self.rows)} × {len(self.columns)}")

    def __getitem__(self, row: str) -> Mapping[str, float]:
        return {
            name: float(value) for name, value in zip(self.columns, self.values[self._row(row)], strict=True)
        }

    def _row(self, row: str) -> int:
        try:
            return self.rows.index(row)
        except ValueError:
            raise UnknownNameError(f"no data set {row!r}; there are: {', '.join(self.rows)}") from None

    def column(self, column: str) -> NDArray[np.float64]:
        """All values of one learner."""
        if column not in self.columns:
            raise UnknownNameError(f"no learner {column!r}; there are: {', '.join(self.columns)}")
        return self.values[:, self.columns.index(column)]

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.values, dtype=dtype, copy=True if copy is None else copy)

    def as_dict(self) -> dict[str, dict[str, float]]:
        """Rows as nested dictionaries."""
        return {row: dict(self[row]) for row in self.rows}

    def to_pandas(self) -> Any:
        """The same as a pandas data frame, where pandas is installed."""
        pandas = imported("pandas", "to_pandas")
        return pandas.DataFrame(self.values, index=list(self.rows), columns=list(self.columns))

    def __str__(self) -> str:
        cells = [[row, *(f"{v:.4f}" for v in line)] for row, line in zip(self.rows, self.values, strict=True)]
        return "\n".join(aligned(["", *self.columns], cells, rules=False))

    def __repr__(self) -> str:
        return f"ScoreTable({len(self.rows)} data sets × {len(self.columns)} learners)\n{self}"
