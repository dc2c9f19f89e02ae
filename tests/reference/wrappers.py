"""Greedy searches by cross-validated accuracy, the model refitted from scratch for every candidate.

`folds[row]` is the fold in which the row is tested; every candidate is measured on the same folds. The
accuracy is the number of rows classified correctly by the model of the other folds, over N. Parameters are
Laplace's with the domains of the whole table.
"""

from typing import NamedTuple

from reference.parameters import fit, laplace
from reference.posterior import predict
from reference.structure import from_groups
from reference.table import Table

Groups = tuple[tuple[int, ...], ...]
"""Disjoint groups of attributes, each sorted, sorted by their first attribute."""


class Step(NamedTuple):
    """An accepted operation: its name, what it was applied to, and the number of correct rows after it."""

    operation: str
    subject: tuple
    correct: int


class Search(NamedTuple):
    """The result of a search, the number of correct rows before the first step, and the steps."""

    groups: Groups
    start: int
    path: list[Step]


def correct_rows(table: Table, groups: Groups, folds, alpha: float = 1.0) -> int:
    """How many rows the semi-naive Bayes over `groups` classifies correctly in cross-validation."""
    correct = 0
    for fold in sorted(set(folds)):
        train = [row for row in range(table.n_rows) if folds[row] != fold]
        model = fit(table.rows(train), from_groups(groups), lambda *family: laplace(*family, alpha=alpha))
        for row in range(table.n_rows):
            if folds[row] == fold:
                correct += predict(model, table.codes[row]) == table.classes[row]
    return correct


def ordered(groups) -> Groups:
    """The groups in canonical order, empty ones left out."""
    return tuple(sorted(tuple(sorted(group)) for group in groups if group))


def greedy(table: Table, start: Groups, candidates, folds, alpha: float) -> Search:
    """Takes the first best of the candidates as long as it is strictly better than what there is."""
    groups, best, path = start, correct_rows(table, start, folds, alpha), []
    first = best
    while True:
        measured = [
            (correct_rows(table, after, folds, alpha), operation, subject, after)
            for operation, subject, after in candidates(groups)
        ]
        step = max(measured, key=lambda candidate: candidate[0], default=None)
        if step is None or step[0] <= best:
            return Search(groups, first, path)
        best, operation, subject, groups = step
        path.append(Step(operation, subject, best))


def forward_selection(table: Table, folds, alpha: float = 1.0) -> Search:
    """FSS: from no attribute, add the attribute that raises the accuracy most."""

    def candidates(groups):
        return additions(table, groups)

    return greedy(table, (), candidates, folds, alpha)


def forward_selection_and_joining(table: Table, folds, alpha: float = 1.0) -> Search:
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

    return greedy(table, (), candidates, folds, alpha)


def additions(table: Table, groups: Groups) -> list:
    """Every unused attribute as a group of its own."""
    used = {i for group in groups for i in group}
    unused = [i for i in range(table.n_attributes) if i not in used]
    return [("add", (i,), ordered([*groups, (i,)])) for i in unused]


def backward_elimination_and_joining(table: Table, folds, alpha: float = 1.0) -> Search:
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

    return greedy(table, tuple((i,) for i in range(table.n_attributes)), candidates, folds, alpha)
