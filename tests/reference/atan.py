"""The average over all trees, tree by tree.

Every tree hangs from its first attribute. Its parameters are Dirichlet with λ/(s r_u r_v) pseudo-counts in
each cell of a pair's table, so its marginal likelihood is a product of ratios of Gamma functions and its
prediction a product of smoothed frequencies; the trees are averaged by their marginal likelihoods.
"""

from itertools import product
from math import exp, lgamma, log
from typing import Any

from reference.counts import class_counts, family_counts
from reference.table import CLASS, MISSING, Table
from reference.trees import all_trees


def equivalent_sample_size(table: Table) -> float:
    """λ = max(8, the cells of the largest table of a pair and the class)."""
    n, s = table.n_attributes, table.n_classes
    cells = [s * table.arities[u] * table.arities[v] for v in range(n) for u in range(v)]
    return float(max([8, *cells]))


class AveragedTan:
    """All trees of some attributes (all of them unless given), each with its probability."""

    def __init__(self, table: Table, attributes: tuple[int, ...] | None = None) -> None:
        self.table = table
        self.ess = equivalent_sample_size(table)
        self.counted: dict[tuple[int, int | None], Any] = {}
        self.attributes = tuple(range(table.n_attributes)) if attributes is None else attributes
        n = len(self.attributes)
        self.trees = [tree for tree in all_trees(n) if tree[0] < 0] if n else [()]
        likelihoods = [sum(self._log_likelihood(*arc) for arc in self._arcs(tree)) for tree in self.trees]
        best = max(likelihoods)
        shares = [exp(likelihood - best) for likelihood in likelihoods]
        self.posterior = [share / sum(shares) for share in shares]

    def _arcs(self, tree) -> list[tuple[int, int | None]]:
        """(child, parent) by column; the root has none."""
        return [
            (self.attributes[child], None if parent < 0 else self.attributes[parent])
            for child, parent in enumerate(tree)
        ]

    def _counts(self, child: int, parent: int | None):
        """Counts [class and parent, child] and the pseudo-count of a cell."""
        if (child, parent) not in self.counted:
            parents = [CLASS] if parent is None else [CLASS, parent]
            self.counted[child, parent] = family_counts(self.table, child, parents)
        counts = self.counted[child, parent]
        return counts, self.ess / counts.size

    def _log_likelihood(self, child: int, parent: int | None) -> float:
        counts, pseudo = self._counts(child, parent)
        total = 0.0
        for row in counts:
            of_row = pseudo * len(row)
            total += lgamma(of_row) - lgamma(of_row + row.sum())
            total += sum(lgamma(pseudo + count) - lgamma(pseudo) for count in row)
        return total

    def _theta(self, child: int, parent: int | None, values, c: int) -> float:
        counts, pseudo = self._counts(child, parent)
        at = c if parent is None else c * self.table.arities[parent] + values[parent]
        row = counts[at]
        return (row[values[child]] + pseudo) / (row.sum() + pseudo * len(row))

    def joint(self, values) -> list[float]:
        """P(c, x) of each class; `values` by column, all of the attributes known."""
        s = self.table.n_classes
        prior = [
            (count + self.ess / s) / (self.table.total() + self.ess) for count in class_counts(self.table)
        ]
        found = []
        for c in range(s):
            average = 0.0
            for tree, share in zip(self.trees, self.posterior, strict=True):
                p = prior[c]
                for child, parent in self._arcs(tree):
                    p *= self._theta(child, parent, values, c)
                average += share * p
            found.append(average)
        return found

    def edge_probability(self, u: int, v: int) -> float:
        """The share of the trees in which two attributes are linked."""
        return sum(
            share
            for tree, share in zip(self.trees, self.posterior, strict=True)
            if (u, v) in self._arcs(tree) or (v, u) in self._arcs(tree)
        )


def log_joint(table: Table, row, exact: bool = True) -> list[float]:
    """ln P(c, x) of a row with gaps: summed over all their values, or by the attributes that the row has."""
    absent = [i for i, value in enumerate(row) if value == MISSING]
    if not exact:
        kept = tuple(i for i in range(len(row)) if i not in absent)
        return [log(p) for p in AveragedTan(table, kept).joint(row)]
    model, sums = AveragedTan(table), [0.0] * table.n_classes
    for values in product(*(range(table.arities[i]) for i in absent)):
        filled = list(row)
        for i, value in zip(absent, values, strict=True):
            filled[i] = value
        sums = [a + b for a, b in zip(sums, model.joint(filled), strict=True)]
    return [log(p) for p in sums]
