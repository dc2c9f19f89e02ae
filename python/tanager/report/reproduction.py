"""A reproduced paper for a terminal and as Markdown."""

from __future__ import annotations

import textwrap

from tanager.evaluation.reproduction import Figure, ReproducedTable, Reproduction

__all__ = ["markdown", "plain"]

_HEADER = ("", "", "paper", "ours", "difference", "interval", "within")


def _cells(figure: Figure, decimals: int) -> list[str]:
    def number(value: float | None, form: str) -> str:
        return "–" if value is None else format(value, form)

    reach = "–" if figure.reach is None else f"± {figure.reach:.{decimals}f}"
    verdict = {True: "yes", False: "no", None: "–"}[figure.within]
    return [
        figure.row,
        figure.column,
        number(figure.paper, f".{decimals}f"),
        number(figure.ours, f".{decimals}f"),
        number(figure.difference, f"+.{decimals}f"),
        reach,
        verdict,
    ]


def _table(table: ReproducedTable) -> str:
    lines = [_cells(figure, table.decimals) for figure in table.figures]
    header = list(_HEADER)
    header[2], header[3] = f"paper ({table.unit})", f"ours ({table.unit})"
    widths = [max(len(line[i]) for line in [header, *lines]) for i in range(len(header))]
    noted = [figure.note for figure in table.figures]

    def line(cells: list[str], note: str = "") -> str:
        left = [cell.ljust(width) for cell, width in zip(cells[:2], widths[:2], strict=True)]
        right = [cell.rjust(width) for cell, width in zip(cells[2:], widths[2:], strict=True)]
        return "  ".join([*left, *right, note]).rstrip()

    shown: list[str] = []
    previous = None
    for cells, note in zip(lines, noted, strict=True):
        shown.append(line(["" if cells[0] == previous else cells[0], *cells[1:]], note))
        previous = cells[0]
    rule = "  ".join("─" * width for width in widths)
    return "\n".join([table.title, rule, line(header), rule, *shown, rule, table.summary()])


def plain(result: Reproduction, width: int = 100) -> str:
    """Aligned text with the paper's number, ours, the difference, its interval and the verdict."""
    blocks = [f"{result.citation}\n\n{textwrap.fill(result.method, width)}"]
    blocks += [_table(table) for table in result.tables]
    if result.notes:
        blocks.append(
            "\n".join(textwrap.fill(f"• {note}", width, subsequent_indent="  ") for note in result.notes)
        )
    if result.missing:
        blocks.append("Data not here:\n" + "\n".join(f"• {line}" for line in result.missing))
    return "\n\n".join(blocks)


def markdown(result: Reproduction) -> str:
    """The same as Markdown."""
    lines = [f"## {result.citation}", "", result.method, ""]
    for table in result.tables:
        lines += [f"### {table.title}", ""]
        lines.append(f"| | | paper ({table.unit}) | ours ({table.unit}) | difference | interval | within | |")
        lines.append("|:--|:--|--:|--:|--:|--:|:-:|:--|")
        for figure in table.figures:
            cells = [*_cells(figure, table.decimals), figure.note]
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        lines += ["", f"{table.summary()}.", ""]
    lines += [f"- {note}" for note in result.notes]
    if result.missing:
        lines += ["", "Data not here:", "", *(f"- {line}" for line in result.missing)]
    return "\n".join(lines).rstrip() + "\n"
