"""The network that a learner finds in all rows of a task, with how strongly each of its edges is felt."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tanager.data.columns import Factor
from tanager.evaluation.encoding import category_codes
from tanager.evaluation.learner import Learner
from tanager.evaluation.task import Task, discretized

__all__ = ["conditional_mutual_information", "described_network", "learned_network"]


def conditional_mutual_information(
    x: NDArray[np.intp],
    y: NDArray[np.intp],
    given: NDArray[np.int64],
    weights: NDArray[np.float64] | None = None,
) -> float:
    """I(X; Y | C) in nats of three code vectors, by relative frequencies of rows or of their weights.

    **Formula**

        I(X;Y|C) = Σ_xyc N_xyc / N · ln( N_xyc N_c / (N_xc N_yc) )

    N rows, N_xyc the rows with X=x, Y=y and C=c, and likewise for the others; empty cells add nothing.

    >>> import numpy as np
    >>> x, c = np.array([0, 0, 1, 1]), np.zeros(4, dtype=np.int64)
    >>> round(conditional_mutual_information(x, x, c), 6)
    0.693147
    """
    shape = (int(given.max()) + 1, int(x.max()) + 1, int(y.max()) + 1)
    flat = np.ravel_multi_index((given, x, y), shape)
    cells = np.bincount(flat, weights, minlength=int(np.prod(shape))).reshape(shape).astype(np.float64)
    n_c = cells.sum(axis=(1, 2), keepdims=True)
    n_xc = cells.sum(axis=2, keepdims=True)
    n_yc = cells.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(cells > 0, cells * np.log(cells * n_c / (n_xc * n_yc)), 0.0)
    return max(0.0, float(terms.sum() / cells.sum()))


def learned_network(learner: Learner, task: Task) -> dict[str, Any]:
    """Nodes, edges, groups and strengths of the network learned from all rows; empty where there is none."""
    if not learner.is_tanager:
        return {}
    return described_network(learner.build(task).fit(task.X, task.target(), **learner.weights(task)), task)


def described_network(model: Any, task: Task) -> dict[str, Any]:
    """Nodes, edges, groups and edge strengths of a fitted model's network."""
    network = model.network_
    cut = discretized(task)
    names = [str(name) for name in network.nodes]
    codes: dict[str, NDArray[np.intp]] = {}

    def coded(name: str) -> NDArray[np.intp]:
        if name not in codes:
            column = cut.X.raw(name)
            assert isinstance(column, Factor)  # every number has been cut
            codes[name] = category_codes(column)
        return codes[name]

    edges = [(str(parent), str(child)) for parent, child in network.edges]
    score = getattr(model, "structure_score_", None)
    return {
        "nodes": names,
        "edges": [list(edge) for edge in edges],
        "groups": [[str(name) for name in group] for group in network.groups],
        "strengths": [
            conditional_mutual_information(coded(parent), coded(child), task.y, task.weights)
            for parent, child in edges
        ],
        "score": None if score is None else float(score),
    }
