"""The exact average over all trees."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from tanager import _core
from tanager.drawing import network_svg, plot_network
from tanager.estimators.base import ClassifierSettings
from tanager.estimators.composed import ComposedClassifier
from tanager.output import written

__all__ = ["AveragedTANClassifier"]


class AveragedTANClassifier(ComposedClassifier):
    """The average of all tree-augmented naive Bayes classifiers, each weighted by its probability.

    Bayesian model averaging in closed form: over all trees of the attributes and over the parameters of each,

        P(c, x) = P(c) Π_u P(x_u | c) · Σ_T P(T | D) Π_{uv ∈ T} P(x_u, x_v | c) / (P(x_u | c) P(x_v | c))

    There is nothing to choose: no score, no root, no smoothing. `edge_probabilities_` says how sure each arc
    is, and `edges_svg` draws it.

    A missing value is summed over in all trees, one value after the other: a row with more than 65,536
    completions is refused, unless `missing_at_predict` is "approximate"; then attributes that a row
    lacks are left out, and the average is over all trees of those that it has.

    Parameters:
        **settings: those of `BayesianNetworkClassifier`.

    Fitted: `edge_probabilities_`, and `network_` and `table`, which are of the most probable tree.

    >>> from tanager import AveragedTANClassifier
    >>> X = [[a, a if i % 10 else 1 - a, b] for i in range(40) for a in (0, 1) for b in (0, 1)]
    >>> model = AveragedTANClassifier().fit(X, [i % 2 for i in range(len(X))])
    >>> model.edge_probabilities_.round(2)
    array([[0. , 1. , 0.5],
           [1. , 0. , 0.5],
           [0.5, 0.5, 0. ]])
    """

    learner = "atan"
    _is = "an average over all trees"

    model_: _core.AveragedTan  # type: ignore[assignment]

    def __init__(self, **settings: Unpack[ClassifierSettings]) -> None:
        super().__init__(**settings)

    def _compose(self, evidence: Any, names: list[str], passes: Any = None, memory: int | None = None) -> Any:
        return _core.fit_averaged_tan(evidence, self.n_jobs)

    @property
    def edge_probabilities_(self) -> NDArray[np.float64]:
        """The probability that two attributes are linked, given the data: n × n, 0 on the diagonal.

        The share of all trees that have the edge, by their probabilities; each row of a tree of n attributes
        sums to its expected number of neighbours, and all entries to 2 (n − 1).
        """
        check_is_fitted(self)
        return self.model_.edge_probabilities(self.n_jobs)

    def edges_svg(self, path: Any = None, *, least: float = 0.05, width: float = 960.0) -> str:
        """All edges of at least that probability as SVG, the more probable the thicker.

        Arcs of the most probable tree lead away from its root, all others from the attribute nearer to it.

        >>> from tanager import AveragedTANClassifier, load_dataset
        >>> car = load_dataset("car")
        >>> AveragedTANClassifier().fit(car.X, car.y).edges_svg().startswith("<svg")
        True
        """
        return written(network_svg(self._weighted_network(least), "class", width=width), path, "\n")

    def plot_edges(self, ax: Any = None, *, least: float = 0.05, width: float = 960.0) -> Any:
        """Draw what `edges_svg` draws with matplotlib; returns the axes, new ones where none are given."""
        return plot_network(self._weighted_network(least), "class", ax=ax, width=width)

    def _weighted_network(self, least: float) -> dict[str, Any]:
        probabilities = self.edge_probabilities_
        names = self.encoder_.labels
        tree = {child: parents[0] for (child,), parents in self.model_.nodes if parents}
        depth = [_depth(tree, node) for node in range(len(names))]
        arcs = [(parent, child) for child, parent in tree.items()]
        kept = {frozenset(arc) for arc in arcs}
        arcs += [
            (a, b) if (depth[a], a) < (depth[b], b) else (b, a)
            for a, b in np.argwhere(np.triu(probabilities >= least, 1)).tolist()
            if frozenset((a, b)) not in kept
        ]
        return {
            "nodes": names,
            "edges": [(names[a], names[b]) for a, b in arcs],
            "groups": [],
            "strengths": [float(probabilities[arc]) for arc in arcs],
            "strength": "probability",
        }


def _depth(tree: dict[int, int], node: int) -> int:
    depth = 0
    while node in tree:
        node, depth = tree[node], depth + 1
    return depth
