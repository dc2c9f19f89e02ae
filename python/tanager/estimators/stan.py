"""Selective tree-augmented naive Bayes."""

from __future__ import annotations

from typing import Any, Unpack

from tanager.estimators.base import BayesianNetworkClassifier, ClassifierSettings
from tanager.estimators.selecting import SelectingClassifier
from tanager.parameters import ParametersLike
from tanager.settings import flag

__all__ = ["STANClassifier"]


class STANClassifier(SelectingClassifier, BayesianNetworkClassifier):
    """Naive Bayes with a forest of arcs between attributes that are dependent given the class.

    Two attributes may be linked where a χ² test finds them dependent given the class; of these links, the
    forest with the largest conditional mutual information is used.

    Parameters:
        alpha: the significance level of the tests, above 0 and not above 1.
        parameters: how the tables are estimated: a name or an object of `tanager.parameters`, as "laplace" or
            Laplace(0.5).
        min_cell: a test with fewer rows per cell is not relied on, and means independence.
        roots: where the trees are rooted: at the "lowest" of their columns or at a "random" one.
        random_state: the seed of random roots.
        select: whether the attributes that `FFSSClassifier` drops, those that a test does not find dependent
            on the class, are dropped first.
        **settings: those of `BayesianNetworkClassifier`.

    >>> from tanager import STANClassifier
    >>> X = [[a, a, b] for a in "xy" for b in "pq"] * 20
    >>> model = STANClassifier().fit(X, [b for _, _, b in X])
    >>> model.network_.edges
    [('x0', 'x1')]
    """

    learner = "stan"

    def __init__(
        self,
        alpha: float = 0.05,
        parameters: ParametersLike = "laplace",
        *,
        min_cell: float = 5.0,
        roots: str = "lowest",
        random_state: int | None = None,
        select: bool = False,
        **settings: Unpack[ClassifierSettings],
    ) -> None:
        super().__init__(**settings)
        self.alpha = alpha
        self.parameters = parameters
        self.min_cell = min_cell
        self.roots = roots
        self.random_state = random_state
        self.select = select

    def _settings(self, names: list[str]) -> dict[str, Any]:
        return super()._settings(names) | {"select": flag(self.select, "select")}
