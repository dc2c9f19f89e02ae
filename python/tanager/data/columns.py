"""One column of a table, before it has been encoded: a factor (codes into levels) or numbers.

Every container (numpy, pandas, polars, pyarrow) has its own fast way to a dictionary of distinct values; this
module finds it, so that Python only ever sees the distinct values and never each value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence, Sized
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from tanager import _core
from tanager.exceptions import DataError, DataTypeError

__all__ = [
    "Factor",
    "Numbers",
    "RawColumn",
    "as_array",
    "as_number",
    "as_text",
    "classify_objects",
    "column_name",
    "column_values",
    "factorize_numbers",
    "from_array",
    "from_list",
    "from_objects",
    "sort_levels",
    "with_mask",
]

Level = Hashable
#: A column as the core takes it: values, which are missing, and whether they are places of levels.
Handed = tuple[NDArray[Any], NDArray[np.bool_] | None, bool]
#: As many levels as codes can number.
MOST_LEVELS = 2**32 - 2
#: Up to so many rows of text a list is quicker than any engine.
A_FEW = 64
_NUMBER = (int, float, np.integer, np.floating)


def column_name(name: Any) -> str:
    """A name that is text, also to the core and to files: half of a surrogate pair is none.

    >>> column_name("größe")
    'größe'
    """
    if not isinstance(name, str) or not (name.isascii() or _is_unicode(name)):
        raise DataError(f"{name!r} is not the name of a column")
    return name


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


class LazyLevels(Sequence[Level]):
    """Levels that become Python objects when somebody asks for them: in a known domain nobody does."""

    def __init__(self, source: Sized, make: Callable[[], list[Level]]) -> None:
        self._source, self._make = source, make
        self._levels: list[Level] | None = None

    def __len__(self) -> int:
        return len(self._source)

    @overload
    def __getitem__(self, place: int) -> Level: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Level]: ...
    def __getitem__(self, place: int | slice) -> Level | Sequence[Level]:
        if self._levels is None:
            self._levels = self._make()
        return self._levels[place]

    def __iter__(self) -> Iterator[Level]:
        return iter(self[:])


class Same:
    """Equal where the very same object is meant; it lives as long as this does."""

    __slots__ = ("_thing",)

    def __init__(self, thing: object) -> None:
        self._thing = thing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self._thing is other._thing

    def __hash__(self) -> int:
        return id(self._thing)


class Factor(NamedTuple):
    """Distinct values and, per row, the position of its value among them.

    Attributes:
        codes: integers; −1 where the value is missing.
        levels: the distinct values; their order means something only where `declared` holds.
        declared: the levels were declared with the column (a categorical) and are its domain, seen or not.
        domain: equal only for factors with the same levels: what was found out about these holds again.
    """

    codes: NDArray[Any]
    levels: Sequence[Level]
    declared: bool = False
    domain: object = None

    def take(self, rows: Any) -> Factor:
        """Some of the rows, by mask or by position."""
        return Factor(self.codes[rows], self.levels, self.declared, self.domain)

    def missing_mask(self) -> NDArray[np.bool_]:
        """Which rows have no value."""
        return np.asarray(self.codes < 0)

    def handed(self) -> Handed:
        """As the core takes it."""
        return self.codes, None, True


@dataclass(frozen=True)
class Numbers:
    """Integers or floats; floats are missing where they are NaN, integers where `missing` holds."""

    values: NDArray[Any]
    missing: NDArray[np.bool_] | None = None

    @property
    def integer(self) -> bool:
        """Whole numbers by type, not by value."""
        return self.values.dtype.kind in "iu"

    def take(self, rows: Any) -> Numbers:
        """Some of the rows, by mask or by position."""
        return Numbers(self.values[rows], None if self.missing is None else self.missing[rows])

    def missing_mask(self) -> NDArray[np.bool_]:
        """Which rows have no value."""
        if self.missing is not None:
            return self.missing
        return np.zeros(len(self.values), dtype=np.bool_) if self.integer else np.isnan(self.values)

    def floats(self) -> NDArray[np.float64]:
        """The values as float64, NaN where missing."""
        values = self.values.astype(np.float64, copy=False)
        if self.missing is not None and self.missing.any():
            values = np.where(self.missing, np.nan, values)
        return values

    def handed(self) -> Handed:
        """As the core takes it: where it lies, unless numpy has a type or an order of bytes of its own."""
        values = self.values
        odd = values.dtype.kind == "f" and values.dtype.itemsize not in (4, 8)
        if not values.flags.aligned:  # a field of a packed record
            values = values.copy()
        if odd or not values.dtype.isnative:
            wide = np.float64 if values.dtype.kind == "f" else values.dtype.newbyteorder("=")
            values = values.astype(wide)
        return values, self.missing, False


RawColumn = Factor | Numbers


def column_values(column: RawColumn) -> NDArray[Any]:
    """Numbers as they are (floats where some are missing); levels as objects, None where missing."""
    if isinstance(column, Numbers):
        return column.values if column.missing is None else column.floats()
    lookup = np.empty(len(column.levels) + 1, dtype=object)
    lookup[:-1] = column.levels
    values: NDArray[Any] = lookup[column.codes]
    return values


def is_missing(level: object) -> bool:
    """None, NaN, and what the frame libraries use in their place (pandas.NA, NaT)."""
    if level is None or (isinstance(level, float) and math.isnan(level)):
        return True
    if isinstance(level, Decimal):
        return level.is_nan()
    return type(level).__name__ in ("NAType", "NaTType") or (
        isinstance(level, np.generic) and bool(level != level)
    )


def as_text(level: Level) -> str:
    """A value as a file would show it: a whole number without a point.

    >>> as_text(2.0), as_text("2"), as_text(2.5), as_text(True)
    ('2', '2', '2.5', 'True')
    """
    whole = isinstance(level, float | np.floating) and float(level).is_integer()
    return str(int(level)) if whole else str(level)  # type: ignore[call-overload]


def as_number(level: Level) -> float | None:
    """A value as a finite number, where it is one or its text.

    >>> as_number("2.5"), as_number(True), as_number("many"), as_number("inf")
    (2.5, 1.0, None, None)
    """
    try:
        number = float(level)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def sort_levels(levels: Sequence[Level], where: str) -> list[Level]:
    """Levels in their natural order: numbers by value, strings by code point.

    >>> sort_levels(["b", "a", "B"], "column x")
    ['B', 'a', 'b']
    """
    try:
        return sorted(levels)  # type: ignore[type-var]
    except TypeError:
        types = sorted({type(level).__name__ for level in levels})
        raise DataTypeError(
            f"{where}: the argument must be uniformly strings or numbers, found {', '.join(types)} together"
        ) from None


def factorize_numbers(column: Numbers) -> Factor:
    """The distinct numbers in ascending order, with codes.

    >>> factorize_numbers(Numbers(np.array([7, 5, 7]))).levels
    [5, 7]
    """
    reading = _core.Reading([column.handed()], [MOST_LEVELS])
    found = reading.levels()[0]
    if found is None:
        raise DataError(f"a column has more than {MOST_LEVELS} distinct values")
    return Factor(reading.places(0), found[0].tolist())


def as_array(values: Any) -> Any:
    """Nested lists as an array that keeps every value: text beside numbers stays apart, as objects.

    numpy would make text of 1.5 and of NaN where there is text too, and floats of integers beyond 2⁵³.

    >>> as_array([["a", 1.5], ["b", None]]).dtype, as_array([[1, 2]]).dtype, as_array([["a"]]).dtype
    (dtype('O'), dtype('int64'), dtype('<U1'))
    """
    if not isinstance(values, list | tuple):
        return values
    array = np.asarray(values)
    if array.dtype.kind in "US":
        objects = np.array(values, dtype=object)
        if objects.shape != array.shape:
            return array
        kind = str if array.dtype.kind == "U" else bytes
        return array if all(isinstance(value, kind) for value in objects.flat) else objects
    if array.dtype.kind == "f" and (np.abs(array) >= 2.0**53).any():
        return np.array(values, dtype=object)
    return array


def with_mask(column: RawColumn, mask: NDArray[np.bool_]) -> RawColumn:
    """A column whose masked values are missing, as numpy's masked arrays have them."""
    if not mask.any():
        return column
    if isinstance(column, Factor):
        codes = column.codes.astype(np.int64)
        codes[mask] = -1
        return Factor(codes, column.levels, column.declared)
    if column.integer:
        return Numbers(column.values, mask | column.missing_mask())
    return Numbers(np.where(mask, np.nan, column.values))


