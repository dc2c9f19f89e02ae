"""The figures of a reproduced paper as files, and everything of it as one page."""

from __future__ import annotations

import io
from html import escape
from pathlib import Path
from typing import Any

from tanager.output import write_text
from tanager.report.plots import figure_of_panels
from tanager.reproduce._tables import Panel, Plot, Reproduction
from tanager.reproduce._text import cells

__all__ = ["html", "save_plots"]

_COLOURS = ("#2b6cb0", "#c05621", "#2f855a", "#6b46c1", "#b83280", "#4a5568", "#975a16")
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1f2733 }
body { max-width: 62rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; margin: 1rem 0 } td, th { padding: .15rem .7rem; text-align: right }
td:nth-child(-n+2), th:nth-child(-n+2), td.note { text-align: left }
td:not(.note) { white-space: nowrap } td.note:not(:empty) { min-width: 9rem } .wide { overflow-x: auto }
tr:nth-child(even) td { background: #f4f6f8 } th { border-bottom: 1px solid #c6ccd4 } svg { max-width: 100% }
@media (max-width: 40rem) { h1 { font-size: 1.4rem } td, th { padding: .15rem .35rem } }
@media (max-width: 40rem) { svg { max-width: none } }
"""


def _draw(axes: Any, panel: Panel) -> None:
    for colour, (label, (x, y)) in zip(_COLOURS * 9, panel.series.items(), strict=False):
        if panel.lines:
            axes.plot(x, y, color=colour, label=label, linewidth=1.2)
        else:
            axes.scatter(x, y, color=colour, label=label, s=14, alpha=0.8, linewidths=0)
    if panel.diagonal:
        every = [value for x, y in panel.series.values() for value in (*x, *y)]
        ends = [min(every), max(every)]
        axes.plot(ends, ends, color="#c6ccd4", linewidth=1, zorder=0)
    axes.set_xlabel(panel.x_label)
    axes.set_ylabel(panel.y_label)
    if len(panel.series) > 1:
        axes.legend(frameon=False, fontsize=8)


def _save(plot: Plot, target: Path | io.BytesIO) -> None:
    with figure_of_panels(target, len(plot.panels), plot.title) as panels:
        for axes, panel in zip(panels, plot.panels, strict=True):
            _draw(axes, panel)


def save_plots(result: Reproduction, folder: str | Path, ending: str = "png") -> list[Path]:
    """Every figure as a file of its own, and every network as SVG; needs matplotlib."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    written = []
    for plot in result.plots:
        _save(plot, target / f"{plot.name}.{ending}")
        written.append(target / f"{plot.name}.{ending}")
    for place, (_, network) in enumerate(result.networks, 1):
        path = target / f"{result.paper}-network-{place}.svg"
        write_text(path, network.to_svg())
        written.append(path)
    return written


def html(result: Reproduction) -> str:
    """Everything as one page without links to anything outside; needs matplotlib."""
    parts = [f"<h1>{escape(result.citation)}</h1><p>{escape(result.method)}</p>"]
    for table in result.tables:
        header, rows = cells(table)
        parts.append(f'<h2>{escape(table.title)}</h2><div class="wide"><table><tr>')
        parts.append("".join(f"<th>{escape(cell)}</th>" for cell in (*header, "")) + "</tr>")
        notes = [figure.note for figure in table.figures]
        notes = notes if len(notes) == len(rows) else [""] * len(rows)
        for row, note in zip(rows, notes, strict=True):
            line = "".join(f"<td>{escape(cell)}</td>" for cell in row)
            parts.append(f'<tr>{line}<td class="note">{escape(note)}</td></tr>')
        said = f"<p>{escape(table.summary())}</p>" if table.published else ""
        parts.append(f"</table></div>{said}")
    for title, network in result.networks:
        parts.append(f'<h2>{escape(title)}</h2><div class="wide">{network.to_svg()}</div>')
    for plot in result.plots:
        drawn = io.BytesIO()
        _save(plot, drawn)
        image = drawn.getvalue().decode("utf-8")
        shown = f'<div class="wide">{image[image.index("<svg") :]}</div>'
        parts.append(f"<h2>{escape(plot.title)}</h2>{shown}")
    for title, lines in (("", result.notes), ("Data not here", result.missing)):
        if lines:
            listed = "".join(f"<li>{escape(line)}</li>" for line in lines)
            parts.append((f"<h2>{title}</h2>" if title else "<h2>Notes</h2>") + f"<ul>{listed}</ul>")
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    head += f"<title>{escape(result.citation)}</title><style>{_STYLE}</style>"
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{"".join(parts)}</body></html>\n'
