"""Show a model file: its network, the tables of one attribute, the strongest dependencies.

examples:
  tanager show model.json
  tanager show model.json --format dot | dot -Tpng -o network.png
  tanager show model.json --format svg -o network.svg
  tanager show model.json --format svg --focus safety -o safety.svg
  tanager show model.json --table safety
  tanager show model.json --strongest 10
"""

from __future__ import annotations

import argparse
import textwrap
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from tanager.cli._arguments import add_json, print_json, say, whole_from
from tanager.cli._outputs import check_outputs
from tanager.data.plain_numbers import numbers
from tanager.drawing import network_svg
from tanager.exceptions import DataError
from tanager.model_file import ModelFile, read_model_file
from tanager.output import write_text
from tanager.reading import ConditionalTable
from tanager.report.network_text import text_tree
from tanager.report.terminal import terminal_width
from tanager.text_table import aligned


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    parser.add_argument("model", type=Path, help="the model file")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--format", choices=("text", "dot", "svg"), default="text", help="form of the network")
    what.add_argument("--table", metavar="ATTRIBUTE", help="the probabilities of one attribute")
    what.add_argument(
        "--strongest", type=whole_from(1), metavar="N", help="the N strongest dependencies given the class"
    )
    parser.add_argument(
        "--focus", metavar="ATTRIBUTE", help="with --format svg: this attribute, its parents and its children"
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument("-o", "--output", type=Path, metavar="FILE", help="write here instead of printing")
    add_json(where)


def run(arguments: argparse.Namespace) -> None:
    """Print what was asked for."""
    if arguments.focus is not None and arguments.format != "svg":
        raise DataError("--focus goes with --format svg")
    if arguments.json and arguments.format != "text":
        raise DataError(f"--json does not go with --format {arguments.format}")
    check_outputs([arguments.output], [arguments.model], arguments.json)
    file = read_model_file(arguments.model)
    network = _network(file)
    if arguments.table is not None:
        found: Any
        table: Any = file.model.table(arguments.table)
        if isinstance(table, ConditionalTable):
            found = _table(file, table)
            text = _table_text(found)
        else:
            found, text = _other_table(table, arguments.table, file.target)
    elif arguments.strongest is not None:
        found = _strongest(network, arguments.strongest)
        text = "\n".join(f"{d['strength']:8.4f}  {d['parent']} → {d['child']}" for d in found)
        text = (
            f"conditional mutual information given {file.target}, nats\n{text}"
            if found
            else "no dependencies"
        )
    else:
        found = {"learner": file.model.learner, "target": file.target, **_header(file), **network}
        text = _drawn(file, network, arguments.format, arguments.focus)
    if arguments.json:
        print_json(found)
    elif arguments.output is not None:
        write_text(arguments.output, text + "\n")
    else:
        say(text)


def _network(file: ModelFile) -> dict[str, Any]:
    """The network as the notes describe it, with strengths, or without them where there are no notes."""
    noted = file.notes.get("network")
    network = file.model.network_
    edges = [list(edge) for edge in network.edges]
    # Notes are anything in JSON: of them, only strengths that fit the model's own network are taken.
    strengths = noted.get("strengths") if isinstance(noted, dict) and noted.get("edges") == edges else None
    fitting = isinstance(strengths, list) and len(strengths) == len(edges)
    return {
        "nodes": list(network.nodes),
        "edges": edges,
        "groups": [list(group) for group in network.groups],
        "strengths": numbers(strengths).tolist() if fitting else [],
    }


def _header(file: ModelFile) -> dict[str, Any]:
    return {
        "classes": file.model.classes_.tolist(),
        "score": getattr(file.model, "structure_score_", None),
        "rows": file.notes.get("rows"),
        "data": file.notes.get("data"),
    }


def _drawn(file: ModelFile, network: dict[str, Any], form: str, focus: str | None) -> str:
    if form == "dot":
        return replace(file.model.network_, class_name=file.target).to_dot()
    if form == "svg":
        return network_svg(network, file.target, focus=focus)
    about = _header(file)
    lines = [f"{file.notes.get('learner', file.model.learner)}: {type(file.model).__name__}"]
    if about["data"] is not None:
        lines.append(f"learned from {about['data']}, {about['rows']} rows")
    lines.append(f"classes of {file.target}: {', '.join(map(str, about['classes']))}")
    if about["score"] is not None:
        lines.append(f"score of the network: {about['score']:.3f}")
    width = terminal_width()
    if width is not None:
        lines = [part for line in lines for part in textwrap.wrap(line, width, subsequent_indent="  ")]
    return "\n".join([*lines, "", text_tree(network, file.target)])


def _strongest(network: dict[str, Any], count: int) -> list[dict[str, Any]]:
    if network["edges"] and not network["strengths"]:
        raise DataError("this model file was written without strengths; fit it with `tanager fit`")
    pairs = sorted(zip(network["strengths"], network["edges"], strict=True), key=lambda item: -item[0])
    return [{"parent": p, "child": c, "strength": strength} for strength, (p, c) in pairs[:count]]


def _other_table(table: Any, attribute: str, target: str) -> tuple[Any, str]:
    """The density of a number that is not cut, or the term of a refined network."""
    title = table.title(target)
    found = {"attribute": attribute, "target": target, "title": title, "rows": list(table.lines())}
    return found, f"{title}\n{table.text(terminal_width())}"


def _table(file: ModelFile, table: ConditionalTable) -> dict[str, Any]:
    """P(attribute | parents, class) with names: one line per class and configuration of the parents."""
    parents = len(table.parents)
    cells = table.probabilities.reshape(*table.probabilities.shape[:parents], -1, len(table.classes))
    lines = [
        {
            "class": str(label),
            "given": dict(zip(table.parents, given, strict=True)),
            "probabilities": cells[place][:, number].tolist(),
        }
        for number, label in enumerate(table.classes)
        for given, place in zip(
            product(*table.levels[:parents]), np.ndindex(cells.shape[:parents]), strict=True
        )
    ]
    return {
        "attribute": " × ".join(table.members),
        "parents": list(table.parents),
        "target": file.target,
        "values": [" × ".join(texts) for texts in product(*table.levels[parents:])],
        "rows": lines,
    }


def _table_text(table: dict[str, Any]) -> str:
    header = [table["target"], *table["parents"], *table["values"]]
    lines = [
        [row["class"], *row["given"].values(), *(f"{value:.4f}" for value in row["probabilities"])]
        for row in table["rows"]
    ]
    given = ", ".join([table["target"], *table["parents"]])
    sides = "l" * (1 + len(table["parents"]))
    return "\n".join(
        [
            f"P({table['attribute']} | {given})",
            *aligned(header, lines, sides, width=terminal_width(), keys=len(sides)),
        ]
    )
