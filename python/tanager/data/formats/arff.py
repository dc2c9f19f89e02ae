"""Weka's attribute-relation file format, dense and sparse."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from tanager.data.columns import Factor, Numbers, RawColumn
from tanager.data.formats.contents import Contents, is_number
from tanager.data.table import Frame
from tanager.exceptions import DataError

__all__ = ["parse_arff"]

_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
_NUMERIC = ("numeric", "real", "integer")
# A quoted token or a bare one, and what may follow.
_TOKEN = re.compile(
    r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s,{}'"%][^,{}\t]*?))\s*(?=[,}{]|$)"""
)
_NAME = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s'"{},%][^\s{]*))\s*""")
_QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""")
# A field of a row whose fields are separated by blanks as well as by commas.
_WORD = re.compile(
    r"""(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s,{}'"][^\s,{}]*))(?=[\s,]|$)\s*,?\s*"""
)
_WEIGHT = re.compile(r"[,\s]\s*\{\s*([^{}\s,]+)\s*\}\s*$")


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
                raise DataError(f"{where}: {field!r} is no finite number, attribute {self.name!r} is numeric")
            return float(field)
        if self.levels is None:
            return self.position.setdefault(field, len(self.position))
        if field not in self.position:
            allowed = ", ".join(map(repr, self.levels[:20])) + (", …" if len(self.levels) > 20 else "")
            raise DataError(
                f"{where}: value {field!r} is not declared for attribute {self.name!r}, allowed are {allowed}"
            )
        return self.position[field]

    def column(self, values: list[float]) -> RawColumn:
        array = np.array(values, dtype=np.float64)
        if self.numeric:
            return Numbers(array)
        codes = np.where(np.isnan(array), -1, array).astype(np.int64)
        return Factor(codes, list(self.position), declared=self.levels is not None)


def parse_arff(text: str, where: str) -> Contents:
    """A table from ARFF text; errors name the line.

    Nominal attributes keep their declared levels; numeric, real and integer ones are floats; strings and
    dates are taken as text. The fields of a row are separated by commas, or else by blanks or tabs; a % that
    begins a field, or stands after one and a blank, begins a comment. In sparse rows what is not given is 0,
    or the first declared level. A weight in braces at the end of a row is the row's weight.

    >>> contents = parse_arff("@relation r\\n@attribute 'a b' {x,y}\\n@data\\ny\\n?\\n", "example")
    >>> contents.frame["a b"].tolist()
    ['y', None]
    """
    attributes: list[_Attribute] = []
    rows: list[list[float]] = []
    weights: list[float] = []
    in_data = False
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), start=1):
        place = f"{where}, line {number}"
        stripped = _uncommented(line.strip())
        if not stripped:
            continue
        if in_data:
            fields, weight = _weight(stripped, place)
            weights.append(weight)
            rows.append(_row(fields, attributes, place))
            continue
        keyword = stripped.split(None, 1)[0].lower()
        if keyword == "@attribute":
            attributes.append(_attribute(stripped[len("@attribute") :], {a.name for a in attributes}, place))
        elif keyword == "@data":
            if not attributes:
                raise DataError(f"{place}: @data stands before any @attribute")
            in_data = True
        elif keyword != "@relation":
            raise DataError(f"{place}: expected @relation, @attribute or @data, found {_short(stripped)!r}")
    if not in_data:
        raise DataError(f"{where}: there is no @data line")
    if not rows:
        raise DataError(f"{where}: there is no row after @data")
    columns = zip(*rows, strict=True)
    frame = Frame({a.name: a.column(list(column)) for a, column in zip(attributes, columns, strict=True)})
    return Contents(frame, np.array(weights) if any(w != 1 for w in weights) else None)


def _attribute(declaration: str, taken: set[str], place: str) -> _Attribute:
    match = _NAME.match(declaration)
    if match is None:
        raise DataError(f"{place}: an attribute needs a name")
    name = _text(match)
    if name in taken:
        raise DataError(f"{place}: attribute {name!r} is declared twice")
    rest = declaration[match.end() :].strip()
    if rest.startswith("{"):
        body, found, _ = rest[1:].rpartition("}")
        if not found:
            raise DataError(f"{place}: the levels of attribute {name!r} are not closed by a brace")
        levels = [level for level in _split(body, place) if level is not None] if body.strip() else []
        if len(set(levels)) < len(levels):
            twice = next(level for level in levels if levels.count(level) > 1)
            raise DataError(f"{place}: attribute {name!r} declares level {twice!r} twice")
        return _Attribute(name, levels, False, {level: code for code, level in enumerate(levels)})
    kind = rest.split(None, 1)[0].lower() if rest else ""
    if kind in _NUMERIC:
        return _Attribute(name, None, True, {})
    if kind in ("string", "date"):
        return _Attribute(name, None, False, {})
    allowed = "numeric, real, integer, string, date and {levels}"
    raise DataError(
        f"{place}: type {_short(rest)!r} of attribute {name!r} is not supported, allowed are {allowed}"
    )


