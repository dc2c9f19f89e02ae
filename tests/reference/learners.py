"""Structures, one function per registry name, by trying everything.

Each takes a `Table` and its options and returns a `Structure`. `score` is a function of `reference.scores`.
Ties: the smaller set first, then the lowest column index; scores within a relative 1e-9 are tied.
"""

from itertools import combinations

from reference.aode import Aode
from reference.atan import AveragedTan
from reference.chi2 import attribute_and_class, forest
from reference.ekdb import members
from reference.kdb import kdb
from reference.random import Xoshiro
from reference.refine import Problem
from reference.scores import SCORES, edge_weights
from reference.structure import Node, Structure, from_groups, from_parents, from_tree
from reference.table import Table
from reference.trees import ancestors, bfs_order, drop_non_positive, maximum_branching
from reference.wnb import WeightedNaiveBayes
from reference.wrappers import (
    backward_elimination_and_joining,
    forward_selection,
    forward_selection_and_joining,
    tan_by_hill_climbing,
)


def naive_bayes(table: Table) -> Structure:
    """Π*_i = ∅."""
    return from_parents([[] for _ in table.arities])


def tan(table: Table, score=SCORES["ll"], root: int | None = None, forest: bool = False) -> Structure:
    """The tree over all attributes of greatest Σ w_ij, over all roots or the given one; n ≤ 6.

    `forest` drops the arcs with w ≤ 0. Without a class this is the optimal branching of a density.
    """
    return from_tree(best_tree(table, score, root, forest))


def best_tree(table: Table, score, root: int | None = None, forest: bool = False) -> list[int]:
    """The parents of the tree that `tan` returns, −1 at the root."""
    w = edge_weights(table, score)
    tree = maximum_branching(w, root)
    return drop_non_positive(tree, w) if forest else list(tree)


def best_parents(table: Table, child: int, candidates, k: int, score) -> tuple[tuple[int, ...], float]:
    """argmax φ_child(S ∪ {C}) over S ⊆ candidates, |S| ≤ k, and its value.

    The first in the order (size, then the sorted indices) of those within a relative 1e-9 of the best.
    """
    sets = [s for size in range(k + 1) for s in combinations(sorted(candidates), size)]
    values = [score(table, child, [*table.class_parent(), *s]) for s in sets]
    best = max(values)
    first = next(i for i, value in enumerate(values) if value >= best - 1e-9 * max(1.0, abs(best)))
    return sets[first], values[first]


def ckg(table: Table, k: int = 2, score=SCORES["bic"], tree=None) -> Structure:
    """Π*_i = the best ≤ k of the proper ancestors of X_i in the tree R (by default that of `tan`)."""
    tree = best_tree(table, score) if tree is None else tree
    return from_parents(
        best_parents(table, i, ancestors(tree, i), k, score)[0] for i in range(table.n_attributes)
    )


def bckg(table: Table, k: int = 2, score=SCORES["bic"], tree=None, order=None) -> Structure:
    """Π*_i = the best ≤ k of the attributes before X_i in the order (depth in R, column index).

    `order` replaces that order.
    """
    if order is None:
        order = bfs_order(best_tree(table, score) if tree is None else tree)
    before = {i: order[:place] for place, i in enumerate(order)}
    return from_parents(best_parents(table, i, before[i], k, score)[0] for i in range(table.n_attributes))


def network(table: Table, parents=None, order=None, k: int = 2, score=SCORES["bic"]) -> Structure:
    """The given parents, or Π*_i = the best ≤ k of the attributes before X_i in the order."""
    if parents is not None:
        return from_parents(parents)
    return bckg(table, k, score, order=list(range(table.n_attributes)) if order is None else order)


