"""The best network for an order of the attributes that a search finds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Unpack

from tanager.estimators.base import BayesianNetworkClassifier, ClassifierSettings
from tanager.estimators.score_attribute import ScoreMaximizing
from tanager.estimators.wrapper import seed_of
from tanager.parameters import ParametersLike
from tanager.scores import ScoreLike
from tanager.settings import whole

__all__ = ["OrderSearchClassifier"]


class OrderSearchClassifier(ScoreMaximizing, BayesianNetworkClassifier):
    """Every attribute depends on the class and on the best at most k of those before it, in the best order.

    Hill climbing over orders: the two neighbours whose exchange raises the score most change places, while
    some do; each order is solved exactly. The first climb starts from the breadth-first order of the optimal
    tree, so that the score is at least that of `BCkGClassifier`; the others start from random orders.

    Parameters:
        k: the most attribute parents.
        score: what the structure maximises: a name or an object of `tanager.scores`, as "bic" or BDeu(10), or
            any function of a table of counts.
        restarts: how many random orders are climbed from, beside that of the tree.
        random_state: the seed of the random orders.
        parameters: how the tables are estimated: a name or an object of `tanager.parameters`, as "laplace" or
            Laplace(0.5).
        progress: called now and then with the families searched and expected so far.
        **settings: those of `BayesianNetworkClassifier`.

    >>> from tanager import OrderSearchClassifier
    >>> X = [[a, b, a ^ b] for a in (0, 1) for b in (0, 1)] * 20
    >>> model = OrderSearchClassifier().fit(X, [0, 1] * 40)
    >>> [len(parents) for parents in model.network_.parents.values()]
    [0, 0, 1]
    """

    learner = "order"

    def __init__(
        self,
        k: int = 2,
        score: ScoreLike = "bic",
        restarts: int = 10,
        random_state: Any = 0,
        parameters: ParametersLike = "dirichlet",
        *,
        progress: Callable[[int, int], object] | None = None,
        **settings: Unpack[ClassifierSettings],
    ) -> None:
        super().__init__(**settings)
        self.k = k
        self.score = score
        self.restarts = restarts
        self.random_state = random_state
        self.parameters = parameters
        self.progress = progress

    def _settings(self, names: list[str]) -> dict[str, Any]:
        checked = {"restarts": whole(self.restarts, "restarts"), "random_state": seed_of(self.random_state)}
        return super()._settings(names) | checked
