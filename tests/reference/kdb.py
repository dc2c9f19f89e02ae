"""k-dependence classifiers, by loops: order, parents, and the selection that leaves each row out.

I(X; Y | Z) = Σ n/N ln(n n_z / (n_xz n_yz)) over the rows in which both X and Y are known. Values within 1e-10
nats are equal, and the lowest column comes first.
"""

from math import exp, log

import numpy as np

from reference.counts import family_counts
from reference.posterior import log_sum_exp
from reference.structure import Node, Structure
from reference.table import CLASS, MISSING, Table

TIE = 1e-10
LOSS_TIE = 1e-9
M = 1.0


def information(table: Table, x, y, given=()) -> float:
    """I(X; Y | Z) in nats; 0 without rows."""
    counts = family_counts(table, x, [*given, y])
    strata = counts.reshape(-1, table.arity(y), table.arity(x))
    total = 0.0
    for n in strata:
        for i in range(n.shape[0]):
            for k in range(n.shape[1]):
                if n[i, k] > 0:
                    total += n[i, k] * log(n[i, k] * n.sum() / (n[i].sum() * n[:, k].sum()))
    return total / counts.sum() if counts.sum() > 0 else 0.0


def largest_first(candidates, value, most: int) -> list[int]:
    """At most `most` candidates, the largest first, of equal ones the lowest column."""
    left, taken = sorted(candidates), []
    while left and len(taken) < most:
        largest = max(value(one) for one in left)
        taken.append(next(one for one in left if value(one) >= largest - TIE))
        left.remove(taken[-1])
    return taken


def order_and_parents(
    table: Table, k: int, residual: bool = False, order: list[int] | None = None
) -> tuple[list[int], list[list[int]]]:
    """The order of the attributes, unless given, and each column's parents, the most informative first."""
    n = table.n_attributes
    if order is None:
        order = largest_first(range(n), lambda i: information(table, i, CLASS), n)
    parents: list[list[int]] = [[] for _ in range(n)]
    for place, child in enumerate(order):

        def value(parent, child=child):
            given_class = information(table, child, parent, [CLASS])
            return given_class - (information(table, child, parent) if residual else 0.0)

        parents[child] = largest_first(order[:place], value, k)
    return order, parents


def estimate(n: float, total: float, r: int) -> float:
    """(n + m/r) / (N + m)."""
    return (n + M / r) / (total + M)


def without_row(table: Table, row: int) -> Table:
    """The table without one row; of a row of weight above 1, without weight 1 of it."""
    if table.weight(row) > 1:
        less = [table.weight(t) - (t == row) for t in range(table.n_rows)]
        return table._replace(weights=less)
    return table.rows([other for other in range(table.n_rows) if other != row])


def leave_one_out_joint(table: Table, row: int, attributes, parents) -> list[float]:
    """ln P(c, x) of the row: it is taken from the counts at its own class, and from the number of rows.

    A missing value leaves its factor out; a missing parent, and those behind it, are not there.
    """
    own = table.classes[row]
    joint = []
    for c in range(table.n_classes):
        rows = without_row(table, row) if c == own else table
        n_c = sum(rows.weight(t) for t in range(rows.n_rows) if rows.classes[t] == c)
        value = log(estimate(n_c, without_row(table, row).total(), table.n_classes))
        for child in attributes:
            x = table.codes[row][child]
            if x == MISSING:
                continue
            known: list[int] = []
            for parent in parents[child]:
                if table.codes[row][parent] == MISSING:
                    break
                known.append(parent)
            matching = [
                t
                for t in range(rows.n_rows)
                if rows.classes[t] == c
                and rows.codes[t][child] != MISSING
                and all(rows.codes[t][p] == table.codes[row][p] for p in known)
            ]
            total = sum(rows.weight(t) for t in matching)
            n = sum(rows.weight(t) for t in matching if rows.codes[t][child] == x)
            value += log(estimate(n, total, table.arities[child]))
        joint.append(value)
    return joint


def loss_of(joint: list[float], own: int, loss: str) -> float:
    """The loss of one row."""
    if loss == "zero_one":
        ahead = [
            value > joint[own] + LOSS_TIE if c > own else value >= joint[own] - LOSS_TIE
            for c, value in enumerate(joint)
            if c != own
        ]
        return float(any(ahead))
    log_p = joint[own] - log_sum_exp(joint)
    return -log_p if loss == "log_loss" else (1 - exp(log_p)) ** 2


def losses(table: Table, order, parents, k: int, loss: str) -> np.ndarray:
    """L[k', a] for every k' ≤ k and every number a of attributes."""
    found = np.zeros((k + 1, len(order) + 1))
    for used in range(k + 1):
        for a in range(len(order) + 1):
            fewer = [of_child[:used] for of_child in parents]
            for row in range(table.n_rows):
                joint = leave_one_out_joint(table, row, order[:a], fewer)
                found[used, a] += table.weight(row) * loss_of(joint, table.classes[row], loss)
    return found


def kdb(
    table: Table,
    k: int = 2,
    selective: bool = False,
    selection: str = "log_loss",
    residual: bool = False,
    order: list[int] | None = None,
) -> Structure:
    """The k-dependence structure; the selective one where that is asked for."""
    order, parents = order_and_parents(table, k, residual, order)
    kept, used = len(order), k
    if selective:
        k = min(k, max((len(of_child) for of_child in parents), default=0))
        found = losses(table, order, parents, k, selection)
        least = found.min() + LOSS_TIE * table.total()
        used, kept = next((i, a) for i in range(k + 1) for a in range(len(order) + 1) if found[i, a] <= least)
    return [Node((child,), tuple(parents[child][:used])) for child in sorted(order[:kept])]
