"""Tables that are read part by part, never whole: files, folders, streams, lazy frames, functions."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw

from tanager.data.arrow_parts import (
    arrow_errors,
    guarded,
    kind_of_type,
    load_pyarrow,
    part_rows,
    rows_of_width,
    slices,
)
from tanager.data.csv_parts import csv_source
from tanager.data.frames import READ_TEXT
from tanager.data.parts import Part, Source, Split, ahead
from tanager.exceptions import DataError, DataTypeError

__all__ = ["is_source", "open_source"]

#: Bytes of a column that are read from a Parquet file at a time.
BUFFER = 1 << 20


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
            or anything else with `__arrow_c_stream__`; or a list of frames or record batches, or of tuples
            (X, y) or (X, y, weights), or a function that starts such a list again.
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
        pa = load_pyarrow("a stream of Arrow batches")
        name = f"the {type(X).__name__}"

        def batches() -> Iterator[Any]:
            for batch in pa.RecordBatchReader.from_stream(X):
                yield from slices(pa.Table.from_batches([batch]))

        return Source(lambda: split.all(name, batches()), name)
    if isinstance(X, Iterator):
        return Source(lambda: split.all("", X), "the iterator", once=True)
    if callable(X):
        return Source(lambda: split.all("", X()), "the function's frames")
    raise DataTypeError(
        f"a {type(X).__name__} is not a source: allowed are paths, pyarrow datasets and readers, LazyFrames, "
        "what has __arrow_c_stream__, and functions that give frames"
    )


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
    return csv_source(path, split, start[:2] == b"\x1f\x8b", categorical)


def _parquet_files(files: list[Path], split: Split, name: str) -> Source:
    load_pyarrow("Parquet")
    import pyarrow.parquet as pq

    first: Any = None
    rows = 0
    for path in files:
        with arrow_errors(str(path)), pq.ParquetFile(path) as file:
            schema, own_rows = file.schema_arrow, file.metadata.num_rows
        split.check(schema.names, str(path))
        first = first or (schema, path)
        _check_same(schema, str(path), first[0], str(first[1]))
        rows += own_rows
    text = [field.name for field in first[0] if str(field.type) in ("string", "large_string")]

    def parts(columns: Sequence[str] = tuple(first[0].names)) -> Generator[Part]:
        rows = part_rows(first[0], text)
        for path in files:
            with arrow_errors(str(path)):
                # Parquet mostly keeps text as a dictionary: to read it so is several times as quick. What is
                # buffered before it is asked for stays until the end of the file: all of it.
                file = pq.ParquetFile(path, read_dictionary=text, pre_buffer=False, buffer_size=BUFFER)
            with file:
                batches = file.iter_batches(rows, columns=list(columns))
                tables = (_marked(batch, text) for batch in guarded(str(path), batches))
                yield from split.all(str(path), tables)

    def some(names: Sequence[str]) -> Source:
        return Source(lambda: ahead(parts([*names, *split.taken])), name, rows, names=tuple(names))

    return Source(lambda: ahead(parts()), name, rows, names=tuple(first[0].names), some=some)


def _marked(batch: Any, text: Sequence[str]) -> Any:
    """A table of one batch, in which text that is a dictionary says that nobody declared it so."""
    pa = load_pyarrow("Parquet")
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
        if kind_of_type(own) != kind_of_type(field.type) and "null" not in (str(own), str(field.type)):
            raise DataError(
                f"{where}: column {field.name!r} is of type {own}, but in {first_where} of type {field.type}"
            )
    extra = next((one for one in schema.names if one not in first.names), None)
    if extra is not None:
        raise DataError(f"{where}: there is a column {extra!r}, which {first_where} does not have")


def _dataset(dataset: Any, split: Split) -> Source:
    pa = load_pyarrow("a dataset")
    split.check(dataset.schema.names, "the dataset")

    def parts() -> Iterator[Part]:
        rows = part_rows(dataset.schema)
        for fragment in dataset.get_fragments():
            where = getattr(fragment, "path", "") or "the dataset"
            with arrow_errors(where):
                own = fragment.physical_schema
            partition = str(fragment.partition_expression)
            for column in dataset.schema.names:
                if column not in own.names and column not in partition:
                    raise DataError(f"{where}: there is no column {column!r}, which the dataset has")
            present = [name for name in own.names if name in dataset.schema.names]
            kept = pa.schema([dataset.schema.field(name) for name in present])
            _check_same(own, where, kept, "the dataset")
            # Of Parquet one group of rows at a time: what is buffered stays until the end of a piece.
            with arrow_errors(where):
                grouped = hasattr(fragment, "split_by_row_group")
                pieces = fragment.split_by_row_group() if grouped else [fragment]
            limits = {"batch_size": rows, "batch_readahead": 2, "fragment_readahead": 1}
            batches = (
                batch for piece in pieces for batch in piece.to_batches(schema=dataset.schema, **limits)
            )
            tables = (pa.Table.from_batches([batch]) for batch in guarded(where, batches))
            yield from split.all(where, tables)

    with arrow_errors("the dataset"):  # whose message names the file
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
        return split.all("the lazy frame", frame.collect_batches(chunk_size=rows_of_width(8 * len(names))))

    return Source(parts, "the lazy frame")


def _reader(reader: Any, split: Split) -> Source:
    pa = load_pyarrow("record batches")
    split.check(reader.schema.names, "the reader")

    def parts() -> Iterator[Part]:
        tables = (pa.Table.from_batches([batch]) for batch in guarded("the reader", iter(reader)))
        yield from split.all("the reader", (piece for table in tables for piece in slices(table)))

    return Source(parts, "the reader", once=True)
