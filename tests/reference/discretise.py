"""Fayyad and Irani's discretisation: cut where the description gets shorter."""

from collections import Counter
from itertools import pairwise
from math import log2


def entropy(labels) -> float:
    """Ent(S) = −Σ_c p_c log2 p_c, in bits."""
    return -sum(n / len(labels) * log2(n / len(labels)) for n in Counter(labels).values())


def gain_and_threshold(labels, left, right) -> tuple[float, float]:
    """What a cut of S into S1 and S2 gains, and what it has to gain more than.

        Gain = Ent(S) − |S1|/|S| Ent(S1) − |S2|/|S| Ent(S2)
        threshold = [ log2(|S| − 1) + log2(3^κ − 2) − (κ Ent(S) − κ1 Ent(S1) − κ2 Ent(S2)) ] / |S|

    κ, κ1, κ2 are the numbers of classes present in S, S1, S2.
    """
    size = len(labels)
    gain = entropy(labels) - len(left) / size * entropy(left) - len(right) / size * entropy(right)
    kinds, left_kinds, right_kinds = len(set(labels)), len(set(left)), len(set(right))
    delta = log2(3**kinds - 2) - (
        kinds * entropy(labels) - left_kinds * entropy(left) - right_kinds * entropy(right)
    )
    return gain, (log2(size - 1) + delta) / size


def same_mix(left, right) -> bool:
    """Whether two lists of labels hold the classes in the same proportions."""
    a, b = Counter(left), Counter(right)
    return all(a[c] * len(right) == b[c] * len(left) for c in {*a, *b})


def candidates(pairs) -> list[tuple[float, float]]:
    """The neighbouring distinct values whose class mix differs, ascending."""
    values = sorted({x for x, _ in pairs})
    labels = {value: [y for x, y in pairs if x == value] for value in values}
    return [(low, high) for low, high in pairwise(values) if not same_mix(labels[low], labels[high])]


def mdl_cut_points(x, y) -> list[float]:
    """The accepted cuts, ascending. The best cut is the first of those within 1e-12 of the greatest gain."""
    pairs = list(zip(x, y, strict=True))
    labels = [label for _, label in pairs]
    best = None
    for low, high in candidates(pairs):
        left = [label for value, label in pairs if value <= low]
        right = [label for value, label in pairs if value >= high]
        gain, threshold = gain_and_threshold(labels, left, right)
        if best is None or gain > best[0] + 1e-12:
            best = gain, threshold, low, high
    if best is None or not best[0] > best[1]:
        return []
    _, _, low, high = best
    left = [pair for pair in pairs if pair[0] <= low]
    right = [pair for pair in pairs if pair[0] >= high]
    return [
        *mdl_cut_points(*zip(*left, strict=True)),
        low + (high - low) / 2,
        *mdl_cut_points(*zip(*right, strict=True)),
    ]
