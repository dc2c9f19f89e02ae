"""Predict the classes of a file's rows with a model file.

examples:
  tanager predict model.json new.csv
  tanager predict model.json new.csv --probabilities -o predicted.csv
  zcat new.csv.gz | tanager predict model.json -
  tanager predict model.json big.parquet -o predicted.parquet

Folders, large files, and whatever goes to a Parquet file are read and written in parts.
Columns are matched by name; others are ignored. Where the class column is in the file too, the accuracy is
said.
"""

from __future__ import annotations

import argparse
import io
from pathlib import Path
from typing import Any

from tanager.cli._arguments import (
    add_json,
    add_row_options,
    is_file,
    needed_columns,
    open_table,
    print_data,
    print_json,
)
from tanager.cli._outputs import check_outputs
from tanager.cli._streamed import CsvParts, Tally, add_stream_options, in_parts, predict_parts
from tanager.data import Frame
from tanager.model_file import read_model_file
from tanager.output import write_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    parser.add_argument("model", type=Path, help="the model file")
    parser.add_argument("data", help="a file (- is standard input), or the name of a data set")
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="write CSV here, or Parquet (.parquet), instead of printing it",
    )
    parser.add_argument(
        "--probabilities", action="store_true", help="give the probability of every class too"
    )
    parser.add_argument(
        "--spreadsheet",
        action="store_true",
        help="an apostrophe before text that a spreadsheet would calculate",
    )
    add_row_options(parser)
    add_stream_options(parser)
    add_json(where)


def run(arguments: argparse.Namespace) -> None:
    """Predict and print."""
    inputs = [arguments.model, *([arguments.data] if is_file(arguments.data) else [])]
    check_outputs([arguments.output], inputs, arguments.json)
    file = read_model_file(arguments.model)
    packed = arguments.output is not None and arguments.output.suffix == ".parquet"
    if in_parts(arguments.data, arguments.stream or packed):
        predict_parts(arguments, file)
        return
    model = file.model
    frame, truth = _rows(arguments, file.target)
    probabilities = model.predict_proba(needed_columns(model, frame, arguments.data))
    predicted = model.classes_[probabilities.argmax(axis=1)]
    tally = Tally()
    if truth is not None:
        tally.add(predicted.tolist(), truth)
    if arguments.json:
        classes = model.classes_.tolist()
        answer: dict[str, Any] = {"target": file.target, "classes": classes, "predicted": predicted.tolist()}
        if arguments.probabilities:
            answer["probabilities"] = probabilities.tolist()
        print_json({**answer, "accuracy": tally.right / tally.known if tally.known else None})
        return
    text = io.StringIO()
    CsvParts(text, file, arguments.probabilities, arguments.spreadsheet).write(predicted, probabilities)
    if arguments.output is None:
        print_data(text.getvalue())
    else:
        write_text(arguments.output, text.getvalue())
    tally.say()


def _rows(arguments: argparse.Namespace, target: str) -> tuple[Frame, list[Any] | None]:
    """The attributes and, where it is there, the true class."""
    table = open_table(arguments.data, arguments, None)
    if table.y is not None:
        return table.X, table.y.tolist()
    if target in table.X.columns:
        return table.X, table.X[target].tolist()
    return table.X, None
