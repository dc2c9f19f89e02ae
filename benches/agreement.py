"""Whether another library found what tanager found, in a word or two."""

from __future__ import annotations

from decimal import ROUND_CEILING, Context

import numpy as np

from data import Table
from peers import TASKS
from timing import Outcome

DIFFERS = "differs"
"""What the words begin with where the results are not those of tanager."""

Arcs = list[tuple[int, int]]


def edge_weights(table: Table) -> np.ndarray:
    """N·I(X_i; X_j | C), by which the trees of all libraries are compared."""
    import tanager

    return tanager.edge_weights(
        tanager.Dataset(table.codes, table.arities, table.classes, table.n_classes), "ll"
    )


def agreement(task: str, ours: Outcome, theirs: Outcome, weights: np.ndarray) -> str:
    """The words for a task; none where its results are not compared, or are tanager's own."""
    if theirs is ours:
        return ""
    if task == TASKS["tan_fit"] and theirs.arcs is not None and ours.arcs is not None:
        return of_trees(ours.arcs, theirs.arcs, weights)
    if task == TASKS["nb_predict"] and theirs.probabilities is not None:
        return of_posteriors(ours.probabilities, theirs.probabilities)
    return ""


def of_trees(ours: Arcs, theirs: Arcs, weights: np.ndarray) -> str:
    """How many of our edges they have; a forest agrees if it weighs as much as the heaviest of our edges."""
    mine, found = ({frozenset(arc) for arc in arcs} for arcs in (ours, theirs))
    if mine == found:
        return "same tree"
    shared = f"{len(mine & found)} of {len(mine)} edges"
    heaviest = sorted((weights[arc] for arc in ours), reverse=True)[: len(theirs)]
    if not np.isclose(sum(heaviest), sum(weights[arc] for arc in theirs), rtol=1e-6):
        return f"{DIFFERS}: {shared}"
    # Edges of equal weight are chosen between by chance.
    return shared if found <= mine else f"same weight, {shared}"


def of_posteriors(ours: np.ndarray, theirs: np.ndarray) -> str:
    """The largest difference, rounded up to a digit."""
    gap = float(np.abs(ours - theirs).max())
    if gap == 0:
        return "equal"
    shown = f"{Context(prec=1, rounding=ROUND_CEILING).create_decimal(gap):e}"
    # pyAgrum rounds to ten digits.
    return f"to {shown}" if gap <= 1e-9 else f"{DIFFERS} by {shown}"
