"""List the data sets that can be used by name, or describe one of them."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from tanager.cli._arguments import add_json, print_json
from tanager.data import DatasetInfo, list_datasets, load_dataset


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    parser.add_argument("name", nargs="?", help="describe this one and show its first rows")
    parser.add_argument("--data-dir", metavar="FOLDER", help="folder with more data sets")
    parser.add_argument("--csv", action="store_true", help="print the whole data set as CSV")
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print the list, or one data set."""
    if arguments.name is None:
        if arguments.csv:
            raise ValueError("--csv needs the name of a data set")
        _list(list_datasets(arguments.data_dir), arguments.json)
        return
    table = load_dataset(arguments.name, data_dir=arguments.data_dir)
    if arguments.csv:
        print(table.to_csv(), end="")
        return
    info = table.info
    known = {} if info is None else asdict(info)
    if arguments.json:
        print_json({**known, "columns": table.feature_names, "target": table.target})
        return
    for name, value in known.items():
        print(f"{name:<12} {value}")
    print(f"{'columns':<12} {', '.join(table.feature_names)}")
    lines = table.to_csv().splitlines()
    print("\n" + "\n".join(lines[:6]))
    if len(lines) > 6:
        print(f"… {len(lines) - 6} more rows")


def _list(found: list[DatasetInfo], as_json: bool) -> None:
    if as_json:
        print_json([asdict(info) for info in found])
        return
    width = max(len(info.name) for info in found)
    print(f"{'name':<{width}}  {'rows':>6}  {'attributes':>10}  {'numeric':>7}  {'classes':>7}  origin")
    for info in found:
        sizes = f"{info.rows:>6}  {info.attributes:>10}  {info.numeric:>7}  {info.classes:>7}"
        if not info.rows:
            sizes = f"{'–':>6}  {'–':>10}  {'–':>7}  {'–':>7}"
        print(f"{info.name:<{width}}  {sizes}  {info.origin}")
