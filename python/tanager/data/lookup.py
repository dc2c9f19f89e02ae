"""From new rows to the codes that were learned: tables made once, in which the core looks values up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from tanager import _core
from tanager.data.columns import Factor, Level, Numbers, RawColumn, as_number, as_text
from tanager.data.domains import UNKNOWN, ColumnEncoding
from tanager.data.frames import RawTable
from tanager.data.warned import unseen, warn_of_columns
from tanager.exceptions import DataError

__all__ = ["Lookup", "refuse_infinite", "refuse_unknown"]

Rule = _core.NumberCodes | NDArray[Any]


class Lookup:
    """The codes of values, column by column.

    A number and its text are one value, since a file of other rows may hold 2 where the first one, for the
    sake of "5more", held "2". Tables are made when they are needed first, and again for other levels.
    """

    def __init__(self, columns: Sequence[ColumnEncoding], handle_unknown: str, n_jobs: int | None) -> None:
        self._columns, self._handle_unknown, self._n_jobs = list(columns), handle_unknown, n_jobs
        self._names = [column.name for column in columns]
        self._arities = [column.arity for column in columns]
        self._missing = [column.core_missing for column in columns]
        self._by_number: dict[tuple[int, str], _core.NumberCodes] = {}
        self._by_level: dict[int, tuple[dict[Level, int], dict[str, int]]] = {}
        self._by_domain: dict[int, tuple[object, NDArray[np.uint32]]] = {}
        self._by_kind: dict[str, _core.MatrixRules] = {}
        self._told: set[int] = set()  # columns of which it was said that values are new

    def encode(self, table: RawTable) -> _core.Dataset:
        """The codes of a table whose columns stand in the order of fit."""
        said: list[str] = []
        if table.matrix is not None and _lies_ready(table.matrix):
            parts = [self._encode_matrix(table, table.matrix, said)]
        else:
            parts = [self._encode(table, batch, said) for batch in table.batches()]
        warn_of_columns(said, stacklevel=6)
        return _core.Dataset.assemble(parts, list(range(table.width)))

    def _encode(self, table: RawTable, batch: range, said: list[str]) -> _core.Columns:
        raw = [table.column(i) for i in batch]
        part = slice(batch.start, batch.stop)
        columns, unknown, infinite = _core.encode_columns(
            [column.handed() for column in raw],
            [self._rule(i, column) for i, column in zip(batch, raw, strict=True)],
            self._names[part],
            self._arities[part],
            self._missing[part],
            self._n_jobs,
        )
        self._look_at(lambda i: raw[i - batch.start], batch, unknown, infinite, said)
        return columns

    def _encode_matrix(self, table: RawTable, matrix: NDArray[Any], said: list[str]) -> _core.Columns:
        """The same of an array; to make an object of each column would take longer than a row does."""
        kind = matrix.dtype.kind
        rules = self._by_kind.get(kind)
        if rules is None:
            of = [self._rule(i, table.column(i)) for i in range(table.width)]
            rules = _core.MatrixRules(of, self._names, self._arities, self._missing)
            self._by_kind[kind] = rules
        columns, unknown, infinite = rules.encode(
            matrix.view(np.uint8) if kind == "b" else matrix, self._n_jobs
        )
        self._look_at(table.column, range(table.width), unknown, infinite, said)
        return columns

    def _look_at(
        self,
        column: Callable[[int], RawColumn],
        batch: range,
        unknown: list[int | None],
        infinite: list[int | None],
        said: list[str],
    ) -> None:
        """Refuses, or tells, what the core has found: the first rows with a new value, or an infinite one."""
        for i, row in zip(batch, infinite, strict=True):
            if row is not None and isinstance(numbers := column(i), Numbers):
                refuse_infinite(self._names[i], numbers.values, row)
        for i, row in zip(batch, unknown, strict=True):
            if row is None:
                continue
            if self._handle_unknown == "error":
                refuse_unknown(self._columns[i], column(i), row)
            if i not in self._told:
                self._told.add(i)
                rule = self._rule(i, column(i))
                said.append(
                    unseen(self._columns[i], column(i), rule if isinstance(rule, np.ndarray) else None)
                )

    def _rule(self, i: int, column: RawColumn) -> Rule:
        encoding = self._columns[i]
        if isinstance(column, Numbers):
            if encoding.binning is not None:
                return encoding.binning.cut_points
            kind = column.values.dtype.kind
            known = self._by_number.get((i, kind))
            if known is None:
                known = self._by_number[i, kind] = _number_codes(encoding, kind)
            return known
        kept, table = self._by_domain.get(i, (None, None))
        if table is not None and kept is not None and kept == column.domain:
            return table
        table = (
            self._cut_levels(encoding, column) if encoding.binning is not None else self._levels(i, column)
        )
        if column.domain is not None:
            self._by_domain[i] = column.domain, table
        return table

    def _levels(self, i: int, factor: Factor) -> NDArray[np.uint32]:
        """The codes of levels: by value, else by text."""
        if i not in self._by_level:
            position = {level: code for code, level in enumerate(self._columns[i].levels or ())}
            self._by_level[i] = position, {as_text(level): code for level, code in position.items()}
        position, texts = self._by_level[i]
        codes = [position.get(level, UNKNOWN) for level in factor.levels]
        if UNKNOWN in codes:
            codes = [
                texts.get(as_text(level), UNKNOWN) if code == UNKNOWN else code
                for level, code in zip(factor.levels, codes, strict=True)
            ]
        return np.array(codes, dtype=np.uint32)

    @staticmethod
    def _cut_levels(encoding: ColumnEncoding, factor: Factor) -> NDArray[np.uint32]:
        """The intervals of levels that are numbers, or their text."""
        numbers = [as_number(level) for level in factor.levels]
        cuts = np.empty(0) if encoding.binning is None else encoding.binning.cut_points
        codes = np.searchsorted(cuts, [0.0 if number is None else number for number in numbers])
        return np.where([number is None for number in numbers], UNKNOWN, codes).astype(np.uint32)


def _lies_ready(matrix: NDArray[Any]) -> bool:
    """Whether the core can read an array where it lies: no mask, no type or order of bytes of numpy's own."""
    dtype = matrix.dtype
    usual = dtype.itemsize in (4, 8) if dtype.kind == "f" else dtype.kind in "biu"
    return type(matrix) is np.ndarray and usual and dtype.isnative and matrix.flags.aligned