def from_array(values: NDArray[Any], where: str) -> RawColumn:
    """A column of a numpy array; where it is masked, its values are missing.

    >>> from_array(np.array(["b", "a", "b"]), "column 0").codes
    array([0, 1, 0], dtype=int32)
    """
    if isinstance(values, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(values)
        if values.dtype.kind == "O":  # what lies under a mask may be anything
            objects = np.array(values.data)
            objects[mask] = None
            return from_array(objects, where)
        return with_mask(from_array(values.data, where), mask)
    kind = values.dtype.kind
    if kind in "iuf":
        return Numbers(values)
    if kind == "b":
        return Factor(values.view(np.uint8), [False, True])
    if kind in "US":
        contiguous = np.ascontiguousarray(values)
        if values.dtype.itemsize == 0:  # nothing but empty strings
            return Factor(np.zeros(len(values), dtype=np.int8), contiguous[:1].tolist())
        rows = contiguous.view(np.uint8).reshape(len(values), values.dtype.itemsize)
        codes, first = _core.factorize_bytes(rows)
        return Factor(codes, contiguous[first].tolist())
    if kind == "O":
        return from_objects(values, where)
    if kind == "T":
        return from_objects(values.astype(object), where)
    if kind == "c":
        raise DataError(f"{where}: Complex data not supported")
    raise DataTypeError(
        f"{where}: type {values.dtype} is not supported, allowed are numbers, strings and booleans"
    )


def from_objects(values: NDArray[Any], where: str) -> RawColumn:
    """A column of Python objects: strings, numbers, anything that can be told apart."""
    strings = _core.factorize_strings(np.ascontiguousarray(values))
    if strings is not None:
        return Factor(strings[0], values[strings[1]].tolist())
    position: dict[Level, int] = {}
    try:
        codes = np.fromiter(
            (position.setdefault(v, len(position)) for v in values),
            np.int64,
            len(values),
        )
    except TypeError:
        bad = next(v for v in values if not isinstance(v, Hashable))
        raise DataTypeError(
            f"{where}: argument must be a string or a number, found {bad!r} of type {type(bad).__name__}"
        ) from None
    return classify_objects(codes, list(position), where)


def classify_objects(codes: NDArray[Any], levels: list[Level], where: str) -> RawColumn:
    """Distinct Python objects: numbers become numbers, the rest a factor without its missing levels."""
    gone = np.array([is_missing(level) for level in levels] + [True])  # the last place serves code −1
    present = [level for level, missing in zip(levels, gone[:-1], strict=True) if not missing]
    if any(isinstance(v, complex | np.complexfloating) for v in present):
        raise DataError(f"{where}: Complex data not supported")
    if present and all(isinstance(v, _NUMBER) and not isinstance(v, bool) for v in present):
        has_missing = bool(gone[:-1].any()) or (len(codes) > 0 and codes.min() < 0)
        whole = all(isinstance(v, int | np.integer) for v in present)
        table = [0 if whole else np.nan] * len(gone)
        for i in np.flatnonzero(~gone):
            table[i] = levels[i]  # type: ignore[call-overload]
        dtype = np.float64 if not whole else np.uint64 if max(present) >= 2**63 else np.int64  # type: ignore[type-var, operator]
        try:
            if dtype is np.uint64 and min(present) < 0:  # type: ignore[type-var, operator]
                raise OverflowError  # numpy 1 would wrap it around
            numbers = np.array(table, dtype=dtype)[codes]
        except OverflowError:
            raise DataError(f"{where}: an integer lies outside of 64 bits") from None
        return Numbers(numbers, gone[codes] if whole and has_missing else None)
    if not gone[:-1].any():
        return Factor(codes, present)
    place = np.cumsum(~gone) - 1
    place[gone] = -1
    return Factor(place[codes], present)


def from_list(values: list[Level]) -> Factor:
    """A few values, without any engine."""
    position: dict[Level, int] = {}
    codes = [-1 if value is None else position.setdefault(value, len(position)) for value in values]
    return Factor(np.array(codes, dtype=np.int64), list(position))
