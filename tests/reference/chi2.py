"""G tests of independence, their reliability, and the forest of the pairs that pass."""

from math import log, prod
from typing import NamedTuple

from scipy.stats import chi2

from reference.counts import family_counts
from reference.table import CLASS, Table
from reference.trees import direct_away, kruskal


class Test(NamedTuple):
    """A test's statistic G, its degrees of freedom, its p-value, and whether it can be relied on."""

    statistic: float
    degrees: int
    p_value: float
    reliable: bool

    def dependent(self, alpha: float) -> bool:
        """p ≤ α; an unreliable test means independence."""
        return self.reliable and self.p_value <= alpha


def p_value(statistic: float, degrees: int) -> float:
    """P(χ²_df ≥ G); 1 without degrees of freedom."""
    return float(chi2.sf(statistic, degrees)) if degrees > 0 else 1.0


def conditional_mutual_information(table: Table, left: tuple, right: tuple) -> float:
    """I(X_S; X_T | C) = Σ_cst (N_cst/N) ln( N_cst N_c / (N_cs N_ct) ) for two groups of attributes.

    Without a class it is I(X_S; X_T).
    """
    r_left = prod(table.arities[i] for i in left)
    counts = family_counts(table, tuple(right), [*table.class_parent(), *left]).reshape(
        -1, r_left, _size(table, right)
    )
    total, information = counts.sum(), 0.0
    for of_class in counts:
        rows, columns, n_c = of_class.sum(axis=1), of_class.sum(axis=0), of_class.sum()
        for s in range(of_class.shape[0]):
            for t in range(of_class.shape[1]):
                n = of_class[s, t]
                if n > 0:
                    information += n / total * log(n * n_c / (rows[s] * columns[t]))
    return information


def _size(table: Table, group: tuple) -> int:
    return prod(table.arities[i] for i in group)


def groups_given_class(table: Table, left: tuple, right: tuple, min_cell: float = 5.0) -> Test:
    """X_S ⟂ X_T | C: G = 2N·I(X_S; X_T | C), df = (r_S−1)(r_T−1)s, reliable iff N/(r_S r_T s) ≥ min_cell."""
    s = table.n_classes if table.classes is not None else 1
    r_left, r_right = _size(table, left), _size(table, right)
    statistic = 2 * table.total() * conditional_mutual_information(table, left, right)
    degrees = (r_left - 1) * (r_right - 1) * s
    reliable = table.total() / (r_left * r_right * s) >= min_cell
    return Test(statistic, degrees, p_value(statistic, degrees), reliable)


def attribute_and_class(table: Table, attribute: int, min_cell: float = 5.0) -> Test:
    """X_i ⟂ C: G = 2N·I(X_i; C), df = (r_i−1)(s−1), reliable iff N/(r_i s) ≥ min_cell."""
    counts = family_counts(table, attribute, [CLASS])
    total, rows, columns = counts.sum(), counts.sum(axis=1), counts.sum(axis=0)
    statistic = 2 * sum(
        counts[c, k] * log(counts[c, k] * total / (rows[c] * columns[k]))
        for c in range(counts.shape[0])
        for k in range(counts.shape[1])
        if counts[c, k] > 0
    )
    degrees = (counts.shape[1] - 1) * (counts.shape[0] - 1)
    return Test(statistic, degrees, p_value(statistic, degrees), total / counts.size >= min_cell)


def forest(table: Table, groups=None, alpha: float = 0.05, min_cell: float = 5.0) -> list[int]:
    """The parent group of each group, −1 at roots: the maximum weighted forest over the pairs that pass.

    The weight of a pair is I(X_S; X_T | C); every tree is rooted at its lowest group.
    """
    groups = [(i,) for i in range(table.n_attributes)] if groups is None else groups
    edges = []
    for j in range(len(groups)):
        for i in range(j):
            if groups_given_class(table, groups[i], groups[j], min_cell).dependent(alpha):
                edges.append((conditional_mutual_information(table, groups[i], groups[j]), i, j))
    return direct_away(len(groups), kruskal(len(groups), edges))
