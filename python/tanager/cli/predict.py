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
import csv
import io
import sys
from pathlib import Path
from typing import Any

from tanager.cli._arguments import add_json, add_row_options, is_file, open_table, print_data, print_json
from tanager.cli._outputs import check_outputs
from tanager.cli._streamed import add_stream_options, in_parts, predict_parts
from tanager.data import Frame
from tanager.data.columns import as_text
from tanager.escape import spreadsheet_field
from tanager.exceptions import DataError
from tanager.model_file import read_model_file
from tanager.output import write_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    parser.add_argument("model", type=Path, help="the model file")
    parser.add_argument("data", help="a file (- is standard input), or the name of a data set")
    parser.add_argument(
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
    add_json(parser)


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
    names = [str(name) for name in getattr(model, "feature_names_in_", frame.columns)]
    absent = [name for name in names if name not in frame.columns]
    if absent:
        raise DataError(
            f"{arguments.data} lacks the column {absent[0]!r}; the model needs {', '.join(names)}"
        )
    probabilities = model.predict_proba(Frame({name: frame.raw(name) for name in names}))
    predicted = model.classes_[probabilities.argmax(axis=1)].tolist()
    right, known = _accuracy(predicted, truth)
    classes = model.classes_.tolist()
    if arguments.json:
        answer: dict[str, Any] = {"target": file.target, "classes": classes, "predicted": predicted}
        if arguments.probabilities:
            answer["probabilities"] = probabilities.tolist()
        print_json({**answer, "accuracy": right})
        return
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    wanted = [f"P({label})" for label in classes] if arguments.probabilities else []
    shown = spreadsheet_field if arguments.spreadsheet else str
    writer.writerow([shown(file.target), *wanted])
    for label, row in zip(predicted, probabilities.tolist(), strict=True):
        writer.writerow(
            [
                shown(label) if isinstance(label, str) else label,
                *([f"{value:.6g}" for value in row] if wanted else []),
            ]
        )
    if arguments.output is None:
        print_data(text.getvalue())
    else:
        write_text(arguments.output, text.getvalue())
    if right is not None:
        print(f"accuracy: {100 * right:.2f} % of {known} rows", file=sys.stderr)


def _accuracy(predicted: list[Any], truth: list[Any] | None) -> tuple[float | None, int]:
    """The share of rows predicted right among those whose class is known, and how many these are."""
    pairs = zip(predicted, truth or [], strict=truth is not None)
    known = [(guess, label) for guess, label in pairs if label is not None and label == label]  # not NaN
    right = [as_text(guess) == as_text(label) for guess, label in known]
    return (sum(right) / len(right) if right else None), len(right)


def _rows(arguments: argparse.Namespace, target: str) -> tuple[Frame, list[Any] | None]:
    """The attributes and, where it is there, the true class."""
    table = open_table(arguments.data, arguments, None)
    if table.y is not None:
        return table.X, table.y.tolist()
    if target in table.X.columns:
        return table.X, table.X[target].tolist()
    return table.X, None
