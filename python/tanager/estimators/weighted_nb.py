"""Naive Bayes with weighted attributes."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from tanager import _core
from tanager.estimators.base import ClassifierSettings
from tanager.estimators.composed import WithoutJoint
from tanager.estimators.wrapper import seed_of
from tanager.registry import LEARNERS
from tanager.settings import one_of, whole

__all__ = ["WeightedNaiveBayesClassifier"]


class WeightedNaiveBayesClassifier(WithoutJoint):
    """Naive Bayes in which attributes count more or less.

        "wanbia", "awnb":  P(c | x) ∝ P(c) Π_i θ(x_i | c)^w_i
        "manb":            P(c | x) ∝ P(c) Π_i [w_i θ(x_i | c) + (1 − w_i) θ(x_i)]

    A missing or unseen value has no factor; `missing_at_predict` changes nothing.

    Parameters:
        weights: "wanbia": in [0, 1], of the largest conditional likelihood of the training rows; "awnb": by
            how early unpruned decision trees on bootstrap samples ask for the attribute; "manb": the
            probability that the attribute depends on the class, given the data.
        alpha: added to every count of the tables; None for 1 over the number of values.
        n_trees: the trees of "awnb".
        random_state: the seed of their samples.
        **settings: those of `BayesianNetworkClassifier`.

    Fitted: `weights_`. `table` has what a value adds to the class, weights included.

    >>> from tanager import WeightedNaiveBayesClassifier
    >>> X = [[a, a] for a in (0, 1)] * 40  # the same column twice
    >>> y = [(a + (i % 5 == 0)) % 2 for i, (a, _) in enumerate(X)]
    >>> WeightedNaiveBayesClassifier().fit(X, y).weights_.round(1)
    array([0.5, 0.5])
    """

    learner = "wnb"
    _is = "weighted naive Bayes"

    model_: _core.WeightedNaiveBayes  # type: ignore[assignment]

    def __init__(
        self,
        weights: str = "wanbia",
        *,
        alpha: float | None = None,
        n_trees: int = 10,
        random_state: Any = 0,
        **settings: Unpack[ClassifierSettings],
    ) -> None:
        super().__init__(**settings)
        self.weights = weights
        self.alpha = alpha
        self.n_trees = n_trees
        self.random_state = random_state

    def _settings(self, names: list[str]) -> dict[str, Any]:
        return super()._settings(names) | {
            "weights": one_of(self.weights, "weights", LEARNERS[self.learner].words("weights")),
            "n_trees": whole(self.n_trees, "n_trees", 1),
            "random_state": seed_of(self.random_state),
        }

    def _compose(self, evidence: Any, names: list[str], passes: Any = None, memory: int | None = None) -> Any:
        return _core.fit_weighted_nb(evidence, self._settings(names), self.n_jobs)

    @property
    def weights_(self) -> NDArray[np.float64]:
        """The weight of each attribute, from 0 to 1."""
        check_is_fitted(self)
        return self.model_.weights
