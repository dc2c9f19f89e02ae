"""Filter forward sequential selection."""

from __future__ import annotations

from typing import Unpack

from tanager.estimators.base import BayesianNetworkClassifier, ClassifierSettings
from tanager.estimators.selecting import SelectingClassifier
from tanager.parameters import ParametersLike

__all__ = ["FFSSClassifier"]


class FFSSClassifier(SelectingClassifier, BayesianNetworkClassifier):
    """Naive Bayes over the attributes that a χ² test finds dependent on the class.

    The other attributes are accepted at prediction and ignored.

    Parameters:
        alpha: the significance level of the tests, above 0 and not above 1.
        parameters: how the tables are estimated: a name or an object of `tanager.parameters`, as "laplace" or
            Laplace(0.5).
        min_cell: a test with fewer rows per cell is not relied on, and means independence.
        **settings: those of `BayesianNetworkClassifier`.

    >>> from tanager import FFSSClassifier
    >>> X = [[a, b] for a in "xy" for b in "pq"] * 20
    >>> FFSSClassifier().fit(X, [a for a, _ in X]).network_.groups
    (('x0',),)
    """

    learner = "ffss"

    def __init__(
        self,
        alpha: float = 0.05,
        parameters: ParametersLike = "laplace",
        *,
        min_cell: float = 5.0,
        **settings: Unpack[ClassifierSettings],
    ) -> None:
        super().__init__(**settings)
        self.alpha = alpha
        self.parameters = parameters
        self.min_cell = min_cell
