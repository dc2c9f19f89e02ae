"""Greedy searches by cross-validated accuracy, the model refitted from scratch for every candidate.

`folds[row]` is the fold in which the row is tested; every candidate is measured on the same folds. The
accuracy is the number of rows classified correctly by the model of the other folds, over N. A rise below
`epsilon`, a share of N, does not count. Parameters are Laplace's with the domains of the whole table.
"""

from typing import NamedTuple

from reference.parameters import fit, laplace
from reference.posterior import predict
from reference.structure import Structure, from_groups, from_tree
from reference.table import Table

Groups = tuple[tuple[int, ...], ...]
"""Disjoint groups of attributes, each sorted, sorted by their first attribute."""


class Step(NamedTuple):
    """An accepted operation: its name, what it was applied to, and the number of correct rows after it."""

    operation: str
    subject: tuple
    correct: int


class Search(NamedTuple):
    """What was found (groups, or the parent of each attribute), the correct rows at the start, the steps."""

    groups: tuple
    start: int
    path: list[Step]


def correct_rows(table: Table, structure: Structure, folds, alpha: float = 1.0) -> int:
    """How many rows a structure, fitted anew for each fold, classifies correctly in cross-validation."""
    correct = 0
    for fold in sorted(set(folds)):
        train = [row for row in range(table.n_rows) if folds[row] != fold]
        model = fit(table.rows(train), structure, lambda *family: laplace(*family, alpha=alpha))
        for row in range(table.n_rows):
            if folds[row] == fold:
                correct += predict(model, table.codes[row]) == table.classes[row]
    return correct


def ordered(groups) -> Groups:
    """The groups in canonical order, empty ones left out."""
    return tuple(sorted(tuple(sorted(group)) for group in groups if group))


def greedy(
    table: Table, start: tuple, candidates, folds, alpha: float, epsilon: float = 0.0, structure=from_groups
) -> Search:
    """Takes the first best of the candidates as long as it is strictly better than what there is."""
    groups, best, path = start, correct_rows(table, structure(start), folds, alpha), []
    first = best
    while True:
        measured = [
            (correct_rows(table, structure(after), folds, alpha), operation, subject, after)
            for operation, subject, after in candidates(groups)
        ]
        step = max(measured, key=lambda candidate: candidate[0], default=None)
        if step is None or step[0] <= best or step[0] - best < epsilon * table.n_rows * (1 - 1e-12):
            return Search(groups, first, path)
        best, operation, subject, groups = step
        path.append(Step(operation, subject, best))


def forward_selection(table: Table, folds, alpha: float = 1.0, epsilon: float = 0.0) -> Search:
    """FSS: from no attribute, add the attribute that raises the accuracy most."""

    def candidates(groups):
        return additions(table, groups)

    return greedy(table, (), candidates, folds, alpha, epsilon)


def forward_selection_and_joining(table: Table, folds, alpha: float = 1.0, epsilon: float = 0.0) -> Search:
    """FSSJ: from no attribute, add an attribute as a group of its own, or join it to a group.

    Ties: addition before joining, then the lowest attribute, then the lowest group.
    """

    def candidates(groups):
        used = {i for group in groups for i in group}
        joins = [
            ("join", (i, group), ordered([*(g for g in groups if g != group), (*group, i)]))
            for i in range(table.n_attributes)
            if i not in used
            for group in groups
        ]
        return additions(table, groups) + joins

    return greedy(table, (), candidates, folds, alpha, epsilon)


def additions(table: Table, groups: Groups) -> list:
    """Every unused attribute as a group of its own."""
    used = {i for group in groups for i in group}
    unused = [i for i in range(table.n_attributes) if i not in used]
    return [("add", (i,), ordered([*groups, (i,)])) for i in unused]


def backward_elimination_and_joining(table: Table, folds, alpha: float = 1.0, epsilon: float = 0.0) -> Search:
    """BSEJ: from naive Bayes, delete an attribute (the rest of its group stays) or merge two groups.

    Ties: deletion before merging, then the lowest attribute or the lowest pair of groups.
    """

    def candidates(groups):
        deletions = [
            ("delete", (i,), ordered(tuple(j for j in group if j != i) for group in groups))
            for i in sorted(i for group in groups for i in group)
        ]
        merges = [
            ("merge", (left, right), ordered([*(g for g in groups if g not in (left, right)), left + right]))
            for place, left in enumerate(groups)
            for right in groups[place + 1 :]
        ]
        return deletions + merges

    return greedy(table, tuple((i,) for i in range(table.n_attributes)), candidates, folds, alpha, epsilon)


def tan_by_hill_climbing(
    table: Table, folds, superparent: bool = False, alpha: float = 1.0, epsilon: float = 0.0
) -> Search:
    """TAN-HC: from naive Bayes, add the arc that raises the accuracy most, as long as there is a forest.

    With `superparent` the parent of a round is the one that does best with all its possible children at once.
    Ties: the lowest parent, then the lowest child.
    """

    def possible(tree) -> list[tuple[int, list[int]]]:
        orphans = [child for child, parent in enumerate(tree) if parent < 0]
        return [(i, [j for j in orphans if j != root(tree, i)]) for i in range(len(tree))]

    def with_arcs(tree, parent, children) -> tuple[int, ...]:
        return tuple(parent if child in children else old for child, old in enumerate(tree))

    def candidates(tree):
        arcs = [(parent, children) for parent, children in possible(tree) if children]
        if superparent and arcs:
            together = [correct_rows(table, from_tree(with_arcs(tree, *arc)), folds, alpha) for arc in arcs]
            arcs = [arcs[together.index(max(together))]]
        return [
            ("arc", (parent, child), with_arcs(tree, parent, [child]))
            for parent, children in arcs
            for child in children
        ]

    start = (-1,) * table.n_attributes
    return greedy(table, start, candidates, folds, alpha, epsilon, structure=from_tree)


def root(tree, node: int) -> int:
    """The attribute above all others in a node's tree."""
    return node if tree[node] < 0 else root(tree, tree[node])
