"""A network as SVG: strong arcs wide, and a colour for each parent's arcs where boxes have several."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tanager.drawing.boxes import HEIGHT, Box
from tanager.drawing.layout import draw
from tanager.drawing.routes import Route
from tanager.drawing.style import Pen, pens
from tanager.escape import xml_text

__all__ = ["network_svg"]

_STYLE = (
    "<style>.node rect{fill:#f3f6fa;stroke:#8795a8}"
    ".node text,.root text,.note{font:12px system-ui,sans-serif;fill:#1f2733}.note{fill:#5b6878}"
    ".root rect{fill:#2b6cb0;stroke:none}.root text{fill:#fff}"
    ".edge{fill:none;stroke:#2b6cb0}.head{fill:#2b6cb0;stroke:none}</style>"
)


def network_svg(
    network: Mapping[str, Any],
    class_name: str | None = "class",
    standalone: bool = True,
    *,
    width: float = 960.0,
    focus: str | None = None,
) -> str:
    """The network as SVG text; inside a page (`standalone=False`) the page's own style applies.

    `network`, `width` and `focus` are those of `draw`.

    >>> text = network_svg({"nodes": ["a", "b"], "edges": [["a", "b"]], "strengths": [0.5], "groups": []})
    >>> text.startswith("<svg") and text.count('class="edge"') == 1 and text.count('class="node"') == 2
    True
    """
    drawing = draw(network, class_name, width=width, focus=focus)
    wide, high = f"{drawing.width:.0f}", f"{drawing.height:.0f}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" '
        'role="img" class="network">'
    ]
    if standalone:
        parts.append(_STYLE)
    for route, pen in zip(drawing.routes, pens(drawing.routes), strict=True):
        parts.append(_arc(route, pen))
    parts += [_box(box, "node") for box in drawing.boxes]
    if drawing.root is not None:
        x, y = drawing.note_at
        parts += [
            _box(drawing.root, "root"),
            f'<text class="note" x="{x:.1f}" y="{y + 4.0:.1f}">{drawing.note}</text>',
        ]
    return "".join([*parts, "</svg>"])


def _arc(route: Route, pen: Pen) -> str:
    way = " ".join(letter + " ".join(f"{x:.1f},{y:.1f}" for x, y in points) for letter, points in route.steps)
    head = "M" + " L".join(f"{x:.1f},{y:.1f}" for x, y in route.head) + "Z"
    stroke = "" if pen.colour is None else f"stroke:{pen.colour};"
    fill = "" if pen.colour is None else f' style="fill:{pen.colour}"'
    return (
        f'<path class="edge" data-from="{xml_text(route.arc.parent.name)}" '
        f'data-to="{xml_text(route.arc.child.name)}" d="{way}" '
        f'style="{stroke}stroke-width:{pen.width:.2f};stroke-opacity:{pen.opacity:.2f}">'
        f'<title>{xml_text(route.arc.title)}</title></path><path class="head" d="{head}"{fill}/>'
    )


def _box(box: Box, kind: str) -> str:
    frame = f'x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{HEIGHT}"'
    middle = f'x="{box.x + box.width / 2.0:.1f}" y="{box.middle + 4.0:.1f}" text-anchor="middle"'
    return (
        f'<g class="{kind}" data-name="{xml_text(box.name)}"><title>{xml_text(box.name)}</title>'
        f'<rect {frame} rx="6"/>'
        f"<text {middle}>{xml_text(box.label)}</text></g>"
    )
