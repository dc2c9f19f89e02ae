"""The geometry of a critical-difference diagram, whoever draws it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Diagram", "Entry", "cliques", "diagram"]


@dataclass(frozen=True)
class Entry:
    """A learner's place: its average rank, the line its label stands on, and on which side."""

    name: str
    rank: float
    line: int
    left: bool


@dataclass(frozen=True)
class Diagram:
    """Entries, bars that join learners which do not differ, and the size of the critical difference."""

    entries: tuple[Entry, ...]
    bars: tuple[tuple[float, float], ...]
    critical_difference: float
    low: int
    high: int


def cliques(ranks: Sequence[float], critical_difference: float) -> list[tuple[float, float]]:
    """Longest runs of sorted ranks that lie within the critical difference, as (first, last) rank.

    >>> cliques([1.0, 1.5, 2.2, 4.0], 1.0)
    [(1.0, 1.5), (1.5, 2.2)]
    """
    ordered = sorted(ranks)
    found: list[tuple[int, int]] = []
    for start in range(len(ordered)):
        end = max(i for i in range(start, len(ordered)) if ordered[i] - ordered[start] < critical_difference)
        if end > start and (not found or end > found[-1][1]):
            found.append((start, end))
    return [(ordered[start], ordered[end]) for start, end in found]


def diagram(
    names: Sequence[str], ranks: Sequence[float], critical_difference: float, narrow: bool = False
) -> Diagram:
    """Best ranks on the left: the better half's labels hang on the left, the rest on the right.

    In a narrow diagram all hang on the left, one below the other.
    """
    ordered = sorted(zip(ranks, names, strict=True))
    half = len(ordered) if narrow else (len(ordered) + 1) // 2
    entries = [
        Entry(name, rank, index if index < half else len(ordered) - 1 - index, index < half)
        for index, (rank, name) in enumerate(ordered)
    ]
    bars = cliques(ranks, critical_difference)
    return Diagram(tuple(entries), tuple(bars), critical_difference, 1, len(ordered))
