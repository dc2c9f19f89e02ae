"""From a file of any known format to a table."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tanager.data.columns import Factor, Numbers, column_values
from tanager.data.formats.arff import parse_arff
from tanager.data.formats.contents import Contents
from tanager.data.formats.csv import parse_csv
from tanager.data.frames import raw_table
from tanager.data.parts import naming
from tanager.data.table import Frame, Table
from tanager.data.unlabelled import LeftOut
from tanager.exceptions import DataError
from tanager.input import read_bytes
from tanager.limits import how_to_raise, unpacked_bytes
from tanager.settings import is_whole

__all__ = ["make_table", "read_table"]

_MOST_NAMES = 50  # that a message lists


def read_table(
    path: str | Path, target: str | int | None = "class", *, delimiter: str | None = None, header: bool = True
) -> Table:
    """Reads a CSV, ARFF or Parquet file, which may be compressed with gzip.

    The format is told by the file's contents, not by its name. Rows without a label are left out, and a
    warning says how many.

    Parameters:
        path: the file; ``-`` is standard input.
        target: the class: a column's name or position (−1 is the last), or None for a table without one. The
            default is the column called "class" or, where there is none, the last one, as in Weka's files.
        delimiter: of a CSV file; found out by default.
        header: whether the first line of a CSV file holds the names.
    """
    path = Path(path)
    where = "standard input" if str(path) == "-" else path.name
    data = read_bytes(path, where)
    if data[:4] == b"PAR1":
        contents = _parquet(data, where)
    else:
        text = _decode(data, where)
        lines = map(str.strip, io.StringIO(text, newline=None))
        first = next((line for line in lines if line and not line.startswith("%")), "")
        arff = first.lower().startswith(("@relation", "@attribute", "@data"))
        contents = (
            parse_arff(text, where) if arff else parse_csv(text, where, delimiter=delimiter, header=header)
        )
    name = "stdin" if str(path) == "-" else where.removesuffix(".gz")
    return make_table(contents, name.rpartition(".")[0] or name, target)


def make_table(contents: Contents, name: str, target: str | int | None) -> Table:
    """Calls one column the class."""
    frame, weights = contents.frame, contents.weights
    if target is None:
        return Table(name, frame, None, None, weights)
    column = _target_name(frame, target)
    labels = frame.raw(column)
    missing = labels.missing_mask()
    left_out = LeftOut(int(missing.sum()), len(missing), column)
    left_out.check(name)
    table = Table(name, frame.drop(column), _labels(labels), column, weights)
    if not table.feature_names:
        raise DataError(f"{name}: there is no column beside the class {column!r}")
    if not left_out.rows:
        return table
    left_out.warn(name, stacklevel=3)
    return table.take(~missing)


def _target_name(frame: Frame, target: str | int) -> str:
    if isinstance(target, str):
        if target in frame.columns:
            return target
        if target == "class":
            return frame.columns[-1]
    elif is_whole(target) and -len(frame.columns) <= target < len(frame.columns):
        return frame.columns[int(target)]
    more = ", …" if len(frame.columns) > _MOST_NAMES else ""
    raise DataError(
        f"target {target!r} is not a column; columns are {', '.join(frame.columns[:_MOST_NAMES])}{more}"
    )


def _labels(column: Factor | Numbers) -> NDArray[Any]:
    if isinstance(column, Factor):
        return column_values(column)
    values = column.values
    known = values[~column.missing_mask()]
    # Beyond 2⁵³ whole numbers stand for others too, and beyond 2⁶³ an int64 holds none.
    if values.dtype.kind == "f" and np.array_equal(known, np.round(known)) and (np.abs(known) < 2**53).all():
        return np.where(np.isnan(values), 0, values).astype(np.int64)
    return values


def _decode(data: bytes, where: str) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise DataError(f"{where}, line {line}: byte 0x{data[error.start]:02x} is not UTF-8 text") from None
    if "\0" in text:
        raise DataError(
            f"{where}, line {text[: text.index(chr(0))].count(chr(10)) + 1}: a NUL byte is not text"
        )
    return text


def _check_cells(rows: int, columns: int, data: bytes, where: str) -> None:
    """Refuses a small file with many cells, such as a value that is repeated a thousand million times."""
    if rows * columns > unpacked_bytes(len(data)):
        raise DataError(
            f"{where}: the file unfolds from {len(data):,} bytes to {rows:,} rows of {columns} columns: "
            + how_to_raise("unpacked_ratio")
        )


def _parquet(data: bytes, where: str) -> Contents:
    frame: Any
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            file = pq.ParquetFile(pa.BufferReader(data))
            _check_cells(file.metadata.num_rows, file.metadata.num_columns, data, where)
            frame = file.read()
        except (pa.ArrowException, OSError, ValueError) as error:
            if isinstance(error, DataError):
                raise
            raise DataError(f"{where}: the Parquet file cannot be read ({error})") from error
    except ImportError:
        try:
            import polars as pl
        except ImportError:
            raise DataError(
                f"{where}: reading Parquet needs pyarrow or polars, neither is installed"
            ) from None
        try:
            rows = pl.scan_parquet(io.BytesIO(data)).select(pl.len()).collect().item()
            _check_cells(rows, len(pl.read_parquet_schema(io.BytesIO(data))), data, where)
            frame = pl.read_parquet(io.BytesIO(data))
        except TypeError:
            raise DataError(f"{where}: reading Parquet needs pyarrow, or polars from 1.9 on") from None
        except (pl.exceptions.PolarsError, OSError) as error:
            raise DataError(f"{where}: the Parquet file cannot be read ({error})") from error
    with naming(where):
        return Contents(raw_table(frame, estimator="read_table").frame())
