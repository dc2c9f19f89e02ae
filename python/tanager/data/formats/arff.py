"""Weka's attribute-relation file format, dense and sparse."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Container
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tanager.data.columns import Factor, Numbers, RawColumn
from tanager.data.dates import dated
from tanager.data.formats.arff_fields import (
    attribute_name,
    next_field,
    split_fields,
    split_words,
    uncommented,
)
from tanager.data.formats.contents import Contents, is_number, short
from tanager.data.table import Frame
from tanager.exceptions import DataError
from tanager.limits import how_to_raise, limit

__all__ = ["parse_arff"]

_NUMERIC = ("numeric", "real", "integer")
_POSITION = re.compile(r"\s*+(\d{1,9}+)\s++")
_BLOCK = 4096  # rows that are in memory as Python's numbers


@dataclass
class _Attribute:
    name: str
    levels: list[str] | None  # None: numeric, or text that is learned from the rows
    numeric: bool
    position: dict[str, int]

    def parse(self, field: str | None, where: str) -> float:
        """A field as a number or as a code; NaN where it is missing."""
        if field is None:
            return np.nan
        if self.numeric:
            if not is_number(field):
                raise DataError(
                    f"{where}: {field!r} is not a finite number, attribute {self.name!r} is numeric"
                )
            return float(field)
        if self.levels is None:
            return self.position.setdefault(field, len(self.position))
        if field not in self.position:
            allowed = ", ".join(map(repr, self.levels[:20])) + (", …" if len(self.levels) > 20 else "")
            raise DataError(
                f"{where}: value {field!r} is not declared for attribute {self.name!r}, allowed are {allowed}"
            )
        return self.position[field]

    def not_given(self) -> float:
        """What a sparse row has where it gives nothing: 0, the first level, or empty text."""
        if self.numeric:
            return 0.0
        if self.levels is None:
            return self.parse("", "")
        return 0.0 if self.levels else np.nan

    def column(self, values: NDArray[np.float64]) -> RawColumn:
        if self.numeric:
            return Numbers(values)
        codes = np.where(np.isnan(values), -1, values).astype(np.int32)
        factor = Factor(codes, list(self.position), declared=self.levels is not None)
        return factor if self.levels is not None else dated(factor)


def parse_arff(text: str, where: str) -> Contents:
    """A table from ARFF text; errors name the line.

    Nominal attributes keep their declared levels; numeric, real and integer ones are floats; strings and
    dates are taken as text, points in time all in one form. The fields of a row are separated by commas, or
    else by blanks or tabs; a % that begins a field, or stands after one and a blank, begins a comment. In
    sparse rows what is not given is 0, or the first declared level. A weight in braces at the end of a row is
    the row's weight.

    >>> contents = parse_arff("@relation r\\n@attribute 'a b' {x,y}\\n@data\\ny\\n?\\n", "example")
    >>> contents.frame["a b"].tolist()
    ['y', None]
    """
    attributes: dict[str, _Attribute] = {}
    rows = _Rows([])
    weights = array("d")
    in_data = False
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), start=1):
        place = f"{where}, line {number}"
        stripped = uncommented(line.strip())
        if not stripped:
            continue
        if in_data:
            fields, weight = _weight(stripped, place)
            weights.append(weight)
            rows.add(fields, place)
            continue
        keyword = stripped.split(None, 1)[0].lower()
        if keyword == "@attribute":
            attribute = _attribute(stripped[len("@attribute") :], attributes, place)
            attributes[attribute.name] = attribute
        elif keyword == "@data":
            if not attributes:
                raise DataError(f"{place}: @data stands before any @attribute")
            in_data = True
            rows = _Rows(list(attributes.values()))
        elif keyword != "@relation":
            raise DataError(f"{place}: expected @relation, @attribute or @data, found {short(stripped)!r}")
    if not in_data:
        raise DataError(f"{where}: there is no @data line")
    if not weights:
        raise DataError(f"{where}: there is no row after @data")
    return Contents(Frame(rows.columns()), np.array(weights) if any(w != 1 for w in weights) else None)


class _Rows:
    """The rows of a file as they come. Those of a sparse file keep what they give and nothing else."""

    def __init__(self, attributes: list[_Attribute]) -> None:
        self.attributes = attributes
        self._count = 0
        self._pending: list[list[float]] = []
        self._blocks: list[tuple[int, NDArray[np.float64]]] = []  # first row, dense rows
        self._sparse_rows = array("q")
        self._given = array("q"), array("q"), array("d")  # row, attribute, value
        self._cells = limit("sparse_cells")

    def add(self, line: str, place: str) -> None:
        """One more row."""
        if line.startswith("{"):
            self._flush()
            self._add_sparse(line, place)
            self._count += 1
            return
        fields = _fields(line, len(self.attributes), place)
        self._pending.append(
            [attribute.parse(field, place) for attribute, field in zip(self.attributes, fields, strict=True)]
        )
        self._count += 1
        if len(self._pending) == _BLOCK:
            self._flush()

    def _flush(self) -> None:
        if self._pending:
            first = self._count - len(self._pending)
            self._blocks.append((first, np.array(self._pending, dtype=np.float64)))
            self._pending.clear()

    def _add_sparse(self, line: str, place: str) -> None:
        if not line.endswith("}"):
            raise DataError(f"{place}: a sparse row ends with a brace")
        self._sparse_rows.append(self._count)
        if len(self._sparse_rows) * len(self.attributes) > self._cells:
            raise DataError(
                f"{place}: sparse rows of {len(self.attributes):,} attributes unfold to more than "
                f"{self._cells:,} cells: {how_to_raise('sparse_cells')}"
            )
        body = line[1:-1].rstrip()
        given: set[int] = set()
        start = len(body) - len(body.lstrip())
        while start < len(body):
            match = _POSITION.match(body, start)
            if match is None or int(match[1]) >= len(self.attributes):
                last = len(self.attributes) - 1
                found = short(body[start : start + 41].lstrip())
                raise DataError(f"{place}: expected a position from 0 to {last} and a value, found {found!r}")
            index = int(match[1])
            if index in given:
                raise DataError(f"{place}: position {index} is given twice")
            given.add(index)
            field, start = next_field(body, match.end(), place)
            rows, places, values = self._given
            rows.append(self._count)
            places.append(index)
            values.append(self.attributes[index].parse(field, place))

    def columns(self) -> dict[str, RawColumn]:
        """One column for each attribute."""
        self._flush()
        sparse = np.array(self._sparse_rows)
        rows, places, values = (np.array(given) for given in self._given)
        order = np.argsort(places, kind="stable")
        bounds = np.searchsorted(places[order], np.arange(len(self.attributes) + 1))
        made: dict[str, RawColumn] = {}
        for index, attribute in enumerate(self.attributes):
            column = np.empty(self._count)
            for first, block in self._blocks:
                column[first : first + len(block)] = block[:, index]
            if len(sparse):
                column[sparse] = attribute.not_given()
                mine = order[bounds[index] : bounds[index + 1]]
                column[rows[mine]] = values[mine]
            made[attribute.name] = attribute.column(column)
        return made


def _attribute(declaration: str, taken: Container[str], place: str) -> _Attribute:
    named = attribute_name(declaration)
    if named is None:
        raise DataError(f"{place}: an attribute needs a name")
    name, rest = named
    if name in taken:
        raise DataError(f"{place}: attribute {name!r} is declared twice")
    if rest.startswith("{"):
        body, found, _ = rest[1:].rpartition("}")
        if not found:
            raise DataError(f"{place}: the levels of attribute {name!r} are not closed by a brace")
        levels = [level for level in split_fields(body, place) if level is not None] if body.strip() else []
        if len(set(levels)) < len(levels):
            twice = next(level for level, times in Counter(levels).items() if times > 1)
            raise DataError(f"{place}: attribute {name!r} declares level {twice!r} twice")
        return _Attribute(name, levels, False, {level: code for code, level in enumerate(levels)})
    kind = rest.split(None, 1)[0].lower() if rest else ""
    if kind in _NUMERIC:
        return _Attribute(name, None, True, {})
    if kind in ("string", "date"):
        return _Attribute(name, None, False, {})
    allowed = "numeric, real, integer, string, date and {levels}"
    raise DataError(
        f"{place}: type {short(rest)!r} of attribute {name!r} is not supported, allowed are {allowed}"
    )


def _weight(line: str, place: str) -> tuple[str, float]:
    """Splits a trailing ", {weight}" off a row; a blank or a comma stands before the brace."""
    brace = line.rfind("{") if line.endswith("}") else -1
    inner = line[brace + 1 : -1].strip()
    alone = inner and len(inner.split()) == 1 and "," not in inner and "}" not in inner
    if brace < 1 or not alone or not (line[brace - 1].isspace() or line[brace - 1] == ","):
        return line, 1.0
    try:
        weight = float(inner)
    except ValueError:
        weight = np.nan
    if not (np.isfinite(weight) and weight >= 0):
        raise DataError(f"{place}: {short(inner)!r} is not a weight, weights are finite and not negative")
    return line[:brace].rstrip().removesuffix(",").rstrip(), weight


def _fields(line: str, expected: int, place: str) -> list[str | None]:
    """The fields of a row, which are separated by commas, or, where these do not fit, by blanks as well."""
    try:
        fields = split_fields(line, place)
        if len(fields) != expected:
            raise DataError(f"{place}: {len(fields)} fields, expected {expected}")
    except DataError:
        words = split_words(line)
        if words is None or len(words) != expected:
            raise
        return words
    return fields
