"""How often a random window scores at least so much: every window, one after the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product


def windows(
    nodes: Sequence[tuple[int, Sequence[int]]],
    theta: Sequence[object],
    background: Sequence[float],
    letters: Sequence[float],
) -> list[tuple[float, float]]:
    """(score, probability) of every window.

    A node is (position, its parents); theta[position] is nested by the letters of the parents and the letter.
    """
    found = []
    for window in product(range(4), repeat=len(nodes)):
        score, probability = 0.0, 1.0
        for position, parents in nodes:
            row = theta[position]
            for parent in parents:
                row = row[window[parent]]
            chance = row[window[position]]
            score += math.log(chance) if chance > 0 else -math.inf
            score -= math.log(background[window[position]])
            probability *= letters[window[position]]
        found.append((score, probability))
    return found


def p_value(found: Sequence[tuple[float, float]], score: float) -> float:
    """The probability of all windows that score at least `score`."""
    return math.fsum(probability for other, probability in found if other >= score)


def marginal(
    nodes: Sequence[tuple[int, Sequence[int]]], theta: Sequence[object], position: int
) -> list[float]:
    """P(letter) at a position: the sum over all windows of the motif's own probabilities."""
    sums = [0.0] * 4
    for window in product(range(4), repeat=len(nodes)):
        probability = 1.0
        for place, parents in nodes:
            row = theta[place]
            for parent in parents:
                row = row[window[parent]]
            probability *= row[window[place]]
        sums[window[position]] += probability
    return sums
