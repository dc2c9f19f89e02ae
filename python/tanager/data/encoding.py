"""From a table of strings, numbers, gaps and categories to small integer codes, and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tanager.data.columns import (
    Factor,
    Level,
    RawColumn,
    as_number,
    as_text,
    factorize_numbers,
    sort_levels,
)
from tanager.data.discretise import Binning, fit_binning
from tanager.data.frames import RawTable, column_labels, raw_table
from tanager.exceptions import DataError

__all__ = ["ColumnEncoding", "EncodedTable", "TableEncoder"]

#: An integer column with at most this many distinct values is categorical unless declared otherwise.
FEW_INTEGERS = 20

Codes = NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.uint32]


@dataclass(frozen=True)
class ColumnEncoding:
    """What the encoder learned about one column.

    Attributes:
        name: the column's name, or x and its position.
        kind: "categorical" or "numeric".
        levels: the values of a categorical column, in the order of their codes; for a numeric column None.
        binning: how a numeric column's values become codes; for a categorical one None.
        missing_level: whether the last code stands for "missing".
        arity: the number of codes.
    """

    name: str
    kind: Literal["categorical", "numeric"]
    levels: tuple[Level, ...] | None
    binning: Binning | None
    missing_level: bool
    arity: int

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


@dataclass(frozen=True)
class EncodedTable:
    """Columns of codes. A code equal to its type's largest value is missing.

    Attributes:
        columns: one array of uint8, uint16 or uint32 per column.
        arities: the number of values of each column.
        rows: the number of rows.
    """

    columns: list[Codes]
    arities: list[int]
    rows: int

    def complete_rows(self) -> NDArray[np.bool_]:
        """Which rows have no missing code."""
        complete = np.ones(self.rows, dtype=np.bool_)
        for column in self.columns:
            complete &= column != np.iinfo(column.dtype).max
        return complete

    def take(self, rows: NDArray[Any]) -> EncodedTable:
        """Some of the rows, by mask or by position."""
        columns = [column[rows] for column in self.columns]
        return EncodedTable(columns, list(self.arities), len(columns[0]))


class TableEncoder:
    """Learns the domain of every column, then turns tables into codes.

    Categories, strings, booleans, and integers with few values are categorical; floats, and integers with
    many values, are numeric and are cut into intervals. Declared levels of a categorical column are its
    domain, in their order; otherwise the domain is what fit has seen, in ascending order.

    Parameters:
        categorical, numeric: columns whose kind is not to be inferred, by name (without names x0, x1, …) or
            position; or "all".
        discretize: "mdl", "none" (every distinct number is a value), or a transformer that has `cut_points_`
            or `bin_edges_` once fitted. Without classes, "mdl" means five bins of equal frequency.
        missing: "category" (in columns with gaps at fit, missing is a value of its own), "drop" (learn from
            complete rows only) or "available" (learn each column from the rows where it is known).
        handle_unknown: "marginalize" (a value unseen at fit gets the missing code, also where missing is a
            category, and so does a word in a column of numbers) or "error". A number and its text are one
            value: 2 is known where "2" is.
        estimator: who asks, for messages.

    >>> encoder = TableEncoder().fit([["a", "x"], ["b", "y"], ["a", "z"]])
    >>> [column.levels for column in encoder.columns]
    [('a', 'b'), ('x', 'y', 'z')]
    >>> encoder.transform([["b", "z"], ["c", "x"]]).columns
    [array([  1, 255], dtype=uint8), array([2, 0], dtype=uint8)]
    """

    names: list[str] | None
    n_features: int
    columns: list[ColumnEncoding]

    def __init__(
        self,
        *,
        categorical: Iterable[str | int] | str | None = None,
        numeric: Iterable[str | int] | str | None = None,
        discretize: Any = "mdl",
        missing: str = "category",
        handle_unknown: str = "marginalize",
        estimator: str = "tanager",
    ) -> None:
        self.categorical = categorical
        self.numeric = numeric
        self.discretize = discretize
        self.missing = missing
        self.handle_unknown = handle_unknown
        self.estimator = estimator

    def fit(self, X: Any, y_codes: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learns names, kinds, levels and cut points."""
        return self._fit(raw_table(X, estimator=self.estimator), y_codes, sample_weight)

    def fit_transform(
        self, X: Any, y_codes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> EncodedTable:
        """`fit` and `transform` of the same table, which is read once."""
        table = raw_table(X, estimator=self.estimator)
        return self._fit(table, y_codes, sample_weight)._transform(table)

    def transform(self, X: Any) -> EncodedTable:
        """The codes of a table with the same columns; a frame's columns are matched by name."""
        table = raw_table(X, order=self.names, estimator=self.estimator)
        if len(table.columns) != self.n_features:
            raise DataError(
                f"X has {len(table.columns)} features, but {self.estimator} "
                f"is expecting {self.n_features} features as input."
            )
        return self._transform(table)

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

    def _fit(self, table: RawTable, y_codes: ArrayLike | None, sample_weight: ArrayLike | None) -> Self:
        _check_choice("missing", self.missing, ("category", "drop", "available"))
        _check_choice("handle_unknown", self.handle_unknown, ("marginalize", "error"))
        labels = column_labels(table.names, len(table.columns))
        if y_codes is not None and len(np.asarray(y_codes)) != table.rows:
            raise DataError(f"X has {table.rows} rows, but y has {len(np.asarray(y_codes))} labels")
        if sample_weight is not None and np.shape(sample_weight) != (table.rows,):
            raise DataError(f"sample_weight.shape == {np.shape(sample_weight)}, expected {(table.rows,)}!")
        kept = self._rows_to_learn_from(table, sample_weight)
        y = None if y_codes is None else np.asarray(y_codes)[kept]
        weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)[kept]
        declared = self._declared_kinds(labels)
        factors: dict[int, Factor] = {}
        numbers: dict[int, NDArray[np.float64]] = {}
        for i, column in enumerate(table.columns):
            seen = column.take(kept)
            kind = declared.get(i) or _infer_kind(seen)
            if kind == "categorical" or (isinstance(self.discretize, str) and self.discretize == "none"):
                factors[i] = _as_factor(seen)
            else:
                numbers[i] = _as_floats(seen, labels[i])
        binnings = dict(
            zip(numbers, fit_binning(self.discretize, list(numbers.values()), y, weights), strict=True)
        )
        self.columns = [
            self._categorical(labels[i], factors[i])
            if i in factors
            else self._numeric(labels[i], numbers[i], binnings[i])
            for i in range(len(table.columns))
        ]
        self.names, self.n_features = table.names, len(table.columns)
        return self

    def _rows_to_learn_from(
        self, table: RawTable, sample_weight: ArrayLike | None
    ) -> NDArray[np.bool_] | slice:
        kept = np.ones(table.rows, dtype=np.bool_)
        if sample_weight is not None:
            kept &= np.asarray(sample_weight) > 0
        if self.missing == "drop":
            for column in table.columns:
                kept &= ~column.missing_mask()
            if not kept.any():
                raise DataError('missing="drop" leaves no row: every row has a missing value')
        return slice(None) if kept.all() else kept

    def _declared_kinds(self, labels: list[str]) -> dict[int, Literal["categorical", "numeric"]]:
        kinds: dict[int, Literal["categorical", "numeric"]] = {}
        for i in _positions(self.categorical, labels, "categorical"):
            kinds[i] = "categorical"
        for i in _positions(self.numeric, labels, "numeric"):
            if i in kinds:
                raise DataError(f"column {labels[i]!r} is declared both categorical and numeric")
            kinds[i] = "numeric"
        return kinds

    def _categorical(self, label: str, factor: Factor) -> ColumnEncoding:
        if factor.declared:
            levels = tuple(factor.levels)
        else:
            codes = factor.codes
            seen = np.bincount(
                codes[codes >= 0] if len(codes) and codes.min() < 0 else codes, minlength=len(factor.levels)
            )
            present = [level for level, n in zip(factor.levels, seen, strict=True) if n]
            levels = tuple(sort_levels(present, f"column {label!r}"))
        gap = self.missing == "category" and bool(len(factor.codes) and factor.codes.min() < 0)
        return ColumnEncoding(label, "categorical", levels, None, gap, max(len(levels) + gap, 1))

    def _numeric(self, label: str, values: NDArray[np.float64], binning: Binning) -> ColumnEncoding:
        gap = self.missing == "category" and bool(np.isnan(values).any())
        return ColumnEncoding(label, "numeric", None, binning, gap, binning.bins + gap)

    def _transform(self, table: RawTable) -> EncodedTable:
        columns = [
            self._encode_numeric(encoding, column, encoding.binning)
            if encoding.binning is not None
            else self._encode_categorical(encoding, column)
            for encoding, column in zip(self.columns, table.columns, strict=True)
        ]
        return EncodedTable(columns, [encoding.arity for encoding in self.columns], table.rows)

    def _encode_numeric(self, encoding: ColumnEncoding, column: RawColumn, binning: Binning) -> Codes:
        if not isinstance(column, Factor):
            values = _as_floats(column, encoding.name)
            return binning.codes(values, encoding.dtype, encoding.missing_code)
        numbers = [as_number(level) for level in column.levels]
        unknown = [number is None for number in numbers]
        if any(unknown):
            self._check_unknown(encoding, column, unknown)
        by_level = np.array([np.nan if number is None else number for number in numbers] + [np.nan])
        codes = binning.codes(by_level[column.codes], encoding.dtype, encoding.missing_code)
        codes[np.array([*unknown, False])[column.codes]] = np.iinfo(encoding.dtype).max
        return codes

    def _encode_categorical(self, encoding: ColumnEncoding, column: RawColumn) -> Codes:
        factor = _as_factor(column)
        levels = encoding.levels or ()
        if len(factor.levels) == len(levels) and tuple(factor.levels) == levels:
            return _cast_codes(factor.codes, encoding)
        position = {level: code for code, level in enumerate(levels)}
        unknown = int(np.iinfo(encoding.dtype).max)
        lookup = [position.get(level, unknown) for level in factor.levels]
        if unknown in lookup:
            # A file of other rows may hold 2 where the first one, for the sake of "5more", held "2".
            texts = {as_text(level): code for level, code in position.items()}
            lookup = [
                texts.get(as_text(level), unknown) if code == unknown else code
                for level, code in zip(factor.levels, lookup, strict=True)
            ]
        if unknown in lookup:
            self._check_unknown(encoding, factor, [code == unknown for code in lookup])
        codes: Codes = np.array([*lookup, encoding.missing_code], dtype=encoding.dtype)[factor.codes]
        return codes

    def _check_unknown(self, encoding: ColumnEncoding, factor: Factor, unknown: list[bool]) -> None:
        """Refuses unseen values where asked to."""
        rows = np.flatnonzero(np.array([*unknown, False])[factor.codes])
        if self.handle_unknown != "error" or not len(rows):
            return
        value = factor.levels[int(factor.codes[rows[0]])]
        shown = ", ".join(repr(level) for level in (encoding.levels or ())[:20])
        more = len(encoding.levels or ()) - 20
        allowed = "numbers" if encoding.levels is None else f"{shown}{f' and {more} more' * (more > 0)}"
        place = f"column {encoding.name!r}, row {rows[0]}"
        raise DataError(f"{place}: value {value!r} was not seen at fit, allowed are {allowed}")


