"""A learned network as SVG: a tree from left to right, class edges faint, strong edges wide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tanager.escape import printable, xml_text
from tanager.report.network_text import tree_parents

__all__ = ["network_svg"]

_ROW, _GAP, _PAD, _LETTER, _BOX = 30.0, 64.0, 16.0, 6.9, 22.0
_STYLE = (
    "<style>.node rect{fill:#f3f6fa;stroke:#8795a8}"
    ".node text,.root text{font:12px system-ui,sans-serif;fill:#1f2733}"
    ".root rect{fill:#2b6cb0;stroke:none}.root text{fill:#fff}.edge{fill:none;stroke:#2b6cb0}"
    ".class-edge{fill:none;stroke:#9aa5b4;stroke-opacity:.25}</style>"
)


@dataclass
class _Box:
    """A node of the drawing: one attribute, or several joined into one."""

    label: str
    members: tuple[str, ...]
    children: list[_Box] = field(default_factory=list)
    x: float = 0.0
    y: float = 0.0

    @property
    def width(self) -> float:
        return max(44.0, _LETTER * len(printable(self.label)) + 18.0)


def _boxes(network: Mapping[str, Any]) -> tuple[list[_Box], dict[str, _Box]]:
    """The boxes, hung as a forest, and the box of every attribute."""
    of: dict[str, _Box] = {}
    boxes: list[_Box] = []
    joined = {name: tuple(group) for group in network.get("groups", []) if len(group) > 1 for name in group}
    for name in network["nodes"]:
        if name not in of:
            members = joined.get(name, (name,))
            box = _Box(" × ".join(members), members)
            boxes.append(box)
            of.update(dict.fromkeys(members, box))
    roots: list[_Box] = []
    hung = tree_parents(network)
    for box in boxes:
        over = next((of[hung[m]] for m in box.members if m in hung and of[hung[m]] is not box), None)
        (roots if over is None else over.children).append(box)
    return roots, of


def _columns(roots: list[_Box]) -> list[list[_Box]]:
    """Boxes by depth."""
    levels: list[list[_Box]] = []
    layer = roots
    while layer:
        levels.append(layer)
        layer = [child for box in layer for child in box.children]
    return levels


def _place(root: _Box, row: float) -> float:
    """Leaves take one row each, a parent stands in the middle of its children; returns the next free row."""
    order, stack = [], [root]
    while stack:  # parents before children, first child first
        box = stack.pop()
        order.append(box)
        stack += reversed(box.children)
    for box in order:
        if not box.children:
            box.y = row
            row += _ROW
    for box in reversed(order):
        if box.children:
            box.y = (box.children[0].y + box.children[-1].y) / 2.0
    return row


def _layout(roots: list[_Box], class_width: float) -> tuple[float, float]:
    """Give every box its place and return the size; isolated nodes fill a grid below the trees."""
    trees = [box for box in roots if box.children]
    single = [box for box in roots if not box.children]
    row = _PAD + 2.0 * _ROW
    for box in trees:
        row = _place(box, row)
    left = _PAD + class_width + _GAP
    right = left
    for level in _columns(trees):
        width = max(box.width for box in level)
        for box in level:
            box.x = right
        right += width + _GAP
    right = max(right - _GAP, left)
    if single:
        tall = max(1, min(len(single), max(6, round(len(single) ** 0.5 * 2.2))))
        x, bottom = left, row
        for start in range(0, len(single), tall):
            column = single[start : start + tall]
            for index, box in enumerate(column):
                box.x, box.y = x, row + index * _ROW
            bottom = max(bottom, row + len(column) * _ROW)
            x += max(box.width for box in column) + _GAP / 2.0
        right, row = max(right, x - _GAP / 2.0), bottom
    return right + _PAD, row + _PAD


def _curve(x1: float, y1: float, x2: float, y2: float) -> str:
    bend = max(24.0, abs(x2 - x1) / 2.0)
    return f"M{x1:.1f},{y1:.1f} C{x1 + bend:.1f},{y1:.1f} {x2 - bend:.1f},{y2:.1f} {x2:.1f},{y2:.1f}"


def network_svg(network: Mapping[str, Any], class_name: str = "class", standalone: bool = True) -> str:
    """The network as SVG text; inside a page (`standalone=False`) the page's own style applies.

    >>> text = network_svg({"nodes": ["a", "b"], "edges": [["a", "b"]], "strengths": [0.5], "groups": []})
    >>> text.startswith("<svg") and text.count('class="edge"') == 1 and text.count('class="class-edge"') == 2
    True
    """
    roots, of = _boxes(network)
    class_box = _Box(class_name, (class_name,), x=_PAD)
    width, height = _layout(roots, class_box.width)
    class_box.y = _PAD + _ROW / 2.0
    boxes = list({id(box): box for box in of.values()}.values())
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img" class="network">'
    ]
    if standalone:
        parts.append(_STYLE)
    tail = class_box.x + class_box.width
    for box in boxes:
        above = all(box is not root for root in roots)
        path = _from_above(tail, class_box.y, box) if above else _curve(tail, class_box.y, box.x, box.y)
        parts.append(f'<path class="class-edge" d="{path}"/>')
    strengths = network.get("strengths") or [0.0] * len(network["edges"])
    top = max([*strengths, 1e-12])
    drawn: dict[tuple[int, int], tuple[float, str]] = {}
    for (parent, child), strength in zip(network["edges"], strengths, strict=True):
        pair = (id(of[parent]), id(of[child]))
        if pair[0] != pair[1] and strength >= drawn.get(pair, (-1.0, ""))[0]:
            drawn[pair] = (strength, f"{parent} → {child}")
    place = {id(box): box for box in boxes}
    for (first, second), (strength, label) in drawn.items():
        a, b = place[first], place[second]
        thick = 1.0 + 5.0 * strength / top
        path = _curve(a.x + a.width, a.y, b.x, b.y) if b in a.children else _around(a, b)
        title = f"{label}: {strength:.4f} nats of conditional mutual information"
        parts.append(
            f'<path class="edge" d="{path}" style="stroke-width:{thick:.2f};stroke-opacity:'
            f'{0.45 + 0.5 * strength / top:.2f}"><title>{xml_text(title)}</title></path>'
        )
    parts += [_drawn(box, "node") for box in boxes]
    parts.append(_drawn(class_box, "root"))
    return "".join([*parts, "</svg>"])


def _from_above(x: float, y: float, box: _Box) -> str:
    """From the class over the heads of the others down onto a box."""
    end, top = box.x + box.width / 2.0, box.y - _BOX / 2.0
    middle = f"{x + 0.6 * (end - x):.1f},{y:.1f} {end:.1f},{y + 0.4 * (top - y):.1f}"
    return f"M{x:.1f},{y:.1f} C{middle} {end:.1f},{top:.1f}"


def _around(a: _Box, b: _Box) -> str:
    """From below a further parent to below its child, past the boxes between them."""
    if abs(a.x - b.x) < 1.0:  # one above the other: around the left
        reach = a.x - 18.0 - 0.08 * abs(a.y - b.y)
        return f"M{a.x:.1f},{a.y:.1f} C{reach:.1f},{a.y:.1f} {reach:.1f},{b.y:.1f} {b.x:.1f},{b.y:.1f}"
    x1, y1, x2, y2 = a.x + a.width / 2.0, a.y + _BOX / 2.0, b.x + b.width / 2.0, b.y + _BOX / 2.0
    drop = 14.0 + min(0.1 * abs(x2 - x1), 30.0)
    low = max(y1, y2) + drop
    shift = 0.25 * (x2 - x1)
    return f"M{x1:.1f},{y1:.1f} C{x1 + shift:.1f},{low:.1f} {x2 - shift:.1f},{low:.1f} {x2:.1f},{y2:.1f}"


def _drawn(box: _Box, kind: str) -> str:
    frame = f'x="{box.x:.1f}" y="{box.y - _BOX / 2.0:.1f}" width="{box.width:.1f}" height="{_BOX}"'
    middle = f'x="{box.x + box.width / 2.0:.1f}" y="{box.y + 4.0:.1f}" text-anchor="middle"'
    return f'<g class="{kind}"><rect {frame} rx="6"/><text {middle}>{xml_text(box.label)}</text></g>'
