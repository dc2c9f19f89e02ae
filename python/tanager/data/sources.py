"""Tables that are read part by part, never whole: files, folders, streams, lazy frames, functions."""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw

from tanager.data.columns import Numbers
from tanager.data.formats.contents import MISSING_FIELDS
from tanager.data.formats.csv import parse_csv, sniff_delimiter
from tanager.data.frames import READ_TEXT
from tanager.data.learning import declared_kinds
from tanager.data.parts import Part, Source, Split, ahead
from tanager.exceptions import DataError, DataTypeError

__all__ = ["PART_BYTES", "is_source", "open_source"]

#: About how much memory a part takes before it is encoded.
PART_BYTES = 1 << 25
#: Bytes of a column that are read from a Parquet file at a time.
BUFFER = 1 << 20
#: The fewest rows of a part, unless there are no more, and the most.
LEAST, MOST = 1 << 10, 1 << 18
#: Lines of a CSV file that tell whether a column begins with numbers.
FIRST_LINES = 100


def is_source(X: Any) -> bool:
    """Whether this is not a table but something that is read in parts."""
    if isinstance(X, str | os.PathLike) or (callable(X) and not hasattr(X, "__array__")):
        return True
    kind = f"{type(X).__module__.partition('.')[0]}.{type(X).__name__}"
    if kind in ("pandas.DataFrame", "polars.DataFrame", "pyarrow.Table"):
        return False
    if kind == "polars.LazyFrame" or _is_dataset(X) or _is_reader(X) or isinstance(X, Source):
        return True
    return hasattr(X, "__arrow_c_stream__") and not isinstance(
        nw.from_native(X, pass_through=True), nw.DataFrame
    )


def _is_dataset(X: Any) -> bool:
    return type(X).__module__.startswith("pyarrow._dataset") and hasattr(X, "get_fragments")


def _is_reader(X: Any) -> bool:
    return type(X).__module__.startswith("pyarrow") and hasattr(X, "read_next_batch")


def open_source(
    X: Any,
    target: str | None = None,
    weight: str | None = None,
    drop: Sequence[str] = (),
    categorical: Iterable[str | int] | str | None = None,
) -> Source:
    """Opens a table that is read in parts.

    Parameters:
        X: a Parquet or CSV file (also compressed with gzip) or a folder of Parquet files by its path; a
            pyarrow dataset or record batch reader, which is read once; a polars LazyFrame; a DuckDB relation
            or anything else with `__arrow_c_stream__`; or a list of frames, or of tuples (X, y) or
            (X, y, weights), or a function that starts such a list again.
        target: the column of the labels; None where there are none.
        weight: the column of the rows' weights, where there is one.
        drop: columns that are left out.
        categorical: as for estimators; columns of a CSV file that may have text after numbers.
    """
    if isinstance(X, Source):
        return X
    split = Split(target, weight, drop)
    if isinstance(X, list | tuple):
        return Source(lambda: split.all("", iter(X)), "the list of parts")
    if isinstance(X, str | os.PathLike):
        return _path(Path(X), split, categorical)
    if _is_dataset(X):
        return _dataset(X, split)
    if type(X).__name__ == "LazyFrame" and hasattr(X, "collect_schema"):
        return _lazy(X, split)
    if _is_reader(X):
        return _reader(X, split)
    if hasattr(X, "__arrow_c_stream__"):
        pa = _pyarrow("a stream of Arrow batches")
        name = f"the {type(X).__name__}"

        def batches() -> Iterator[Any]:
            for batch in pa.RecordBatchReader.from_stream(X):
                yield from _slices(pa.Table.from_batches([batch]))

        return Source(lambda: split.all(name, batches()), name)
    if isinstance(X, Iterator):
        return Source(lambda: split.all("", X), "the iterator", once=True)
    if callable(X):
        return Source(lambda: split.all("", X()), "the function's frames")
    raise DataTypeError(
        f"a {type(X).__name__} is not a source: allowed are paths, pyarrow datasets and readers, LazyFrames, "
        "what has __arrow_c_stream__, and functions that give frames"
    )


