"""Optimal branchings as densities."""

from __future__ import annotations

from typing import Any, Unpack

from tanager.data.encoding_settings import EncodingSettings
from tanager.estimators.density import BayesianNetworkDensity
from tanager.estimators.score_attribute import ScoreMaximizing
from tanager.parameters import ParametersLike
from tanager.scores import ScoreLike
from tanager.settings import column_position, flag

__all__ = ["TreeDensity"]


class TreeDensity(ScoreMaximizing, BayesianNetworkDensity):
    """Every column but one root depends on one other, the best tree of all by the score.

    Parameters:
        score: what the structure maximises: a name or an object of `tanager.scores`, as "bic" or BDeu(10), or
            any function of a table of counts.
        parameters: how the tables are estimated: a name or an object of `tanager.parameters`, as "laplace" or
            Laplace(0.5).
        root: the root, by name or position; None for the first column, or for the best root where the
            direction of an arc matters to the score.
        forest: whether arcs that do not raise the score are dropped.
        smoothed: pseudo-counts of the mutual information that the tree maximises in place of the score, such
            as 1.0; 0 for the score.
        **settings: those of `ReadsTables`.

    >>> from tanager import TreeDensity
    >>> X = [["a", "a", "x"], ["b", "b", "y"], ["a", "a", "y"], ["b", "b", "x"]]
    >>> print(TreeDensity().fit(X).network_)
    x0
    ├── x1
    └── x2
    """

    learner = "tan"

    def __init__(
        self,
        score: ScoreLike = "ll",
        parameters: ParametersLike = "dirichlet",
        root: int | str | None = None,
        forest: bool = False,
        *,
        smoothed: float = 0.0,
        **settings: Unpack[EncodingSettings],
    ) -> None:
        super().__init__(**settings)
        self.score = score
        self.parameters = parameters
        self.root = root
        self.forest = forest
        self.smoothed = smoothed

    def _settings(self, names: list[str]) -> dict[str, Any]:
        root, forest = column_position(self.root, names, "root"), flag(self.forest, "forest")
        return super()._settings(names) | {"root": root, "forest": forest}
