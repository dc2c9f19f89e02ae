"""The network that a learner finds in all rows of a task, with how strongly each of its edges is felt."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tanager.data import LabelCodes, weigh_classes
from tanager.evaluation.learner import Learner
from tanager.evaluation.task import Task
from tanager.exceptions import TanagerError
from tanager.reading import ConditionalTable

__all__ = ["conditional_mutual_information", "described_network", "learned_network"]

_READABLE = 400  # numbers of a table that a page shows
_DENSE = 1 << 20  # cells of a table that is counted as a whole whatever the number of rows


def conditional_mutual_information(
    x: NDArray[Any], y: NDArray[Any], given: NDArray[Any], weights: NDArray[np.float64] | None = None
) -> float:
    """I(X; Y | C) in nats of three code vectors, by relative frequencies of rows or of their weights.

    **Formula**

        I(X;Y|C) = Σ_xyc N_xyc / N · ln( N_xyc N_c / (N_xc N_yc) )

    N rows, N_xyc the rows with X=x, Y=y and C=c, and likewise for the others; empty cells add nothing, and
    where there are many of them, only the others are kept: memory grows with the rows, not with the values.
    Without rows it is 0.

    >>> import numpy as np
    >>> x, c = np.array([0, 0, 1, 1]), np.zeros(4, dtype=np.int64)
    >>> round(conditional_mutual_information(x, x, c), 6)
    0.693147
    """
    weight = np.ones(x.size) if weights is None else weights
    rows = np.flatnonzero(weight > 0)
    if not rows.size:
        return 0.0
    x, y, c = (codes[rows].astype(np.int64) for codes in (x, y, given))
    weight = weight[rows]
    xs, ys, cs = (int(codes.max()) + 1 for codes in (x, y, c))
    cx, n_cx = _count(c * xs + x, cs * xs, weight)
    cy, n_cy = _count(c * ys + y, cs * ys, weight)
    cxy, n_cxy = _count(cx * n_cy.size + cy, n_cx.size * n_cy.size, weight)
    n_c = np.bincount(c, weight)
    # Summed over rows, each with the logarithm of its cell: the same, and no empty cell is met.
    logs = np.log(n_cxy[cxy] * n_c[c] / (n_cx[cx] * n_cy[cy]))
    return max(0.0, float(weight @ logs / weight.sum()))


def _count(
    keys: NDArray[np.int64], size: int, weights: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """A number for the key of every row, below `size`, and the count of each number."""
    if size > _DENSE + 4 * keys.size:
        keys = np.unique(keys, return_inverse=True)[1]
        size = int(keys.max()) + 1
    return keys, np.bincount(keys, weights, minlength=size).astype(np.float64)


def learned_network(learner: Learner, task: Task) -> dict[str, Any]:
    """Nodes, edges, groups and strengths of the network learned from all rows; empty where there is none."""
    if not learner.is_tanager:
        return {}
    model = learner.build(task).fit(task.X, task.target(), **learner.weights(task))
    described = described_network(model, task.X, task.target(), task.weights)
    return {**described, "tables": _tables(model)}


def _tables(model: Any) -> list[dict[str, Any]]:
    """The conditional tables of a network that are small enough to be read, by names and values."""
    found = []
    for group in model.network_.groups:
        try:
            table = model.table(group[0])
        except TanagerError:  # a model that averages has no tables of its own
            return []
        if not isinstance(table, ConditionalTable) or table.probabilities.size > _READABLE:
            continue
        records = [[*key, *(f"{p:.3f}" for p in values)] for key, values in table.records()]
        header = [*table.parents, *table.members, *(str(label) for label in table.classes)]
        found.append({"names": [str(name) for name in group], "header": header, "rows": records})
    return found


def described_network(
    model: Any, X: Any, y: Any, weights: NDArray[np.float64] | None = None
) -> dict[str, Any]:
    """Nodes, edges, groups and edge strengths of a model's network, with what it learned from.

    A strength is I(parent; child | class) by the model's own codes (so, its own cut points) and its weights
    of rows and classes, on the rows where both values are known; to a number that is not cut, that of its
    densities.
    """
    network = model.network_
    labels = LabelCodes().fit(y)
    given = labels.codes_
    weights = weigh_classes(model.class_weight, labels.classes_, given, weights)
    table = model.encoder_.transform(X)
    if model.missing == "drop":
        rows = table.complete_rows()
        table, given = table.take(rows), given[rows]
        weights = None if weights is None else weights[rows]
    codes = dict(zip(model.encoder_.labels, table.columns, strict=True))

    def strength(parent: str, child: str) -> float:
        of_density = model._arc_information(parent, child)
        if of_density is not None:
            return float(of_density)
        a, b = codes[parent], codes[child]
        known = (a != np.iinfo(a.dtype).max) & (b != np.iinfo(b.dtype).max)
        if known.all():
            return conditional_mutual_information(a, b, given, weights)
        heavy = None if weights is None else weights[known]
        return conditional_mutual_information(a[known], b[known], given[known], heavy)

    edges = [(str(parent), str(child)) for parent, child in network.edges]
    score = getattr(model, "structure_score_", None)
    return {
        "nodes": [str(name) for name in network.nodes],
        "edges": [list(edge) for edge in edges],
        "groups": [[str(name) for name in group] for group in network.groups],
        "strengths": [strength(parent, child) for parent, child in edges],
        "score": None if score is None else float(score),
    }
