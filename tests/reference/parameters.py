"""Tables of probabilities θ_{x|π}, one function per registry name.

Each takes the table, the child (one variable, or a tuple: a compound one) and its parents in full, and
returns an array [q, r]: configurations of the parents in the given order, the last fastest. The class node
is the child `CLASS` without parents. N_xπ are the counts, N_π = Σ_x N_xπ, N_x the counts without parents.
"""

from typing import NamedTuple

import numpy as np

from reference.acll import constants
from reference.counts import as_tuple, family_counts
from reference.hierarchical import hierarchical
from reference.scores import acll_weights
from reference.structure import Node, Structure
from reference.table import CLASS, Table


def mle(table: Table, child, parents) -> np.ndarray:
    """N_xπ / N_π; where π was never seen, the marginal N_x / N (1/r where there is not even that)."""
    counts = family_counts(table, child, parents)
    marginal = family_counts(table, child, [])[0]
    r = len(marginal)
    fallback = marginal / marginal.sum() if marginal.sum() > 0 else np.full(r, 1 / r)
    return np.array([row / row.sum() if row.sum() > 0 else fallback for row in counts])


def laplace(table: Table, child, parents, alpha: float = 1.0) -> np.ndarray:
    """(N_xπ + α) / (N_π + α r)."""
    counts = family_counts(table, child, parents)
    return np.array([(row + alpha) / (row.sum() + alpha * len(row)) for row in counts])


def dirichlet(table: Table, child, parents, n0: float = 5.0) -> np.ndarray:
    """(N_xπ + n0·p̂(x)) / (N_π + n0), p̂(x) = (N_x + 1/r) / (N + 1)."""
    counts = family_counts(table, child, parents)
    marginal = family_counts(table, child, [])[0]
    p = (marginal + 1 / len(marginal)) / (marginal.sum() + 1)
    return np.array([(row + n0 * p) / (row.sum() + n0) for row in counts])


def acll(table: Table, child, parents, prior="dirichlet", a=1.0, b=None, n0=5.0, beta=None) -> np.ndarray:
    """M_jck / Σ_k M_jck with M = max(W, n0), W_jck = N_jck + β N_j·k; of the class W_c = N_c + β N.

    `CLASS` has to be the first of the parents.
    """
    if beta is None:
        beta, _ = constants(table.n_classes, prior, a, table.total() if b is None else b)
    if child == CLASS:
        m = np.maximum(acll_weights(table, CLASS, [], beta), n0)
    else:
        assert parents[0] == CLASS
        counts = family_counts(table, child, parents)
        by_class = counts.reshape(table.n_classes, -1, counts.shape[1])
        m = np.maximum(by_class + beta * by_class.sum(axis=0), n0).reshape(counts.shape)
    return m / m.sum(axis=1, keepdims=True)


PARAMETERS = {
    "mle": mle,
    "laplace": laplace,
    "dirichlet": dirichlet,
    "hierarchical": hierarchical,
    "acll": acll,
}


class Model(NamedTuple):
    """A structure with its tables: of the class [1, s] (None in a density) and of each node [q, r]."""

    arities: list[int]
    structure: Structure
    prior: np.ndarray | None
    tables: list[np.ndarray]


def fit(table: Table, structure: Structure, estimate) -> Model:
    """Estimates the class node and every node given the class and its parents."""
    return Model(
        table.arities,
        structure,
        estimate(table, CLASS, [])[0] if table.classes is not None else None,
        [estimate(table, as_tuple(node.members), family_parents(table, node)) for node in structure],
    )


def family_parents(table: Table, node: Node) -> list:
    """The class, where there is one, then the node's attribute parents."""
    return [*table.class_parent(), *node.parents]