def order_search(
    table: Table, k: int = 2, score=SCORES["bic"], restarts: int = 10, seed: int = 0, start=None
) -> Structure:
    """The best graph of the orders that exchanging neighbours reaches from `start` and from random orders.

    `start` is the order (depth in R, column index) unless given. Every order is solved anew; values within
    1e-9, relative to that of the order that was started from, are tied.
    """

    def value(order) -> float:
        return sum(best_parents(table, i, order[:place], k, score)[1] for place, i in enumerate(order))

    random = Xoshiro(seed)
    orders = [bfs_order(best_tree(table, score)) if start is None else list(start)]
    orders += [random.shuffled(range(table.n_attributes)) for _ in range(restarts)]
    best = None
    for order in orders:
        now = value(order)
        tie = 1e-9 * max(1.0, abs(now))
        while True:
            swapped = [
                [*order[: i - 1], order[i], order[i - 1], *order[i + 1 :]] for i in range(1, len(order))
            ]
            gains = [value(other) - now for other in swapped]
            if max(gains, default=0.0) <= tie:
                break
            order = next(o for o, gain in zip(swapped, gains, strict=True) if gain >= max(gains) - tie)
            now = value(order)
        if best is None or now - best[0] > 1e-9 * max(1.0, abs(best[0])):
            best = (now, order)
    return bckg(table, k, score, order=best[1])


def stan(table: Table, alpha: float = 0.05, min_cell: float = 5.0, select: bool = False) -> Structure:
    """The maximum weighted forest of the attributes over the pairs that are dependent given the class.

    `select` keeps the attributes of `ffss` alone.
    """
    if not select:
        return from_tree(forest(table, None, alpha, min_cell))
    groups = [node.members for node in ffss(table, alpha, min_cell)]
    parents = forest(table, groups, alpha, min_cell) if groups else []
    return [Node(g, groups[p] if p >= 0 else ()) for g, p in zip(groups, parents, strict=True)]


def ffss(table: Table, alpha: float = 0.05, min_cell: float = 5.0) -> Structure:
    """Naive Bayes over the attributes that the test finds dependent on the class."""
    tests = [attribute_and_class(table, i, min_cell) for i in range(table.n_attributes)]
    return from_groups([(i,) for i, test in enumerate(tests) if test.dependent(alpha)])


def fss(table: Table, folds, alpha_laplace: float = 1.0) -> Structure:
    """Naive Bayes over the attributes that forward selection by accuracy finds."""
    return from_groups(forward_selection(table, folds, alpha_laplace).groups)


def bsej(table: Table, folds, alpha_laplace: float = 1.0) -> Structure:
    """The groups that backward elimination and joining by accuracy finds."""
    return from_groups(backward_elimination_and_joining(table, folds, alpha_laplace).groups)


def fssj(table: Table, folds, alpha_laplace: float = 1.0) -> Structure:
    """The groups that forward selection and joining by accuracy finds."""
    return from_groups(forward_selection_and_joining(table, folds, alpha_laplace).groups)


def asb(
    table: Table, folds, alpha: float = 0.05, min_cell: float = 5.0, alpha_laplace: float = 1.0, groups="bsej"
) -> Structure:
    """The groups of `bsej`, or of another selection, joined by the forest of significant pairs of groups.

    An arc S → T makes every attribute of S a parent of the compound variable T.
    """
    if groups == "ffss":
        groups = [node.members for node in ffss(table, alpha, min_cell)]
    elif isinstance(groups, str):
        stage = {"bsej": bsej, "fss": fss, "fssj": fssj}[groups]
        groups = [node.members for node in stage(table, folds, alpha_laplace)]
    parents = forest(table, groups, alpha, min_cell) if groups else []
    return [
        Node(group, groups[parent] if parent >= 0 else ())
        for group, parent in zip(groups, parents, strict=True)
    ]


def tanhc(table: Table, folds, superparent: bool = False, alpha: float = 1.0) -> Structure:
    """The forest of arcs that raise the accuracy, one after the other."""
    return from_tree(tan_by_hill_climbing(table, folds, superparent, alpha).groups)


LEARNERS = {
    "nb": naive_bayes,
    "tan": tan,
    "ckg": ckg,
    "bckg": bckg,
    "order": order_search,
    "network": network,
    "kdb": kdb,
    "stan": stan,
    "ffss": ffss,
    "fss": fss,
    "bsej": bsej,
    "fssj": fssj,
    "asb": asb,
    "tanhc": tanhc,
    "atan": AveragedTan,
    "aode": Aode,
    "wnb": WeightedNaiveBayes,
    "ekdb": members,
    "refined": Problem,
}
