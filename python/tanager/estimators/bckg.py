"""Breadth-first consistent k-graphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Unpack

from tanager.estimators.base import BayesianNetworkClassifier, ClassifierSettings
from tanager.estimators.ckg import root_setting
from tanager.estimators.score_attribute import ScoreMaximizing
from tanager.parameters import ParametersLike
from tanager.scores import ScoreLike
from tanager.settings import random_source

__all__ = ["BCkGClassifier", "level_settings"]


def level_settings(level_order: str, random_state: Any) -> dict[str, Any]:
    """The core's settings for the order within a level; only a random one needs a seed."""
    seed = int(random_source(random_state).randint(2**31)) if level_order == "random" else None
    return {"level_order": level_order, "random_state": seed}


class BCkGClassifier(ScoreMaximizing, BayesianNetworkClassifier):
    """Every attribute depends on the class and on the best at most k of all attributes before it.

    The order is that of a breadth-first walk of the tree that `TANClassifier` learns for the same score and
    root: by depth, and within a depth by `level_order`. The parents are the subset that scores highest, of
    equal ones the smallest, then the one with the lowest columns. The search is exact.

    Parameters:
        k: the most attribute parents; more than there are attributes before means all of them.
        score: what the structure maximises: a name or an object of `tanager.scores`, as "bic" or BDeu(10), or
            any function of a table of counts.
        parameters: how the tables are estimated: a name or an object of `tanager.parameters`, as "laplace" or
            Laplace(0.5).
        root: the root of the tree, by name or position; None as in TANClassifier; "best" for the root whose
            k-graph scores highest, which takes one search for each column.
        level_order: the order of attributes of one depth: "index" (by column), "random", or "tan" (by an
            optimal tree over the attributes of that depth).
        random_state: the seed of a random level order.
        progress: called now and then with the families searched and expected.
        **settings: those of `BayesianNetworkClassifier`.

    >>> from tanager import BCkGClassifier
    >>> X = [[a, b, a ^ b] for a in (0, 1) for b in (0, 1)] * 20
    >>> model = BCkGClassifier(score="ll").fit(X, [0, 0, 1, 0] * 20)
    >>> print(model.network_)
    x0
    x1 ← x0
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
        **settings: Unpack[ClassifierSettings],
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
