"""A reproduced paper for a terminal and as Markdown."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from functools import partial

from tanager.reproduce._tables import Figure, ReproducedTable, Reproduction

__all__ = ["markdown", "plain"]

_EMPTY = "–"
_LABELS = 2


def _cells(figure: Figure, decimals: int) -> list[str]:
    def number(value: float | None, form: str) -> str:
        return _EMPTY if value is None else format(value, form)

    reach = _EMPTY if figure.reach is None else f"± {figure.reach:.{decimals}f}"
    verdict = {True: "yes", False: "no", None: _EMPTY}[figure.within]
    return [
        figure.row,
        figure.column,
        number(figure.paper, f".{decimals}f"),
        number(figure.ours, f".{decimals}f"),
        number(figure.difference, f"+.{decimals}f"),
        reach,
        verdict,
    ]


def _lines(table: ReproducedTable) -> tuple[list[str], list[list[str]]]:
    """Header and cells, two labels first, without columns in which no line has anything to say.

    Where only our numbers are left, and no notes, a row of the paper's table is one line.
    """
    header = ["", "", f"paper ({table.unit})", f"ours ({table.unit})", "difference", "interval", "within"]
    lines = [_cells(figure, table.decimals) for figure in table.figures]
    ours = 3
    kept = [i for i in range(len(header)) if i in (0, 1, ours) or any(line[i] != _EMPTY for line in lines)]
    if kept == [0, 1, ours] and not any(figure.note for figure in table.figures):
        columns = list(dict.fromkeys(line[1] for line in lines))
        found = {(line[0], line[1]): line[ours] for line in lines}
        names = list(dict.fromkeys(line[0] for line in lines))
        if len(columns) > 1:
            matrix = [
                [name, "", *(found.get((name, column), _EMPTY) for column in columns)] for name in names
            ]
            return ["", "", *(f"{column} ({table.unit})" for column in columns)], matrix
    return [header[i] for i in kept], [[line[i] for i in kept] for line in lines]


def _published(table: ReproducedTable) -> bool:
    """Has the paper any number to compare with?"""
    return any(figure.paper is not None for figure in table.figures)


def _table(table: ReproducedTable, width: int) -> str:
    header, lines = _lines(table)
    widths = [max(len(line[i]) for line in [header, *lines]) for i in range(len(header))]

    def line(cells: list[str]) -> str:
        left = [cell.ljust(w) for cell, w in zip(cells[:_LABELS], widths, strict=False) if w]
        right = [cell.rjust(w) for cell, w in zip(cells[_LABELS:], widths[_LABELS:], strict=True)]
        return "  ".join([*left, *right])

    rule = "  ".join("─" * w for w in widths if w)
    notes = (
        [figure.note for figure in table.figures] if any(f.note for f in table.figures) else [""] * len(lines)
    )
    beside = max(len(note) for note in notes) + len(rule) + 2 <= width
    shown: list[str] = []
    previous = None
    for cells, note in zip(lines, notes, strict=True):
        text = line(["" if cells[0] == previous else cells[0], *cells[1:]])
        shown.append(f"{text}  {note}".rstrip() if beside else text.rstrip())
        if note and not beside:
            shown.append(textwrap.fill(note, width, initial_indent="    ", subsequent_indent="    "))
        previous = cells[0]
    title = textwrap.fill(table.title, width)
    said = [table.summary()] if _published(table) else []
    return "\n".join([title, rule, line(header).rstrip(), rule, *shown, rule, *said])


def plain(result: Reproduction, width: int = 100) -> str:
    """Aligned text with the paper's number, ours, the difference, its interval and the verdict."""
    blocks = [f"{textwrap.fill(result.citation, width)}\n\n{textwrap.fill(result.method, width)}"]
    blocks += [_table(table, width) for table in result.tables]
    if result.notes:
        blocks.append(_bullets(result.notes, width))
    if result.missing:
        blocks.append("Data not here:\n" + _bullets(result.missing, width))
    return "\n\n".join(blocks)


def _bullets(texts: Iterable[str], width: int) -> str:
    # Paths and addresses stay whole.
    fill = partial(textwrap.fill, width=width, subsequent_indent="  ", break_long_words=False)
    return "\n".join(fill(f"• {text}", break_on_hyphens=False) for text in texts)


def markdown(result: Reproduction) -> str:
    """The same as Markdown."""
    lines = [f"## {result.citation}", "", result.method, ""]
    for table in result.tables:
        lines += [f"### {table.title}", ""]
        header, rows = _lines(table)
        noted = [figure.note for figure in table.figures]
        if any(noted):
            header, rows = [*header, ""], [[*row, note] for row, note in zip(rows, noted, strict=True)]
        lines.append("| " + " | ".join(header) + " |")
        sides = ["--:"] * (len(header) - _LABELS)
        if any(noted):
            sides[-1] = ":--"
        lines.append("|" + "|".join([":--"] * _LABELS + sides) + "|")
        for row in rows:
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |")
        lines += ["", f"{table.summary()}.", ""] if _published(table) else [""]
    lines += [f"- {note}" for note in result.notes]
    if result.missing:
        lines += ["", "Data not here:", "", *(f"- {line}" for line in result.missing)]
    return "\n".join(lines).rstrip() + "\n"
