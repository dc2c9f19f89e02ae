"""Counts that add up: all that many learners need of rows, wherever these are."""

from __future__ import annotations

from typing import Any, Self

from numpy.typing import NDArray

from tanager import _core
from tanager.data.schema import Schema
from tanager.exceptions import DataError, DataTypeError
from tanager.settings import is_whole

__all__ = ["Statistics"]


class Statistics:
    """The counts of the classes, of every column and of every pair of columns, given the class.

    Counts of parts of a table add up to those of the whole: without weights they are whole numbers, and the
    same rows give the same bits however they were divided and in whatever order they came.

    Parameters:
        schema: what the codes mean; `Schema.scan` finds it. It is fixed: a level that it does not have is an
            error.
        pairs: whether pairs of columns are counted; without them only naive Bayes and independent densities
            can be learned.

    >>> X, y = [["a", "x"], ["b", "y"], ["b", "x"]], ["yes", "no", "no"]
    >>> schema = Schema.scan([(X, y)])
    >>> one, other = Statistics(schema).update(X[:1], y[:1]), Statistics(schema).update(X[1:], y[1:])
    >>> (one + other).rows, (one + other).class_counts().tolist()
    (3, [2, 1])
    >>> one + other == other + one == Statistics.from_bytes((one + other).to_bytes())
    True
    """

    def __init__(self, schema: Schema, *, pairs: bool = True) -> None:
        if not isinstance(schema, Schema):
            raise DataTypeError(f"schema is a {type(schema).__name__}, allowed is a Schema")
        self._schema, self._counts = schema, schema.empty(pairs)

    @classmethod
    def _of(cls, schema: Schema, counts: _core.Statistics) -> Self:
        statistics = cls.__new__(cls)
        statistics._schema, statistics._counts = schema, counts
        return statistics

    @property
    def schema(self) -> Schema:
        """What the codes mean."""
        return self._schema

    @property
    def counts(self) -> _core.Statistics:
        """The counts as the core keeps them."""
        return self._counts

    @property
    def rows(self) -> int:
        """The number of rows, whatever they weigh; with missing="drop", of complete ones."""
        return self._counts.rows

    @property
    def total(self) -> float:
        """The number of rows, or the sum of their weights."""
        return self._counts.total

    @property
    def nbytes(self) -> int:
        """The memory that the counts take."""
        return self._counts.size

    def update(self, X: Any, y: Any = None, sample_weight: Any = None, *, n_jobs: int | None = None) -> Self:
        """Counts more rows; where that fails, none of them is counted."""
        data = self._schema.encode(X, y, sample_weight, n_jobs=n_jobs)
        if data is not None:
            self._counts.update(data, n_jobs)
        return self

    def merge(self, other: Statistics) -> Self:
        """Adds what was counted elsewhere; a different schema is refused with its first difference."""
        if not isinstance(other, Statistics):
            raise DataTypeError(f"statistics merge with statistics, not with a {type(other).__name__}")
        if self._schema is not other._schema:
            difference = self._schema.difference(other._schema)
            if difference is not None:
                raise DataError(f"the statistics have different schemas: {difference}")
        self._counts.merge(other._counts)
        return self

    def __add__(self, other: Statistics) -> Statistics:
        if not isinstance(other, Statistics):
            return NotImplemented
        return Statistics._of(self._schema, self._counts.copy()).merge(other)

    def grown(self, X: Any, sample_weight: Any = None) -> Statistics:
        """The same counts by a schema that also has the levels of these rows, which are not counted."""
        schema, (values, classes) = self._schema.grown(X, sample_weight)
        if schema.arities == self._schema.arities:
            return self
        return Statistics._of(schema, self._counts.grown(schema.arities, schema.n_classes, values, classes))

    def beside_constants(self, schema: Schema, places: list[int]) -> Statistics:
        """The same rows by a larger schema: these columns are its `places`, all its others have one value."""
        return Statistics._of(schema, self._counts.beside_constants(len(schema.columns), places))

    def class_counts(self) -> NDArray[Any]:
        """The rows of each class; one number where there is no class."""
        return self._counts.class_counts()

    def table(self, column: str | int, other: str | int | None = None) -> NDArray[Any]:
        """The table of a column, or of two: one axis for the class, then one for each column."""
        second = None if other is None else self._position(other)
        return self._counts.table(self._position(column), second)

    def _position(self, column: str | int) -> int:
        labels = self._schema.labels
        if isinstance(column, str) and column in labels:
            return labels.index(column)
        if is_whole(column) and 0 <= int(column) < len(labels):
            return int(column)
        raise DataError(f"{column!r} is not a column: columns are {', '.join(labels[:20])}")

    def to_bytes(self) -> bytes:
        """All there is, with its version and a checksum; no pickle."""
        return self._counts.to_bytes(self._schema.to_bytes())

    @classmethod
    def from_bytes(cls, data: bytes | bytearray | memoryview) -> Self:
        """What `to_bytes` gave; bytes that are cut off, damaged or do not fit together are refused."""
        if not isinstance(data, bytes | bytearray | memoryview):
            raise DataTypeError(f"statistics are read from bytes, not from a {type(data).__name__}")
        counts, note = _core.Statistics.from_bytes(bytes(data))
        schema = Schema.from_bytes(note)
        if (schema.arities, schema.n_classes) != (counts.arities, counts.n_classes):
            raise DataError("the statistics do not fit: their tables have other sizes than their schema")
        return cls._of(schema, counts)

    def __reduce__(self) -> tuple[Any, ...]:
        # The schema apart: a level that has no form in bytes can be pickled all the same.
        return _rebuilt, (self._schema, self._counts.to_bytes(b""))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Statistics):
            return NotImplemented
        same = self._schema == other._schema
        return same and self._counts.to_bytes(b"") == other._counts.to_bytes(b"")

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        classes = "" if self._schema.n_classes is None else f", {self._schema.n_classes} classes"
        return f"Statistics({self.rows} rows, {len(self._schema.columns)} columns{classes})"


def _rebuilt(schema: Schema, data: bytes) -> Statistics:
    return Statistics._of(schema, _core.Statistics.from_bytes(data)[0])
