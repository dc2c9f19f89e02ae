"""How arcs look, in SVG and in matplotlib."""

from __future__ import annotations

from dataclasses import dataclass

from tanager.drawing.boxes import Box
from tanager.drawing.routes import Route

__all__ = ["ACCENT", "Pen", "pens"]

ACCENT = "#2b6cb0"
# Of middling lightness, so that they show on white and on black.
_COLOURS = (ACCENT, "#c05621", "#2f855a", "#b83280", "#8a6d00", "#6b46c1", "#0e7c86", "#c53030", "#64748b")


@dataclass(frozen=True)
class Pen:
    """The line of an arc; without a colour, that of the style sheet."""

    colour: str | None
    width: float
    opacity: float


def pens(routes: list[Route]) -> list[Pen]:
    """A pen for each arc: width by strength, and by parent the colour, unless all boxes have one parent."""
    strengths = [route.arc.strength or 0.0 for route in routes]
    # A probability is its own share; information is measured by the strongest arc.
    top = 1.0 if any(route.arc.probable for route in routes) else max([*strengths, 1e-12])
    known = any(route.arc.strength is not None for route in routes)
    forest = len({route.arc.child for route in routes}) == len(routes)
    sources: dict[Box, str] = {}
    for route in routes:
        sources.setdefault(route.arc.parent, _COLOURS[len(sources) % len(_COLOURS)])
    # Lanes are narrow where boxes have several parents, and so are the lines in them.
    most = 5.0 if forest else 2.0
    found = []
    for route, strength in zip(routes, strengths, strict=True):
        share = min(max(strength / top, 0.0), 1.0) if known else 0.1
        colour = None if forest else sources[route.arc.parent]
        found.append(Pen(colour, 1.0 + most * share, 0.55 + 0.4 * share if known else 1.0))
    return found
