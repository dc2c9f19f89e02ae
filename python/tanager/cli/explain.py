"""Explain how a model file classifies a row: what each attribute says for each class.

examples:
  tanager explain model.json rows.csv --row 3
  tanager explain model.json rows.csv --row 3 --plot why.png
  tanager explain model.json rows.csv --row 3 --what-if safety
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from tanager.cli._arguments import (
    add_json,
    add_row_options,
    is_file,
    needed_columns,
    open_table,
    print_json,
    say,
    whole_from,
)
from tanager.cli._outputs import check_outputs, check_plot
from tanager.data import Frame
from tanager.exceptions import DataError
from tanager.model_file import read_model_file
from tanager.report.terminal import terminal_width


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    parser.add_argument("model", type=Path, help="the model file")
    parser.add_argument("data", help="a file (- is standard input), or the name of a data set")
    parser.add_argument("--row", type=int, default=0, metavar="N", help="which row, from 0 on (default: 0)")
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--terms", type=whole_from(1), default=20, metavar="N", help="how many, strongest first (default: 20)"
    )
    what.add_argument("--what-if", metavar="ATTRIBUTE", help="vary this attribute instead")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw it too: PNG, SVG or PDF")
    add_row_options(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Explain one row and print it."""
    inputs = [arguments.model, *([arguments.data] if is_file(arguments.data) else [])]
    check_outputs([arguments.plot], inputs)
    check_plot(arguments.plot)
    model = read_model_file(arguments.model).model
    if not hasattr(model, "explain"):
        raise DataError(f"{arguments.model} is a density: it has no classes to explain")
    row = _row(arguments, model)
    if arguments.what_if is not None:
        shown: Any = model.what_if(row, arguments.what_if)
        text = shown.text(terminal_width())
        plain = {
            "attribute": shown.attribute,
            "values": list(shown.values),
            "classes": list(shown.classes),
            "probabilities": shown.probabilities.tolist(),
            "current": shown.current,
        }
    else:
        shown = model.explain(row)
        text = shown.text(0, arguments.terms, terminal_width())
        plain = {
            "classes": list(shown.classes),
            "terms": list(shown.terms),
            "values": list(shown.values[0]),
            "base": _finite(shown.base),
            "contributions": _finite(shown.contributions[0]),
            "probabilities": np.exp(shown.log_proba()[0]).tolist(),
        }
    if arguments.plot is not None:
        from tanager.report.plots import save_axes

        save_axes(shown.plot(), arguments.plot)
    if arguments.json:
        print_json({"row": arguments.row, **plain})
    else:
        say(text)


def _finite(values: Any) -> Any:
    """JSON has no infinity: None stands for the logarithm of 0."""
    return np.where(np.isfinite(values), values, np.array(None)).tolist()


def _row(arguments: argparse.Namespace, model: Any) -> Frame:
    table = open_table(arguments.data, arguments, None)
    if not 0 <= arguments.row < len(table.X):
        raise DataError(f"{arguments.data} has no row {arguments.row}: rows are 0 to {len(table.X) - 1}")
    return needed_columns(model, table.X, arguments.data)[[arguments.row]]
