"""Consistent k-graphs as densities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Unpack

from tanager.data.encoding_settings import EncodingSettings
from tanager.estimators.ckg import root_setting
from tanager.estimators.density import BayesianNetworkDensity
from tanager.estimators.score_attribute import ScoreMaximizing
from tanager.parameters import ParametersLike
from tanager.scores import ScoreLike

__all__ = ["CkGDensity"]


class CkGDensity(ScoreMaximizing, BayesianNetworkDensity):
    """Every column depends on the best at most k of its ancestors in the tree of `TreeDensity`.

    Parameters:
        k: the most parents; more than a column has ancestors means all of them.
        score: what the structure maximises: a name or an object of `tanager.scores`, as "bic" or BDeu(10), or
            any function of a table of counts.
        parameters: how the tables are estimated: a name or an object of `tanager.parameters`, as "laplace" or
            Laplace(0.5).
        root: the root of the tree, by name or position; None as in TreeDensity; "best" for the root whose
            k-graph scores highest, which takes one search for each column.
        smoothed: pseudo-counts of the mutual information that the tree, from which the candidates are read,
            maximises in place of the score, such as 1.0; 0 for the score.
        progress: called now and then with the families searched and expected.
        **settings: those of `ReadsTables`.

    >>> from tanager import CkGDensity
    >>> X = [["a", "a", "x"], ["b", "b", "y"], ["a", "a", "y"], ["b", "b", "x"]] * 5
    >>> print(CkGDensity().fit(X).network_)
    x0
    └── x1
    x2
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
        **settings: Unpack[EncodingSettings],
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
