"""A reproduced paper for a terminal and as Markdown."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from functools import partial

from tanager.reproduce._tables import Figure, ReproducedTable, Reproduction
from tanager.text_table import aligned, markdown_table

__all__ = ["cells", "markdown", "plain"]

_EMPTY = "–"
_LABELS = 2


def _cells(figure: Figure, decimals: int) -> list[str]:
    def number(value: float | None, form: str, interval: float | None = None) -> str:
        if value is None:
            return _EMPTY
        return format(value, form) + ("" if interval is None else f" ± {interval:.{decimals}f}")

    reach = _EMPTY if figure.reach is None else f"± {figure.reach:.{decimals}f}"
    verdict = {True: "yes", False: "no", None: _EMPTY}[figure.within]
    return [
        figure.row,
        figure.column,
        number(figure.paper, f".{decimals}f", figure.paper_interval),
        number(figure.ours, f".{decimals}f", figure.ours_interval),
        number(figure.difference, f"+.{decimals}f"),
        reach,
        verdict,
    ]


def cells(table: ReproducedTable) -> tuple[list[str], list[list[str]]]:
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


def _table(table: ReproducedTable, width: int) -> str:
    header, lines = cells(table)
    notes = [figure.note for figure in table.figures]
    first = [""] + [line[0] for line in lines]
    lines = [
        ["" if line[0] == before else line[0], *line[1:]] for line, before in zip(lines, first, strict=False)
    ]
    rule, head, _, *body, _ = aligned(header, lines, "l" * _LABELS)
    if any(notes):
        if len(rule) + 2 + max(len(note) for note in notes) <= width:
            body = [
                f"{line.ljust(len(rule))}  {note}".rstrip() for line, note in zip(body, notes, strict=True)
            ]
        else:
            fill = partial(textwrap.fill, width=width, initial_indent=" " * 4, subsequent_indent=" " * 4)
            pairs = zip(body, notes, strict=True)
            body = [text for line, note in pairs for text in (line, fill(note)) if text]
    said = [table.summary()] if table.published else []
    return "\n".join([textwrap.fill(table.title, width), rule, head, rule, *body, rule, *said])


def plain(result: Reproduction, width: int = 100) -> str:
    """Aligned text with the paper's number, ours, the difference, its interval and the verdict."""
    blocks = [f"{textwrap.fill(result.citation, width)}\n\n{textwrap.fill(result.method, width)}"]
    blocks += [_table(table, width) for table in result.tables]
    blocks += [f"{title}\n{network}" for title, network in result.networks]
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
        header, rows = cells(table)
        noted = [figure.note for figure in table.figures]
        if any(noted):
            header, rows = [*header, ""], [[*row, note] for row, note in zip(rows, noted, strict=True)]
        sides = "l" * _LABELS + "r" * (len(header) - _LABELS)
        lines += markdown_table(header, rows, sides[:-1] + "l" if any(noted) else sides)
        lines += ["", f"{table.summary()}.", ""] if table.published else [""]
    for title, network in result.networks:
        lines += [f"### {title}", "", "```text", str(network), "```", ""]
    lines += [f"- {note}" for note in result.notes]
    if result.missing:
        lines += ["", "Data not here:", "", *(f"- {line}" for line in result.missing)]
    return "\n".join(lines).rstrip() + "\n"
