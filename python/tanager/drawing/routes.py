"""The ways of arcs between the boxes: curves across one gap, and lanes through gaps and corridors."""

from __future__ import annotations

from dataclasses import dataclass, field

from tanager.drawing.boxes import Arc, Box

__all__ = ["HEAD", "Route", "Streets"]

Point = tuple[float, float]
Step = tuple[str, tuple[Point, ...]]
HEAD = 7.0  # the length of an arrowhead
_ROUND = 5.0


@dataclass(frozen=True)
class Route:
    """The way of an arc: steps M, L, Q and C as in SVG, up to the arrowhead's foot, and the head's tip."""

    arc: Arc
    steps: tuple[Step, ...]
    tip: Point

    @property
    def head(self) -> tuple[Point, Point, Point]:
        """The corners of the arrowhead, which always points to the right."""
        x, y = self.tip
        return (x - HEAD, y - HEAD / 2.0), (x, y), (x - HEAD, y + HEAD / 2.0)


@dataclass
class Streets:
    """Gaps before each column (and after the last) and corridors above each band (and below the last)."""

    bands: list[list[list[Box]]]
    arcs: list[Arc]
    gaps: dict[tuple[int, int], tuple[float, float]] = field(default_factory=dict)
    corridors: list[float] = field(default_factory=list)
    margin: list[Box] = field(init=False)
    _in_gap: dict[tuple[int, int], list[Box]] = field(init=False, default_factory=dict)
    _in_corridor: dict[int, list[Box]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.margin = []
        for arc in self.arcs:
            if _next(arc):
                continue
            out, into = self._corridors(arc)
            for gap in ((arc.parent.band, arc.parent.column + 1), (arc.child.band, arc.child.column)):
                _add(self._in_gap.setdefault(gap, []), arc.parent)
            for corridor in (out, into):
                _add(self._in_corridor.setdefault(corridor, []), arc.parent)
            if out != into:
                _add(self.margin, arc.parent)

    def lanes_above(self, band: int) -> int:
        """How many lanes the corridor above a band has."""
        return len(self._in_corridor.get(band, []))

    def lanes_before(self, band: int, column: int) -> int:
        """How many lanes the gap before a column has."""
        return len(self._in_gap.get((band, column), []))

    def routes(self, lane: float) -> list[Route]:
        """The way of every arc, once all boxes stand; `lane` is the height of a corridor's lane."""
        return [
            _curve(arc, self.gaps[arc.child.band, arc.child.column][0])
            if _next(arc)
            else self._way(arc, lane)
            for arc in self.arcs
        ]

    def _corridors(self, arc: Arc) -> tuple[int, int]:
        """The corridors by which an arc leaves its parent's band and enters its child's.

        Within a band, that is the one below for all arcs of a parent, so that they share a lane.
        """
        a, b = arc.parent.band, arc.child.band
        return a + 1, a + 1 if a == b else b

    def _way(self, arc: Arc, lane: float) -> Route:
        a, b = arc.parent, arc.child
        out, into = self._corridors(arc)
        first, last = self._gap_lane(a, a.band, a.column + 1), self._gap_lane(a, b.band, b.column)
        high, low = self._corridor_lane(a, out, lane), self._corridor_lane(a, into, lane)
        corners = [(a.right, a.middle), (first, a.middle), (first, high)]
        if out != into:
            side = 12.0 + 22.0 * (self.margin.index(a) + 1) / (len(self.margin) + 1)
            corners += [(side, high), (side, low)]
        corners += [(last, low), (last, b.middle), (b.x - HEAD, b.middle)]
        return Route(arc, _rounded(corners), (b.x, b.middle))

    def _gap_lane(self, source: Box, band: int, column: int) -> float:
        lanes = self._in_gap[band, column]
        left, right = self.gaps[band, column]
        left, right = left + 4.0, right - HEAD - 5.0
        return left + (right - left) * (lanes.index(source) + 1) / (len(lanes) + 1)

    def _corridor_lane(self, source: Box, corridor: int, lane: float) -> float:
        place = self._in_corridor[corridor].index(source)
        return self.corridors[corridor] - 9.0 - lane * place


def _add(lanes: list[Box], source: Box) -> None:
    if source not in lanes:
        lanes.append(source)


def _next(arc: Arc) -> bool:
    return arc.parent.band == arc.child.band and arc.child.column == arc.parent.column + 1


def _curve(arc: Arc, start: float) -> Route:
    """Level past wider boxes of the column to where the gap starts, then across it, level at its end."""
    a, b = arc.parent, arc.child
    end = b.x - HEAD
    half = (start + end) / 2.0
    steps: tuple[Step, ...] = (
        ("M", ((a.right, a.middle),)),
        ("L", ((start, a.middle),)),
        ("C", ((half, a.middle), (half, b.middle), (end, b.middle))),
    )
    return Route(arc, steps, (b.x, b.middle))


def _rounded(corners: list[Point]) -> tuple[Step, ...]:
    """A line through the corners, rounded at each of them."""
    kept = [corners[0]]
    for point in corners[1:]:
        if point != kept[-1]:
            kept.append(point)
    steps: list[Step] = [("M", (kept[0],))]
    for before, at, after in zip(kept, kept[1:], kept[2:], strict=False):
        steps += [("L", (_toward(at, before),)), ("Q", (at, _toward(at, after)))]
    return (*steps, ("L", (kept[-1],)))


def _toward(at: Point, other: Point) -> Point:
    """A point near a corner on the way to the next one."""
    long = abs(other[0] - at[0]) + abs(other[1] - at[1])
    share = min(_ROUND / long, 0.5)
    return at[0] + share * (other[0] - at[0]), at[1] + share * (other[1] - at[1])