def _check_choice(name: str, value: object, allowed: Sequence[str]) -> None:
    if not (isinstance(value, str) and value in allowed):
        raise DataError(f"{name} = {value!r} is not allowed, allowed are {', '.join(map(repr, allowed))}")


def _positions(columns: Iterable[str | int] | str | None, labels: list[str], what: str) -> list[int]:
    if columns is None:
        return []
    if isinstance(columns, str):
        if columns == "all":
            return list(range(len(labels)))
        columns = [columns]
    positions = []
    for column in columns:
        if isinstance(column, str) and column in labels:
            positions.append(labels.index(column))
        elif isinstance(column, int | np.integer) and -len(labels) <= column < len(labels):
            positions.append(int(column) % len(labels))
        else:
            raise DataError(f"{what} names {column!r}, which is no column; columns are {', '.join(labels)}")
    return positions


def _infer_kind(column: RawColumn) -> Literal["categorical", "numeric"]:
    if isinstance(column, Factor):
        return "categorical"
    if not column.integer:
        return "numeric"
    return "categorical" if len(factorize_numbers(column).levels) <= FEW_INTEGERS else "numeric"


def _as_factor(column: RawColumn) -> Factor:
    return column if isinstance(column, Factor) else factorize_numbers(column)


def _as_floats(column: RawColumn, label: str) -> NDArray[np.float64]:
    if isinstance(column, Factor):
        bad = next((level for level in column.levels if not isinstance(level, bool | int | float)), None)
        if bad is not None:
            raise DataError(f"column {label!r}: value {bad!r} is not allowed, the column is numeric")
        values: NDArray[np.float64] = np.array([*column.levels, np.nan], dtype=np.float64)[column.codes]
        return values
    values = column.floats()
    if values.size and np.isinf(values).any():
        row = int(np.flatnonzero(np.isinf(values))[0])
        raise DataError(
            f"column {label!r}, row {row}: {values[row]} is not allowed, numbers are finite or missing (NaN)"
        )
    return values


def _cast_codes(codes: NDArray[Any], encoding: ColumnEncoding) -> Codes:
    """Codes whose levels are the encoder's own: no lookup, and no copy where the width is right."""
    if codes.dtype.itemsize == encoding.dtype.itemsize:
        cast = codes.view(encoding.dtype)
    else:
        cast = codes.astype(encoding.dtype)  # −1 wraps to the missing code
    if encoding.missing_level and codes.dtype.kind == "i":
        gaps = codes < 0
        if gaps.any():
            cast = np.where(gaps, encoding.dtype.type(encoding.missing_code), cast)
    return cast
