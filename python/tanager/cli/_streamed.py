"""Files that are too large to be read whole: commands go through them in parts."""

from __future__ import annotations

import argparse
import csv
import io
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tanager.data.columns import as_text
from tanager.data.parts import Part, Source
from tanager.data.sources import open_source
from tanager.escape import spreadsheet_field
from tanager.evaluation.progress import show_line
from tanager.exceptions import DataError
from tanager.model_file import ModelFile
from tanager.output import output_file
from tanager.streaming import Progress, seen_by

__all__ = [
    "CsvParts",
    "Tally",
    "add_stream_options",
    "in_parts",
    "predict_parts",
    "shown_progress",
    "source_with_target",
]

#: Files from this size on are read in parts, and compressed ones from this.
LARGE, LARGE_PACKED = 1 << 28, 1 << 25


def add_stream_options(parser: argparse.ArgumentParser) -> None:
    """Options of files that are read in parts."""
    parser.add_argument(
        "--stream",
        action="store_true",
        help="read a CSV or Parquet file in parts, never whole; folders and large files always are",
    )


def in_parts(name: str, stream: bool) -> bool:
    """Whether data are to be read in parts."""
    path = Path(name)
    if path.is_dir():
        return True
    if not path.is_file():
        if stream:
            raise DataError(f"{name} is not a file: --stream is for CSV and Parquet files")
        return False
    if name.endswith((".arff", ".arff.gz")):
        if stream:
            raise DataError(f"{name}: ARFF files are read whole, not in parts")
        return False
    return stream or path.stat().st_size >= (LARGE_PACKED if name.endswith(".gz") else LARGE)


def source_with_target(arguments: argparse.Namespace) -> tuple[Source, str]:
    """The data of the arguments, and the name of the class column."""
    if arguments.no_header:
        raise DataError(f"{arguments.data}: a CSV file that is read in parts begins with names")
    names = open_source(arguments.data, categorical="all").names or ()
    target = arguments.target
    if target == "class" and target not in names and names:
        target = names[-1]
    source = open_source(arguments.data, target, drop=arguments.drop, categorical=arguments.categorical)
    return source, target


@contextmanager
def shown_progress() -> Iterator[Progress | None]:
    """A line on the terminal with the rows done, how fast, and how long it will still take."""
    if not sys.stderr.isatty():
        yield None
        return
    state: dict[str, Any] = {}

    def show(what: str, done: int, total: int | None) -> None:
        if state.get("what") != what:
            state.update(what=what, start=time.monotonic(), first=done)
        seconds = time.monotonic() - state["start"]
        width = shutil.get_terminal_size().columns - 1
        line = progress_line(what, done, total, seconds, done - state["first"], width)
        show_line(line)

    try:
        yield show
    finally:
        show_line("")


def progress_line(what: str, done: int, total: int | None, seconds: float, rows: int, width: int = 79) -> str:
    """What is said while rows are read, in one line: where it is too long, first without the rate.

    >>> progress_line("counting pairs", 2_000_000, 6_000_000, 4.0, 2_000_000)
    'counting pairs: 2,000,000 of 6,000,000 rows, 500,000 a second, 8 s left'
    >>> progress_line("looking for levels and cuts", 2_000_000_000, 6_000_000_000, 4000.0, 2_000_000_000)
    'looking for levels and cuts: 2,000,000,000 of 6,000,000,000 rows, 133 min left'
    >>> progress_line("counting pairs", 1000, None, 0.0, 0)
    'counting pairs: 1,000 rows'
    """
    line = f"{what}: {done:,}" + (f" of {total:,}" if total else "") + " rows"
    if seconds <= 0 or rows <= 0:
        return line[:width]
    rate = f", {rows / seconds:,.0f} a second"
    left = ""
    if total:
        still = max(total - done, 0) * seconds / rows
        left = f", {still:,.0f} s left" if still < 600 else f", {still / 60:,.0f} min left"
    return line + rate + left if len(line + rate + left) <= width else (line + left)[:width]


