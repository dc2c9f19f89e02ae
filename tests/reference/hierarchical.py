"""Hierarchical smoothing, by loops over rows' cells and a general optimiser.

A family's levels: no parent, the class, the class and P_1, … with the parents by decreasing I(X; P | C).
In the context of a row at level d, n_d(x) is the count of value x and n_d the sum over x.

    p_−1(x) = 1/r,    p_d(x) = (n_d(x) + c_d p_{d−1}(x)) / (n_d + c_d),    θ = p of the last level

The c_d maximise Σ_t ω_t ln p^{−t}(x_t) − Σ_d (ln c_d − ln 2)² / 18 with −5 ≤ ln c_d ≤ 9; p^{−t} without
the row's own contribution to n_d(x_t) and n_d at every level. With weights, a cell of weight W counts as
W rows of weight 1, of which a row takes 1 away, or all of the cell where W < 1.
"""

from math import log

import numpy as np
from scipy.optimize import minimize

from reference.counts import as_tuple, family_counts
from reference.table import CLASS, MISSING, Table, configurations, position

TIE = 1e-10
BOUNDS = (-5.0, 9.0)


def information(table: Table, child, parent, parents) -> float:
    """I(X; P | C) in nats over the rows in which the whole family is known; I(X; P) without a class."""
    known = known_rows(table, child, parents)
    given = [variable for variable in parents if variable == CLASS]
    n = known.total()
    joint = family_counts(known, child, [*given, parent])
    values = table.arity(parent)
    total = 0.0
    for stratum in joint.reshape(-1, values, joint.shape[1]):
        for i in range(values):
            for k in range(joint.shape[1]):
                if stratum[i, k] > 0:
                    independent = stratum[i].sum() * stratum[:, k].sum() / stratum.sum()
                    total += stratum[i, k] * log(stratum[i, k] / independent)
    return total / n if n > 0 else 0.0


def known_rows(table: Table, child, parents) -> Table:
    """The rows in which child and parents are known."""
    variables = [*as_tuple(child), *parents]
    known = [row for row in range(table.n_rows) if MISSING not in [table.value(row, v) for v in variables]]
    return table.rows(known)


def ordered_parents(table: Table, child, parents) -> list:
    """The class where it is a parent, then the others by information; those within 1e-10 as given."""
    left = [parent for parent in parents if parent != CLASS]
    told = {parent: information(table, child, parent, parents) for parent in left}
    order = [parent for parent in parents if parent == CLASS]
    while left:
        largest = max(told[parent] for parent in left)
        order.append(next(parent for parent in left if told[parent] >= largest - TIE))
        left.remove(order[-1])
    return order


def level_counts(table: Table, child, order) -> list[np.ndarray]:
    """[contexts, values] of each level, from the rows in which the whole family is known."""
    known = known_rows(table, child, order)
    return [family_counts(known, child, order[:d]) for d in range(len(order) + 1)]


def probability(levels, arities, values, x, c, own=0.0) -> float:
    """p of the last level for value x in the context `values` of the ordered parents, less `own` of x."""
    p = 1 / levels[0].shape[1]
    for d, (counts, c_d) in enumerate(zip(levels, c, strict=True)):
        row = counts[position(values[:d], arities[:d])]
        p = (row[x] - own + c_d * p) / (row.sum() - own + c_d)
    return float(p)


def objective(levels, arities, log_c) -> float:
    """The leave-one-out log-likelihood with the prior of ln c."""
    total = -sum((value - log(2)) ** 2 for value in log_c) / 18
    for values in configurations(arities):
        row = levels[-1][position(values, arities)]
        for x, weight in enumerate(row):
            if weight > 0:
                own = min(1.0, weight)
                total += weight * log(probability(levels, arities, values, x, np.exp(log_c), own))
    return total


def concentrations(table: Table, child, parents, start=None) -> np.ndarray:
    """The c_d, by L-BFGS-B from the prior's mode, or from `start`, with gradients by differences."""
    order = ordered_parents(table, child, parents)
    levels = level_counts(table, child, order)
    arities = [table.arity(parent) for parent in order]
    found = minimize(
        lambda log_c: -objective(levels, arities, log_c),
        np.full(len(levels), log(2)) if start is None else start,
        method="L-BFGS-B",
        jac="3-point",
        bounds=[BOUNDS] * len(levels),
        options={"ftol": 1e-15, "gtol": 1e-9},
    )
    return np.exp(found.x)


def table_of(table: Table, child, parents, c) -> np.ndarray:
    """θ [q, r] for given concentrations, the parents in the order given."""
    order = ordered_parents(table, child, parents)
    levels = level_counts(table, child, order)
    arities = [table.arity(parent) for parent in order]
    rows = []
    for values in configurations([table.arity(parent) for parent in parents]):
        value_of = dict(zip(parents, values, strict=True))
        context = tuple(value_of[parent] for parent in order)
        r = levels[0].shape[1]
        rows.append([probability(levels, arities, context, x, c) for x in range(r)])
    return np.array(rows)


def hierarchical(table: Table, child, parents) -> np.ndarray:
    """θ [q, r] with the best concentrations."""
    return table_of(table, child, parents, concentrations(table, child, parents))
