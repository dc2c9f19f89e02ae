"""Arguments that several commands share, and how their values are read."""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TextIO

from tanager.data import Frame, Table, load_dataset, read_table
from tanager.data.chosen import choose_columns
from tanager.escape import json_text, printable
from tanager.evaluation.learner import PEERS
from tanager.exceptions import DataError
from tanager.registry import LEARNERS, PARAMETERS, SCORES

__all__ = [
    "add_data_options",
    "add_json",
    "add_row_options",
    "is_file",
    "known_learners_text",
    "needed_columns",
    "open_table",
    "print_data",
    "print_json",
    "print_json_list",
    "say",
    "whole_from",
]

_ENDINGS = (".csv", ".tsv", ".txt", ".data", ".gz", ".arff", ".parquet")


def add_data_options(parser: argparse.ArgumentParser) -> None:
    """Options that say how files of data are read."""
    parser.add_argument(
        "--target",
        default="class",
        metavar="COLUMN",
        help="class column of files (default: class, else the last column)",
    )
    columns = parser.add_argument_group("columns, by name")
    for option, text in (
        ("--drop", "leave these out, such as identifiers"),
        ("--categorical", "numbers that are codes of categories"),
        ("--numeric", "numbers, however few values they have"),
    ):
        columns.add_argument(option, nargs="+", action="extend", default=[], metavar="COLUMN", help=text)
    add_row_options(parser)


def add_row_options(parser: argparse.ArgumentParser) -> None:
    """Options that say where rows are found and how a file begins."""
    parser.add_argument(
        "--no-header", action="store_true", help="the first line of CSV is a row: names are x1, x2, …"
    )
    parser.add_argument("--data-dir", metavar="FOLDER", help="folder with more data sets, found by name")


def known_learners_text() -> str:
    """The learners by name, for the end of a command's help.

    >>> print(known_learners_text().splitlines()[1])
      nb      every attribute depends on the class alone
    """
    lines = [f"  {name:<8}{about.summary}" for name, about in LEARNERS.items()]
    scores, estimators = ", ".join(SCORES), ", ".join(PARAMETERS)
    given = f"score=, where a learner has it, is one of {scores}; parameters= one of {estimators}."
    peers = f"peers from scikit-learn: {', '.join(PEERS)}"
    return "\n".join(["learners:", *lines, *textwrap.wrap(given, 100), *textwrap.wrap(peers, 100)])


def add_json(parser: argparse._ActionsContainer) -> None:
    """The option for machines."""
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def whole_from(least: int) -> Callable[[str], int]:
    """What reads an option that is a whole number from `least` on.

    >>> whole_from(1)("3")
    3
    """

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least:
            raise argparse.ArgumentTypeError(f"{text!r} is not allowed: it is a whole number from {least} on")
        return number

    return read


def open_table(name: str, arguments: argparse.Namespace, target: str | None) -> Table:
    """A table by path or by name, with the columns that the arguments choose; ``-`` is standard input."""
    if is_file(name):
        table = read_table(name, target=target, header=not arguments.no_header)
    else:
        table = load_dataset(name, data_dir=arguments.data_dir)
    chosen = [getattr(arguments, option, []) for option in ("drop", "categorical", "numeric")]
    return choose_columns(table, *chosen) if any(chosen) else table


def needed_columns(model: Any, frame: Frame, name: str) -> Frame:
    """The columns of data of this name that a model needs."""
    names = [str(name) for name in getattr(model, "feature_names_in_", frame.columns)]
    absent = [name for name in names if name not in frame.columns]
    if absent:
        raise DataError(f"{name} lacks the column {absent[0]!r}; the model needs {', '.join(names)}")
    return Frame({name: frame.raw(name) for name in names})


def is_file(name: str) -> bool:
    """Whether data are a file: what exists as one, or ends like one, or stands in a folder."""
    path = Path(name)
    return name == "-" or path.is_file() or name.endswith(_ENDINGS) or len(path.parts) > 1


def say(text: object, file: TextIO | None = None) -> None:
    """Print lines for people; what names hold that cannot be seen is spelled out."""
    print(printable(text, lines=True), file=file)


def print_data(text: str) -> None:
    """Print lines for programs as they are; a terminal is not told to do what they may say."""
    sys.stdout.write(printable(text, lines=True) if sys.stdout.isatty() else text)


def print_json(value: Any) -> None:
    """Plain JSON on standard output."""
    sys.stdout.write(json_text(json.dumps(value, indent=1, allow_nan=False, ensure_ascii=False)) + "\n")


def print_json_list(values: Iterable[Any]) -> None:
    """A list as plain JSON, one element per line, each printed as it comes: the list is never in memory."""
    separator = "[\n "
    for value in values:
        sys.stdout.write(separator + json_text(json.dumps(value, allow_nan=False, ensure_ascii=False)))
        separator = ",\n "
    sys.stdout.write("[]\n" if separator.startswith("[") else "\n]\n")
