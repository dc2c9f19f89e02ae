"""Where boxes stand: columns by depth, from left to right, wrapped like text into bands of a given width.

An arc to the next column is a curve across the gap between them. Every other arc keeps to the streets: up or
down the gap beside its parent, along the corridor between two bands, and down the gap before its child. No
box stands in a gap or a corridor, so no arc runs through a box. The arcs of one parent share their lanes.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tanager.drawing.boxes import HEIGHT, Arc, Box, boxes_and_arcs, layers, new_box
from tanager.drawing.routes import Route, Streets
from tanager.exceptions import DataError

__all__ = ["Drawing", "draw"]

_PAD, _ROW, _GAP, _WIDEST_GAP, _MARGIN = 12.0, 30.0, 52.0, 96.0, 26.0
_MOST_ROWS, _WIDEST_BOX, _LEAST_WIDTH = 14, 240.0, 240.0
_BETWEEN, _LANE = 18.0, 5.0


@dataclass(frozen=True)
class Drawing:
    """A network laid out: boxes, the way of every arc, and the class above them where there is one."""

    width: float
    height: float
    boxes: list[Box]
    routes: list[Route]
    root: Box | None
    note: str
    note_at: tuple[float, float]


def draw(
    network: Mapping[str, Any],
    class_name: str | None = "class",
    *,
    width: float = 960.0,
    focus: str | None = None,
) -> Drawing:
    """Lay a network out within a width, or of it one attribute with its parents and children.

    Parameters:
        network: "nodes", "edges" (parent, child), and where there are such "groups" of joined attributes and
            "strengths" of the edges, which are nats unless "strength" says "probability".
        class_name: what the class is called; None for a network without one.
        width: the widest that the drawing may be, in pixels.
        focus: the attribute to show alone with its neighbours.

    >>> drawing = draw({"nodes": ["a", "b", "c"], "edges": [["a", "b"]]}, width=300)
    >>> [(box.label, box.column) for box in drawing.boxes]
    [('a', 0), ('b', 1), ('c', 0)]
    """
    if not width >= _LEAST_WIDTH:
        raise DataError(f"a drawing needs a width of at least {_LEAST_WIDTH:.0f} pixels, not {width!r}")
    widest = min(_WIDEST_BOX, width - 2.0 * (_PAD + _MARGIN + _GAP))
    boxes, arcs = boxes_and_arcs(network, widest, focus)
    linked = {box for arc in arcs for box in (arc.parent, arc.child)}
    columns = _columns([box for box in boxes if box in linked], arcs)
    bands = _bands(columns, width)
    _order(columns, arcs)
    root = None if class_name is None else new_box((class_name,), widest)
    top = _PAD
    note = ""
    if root is not None:
        root.x, root.y, note = _PAD, _PAD, "is a parent of every attribute"
        top += HEIGHT + 8.0
    note_at = (0.0 if root is None else root.right + 8.0, _PAD + HEIGHT / 2.0)
    streets = Streets(bands, arcs)
    used = [note_at[0] + 6.2 * len(note)]
    for number, band in enumerate(bands):
        used.append(_stand(band, width, streets, number))
        top += _BETWEEN + _LANE * streets.lanes_above(number)
        streets.corridors.append(top)
        top = _settle(band, arcs, top)
    if bands:
        top += _BETWEEN + _LANE * streets.lanes_above(len(bands))
        streets.corridors.append(top)
    right, top = _singles([box for box in boxes if box not in linked], width, top)
    drawn = min(width, max(*used, right) + _PAD)
    return Drawing(drawn, top + _PAD, boxes, streets.routes(_LANE), root, note, note_at)


def _columns(boxes: list[Box], arcs: list[Arc]) -> list[list[Box]]:
    """A column for each depth; of a depth with too many boxes for one, several."""
    found = []
    for layer in layers(boxes, arcs):
        parts = -(-len(layer) // _MOST_ROWS)
        ends = [len(layer) * part // parts for part in range(parts + 1)]
        found += [layer[start:end] for start, end in itertools.pairwise(ends)]
    return found


def _bands(columns: list[list[Box]], width: float) -> list[list[list[Box]]]:
    """As many columns to a band as the width holds, each with a gap to its left, and one at the end."""
    bands: list[list[list[Box]]] = []
    room = 0.0
    for column in columns:
        wide = max(box.width for box in column) + _GAP
        if not bands or wide > room:
            bands.append([])
            room = width - 2.0 * _PAD - _MARGIN - _GAP
        bands[-1].append(column)
        room -= wide
        for box in column:
            box.band, box.column = len(bands) - 1, len(bands[-1]) - 1
    return bands


def _order(columns: list[list[Box]], arcs: list[Arc]) -> None:
    """Boxes near their parents, then near their children: the mean of ranks, a few times to and fro."""
    parents: dict[Box, list[Box]] = {}
    children: dict[Box, list[Box]] = {}
    for arc in arcs:
        parents.setdefault(arc.child, []).append(arc.parent)
        children.setdefault(arc.parent, []).append(arc.child)
    rank = {box: place / len(column) for column in columns for place, box in enumerate(column)}
    for sweep in range(5):
        near = children if sweep % 2 else parents
        for column in columns[::-1] if sweep % 2 else columns:
            wish = {box: _mean([rank[other] for other in near.get(box, [box])]) for box in column}
            column.sort(key=lambda box: wish[box])
            rank |= {box: place / len(column) for place, box in enumerate(column)}


def _stand(band: list[list[Box]], width: float, streets: Streets, number: int) -> float:
    """Give the columns of a band their x, with wider gaps where there is room and many lanes."""
    wide = [max(box.width for box in column) for column in band]
    lanes = [streets.lanes_before(number, place) for place in range(len(band) + 1)]
    gaps = [_GAP] * (len(band) + 1)
    spare = width - 2.0 * _PAD - _MARGIN - sum(wide) - sum(gaps)
    wanted = [min(_WIDEST_GAP, 26.0 + _LANE * count) - _GAP for count in lanes]
    wanted = [max(0.0, more) for more in wanted]
    share = min(1.0, max(0.0, spare) / (sum(wanted) or 1.0))
    gaps = [gap + share * more for gap, more in zip(gaps, wanted, strict=True)]
    x = _PAD + (_MARGIN if streets.margin else 0.0)
    if not any(streets.lanes_before(other, 0) for other in range(len(streets.bands))):
        gaps[0] = 0.0  # for all bands or none, so that they begin below each other
    for place, column in enumerate(band):
        streets.gaps[number, place] = (x, x + gaps[place])
        x += gaps[place]
        for box in column:
            box.x = x
        x += wide[place]
    streets.gaps[number, len(band)] = (x, x + gaps[-1])
    return x + (gaps[-1] if lanes[-1] else 0.0)


def _settle(band: list[list[Box]], arcs: list[Arc], top: float) -> float:
    """Give the boxes of a band their y, as near to their neighbours as the order allows; returns the end."""
    of = {box for column in band for box in column}
    near: dict[Box, dict[int, list[Box]]] = {box: {-1: [], 1: []} for box in of}
    for arc in arcs:
        if arc.parent in of and arc.child in of and arc.child.column - arc.parent.column == 1:
            near[arc.child][-1].append(arc.parent)
            near[arc.parent][1].append(arc.child)
    tallest = max(map(len, band))
    for column in band:
        for place, box in enumerate(column):
            box.y = _ROW * (place + (tallest - len(column)) / 2.0)
    for side in (-1, 1, -1, 1, -1):
        for column in band if side < 0 else band[::-1]:
            wish = [_mean([other.y for other in near[box][side] or [box]]) for box in column]
            for box, y in zip(column, _apart(wish), strict=True):
                box.y = y
    least = min(box.y for box in of)
    for box in of:
        box.y += top - least
    return max(box.y for box in of) + HEIGHT


def _apart(wish: list[float]) -> list[float]:
    """The heights nearest to those wished for, by least squares, that are a row apart (pooled neighbours)."""
    pools: list[tuple[float, int]] = []
    for place, y in enumerate(wish):
        pools.append((y - _ROW * place, 1))
        while len(pools) > 1 and pools[-2][0] >= pools[-1][0]:
            (a, n), (b, m) = pools[-2:]
            pools[-2:] = [((a * n + b * m) / (n + m), n + m)]
    level = [y for y, count in pools for _ in range(count)]
    return [y + _ROW * place for place, y in enumerate(level)]


def _singles(boxes: list[Box], width: float, top: float) -> tuple[float, float]:
    """Boxes without arcs, row after row below the others; returns the right and the lower end."""
    if not boxes:
        return 0.0, top
    wide = max(box.width for box in boxes) + 8.0
    across = max(1, int((width - 2.0 * _PAD + 8.0) // wide))
    for place, box in enumerate(boxes):
        box.band, box.column = -1, place % across
        box.x, box.y = _PAD + wide * (place % across), top + 6.0 + _ROW * (place // across)
    return max(box.right for box in boxes), boxes[-1].y + HEIGHT


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
