"""The fields of a line of ARFF.

Every step takes time that grows with the length of the line and no faster: expressions never go back over
what they have matched (``*+``), and the place in the line moves on instead of the rest being copied.
"""

from __future__ import annotations

import re

from tanager.data.formats.contents import short
from tanager.exceptions import DataError

__all__ = ["attribute_name", "next_field", "split_fields", "split_words", "uncommented"]

_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
_QUOTED_TEXT = r"""'((?:[^'\\]++|\\.)*+)'|"((?:[^"\\]++|\\.)*+)\""""
# A quoted token or a bare one, and what may follow.
_TOKEN = re.compile(rf"""\s*+(?:{_QUOTED_TEXT}|([^\s,{{}}'"%][^,{{}}\t]*+))\s*+(?=[,}}{{]|$)""")
_NAME = re.compile(rf"""\s*+(?:{_QUOTED_TEXT}|([^\s'"{{}},%][^\s{{]*+))\s*+""")
_QUOTED = re.compile(_QUOTED_TEXT)
# A field of a row whose fields are separated by blanks as well as by commas.
_WORD = re.compile(rf"""(?:{_QUOTED_TEXT}|([^\s,{{}}'"][^\s,{{}}]*+))(?=[\s,]|$)\s*+,?+\s*+""")


def uncommented(line: str) -> str:
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


def attribute_name(declaration: str) -> tuple[str, str] | None:
    """The name that a declaration begins with and what follows; None where there is none."""
    match = _NAME.match(declaration)
    return None if match is None else (_text(match), declaration[match.end() :].strip())


def split_fields(line: str, place: str) -> list[str | None]:
    """The fields of a row; None for a question mark that is not quoted."""
    if "'" not in line and '"' not in line and "\\" not in line and "%" not in line and "{" not in line:
        separator = "," if "," in line or "\t" not in line else "\t"
        bare = [field.strip() for field in line.split(separator)]
        if "" in bare:
            raise DataError(f"{place}: field {bare.index('') + 1} is empty, a missing value is written ?")
        return [None if field == "?" else field for field in bare]
    line = line.rstrip()
    fields: list[str | None] = []
    start = 0
    while start < len(line) or not fields:
        field, start = next_field(line, start, place)
        fields.append(field)
    if line.endswith(",") and start == len(line):
        raise DataError(f"{place}: the row ends with a comma")
    return fields


def split_words(line: str) -> list[str | None] | None:
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


def next_field(line: str, start: int, place: str) -> tuple[str | None, int]:
    """The field that begins at `start`, and where the one after its comma does."""
    match = _TOKEN.match(line, start)
    if match is None:
        raise DataError(f"{place}: expected a value, found {_rest(line, start)!r}")
    end = match.end()
    if end < len(line) and line[end] != ",":
        raise DataError(f"{place}: expected a comma, found {_rest(line, end)!r}")
    missing = match[3] is not None and match[3].strip() == "?"
    return None if missing else _text(match), end + 1


def _rest(line: str, start: int) -> str:
    return short(line[start : start + 80].lstrip())


def _text(match: re.Match[str]) -> str:
    quoted = match[1] if match[1] is not None else match[2]
    if quoted is None:
        return match[3].strip()
    return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), quoted)
