"""Ensembles of selective KDBs: what each member draws, and the structure that follows."""

from itertools import accumulate

from reference.discretise import gain_and_threshold
from reference.kdb import TIE, information, kdb, largest_first
from reference.random import Xoshiro
from reference.structure import Structure
from reference.table import CLASS, MISSING, Table


def drawn(random: Xoshiro, values: list[float]) -> int:
    """A place, in proportion to its value."""
    point = random.uniform() * sum(values)
    return next(place for place, reached in enumerate(accumulate(values)) if reached > point)


def drawn_order(table: Table, random: Xoshiro | None) -> list[int]:
    """The attributes that tell something about the class: sorted by how much, or drawn."""
    value = {i: information(table, i, CLASS) for i in range(table.n_attributes)}
    left = [i for i in value if value[i] > TIE]
    if random is None:
        return largest_first(left, lambda i: value[i], len(left))
    order = []
    while left:
        order.append(left.pop(drawn(random, [value[i] for i in left])))
    return order


def drawn_cuts(codes: list[int], classes: list[int], bins: int, random: Xoshiro) -> list[int]:
    """Behind which of the ordered values 0 … bins − 1 a column is cut."""

    def cuts(start: int, end: int) -> list[int]:
        labels = [c for x, c in zip(codes, classes, strict=True) if start <= x < end]
        margins = []
        for t in range(start, end - 1):
            left = [c for x, c in zip(codes, classes, strict=True) if start <= x <= t]
            right = [c for x, c in zip(codes, classes, strict=True) if t < x < end]
            if left and right:
                gain, threshold = gain_and_threshold(labels, left, right)
                margins.append(max(0.0, gain - threshold))
            else:
                margins.append(0.0)
        if not any(margins):
            return []
        cut = start + drawn(random, margins)
        return [cut, *cuts(start, cut + 1), *cuts(cut + 1, end)]

    return sorted(cuts(0, bins))


def members(
    table: Table, n: int, k: int, seed: int, ladders: dict[int, list[int]], selective: bool = True
) -> list[tuple[dict[int, list[int]], Structure]]:
    """For each member the cuts of the columns of `ladders`, and its structure.

    `ladders` has the first member's cuts of each column whose values are ordered.
    """
    seeds, found = Xoshiro(seed), []
    for place in range(n):
        own = seeds.word()
        random = Xoshiro(own) if place else None
        cuts = {
            i: drawn_cuts([row[i] for row in table.codes], table.classes, table.arities[i], random)
            if random
            else given
            for i, given in sorted(ladders.items())
        }
        coarse = coarser(table, cuts)
        order = drawn_order(coarse, random)
        found.append((cuts, kdb(coarse, k, selective, order=order)))
    return found


def coarser(table: Table, cuts: dict[int, list[int]]) -> Table:
    """The table with intervals instead of values."""

    def code(i: int, x: int) -> int:
        return x if i not in cuts or x == MISSING else sum(t < x for t in cuts[i])

    codes = [[code(i, x) for i, x in enumerate(row)] for row in table.codes]
    arities = [len(cuts[i]) + 1 if i in cuts else arity for i, arity in enumerate(table.arities)]
    return table._replace(codes=codes, arities=arities)