def _pyarrow(what: str) -> Any:
    try:
        import pyarrow as pa
    except ImportError:
        raise DataError(f"reading {what} in parts needs pyarrow, which is not installed") from None
    return pa


def _rows_of_part(schema: Any, coded: Sequence[str] = ()) -> int:
    """So many that a part has its size; of the columns that are `coded`, rows hold only places of values."""
    width = sum(4 if field.name in coded else _width(field.type) for field in schema)
    return max(LEAST, min(MOST, PART_BYTES // max(width, 1)))


def _width(dtype: Any) -> int:
    """Bytes of a value, about."""
    try:
        return max(int(dtype.bit_width) // 8, 1)
    except ValueError:  # text
        return 24


def _slices(table: Any) -> Iterator[Any]:
    rows = _rows_of_part(table.schema)
    for start in range(0, table.num_rows, rows):
        yield table.slice(start, rows)


@contextmanager
def _arrow_errors(where: str, names: Sequence[str] = ()) -> Iterator[None]:
    """pyarrow's errors as one sentence that begins with the file, and names columns, not their positions."""
    pa = _pyarrow(where)
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


def _guarded(where: str, batches: Iterator[Any], names: Sequence[str] = ()) -> Iterator[Any]:
    while True:
        with _arrow_errors(where, names):
            batch = next(batches, None)
        if batch is None:
            return
        yield batch


def _path(path: Path, split: Split, categorical: Iterable[str | int] | str | None) -> Source:
    if path.is_dir():
        files = sorted(
            file
            for file in path.rglob("*")
            if file.is_file() and not any(one.startswith((".", "_")) for one in file.relative_to(path).parts)
        )
        if not files:
            raise DataError(f"{path}: the folder holds no files")
        return _parquet_files(files, split, str(path))
    with open(path, "rb") as file:
        start = file.read(4)
    if start == b"PAR1":
        return _parquet_files([path], split, str(path))
    return _csv(path, split, start[:2] == b"\x1f\x8b", categorical)


def _parquet_files(files: list[Path], split: Split, name: str) -> Source:
    _pyarrow("Parquet")
    import pyarrow.parquet as pq

    first: Any = None
    rows = 0
    for path in files:
        with _arrow_errors(str(path)), pq.ParquetFile(path) as file:
            schema, own_rows = file.schema_arrow, file.metadata.num_rows
        split.check(schema.names, str(path))
        first = first or (schema, path)
        _check_same(schema, str(path), first[0], str(first[1]))
        rows += own_rows
    text = [field.name for field in first[0] if str(field.type) in ("string", "large_string")]

    def parts(columns: Sequence[str] = tuple(first[0].names)) -> Generator[Part]:
        rows_of_part = _rows_of_part(first[0], text)
        for path in files:
            with _arrow_errors(str(path)):
                # Parquet mostly keeps text as a dictionary: to read it so is several times as quick. What is
                # buffered before it is asked for stays until the end of the file: all of it.
                file = pq.ParquetFile(path, read_dictionary=text, pre_buffer=False, buffer_size=BUFFER)
            with file:
                batches = file.iter_batches(rows_of_part, columns=list(columns))
                tables = (_marked(batch, text) for batch in _guarded(str(path), batches))
                yield from split.all(str(path), tables)

    def some(names: Sequence[str]) -> Source:
        return Source(lambda: ahead(parts([*names, *split.taken])), name, rows, names=tuple(names))

    return Source(lambda: ahead(parts()), name, rows, names=tuple(first[0].names), some=some)


def _marked(batch: Any, text: Sequence[str]) -> Any:
    """A table of one batch, in which text that is a dictionary says that nobody declared it so."""
    pa = _pyarrow("Parquet")
    fields = [
        field.with_metadata({READ_TEXT: b""})
        if field.name in text and pa.types.is_dictionary(field.type)
        else field
        for field in batch.schema
    ]
    return pa.Table.from_arrays(batch.columns, schema=pa.schema(fields))


def _check_same(schema: Any, where: str, first: Any, first_where: str) -> None:
    """Refuses a part that lacks a column, or has it with another kind of values."""
    for field in first:
        if field.name not in schema.names:
            raise DataError(f"{where}: there is no column {field.name!r}, which {first_where} has")
        own = schema.field(field.name).type
        if _kind(own) != _kind(field.type) and "null" not in (str(own), str(field.type)):
            raise DataError(
                f"{where}: column {field.name!r} is of type {own}, but in {first_where} of type {field.type}"
            )
    extra = next((one for one in schema.names if one not in first.names), None)
    if extra is not None:
        raise DataError(f"{where}: there is a column {extra!r}, which {first_where} does not have")


def _kind(dtype: Any) -> str:
    text = str(getattr(dtype, "value_type", dtype))
    number = text.startswith(("int", "uint", "float", "double", "halffloat", "decimal"))
    return "number" if number else text.removeprefix("large_")


def _csv(path: Path, split: Split, packed: bool, categorical: Iterable[str | int] | str | None) -> Source:
    pa = _pyarrow("CSV")
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
        read = pc.ReadOptions(block_size=PART_BYTES // 2)
        return pc.open_csv(stream, read, parse, options)

    with _arrow_errors(where):
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
        number, first = _kind(field.type) == "number", begins.get(field.name)
        if number:
            types[field.name] = pa.string() if first == "codes" else field.type
        else:
            broken = first == "numbers" and field.name not in mixed
            types[field.name] = pa.float64() if broken else pa.string()
    size = max(path.stat().st_size, 1)

    def parts() -> Iterator[Part]:
        with _arrow_errors(where, schema.names):
            batches = iter(opened(types))
        tables = (pa.Table.from_batches([batch]) for batch in _guarded(where, batches, schema.names))
        pieces = (piece for table in tables for piece in _slices(table))
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


def _dataset(dataset: Any, split: Split) -> Source:
    pa = _pyarrow("a dataset")
    split.check(dataset.schema.names, "the dataset")

    def parts() -> Iterator[Part]:
        rows_of_part = _rows_of_part(dataset.schema)
        for fragment in dataset.get_fragments():
            where = getattr(fragment, "path", "") or "the dataset"
            with _arrow_errors(where):
                own = fragment.physical_schema
            partition = str(fragment.partition_expression)
            for column in dataset.schema.names:
                if column not in own.names and column not in partition:
                    raise DataError(f"{where}: there is no column {column!r}, which the dataset has")
            present = [name for name in own.names if name in dataset.schema.names]
            kept = pa.schema([dataset.schema.field(name) for name in present])
            _check_same(own, where, kept, "the dataset")
            # Of Parquet one group of rows at a time: what is buffered stays until the end of a piece.
            with _arrow_errors(where):
                grouped = hasattr(fragment, "split_by_row_group")
                pieces = fragment.split_by_row_group() if grouped else [fragment]
            for piece in pieces:
                batches = piece.to_batches(
                    schema=dataset.schema, batch_size=rows_of_part, batch_readahead=2, fragment_readahead=1
                )
                tables = (pa.Table.from_batches([batch]) for batch in _guarded(where, iter(batches)))
                yield from split.all(where, tables)

    with _arrow_errors("the dataset"):  # whose message names the file
        rows = dataset.count_rows()
    return Source(parts, "the dataset", rows)


def _lazy(frame: Any, split: Split) -> Source:
    if not hasattr(frame, "collect_batches"):
        raise DataTypeError(
            "a lazy frame is read in parts by polars 1.34 or later: upgrade it, or .collect() it"
        )
    names = frame.collect_schema().names()
    split.check(names, "the lazy frame")

    def parts() -> Iterator[Part]:
        width = max(len(names), 1)
        rows = max(LEAST, min(MOST, PART_BYTES // (8 * width)))
        for batch in frame.collect_batches(chunk_size=rows):
            yield from split.all("the lazy frame", iter([batch]))

    return Source(parts, "the lazy frame")


def _reader(reader: Any, split: Split) -> Source:
    pa = _pyarrow("record batches")
    split.check(reader.schema.names, "the reader")

    def parts() -> Iterator[Part]:
        tables = (pa.Table.from_batches([batch]) for batch in _guarded("the reader", iter(reader)))
        yield from split.all("the reader", (piece for table in tables for piece in _slices(table)))

    return Source(parts, "the reader", once=True)
