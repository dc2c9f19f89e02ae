"""From a table of strings, numbers, missing values and categories to small integer codes, and back."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Self, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tanager import _core
from tanager.data.domains import FEW_INTEGERS, Codes, ColumnEncoding
from tanager.data.encoding_settings import EncodingSettings, ReadsTables
from tanager.data.frames import Header, column_labels, raw_table
from tanager.data.learning import ColumnLearner
from tanager.data.lookup import Lookup
from tanager.data.warned import warn_of_columns
from tanager.exceptions import DataError

__all__ = ["FEW_INTEGERS", "ColumnEncoding", "EncodedTable", "TableEncoder"]


#: What an encoder makes anew of what it has learned.
_MADE = ("_header", "_lookup")


class EncodedTable:
    """Columns of codes. A code equal to its type's largest value is missing.

    Attributes:
        data: the columns as the core keeps them, without a class.
    """

    data: _core.Dataset

    def __init__(self, columns: Sequence[Codes], arities: Sequence[int]) -> None:
        """From one array of uint8, uint16 or uint32 per column, which are copied."""
        self.data = _core.Dataset.from_columns(list(columns), list(arities))

    @classmethod
    def of(cls, data: _core.Dataset) -> EncodedTable:
        """A table of columns that the core has encoded."""
        table = cls.__new__(cls)
        table.data = data
        return table

    @cached_property
    def columns(self) -> list[Codes]:
        """One array of uint8, uint16 or uint32 per column."""
        return [self.data.codes(i) for i in range(self.data.n_columns)]

    @property
    def arities(self) -> list[int]:
        """The number of values of each column."""
        return self.data.arities

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.data.n_rows

    def complete_rows(self) -> NDArray[np.bool_]:
        """Which rows have no missing code."""
        return self.data.complete_rows()

    def take(self, rows: NDArray[Any]) -> EncodedTable:
        """Some of the rows, by mask or by position."""
        places = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        return EncodedTable.of(self.data.select(np.ascontiguousarray(places, dtype=np.uint32)))


class TableEncoder(ReadsTables):
    """Learns the domain of every column, then turns tables into codes.

    Categories, strings, booleans, and integers with few values are categorical; floats, and integers with
    many values, are numeric and are cut into intervals. Declared levels of a categorical column are its
    domain, in their order; otherwise the domain is what fit has seen, in ascending order.

    Parameters:
        estimator: who asks, for messages.
        **settings: those of `ReadsTables`.

    >>> encoder = TableEncoder().fit([["a", "x"], ["b", "y"], ["a", "z"]])
    >>> [column.levels for column in encoder.columns]
    [('a', 'b'), ('x', 'y', 'z')]
    >>> encoder.transform([["b", "z"], ["c", "x"]]).columns
    [array([  1, 255], dtype=uint8), array([2, 0], dtype=uint8)]
    """

    names: list[str] | None
    columns: list[ColumnEncoding]

    def __init__(self, *, estimator: str = "tanager", **settings: Unpack[EncodingSettings]) -> None:
        super().__init__(**settings)
        self.estimator = estimator

    @property
    def n_features(self) -> int:
        """How many columns it has learned."""
        return len(self.columns)

    @property
    def labels(self) -> list[str]:
        """What the columns are called: their names, or x and their positions."""
        return column_labels(self.names, self.n_features)

    def fit(
        self,
        X: Any,
        y_codes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learns names, kinds, levels and cut points."""
        self.fit_transform(X, y_codes, sample_weight)
        return self

    def fit_transform(
        self,
        X: Any,
        y_codes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> EncodedTable:
        """`fit` and `transform` of the same table, which is read once."""
        table = raw_table(X, estimator=self.estimator)
        self._check_words()
        learner = ColumnLearner(self, table, y_codes, sample_weight)
        encoded = learner.learn()
        warn_of_columns(learner.warnings, stacklevel=4)
        self.columns, self.names = learner.encodings, table.names
        for made in _MADE:
            self.__dict__.pop(made, None)
        return EncodedTable.of(encoded)

    def transform(self, X: Any) -> EncodedTable:
        """The codes of a table with the same columns; a frame's columns are matched by name."""
        table = raw_table(X, self._header, self.estimator, fitted=True)
        if table.width != self.n_features:
            raise DataError(
                f"X has {table.width} features, but {self.estimator} "
                f"is expecting {self.n_features} features as input."
            )
        return EncodedTable.of(self._lookup.encode(table))

    @cached_property
    def _header(self) -> Header | None:
        return None if self.names is None else Header(self.names)

    @cached_property
    def _lookup(self) -> Lookup:
        return Lookup(self.columns, self.handle_unknown, self.n_jobs)

    def __getstate__(self) -> dict[str, Any]:
        """Everything but what can be made anew."""
        return {name: value for name, value in self.__dict__.items() if name not in _MADE}

    def describe(self, column: int, value: int) -> str:
        """The text of one code of one column.

        >>> TableEncoder().fit([["red"], ["blue"]]).describe(0, 1)
        'red'
        """
        return self.columns[column].describe(value)

    def inverse_transform(self, table: EncodedTable) -> dict[str, NDArray[Any]]:
        """Values by column name: levels, or intervals as text for numeric columns; None where missing."""
        values = {}
        for encoding, codes in zip(self.columns, table.columns, strict=True):
            known = encoding.arity - encoding.missing_level
            texts = [encoding.describe(k) for k in range(known)]
            lookup = np.empty(known + 1, dtype=object)
            lookup[:known] = encoding.levels if encoding.levels is not None else texts
            values[encoding.name] = lookup[np.minimum(codes.astype(np.int64), known)]
        return values
