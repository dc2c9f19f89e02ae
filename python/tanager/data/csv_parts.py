"""CSV files that are read in parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tanager.data import arrow_parts
from tanager.data.arrow_parts import arrow_errors, guarded, kind_of_type, load_pyarrow, slices
from tanager.data.columns import Numbers
from tanager.data.formats.contents import MISSING_FIELDS
from tanager.data.formats.csv import parse_csv, sniff_delimiter
from tanager.data.learning import declared_kinds
from tanager.data.parts import Part, Source, Split
from tanager.exceptions import DataError

__all__ = ["csv_source"]

#: Lines of a CSV file that tell whether a column begins with numbers.
FIRST_LINES = 100


def csv_source(
    path: Path, split: Split, packed: bool, categorical: Iterable[str | int] | str | None
) -> Source:
    pa = load_pyarrow("CSV")
    import pyarrow.csv as pc

    where = str(path)
    state: dict[str, Any] = {}

    def opened(types: dict[str, Any] | None) -> Any:
        raw = pa.OSFile(where)
        state["raw"] = raw
        stream = pa.CompressedInputStream(raw, "gzip") if packed else raw
        options = pc.ConvertOptions(
            column_types=types,
            null_values=sorted(MISSING_FIELDS),
            strings_can_be_null=True,
            true_values=[],
            false_values=[],
        )
        parse = pc.ParseOptions(delimiter=state["delimiter"])
        read = pc.ReadOptions(block_size=arrow_parts.PART_BYTES // 2)
        return pc.open_csv(stream, read, parse, options)

    with arrow_errors(where):
        with pa.OSFile(where) as raw:
            stream = pa.CompressedInputStream(raw, "gzip") if packed else raw
            head = stream.read(1 << 16)
        text = head.decode("utf-8", "replace")
        state["delimiter"] = sniff_delimiter(text)
        schema = opened(None).schema
    split.check(schema.names, where)
    attributes = [name for name in schema.names if name not in split.taken]
    mixed = {attributes[i] for i in declared_kinds(categorical, None, attributes)}
    begins = _first_kinds(text, where, state["delimiter"])
    # Dates, times, codes such as 01234 and what is empty at first are text, as in a table that is read whole.
    # Where text comes after numbers, reading ends there: it may be a mistake in the file.
    types = {}
    for field in schema:
        number, first = kind_of_type(field.type) == "number", begins.get(field.name)
        if number:
            types[field.name] = pa.string() if first == "codes" else field.type
        else:
            broken = first == "numbers" and field.name not in mixed
            types[field.name] = pa.float64() if broken else pa.string()
    size = max(path.stat().st_size, 1)

    def parts() -> Iterator[Part]:
        with arrow_errors(where, schema.names):
            batches = iter(opened(types))
        tables = (pa.Table.from_batches([batch]) for batch in guarded(where, batches, schema.names))
        pieces = (piece for table in tables for piece in slices(table))
        yield from split.all(where, pieces)

    def share() -> float | None:
        return state["raw"].tell() / size if "raw" in state and not state["raw"].closed else None

    return Source(parts, where, share=share, names=tuple(schema.names))


def _first_kinds(text: str, where: str, delimiter: str) -> dict[str, str]:
    """What columns of a CSV file begin with, "numbers" or "codes", as who reads files whole sees it."""
    lines = text.splitlines(keepends=True)
    # The last line of what was read may be cut off.
    first = "".join(lines[: min(FIRST_LINES, len(lines) - 1) or 1])
    try:
        frame = parse_csv(first, where, delimiter=delimiter).frame
    except DataError:  # who reads on will say what is wrong
        return {}
    kinds = {}
    for name in frame.columns:
        column = frame.raw(name)
        if isinstance(column, Numbers):
            kinds[name] = "numbers"
        elif len(column.levels):
            kinds[name] = "codes"
    return kinds
