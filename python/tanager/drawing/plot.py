"""A network on axes of matplotlib, laid out as in SVG."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tanager.drawing.boxes import HEIGHT, Box
from tanager.drawing.layout import draw
from tanager.drawing.routes import Route
from tanager.drawing.style import ACCENT, Pen, pens
from tanager.escape import plot_text
from tanager.reading.frame import axes_of

__all__ = ["plot_network"]

_PIXELS_PER_INCH = 96.0
_POINTS_PER_PIXEL = 0.75
_LETTERS = 12.0  # pixels


def plot_network(
    network: Mapping[str, Any],
    class_name: str | None = "class",
    *,
    ax: Any = None,
    width: float = 960.0,
    focus: str | None = None,
) -> Any:
    """Draw the network on axes, new ones where none are given, and return them.

    `network`, `width` and `focus` are those of `draw`. On given axes everything, letters included, is scaled
    to their size.
    """
    drawing = draw(network, class_name, width=width, focus=focus)
    ax = axes_of(ax, drawing.width / _PIXELS_PER_INCH, drawing.height / _PIXELS_PER_INCH)
    ax.set_axis_off()
    ax.set_aspect("equal")
    ax.set_xlim(0.0, drawing.width)
    ax.set_ylim(drawing.height, 0.0)
    place = ax.get_position()
    inches = ax.figure.get_size_inches()
    scale = _PIXELS_PER_INCH * min(
        place.width * inches[0] / drawing.width, place.height * inches[1] / drawing.height
    )
    unit = _POINTS_PER_PIXEL * scale
    for route, pen in zip(drawing.routes, pens(drawing.routes), strict=True):
        _arc(ax, route, pen, unit)
    for box in drawing.boxes:
        _box(ax, box, "#f3f6fa", "#8795a8", "#1f2733", unit)
    if drawing.root is not None:
        _box(ax, drawing.root, ACCENT, ACCENT, "#ffffff", unit)
        ax.text(*drawing.note_at, drawing.note, va="center", color="#5b6878", fontsize=_LETTERS * unit)
    return ax


def _arc(ax: Any, route: Route, pen: Pen, unit: float) -> None:
    from matplotlib.patches import PathPatch, Polygon
    from matplotlib.path import Path

    code = {"M": Path.MOVETO, "L": Path.LINETO, "Q": Path.CURVE3, "C": Path.CURVE4}
    points = [point for _, some in route.steps for point in some]
    codes = [code[letter] for letter, some in route.steps for _ in some]
    colour = pen.colour or ACCENT
    ax.add_patch(
        PathPatch(
            Path(points, codes), fill=False, edgecolor=colour, linewidth=pen.width * unit, alpha=pen.opacity
        )
    )
    ax.add_patch(Polygon(route.head, facecolor=colour, edgecolor="none"))


def _box(ax: Any, box: Box, fill: str, line: str, ink: str, unit: float) -> None:
    from matplotlib.patches import FancyBboxPatch

    ax.add_patch(
        FancyBboxPatch(
            (box.x, box.y),
            box.width,
            HEIGHT,
            boxstyle="round,pad=0,rounding_size=6",
            facecolor=fill,
            edgecolor=line,
            linewidth=unit,
        )
    )
    ax.text(
        box.x + box.width / 2.0,
        box.middle,
        plot_text(box.label),
        ha="center",
        va="center",
        color=ink,
        fontsize=_LETTERS * unit,
    )
