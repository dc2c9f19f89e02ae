"""Comma separated values, whatever the comma."""

from __future__ import annotations

import csv
import io
from array import array
from collections import Counter
from itertools import islice

from tanager.data.formats.contents import Contents, TextColumn
from tanager.data.table import Frame
from tanager.exceptions import DataError

__all__ = ["parse_csv", "sniff_delimiter"]

DELIMITERS = ",;\t|"
_BLOCK = 4096  # rows that are in memory as fields


def sniff_delimiter(text: str) -> str:
    """The separator that occurs, equally often, in most of the first lines; a comma where none does.

    >>> sniff_delimiter("a;b;c\\n1,5;2;3\\n")
    ';'
    """
    lines = [line for line in islice(io.StringIO(text), 50) if line.strip()]
    best = (0, 0)
    chosen = ","
    for delimiter in DELIMITERS:
        counts = Counter(_outside_quotes(line).count(delimiter) for line in lines)
        counts.pop(0, None)
        if counts:
            fields, agreeing = max(counts.items(), key=lambda item: (item[1], item[0]))
            if (agreeing, fields) > best:
                best, chosen = (agreeing, fields), delimiter
    return chosen


def parse_csv(text: str, where: str, *, delimiter: str | None = None, header: bool = True) -> Contents:
    """A table from text; the first line holds the names unless `header` is False (then x1, x2, …).

    Fields may be quoted; `MISSING_FIELDS` are missing; blank lines are skipped. A column is numeric where all
    its fields are numbers, and none has a zero before another digit, as codes have. Errors name the line.

    >>> parse_csv("a,b\\n1,x\\n2,y\\n", "example").frame.shape
    (2, 2)
    """
    if delimiter is None:
        delimiter = sniff_delimiter(text)
    elif len(delimiter) != 1 or delimiter in '\r\n"':
        raise DataError(
            f"delimiter = {delimiter!r} is not allowed: it is one character, but neither a line break nor a "
            "quotation mark"
        )
    # The reader itself splits lines, so that quoted fields may hold line breaks.
    lines = io.StringIO(text, newline="")
    reader = csv.reader(lines, delimiter=delimiter, strict=True, skipinitialspace=True)
    block: list[list[str]] = []
    numbers = array("q")
    names: list[str] | None = None
    columns: list[TextColumn] = []
    try:
        for row in reader:
            if not row or (len(row) == 1 and not row[0].strip() and len(columns) > 1):
                continue
            fields = [field.strip() for field in row]
            if names is None:
                numbered = [f"x{i + 1}" for i in range(len(fields))]
                names = _names(fields, where, reader.line_num) if header else numbered
                columns = [TextColumn() for _ in names]
                if header:
                    continue
            if len(fields) != len(names):
                raise DataError(
                    f"{where}, line {reader.line_num}: {len(fields)} fields, expected {len(names)}"
                )
            block.append(fields)
            numbers.append(reader.line_num)
            if len(block) == _BLOCK:
                _add(columns, block)
    except csv.Error as error:
        raise DataError(f"{where}, line {reader.line_num}: {error}") from error
    if names is None:
        raise DataError(f"{where}: the file is empty")
    if not numbers:
        raise DataError(f"{where}, line {reader.line_num}: there is no row after the header")
    _add(columns, block)
    made = (column.finished(where, numbers) for column in columns)
    return Contents(Frame(dict(zip(names, made, strict=True))))


def _add(columns: list[TextColumn], block: list[list[str]]) -> None:
    """Moves a block of rows into the columns."""
    for column, fields in zip(columns, zip(*block, strict=True), strict=bool(block)):
        column.add(fields)
    block.clear()


def _names(fields: list[str], where: str, line: int) -> list[str]:
    seen: set[str] = set()
    for i, name in enumerate(fields):
        if not name:
            raise DataError(
                f"{where}, line {line}: column {i + 1} has no name; header=False where there are none"
            )
        if name in seen:
            raise DataError(
                f"{where}, line {line}: column name {name!r} occurs twice; header=False where there are none"
            )
        seen.add(name)
    return fields


def _outside_quotes(line: str) -> str:
    return "".join(line.split('"')[::2])
