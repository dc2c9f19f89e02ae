"""What is drawn: boxes of attributes and arcs between them, from a network by names."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tanager.escape import printable
from tanager.exceptions import UnknownNameError

__all__ = ["HEIGHT", "Arc", "Box", "boxes_and_arcs", "layers", "new_box"]

HEIGHT = 22.0
_LETTER, _WIDE_LETTER, _PAD, _LEAST = 6.9, 12.2, 18.0, 44.0


@dataclass(eq=False)
class Box:
    """One attribute, or several joined into one; (x, y) is the upper left corner."""

    label: str
    members: tuple[str, ...]
    width: float
    x: float = 0.0
    y: float = 0.0
    band: int = 0
    column: int = 0

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def middle(self) -> float:
        return self.y + HEIGHT / 2.0

    @property
    def name(self) -> str:
        """The whole name, which the label may cut."""
        return " × ".join(self.members)


@dataclass(frozen=True, eq=False)
class Arc:
    """An arc from a parent to a child; `text` names the attributes, which may be some of a box's.

    Its strength is information in nats, or a probability.
    """

    parent: Box
    child: Box
    strength: float | None
    text: str
    probable: bool = False

    @property
    def title(self) -> str:
        """What the arc says when it is pointed at."""
        if self.strength is None:
            return self.text
        unit = "probability" if self.probable else "nats of conditional mutual information"
        return f"{self.text}: {self.strength:.4f} {unit}"


def _width(text: str) -> float:
    return sum(_WIDE_LETTER if unicodedata.east_asian_width(c) in "WF" else _LETTER for c in text)


def new_box(members: tuple[str, ...], widest: float) -> Box:
    """A box as wide as its label; a label that is too long for the widest ends in an ellipsis."""
    label = printable(" × ".join(members))
    if _width(label) + _PAD > widest:
        while label and _width(label) + _LETTER + _PAD > widest:
            label = label[:-1]
        label += "…"
    return Box(label, members, max(_LEAST, _width(label) + _PAD))


def boxes_and_arcs(
    network: Mapping[str, Any], widest: float, focus: str | None = None
) -> tuple[list[Box], list[Arc]]:
    """The boxes in the network's order, and one arc for each pair of them that any edge links.

    With a focus, only its box, its parents and its children, and the arcs between it and them.
    """
    joined = {name: tuple(group) for group in network.get("groups", []) if len(group) > 1 for name in group}
    of: dict[str, Box] = {}
    for name in network["nodes"]:
        if name not in of:
            members = joined.get(name, (name,))
            of.update(dict.fromkeys(members, new_box(members, widest)))
    if focus is not None and focus not in of:
        shown = ", ".join([*of][:20]) + (" …" if len(of) > 20 else "")
        raise UnknownNameError(f"{focus!r} is not an attribute of the network: those are {shown}")
    strengths = network.get("strengths") or [None] * len(network["edges"])
    arcs: dict[tuple[Box, Box], Arc] = {}
    for (parent, child), strength in zip(network["edges"], strengths, strict=True):
        a, b = of[parent], of[child]
        if a is b or (focus is not None and of[focus] not in (a, b)):
            continue
        old = arcs.get((a, b))
        if old is None or (strength or 0.0) > (old.strength or 0.0):
            arcs[a, b] = Arc(a, b, strength, f"{parent} → {child}", network.get("strength") == "probability")
    boxes = list(dict.fromkeys(of.values()))
    if focus is not None:
        near = {of[focus], *(box for pair in arcs for box in pair)}
        boxes = [box for box in boxes if box in near]
    return boxes, list(arcs.values())


def layers(boxes: list[Box], arcs: list[Arc]) -> list[list[Box]]:
    """Boxes by depth, the length of the longest way to them, so that all arcs lead onward.

    A file may hold a circle: it is cut at the first of its boxes.
    """
    parents: dict[Box, set[Box]] = {box: set() for box in boxes}
    for arc in arcs:
        parents[arc.child].add(arc.parent)
    found: list[list[Box]] = []
    placed: set[Box] = set()
    waiting = list(boxes)
    while waiting:
        ready = [box for box in waiting if parents[box] <= placed] or waiting[:1]
        found.append(ready)
        placed.update(ready)
        waiting = [box for box in waiting if box not in placed]
    return found
