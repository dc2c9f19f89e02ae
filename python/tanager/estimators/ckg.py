"""Consistent k-graphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Unpack

from tanager.estimators.base import BayesianNetworkClassifier, ClassifierSettings
from tanager.estimators.score_attribute import ScoreMaximizing
from tanager.parameters import ParametersLike
from tanager.scores import ScoreLike
from tanager.settings import column_position

__all__ = ["CkGClassifier", "root_setting"]


def root_setting(root: int | str | None, names: list[str]) -> dict[str, int | str | None]:
    """The core's root: nothing, a position, or "best" (a column of that name is given by its position)."""
    best = isinstance(root, str) and root == "best"
    return {"root": root if best else column_position(root, names, "root")}


class CkGClassifier(ScoreMaximizing, BayesianNetworkClassifier):
    """Every attribute depends on the class and on the best at most k of its ancestors in the optimal tree.

    The tree is the one that `TANClassifier` learns for the same score and root; the parents of an attribute
    are the subset of its ancestors that scores highest, of equal ones the smallest, then the one with the
    lowest columns. The search is exact.

    Parameters:
        k: the most attribute parents; more than an attribute has ancestors means all of them.
        score: what the structure maximises: a name or an object of `tanager.scores`, as "bic" or BDeu(10), or
            any function of a table of counts.
        parameters: how the tables are estimated: a name or an object of `tanager.parameters`, as "laplace" or
            Laplace(0.5).
        root: the root of the tree, by name or position; None as in TANClassifier; "best" for the root whose
            k-graph scores highest, which takes one search for each column.
        smoothed: pseudo-counts of the mutual information that the tree, from which the candidates are read,
            maximises in place of the score, such as 1.0; 0 for the score.
        progress: called now and then with the families searched and expected.
        **settings: those of `BayesianNetworkClassifier`.

    >>> from tanager import CkGClassifier
    >>> X = [[a, b, a ^ b] for a in (0, 1) for b in (0, 1)] * 20
    >>> model = CkGClassifier(score="ll").fit(X, [0, 1] * 40)
    >>> print(model.network_)
    x0
    └── x2
    x1
    """

    learner = "ckg"

    def __init__(
        self,
        k: int = 2,
        score: ScoreLike = "bic",
        parameters: ParametersLike = "dirichlet",
        root: int | str | None = None,
        *,
        smoothed: float = 0.0,
        progress: Callable[[int, int], object] | None = None,
        **settings: Unpack[ClassifierSettings],
    ) -> None:
        super().__init__(**settings)
        self.k = k
        self.score = score
        self.parameters = parameters
        self.root = root
        self.smoothed = smoothed
        self.progress = progress

    def _settings(self, names: list[str]) -> dict[str, Any]:
        return super()._settings(names) | root_setting(self.root, names)
