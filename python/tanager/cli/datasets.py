"""List the data sets that can be used by name, or describe one of them."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from tanager.cli._arguments import add_json, print_data, print_json, say
from tanager.data import DatasetInfo, list_datasets, load_dataset
from tanager.exceptions import DataError
from tanager.report.terminal import terminal_width
from tanager.text_table import aligned


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    parser.add_argument("name", nargs="?", help="describe this one and show its first rows")
    parser.add_argument("--data-dir", metavar="FOLDER", help="folder with more data sets")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--csv", action="store_true", help="print the whole data set as CSV")
    add_json(form)


def run(arguments: argparse.Namespace) -> None:
    """Print the list, or one data set."""
    if arguments.name is None:
        if arguments.csv:
            raise DataError("--csv needs the name of a data set")
        _list(list_datasets(arguments.data_dir), arguments.json)
        return
    table = load_dataset(arguments.name, data_dir=arguments.data_dir)
    if arguments.csv:
        print_data(table.to_csv())
        return
    info = table.info
    known = {} if info is None else asdict(info)
    if arguments.json:
        print_json({**known, "columns": table.feature_names, "target": table.target})
        return
    for name, value in known.items():
        say(f"{name:<12} {value}")
    say(f"{'columns':<12} {', '.join(table.feature_names)}")
    lines = table.to_csv().splitlines()
    say("\n" + "\n".join(lines[:6]))
    if len(lines) > 6:
        say(f"… {len(lines) - 6} more rows")


def _list(found: list[DatasetInfo], as_json: bool) -> None:
    if as_json:
        print_json([asdict(info) for info in found])
        return
    sizes = ("rows", "attributes", "numeric", "classes")
    rows = [
        [info.name, *(str(getattr(info, size)) if info.rows else "–" for size in sizes), info.origin]
        for info in found
    ]
    table = aligned(["name", *sizes, "origin"], rows, "lrrrrl", rules=False, width=terminal_width())
    say("\n".join(table))