def _number_codes(encoding: ColumnEncoding, kind: str) -> _core.NumberCodes:
    """The codes of the levels that numbers of a type (i, u or f) can equal, or be the text of."""
    dtype = np.dtype({"i": np.int64, "u": np.uint64}.get(kind, np.float64))
    exact: dict[Any, int] = {}
    by_text: dict[Any, int] = {}
    for code, level in enumerate(encoding.levels or ()):
        if isinstance(level, str):
            number = as_number(level)
            if number is not None:
                value: Any = number if kind == "f" else _whole(level)
                if value is not None and as_text(value) == level:
                    by_text.setdefault(value, code)
        elif isinstance(level, int | float | np.number) or hasattr(level, "as_integer_ratio"):
            value = float(level) if kind == "f" else _whole(level)  # type: ignore[arg-type]
            if value is not None and value == level:
                exact.setdefault(value, code)
    pairs = {value: code for value, code in (by_text | exact).items() if _fits(value, dtype)}
    numbers = np.array(list(pairs), dtype=dtype)
    return _core.NumberCodes((numbers, None, False), np.array(list(pairs.values()), dtype=np.uint32))


def _whole(level: Any) -> int | None:
    """A level as a whole number, where it is one."""
    try:
        return int(level)
    except (TypeError, ValueError, OverflowError):
        return None


def _fits(value: Any, dtype: np.dtype[Any]) -> bool:
    if dtype.kind == "f":
        return True
    return bool(np.iinfo(dtype).min <= value <= np.iinfo(dtype).max)


def refuse_infinite(name: str, values: NDArray[Any], row: int) -> NoReturn:
    """Says where a number is infinite."""
    raise DataError(
        f"column {name!r}, row {row}: {float(values[row])} is not allowed, "
        "numbers are finite or missing (NaN)"
    )


def refuse_unknown(encoding: ColumnEncoding, column: RawColumn, row: int) -> NoReturn:
    """Says which value was not seen at fit, and which were."""
    value: Any = (
        column.values[row].item() if isinstance(column, Numbers) else column.levels[int(column.codes[row])]
    )
    shown = ", ".join(repr(level) for level in (encoding.levels or ())[:20])
    more = len(encoding.levels or ()) - 20
    allowed = "numbers" if encoding.levels is None else f"{shown}{f' and {more} more' * (more > 0)}"
    place = f"column {encoding.name!r}, row {row}"
    raise DataError(f"{place}: value {value!r} was not seen at fit, allowed are {allowed}")