def predict_parts(arguments: argparse.Namespace, file: ModelFile) -> None:
    """Predictions of a file that is read in parts, written as they come; the output is whole or not there."""
    if arguments.json or arguments.output is None:
        raise DataError(f"{arguments.data} is read in parts: name a file for the predictions with -o")
    model = file.model
    # What the model takes for categories may be numbers first and text later.
    opened = open_source(arguments.data, categorical="all")
    if not hasattr(model, "feature_names_in_"):
        raise DataError("the model knows no names of columns: files that are read in parts need them")
    names = [str(name) for name in model.feature_names_in_]
    absent = [name for name in names if opened.names is not None and name not in opened.names]
    if absent:
        raise DataError(f"{arguments.data} lacks the column {absent[0]!r}; it needs {', '.join(names)}")
    tally = Tally()
    with shown_progress() as progress, output_file(arguments.output) as out:
        writer = _writer(out, arguments, file)

        def predict(part: Part) -> None:
            probabilities = model.predict_proba(part.X.select(names))
            labels = model.classes_[probabilities.argmax(axis=1)]
            if file.target in part.X.column_names:
                tally.add(labels.tolist(), part.X.column(file.target).to_pylist())
            writer.write(labels, probabilities)

        try:
            seen_by(opened, progress, "predicting").each(predict)
        except BaseException:
            writer.abandon()
            raise
        writer.close()
    tally.say()


class Tally:
    """Rows predicted right among those whose class is known."""

    right = known = 0

    def add(self, predicted: list[Any], truth: list[Any]) -> None:
        """More rows; those without a class, or with NaN for one, do not count."""
        pairs = [(a, b) for a, b in zip(predicted, truth, strict=True) if b is not None and b == b]
        self.known += len(pairs)
        self.right += sum(as_text(a) == as_text(b) for a, b in pairs)

    def say(self) -> None:
        """Tells the accuracy, where any class is known."""
        if self.known:
            print(f"accuracy: {100 * self.right / self.known:.2f} % of {self.known} rows", file=sys.stderr)


def _writer(out: Any, arguments: argparse.Namespace, file: ModelFile) -> CsvParts | _ParquetParts:
    if arguments.output.suffix == ".parquet":
        return _ParquetParts(out, file, arguments.probabilities)
    text = io.TextIOWrapper(out, "utf-8", newline="", write_through=True)
    return CsvParts(text, file, arguments.probabilities, arguments.spreadsheet)


class CsvParts:
    """Predictions as CSV."""

    def __init__(self, text: Any, file: ModelFile, probabilities: bool, spreadsheet: bool) -> None:
        self._text, self._writer = text, csv.writer(text, lineterminator="\n")
        self._probabilities, self._shown = probabilities, spreadsheet_field if spreadsheet else str
        wanted = [f"P({label})" for label in file.model.classes_.tolist()] if probabilities else []
        self._writer.writerow([self._shown(file.target), *wanted])

    def write(self, labels: NDArray[Any], probabilities: NDArray[np.float64]) -> None:
        said = [self._shown(label) if isinstance(label, str) else label for label in labels.tolist()]
        if not self._probabilities:
            self._writer.writerows([label] for label in said)
            return
        for label, row in zip(said, probabilities.tolist(), strict=True):
            self._writer.writerow([label, *(f"{value:.6g}" for value in row)])

    def close(self) -> None:
        self._text.detach()

    abandon = close


class _ParquetParts:
    def __init__(self, out: Any, file: ModelFile, probabilities: bool) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self._pa = pa
        classes = file.model.classes_
        kind = pa.array(classes.tolist()).type
        wanted = [(f"P({label})", pa.float64()) for label in classes.tolist()] if probabilities else []
        self._schema = pa.schema([(file.target, kind), *wanted])
        self._writer = pq.ParquetWriter(out, self._schema)

    def write(self, labels: NDArray[Any], probabilities: NDArray[np.float64]) -> None:
        columns = [self._pa.array(labels.tolist(), self._schema.types[0])]
        if len(self._schema) > 1:
            columns += [self._pa.array(column) for column in np.ascontiguousarray(probabilities.T)]
        self._writer.write_table(self._pa.table(columns, schema=self._schema))

    def close(self) -> None:
        self._writer.close()

    def abandon(self) -> None:
        self._writer.is_open = False  # or it would write its end, later, to a file that is gone
