"""A comparison for a terminal: rich where it is installed, plain text otherwise."""

from __future__ import annotations

import math
import shutil
import sys
import textwrap
from typing import Any

from tanager.escape import printable
from tanager.evaluation.comparison import Comparison
from tanager.report.format import Row, duration, heading, percentage, rows, sentences, shown
from tanager.report.network_text import text_tree
from tanager.text_table import aligned, column_parts

__all__ = ["plain", "show", "terminal_width"]


def _main_table(comparison: Comparison, metric: str) -> tuple[list[str], list[list[str]], list[list[bool]]]:
    """Header, cells and which of them are the best, for the table of learners against data sets."""
    header = ["data set", *comparison.learners]
    cells, best = [], []
    for row in rows(comparison, metric):
        cells.append([row.dataset, *_with_spread(row, metric)])
        best.append([False, *row.best])
    several = len(comparison.learners) > 1 and len(comparison.datasets) > 1
    if several and comparison.n_ranked(metric):
        ranks = comparison.ranks_by(metric)
        cells.append(["average rank", *(f"{ranks[name]:.2f}" for name in comparison.learners)])
        lowest = min(ranks.values())
        best.append([False, *(ranks[name] == lowest for name in comparison.learners)])
    return header, cells, best


def _with_spread(row: Row, metric: str) -> list[str]:
    if row.spreads is None or metric != "accuracy":
        return list(row.texts)
    return [f"{text} ± {100 * spread:.1f}" for text, spread in zip(row.texts, row.spreads, strict=True)]


def _one_data_set(comparison: Comparison) -> tuple[list[str], list[list[str]], list[list[bool]]]:
    """On a single data set the learners are the lines, with every metric beside them."""
    name = comparison.dataset_names[0]
    metrics = ["f1_macro", "auc", "log_loss", "brier"]
    header = ["learner", "accuracy (%)", "95 % interval", *(heading(metric) for metric in metrics)]
    header += ["time per fold"]
    accuracy = comparison.accuracy[name]
    top = percentage(max((value for value in accuracy.values() if value == value), default=math.nan))
    cells, best = [], []
    for learner in comparison.learners:
        low, high = comparison.interval(name, learner)
        line = [learner, percentage(accuracy[learner]), f"{percentage(low)} – {percentage(high)}"]
        line += [shown(comparison.table(metric)[name][learner], metric) for metric in metrics]
        line.append(duration(comparison.seconds[name][learner]))
        cells.append(line)
        first = line[1] == top and line[1] != "–" and len(comparison.learners) > 1
        best.append([False, first, *[False] * (len(line) - 2)])
    return header, cells, best


def _title(comparison: Comparison, metric: str) -> str:
    splits = comparison.setup.get("splits", "")
    if len(comparison.datasets) == 1:
        data = comparison.datasets[0]
        target = f", class '{printable(data['target'])}'" if data.get("target") else ""
        size = f"{data['rows']} rows, {data['attributes']} attributes{target}"
        return f"{printable(data['name'])}: {size}; {splits}"
    return f"{heading(metric)}; {splits}"


def _table(comparison: Comparison, metric: str) -> tuple[list[str], list[list[str]], list[list[bool]]]:
    if len(comparison.datasets) == 1 and metric == "accuracy":
        return _one_data_set(comparison)
    return _main_table(comparison, metric)


def _trees(comparison: Comparison, wanted: bool | None) -> list[str]:
    if wanted is None:
        wanted = len(comparison.datasets) == 1
    if not wanted:
        return []
    return [
        f"{printable(network['learner'])} on {printable(network['dataset'])}, learned from all rows "
        "(numbers: conditional mutual information given the class, nats)\n" + text_tree(network)
        for network in comparison.networks
        if network["edges"]
    ]


def plain(
    comparison: Comparison, metric: str = "accuracy", trees: bool | None = None, width: int | None = None
) -> str:
    """Aligned columns without colour; the best of a row carry an asterisk.

    Networks are drawn where `trees` says so, by default for a single data set. Within a `width` columns that
    find no place beside the others stand below them, and sentences are wrapped.
    """
    header, cells, best = _table(comparison, metric)
    marked = [
        [
            f"{text}{'*' if top else ' '}" if i else text
            for i, (text, top) in enumerate(zip(c, b, strict=True))
        ]
        for c, b in zip(cells, best, strict=True)
    ]
    blocks = [
        "\n".join(
            [
                _wrapped(_title(comparison, metric), width),
                *aligned([header[0], *(f"{n} " for n in header[1:])], marked, width=width),
            ]
        ),
        "\n".join(_wrapped(printable(sentence), width) for sentence in sentences(comparison, metric)),
        *_trees(comparison, trees),
    ]
    return "\n\n".join(block for block in blocks if block)


def terminal_width() -> int | None:
    """The columns of the terminal; None where the output goes elsewhere."""
    if not sys.stdout.isatty():
        return None
    return max(shutil.get_terminal_size((80, 24)).columns, 20)


def _wrapped(text: str, width: int | None) -> str:
    return text if width is None else "\n".join(textwrap.wrap(text, width, break_long_words=False))


def show(
    comparison: Comparison, metric: str = "accuracy", file: Any = None, trees: bool | None = None
) -> None:
    """Print the comparison, in colour where the terminal and rich allow it."""
    try:
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text
    except ImportError:
        print(plain(comparison, metric, trees, terminal_width()), file=file)
        return
    console = Console(file=file)
    if not console.is_terminal:
        print(plain(comparison, metric, trees, terminal_width()), file=file)
        return
    header, cells, best = _table(comparison, metric)
    # Text, not strings: these are marked up, and names are not.
    console.print(Text(_title(comparison, metric)))
    columns = zip(header, *cells, strict=True)
    widths = [max(len(printable(cell)) for cell in column) + 1 for column in columns]  # and a line beside
    for part in column_parts(widths, console.width - 2):
        table = Table(header_style="bold")
        for index in part:
            table.add_column(
                Text(printable(header[index])), justify="right" if index else "left", no_wrap=True
            )
        for line, marks in zip(cells, best, strict=True):
            table.add_row(*(Text(printable(line[i]), style="bold green" if marks[i] else "") for i in part))
        console.print(table)
    for sentence in sentences(comparison, metric):
        console.print(Text(printable(sentence)))
    for tree in _trees(comparison, trees):
        console.print()
        console.print(Text(tree))
