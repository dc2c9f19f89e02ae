"""Breadth-first consistent k-graphs as densities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Unpack

from tanager.data.encoding_settings import EncodingSettings
from tanager.estimators.bckg import level_settings
from tanager.estimators.ckg import root_setting
from tanager.estimators.density import BayesianNetworkDensity
from tanager.estimators.score_attribute import ScoreMaximizing
from tanager.parameters import ParametersLike
from tanager.scores import ScoreLike

__all__ = ["BCkGDensity"]


class BCkGDensity(ScoreMaximizing, BayesianNetworkDensity):
    """Every column depends on the best at most k of those before it in the order of `TreeDensity`'s tree.

    Parameters:
        k: the most parents; more than there are columns before means all of them.
        score: what the structure maximises: a name or an object of `tanager.scores`, as "bic" or BDeu(10), or
            any function of a table of counts.
        parameters: how the tables are estimated: a name or an object of `tanager.parameters`, as "laplace" or
            Laplace(0.5).
        root: the root of the tree, by name or position; None as in TreeDensity; "best" for the root whose
            k-graph scores highest, which takes one search for each column.
        level_order: the order of columns of one depth: "index" (by column), "random", or "tan" (by an
            optimal tree over the columns of that depth).
        random_state: the seed of a random level order.
        progress: called now and then with the families searched and expected.
        **settings: those of `ReadsTables`.

    >>> from tanager import BCkGDensity
    >>> X = [[a, b, a ^ b] for a in (0, 1) for b in (0, 1)] * 20
    >>> print(BCkGDensity().fit(X).network_)
    x0
    x1
    x2 ← x0, x1
    """

    learner = "bckg"

    def __init__(
        self,
        k: int = 2,
        score: ScoreLike = "bic",
        parameters: ParametersLike = "dirichlet",
        root: int | str | None = None,
        level_order: str = "index",
        random_state: Any = None,
        *,
        progress: Callable[[int, int], object] | None = None,
        **settings: Unpack[EncodingSettings],
    ) -> None:
        super().__init__(**settings)
        self.k = k
        self.score = score
        self.parameters = parameters
        self.root = root
        self.level_order = level_order
        self.random_state = random_state
        self.progress = progress

    def _settings(self, names: list[str]) -> dict[str, Any]:
        levels = level_settings(self.level_order, self.random_state)
        return super()._settings(names) | root_setting(self.root, names) | levels
