"""What all tables share that Arrow reads in parts: sizes, slices, and errors in one sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tanager.exceptions import DataError

__all__ = [
    "PART_BYTES",
    "arrow_errors",
    "as_table",
    "guarded",
    "kind_of_type",
    "load_pyarrow",
    "part_rows",
    "rows_of_width",
    "slices",
]

#: About how much memory a part takes before it is encoded.
PART_BYTES = 1 << 25
#: The fewest rows of a part, unless there are no more, and the most.
LEAST, MOST = 1 << 10, 1 << 18


def load_pyarrow(what: str) -> Any:
    try:
        import pyarrow as pa
    except ImportError:
        raise DataError(f"reading {what} in parts needs pyarrow, which is not installed") from None
    return pa


def as_table(frame: Any) -> Any:
    """A record batch as a table of one batch, since batches are no frames to anybody; all else as it is."""
    if type(frame).__name__ == "RecordBatch" and type(frame).__module__.startswith("pyarrow"):
        return load_pyarrow("record batches").Table.from_batches([frame])
    return frame


def part_rows(schema: Any, coded: Sequence[str] = ()) -> int:
    """So many that a part has its size; of the columns that are `coded`, rows hold only places of values."""
    width = sum(4 if field.name in coded else _width(field.type) for field in schema)
    return rows_of_width(width)


def rows_of_width(width: int) -> int:
    """How many rows of so many bytes a part has."""
    return max(LEAST, min(MOST, PART_BYTES // max(width, 1)))


def _width(dtype: Any) -> int:
    """Bytes of a value, about."""
    try:
        return max(int(dtype.bit_width) // 8, 1)
    except ValueError:  # text
        return 24


def slices(table: Any) -> Iterator[Any]:
    rows = part_rows(table.schema)
    for start in range(0, table.num_rows, rows):
        yield table.slice(start, rows)


@contextmanager
def arrow_errors(where: str, names: Sequence[str] = ()) -> Iterator[None]:
    """pyarrow's errors as one sentence that begins with the file, and names columns, not their positions."""
    pa = load_pyarrow(where)
    try:
        yield
    except (pa.ArrowException, OSError, EOFError) as error:
        if isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError):
            raise
        reason = " ".join(str(error).split()).rstrip(".")
        if names:
            reason = re.sub(r"CSV column #(\d+)", lambda place: f"column {names[int(place[1])]!r}", reason)
            if "conversion error" in reason:
                reason += "; where text beside numbers is meant, name the column in categorical"
        raise DataError(f"{where}: the file cannot be read: {reason}") from None


def guarded(where: str, batches: Iterator[Any], names: Sequence[str] = ()) -> Iterator[Any]:
    while True:
        with arrow_errors(where, names):
            batch = next(batches, None)
        if batch is None:
            return
        yield batch


def kind_of_type(dtype: Any) -> str:
    """Whether a column holds numbers, else its type; a dictionary is of the type of its values."""
    text = str(getattr(dtype, "value_type", dtype))
    number = text.startswith(("int", "uint", "float", "double", "halffloat", "decimal"))
    return "number" if number else text.removeprefix("large_")