def _weight(line: str, place: str) -> tuple[str, float]:
    """Splits a trailing ", {weight}" off a row."""
    match = _WEIGHT.search(line)
    if match is None:
        return line, 1.0
    try:
        weight = float(match[1])
    except ValueError:
        weight = np.nan
    if not (np.isfinite(weight) and weight >= 0):
        raise DataError(f"{place}: {match[1]!r} is no weight, weights are finite and not negative")
    return line[: match.start()].rstrip(), weight


def _row(line: str, attributes: list[_Attribute], place: str) -> list[float]:
    if line.startswith("{"):
        return _sparse_row(line, attributes, place)
    fields = _fields(line, len(attributes), place)
    return [attribute.parse(field, place) for attribute, field in zip(attributes, fields, strict=True)]


def _fields(line: str, expected: int, place: str) -> list[str | None]:
    """The fields of a row, which are separated by commas, or, where these do not fit, by blanks as well."""
    try:
        fields = _split(line, place)
        if len(fields) != expected:
            raise DataError(f"{place}: {len(fields)} fields, expected {expected}")
    except DataError:
        words = _words(line)
        if words is None or len(words) != expected:
            raise
        return words
    return fields


def _words(line: str) -> list[str | None] | None:
    """The fields of a row as Weka's own reader takes them; None where they cannot be told."""
    words: list[str | None] = []
    end = 0
    while end < len(line):
        match = _WORD.match(line, end)
        if match is None:
            return None
        words.append(None if match[3] == "?" else _text(match))
        end = match.end()
    return None if line.endswith(",") else words


def _uncommented(line: str) -> str:
    """A line without its comment, which begins at a % at the start, after a field, or after a separator."""
    if "%" not in line:
        return line
    place, fresh = 0, True
    while place < len(line):
        mark = line[place]
        quoted = _QUOTED.match(line, place) if fresh and mark in "'\"" else None
        if quoted is not None:
            place = quoted.end()
            if line[place : place + 1] == "%":
                return line[:place]
            fresh = False
            continue
        if mark == "%" and fresh:
            return line[:place].rstrip()
        fresh = mark.isspace() or mark in ",{}"
        place += 1
    return line


def _sparse_row(line: str, attributes: list[_Attribute], place: str) -> list[float]:
    if not line.endswith("}"):
        raise DataError(f"{place}: a sparse row ends with a brace")
    values: list[float] = [0.0] * len(attributes)
    for i, attribute in enumerate(attributes):
        if attribute.levels is None and not attribute.numeric:
            values[i] = attribute.parse("", place)  # text that is not given is empty
        elif attribute.levels == []:
            values[i] = np.nan
    body = line[1:-1].strip()
    given: set[int] = set()
    while body:
        match = re.match(r"(\d+)\s+", body)
        if match is None or int(match[1]) >= len(attributes):
            last = len(attributes) - 1
            raise DataError(
                f"{place}: expected a position from 0 to {last} and a value, found {_short(body)!r}"
            )
        index = int(match[1])
        if index in given:
            raise DataError(f"{place}: position {index} is given twice")
        given.add(index)
        field, body = _next(body[match.end() :], place)
        values[index] = attributes[index].parse(field, place)
    return values


def _split(line: str, place: str) -> list[str | None]:
    """The fields of a row; None for a question mark that is not quoted."""
    if "'" not in line and '"' not in line and "\\" not in line and "%" not in line and "{" not in line:
        separator = "," if "," in line or "\t" not in line else "\t"
        bare = [field.strip() for field in line.split(separator)]
        if "" in bare:
            raise DataError(f"{place}: field {bare.index('') + 1} is empty, a missing value is written ?")
        return [None if field == "?" else field for field in bare]
    fields: list[str | None] = []
    more = True
    while more:
        before = line
        field, line = _next(line, place)
        fields.append(field)
        more = bool(line) or before.rstrip().endswith(",")
        if not line and before.rstrip().endswith(","):
            raise DataError(f"{place}: the row ends with a comma")
    return fields


def _next(line: str, place: str) -> tuple[str | None, str]:
    """The first field and what follows its comma."""
    match = _TOKEN.match(line)
    if match is None:
        raise DataError(f"{place}: expected a value, found {_short(line)!r}")
    rest = line[match.end() :]
    if rest and not rest.startswith(","):
        raise DataError(f"{place}: expected a comma, found {_short(rest)!r}")
    missing = match[3] is not None and match[3] == "?"
    return None if missing else _text(match), rest[1:].lstrip()


def _text(match: re.Match[str]) -> str:
    quoted = match[1] if match[1] is not None else match[2]
    if quoted is None:
        return match[3].strip()
    return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), quoted)


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "…"
