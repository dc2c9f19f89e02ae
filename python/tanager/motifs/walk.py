"""A walk over the positions of a motif, parents first, that keeps as few of them in mind as it can."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Step", "marginals", "walk"]


@dataclass(frozen=True)
class Step:
    """One position: the positions kept in mind before it and after it, and those it depends on."""

    position: int
    parents: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]


def walk(nodes: Sequence[tuple[Sequence[int], Sequence[int]]]) -> list[Step]:
    """Positions, parents first; of those that are ready, the one after which the fewest are kept in mind.

    >>> [(step.position, step.after) for step in walk([((0,), ()), ((1,), (0,)), ((2,), (0,))])]
    [(0, (0,)), (1, (0,)), (2, ())]
    """
    parents = {int(members[0]): tuple(int(p) for p in given) for members, given in nodes}
    children: dict[int, set[int]] = {position: set() for position in parents}
    for position, given in parents.items():
        for parent in given:
            children[parent].add(position)
    done: set[int] = set()
    kept: tuple[int, ...] = ()
    steps = []

    def kept_after(position: int) -> tuple[int, ...]:
        now = done | {position}
        return tuple(other for other in sorted({*kept, position}) if not children[other] <= now)

    while len(done) < len(parents):
        ready = [p for p in parents if p not in done and done.issuperset(parents[p])]
        position = min(ready, key=lambda p: (len(kept_after(p)), p))
        after = kept_after(position)
        steps.append(Step(position, parents[position], kept, after))
        done.add(position)
        kept = after
    return steps


def marginals(
    nodes: Sequence[tuple[Sequence[int], Sequence[int]]], tables: Sequence[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """P(letter) at every position, whatever the others are: one row per position.

    `tables` are ln θ by parents and letter.
    """
    found = np.zeros((len(tables), 4))
    mass: NDArray[np.float64] = np.ones(())
    for step in walk(nodes):
        made = np.zeros((4,) * len(step.after))
        theta = np.exp(tables[step.position])
        for letters in np.ndindex((4,) * len(step.before)):
            at = dict(zip(step.before, letters, strict=True))
            share = float(mass[letters]) * theta[tuple(at[parent] for parent in step.parents)]
            found[step.position] += share
            for letter in range(4):
                now = {**at, step.position: letter}
                made[tuple(now[position] for position in step.after)] += share[letter]
        mass = made
    return found
