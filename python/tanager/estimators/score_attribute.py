"""One name for two things: the score that a learner maximises, and scikit-learn's method `score(X, y)`.

The papers call what a structure learner maximises its score, and so does the parameter `score=`. scikit-learn
calls the accuracy of a fitted estimator `score(X, y)`. Both are kept: `get_params`, `set_params`, `clone` and
`repr` see the parameter, a call is the method, and `estimator.score == "bic"` compares the parameter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tanager.scores import ScoreLike

__all__ = ["ScoreMaximizing"]


class BoundScore:
    """What `estimator.score` is: a call gives the accuracy, a comparison looks at the parameter."""

    def __init__(self, method: Callable[..., float], estimator: Any, parameter: ScoreLike) -> None:
        self._method = method
        self._estimator = estimator
        self.parameter = parameter

    def __call__(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The method `score` of the estimator."""
        if sample_weight is None:
            return self._method(self._estimator, X, y)
        return self._method(self._estimator, X, y, sample_weight=sample_weight)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, BoundScore):
            return bool(self.parameter == other.parameter and self._estimator is other._estimator)
        return bool(self.parameter == other)

    def __hash__(self) -> int:
        return hash(self.parameter)

    def __repr__(self) -> str:
        return repr(self.parameter)


class ScoreAttribute:
    """Keeps the parameter in the instance, and gives the method with the parameter on access."""

    def __get__(self, instance: Any, owner: type) -> Any:
        method = super(ScoreMaximizing, owner).score  # type: ignore[misc]
        return method if instance is None else BoundScore(method, instance, instance.__dict__.get("score"))

    def __set__(self, instance: Any, value: ScoreLike) -> None:
        instance.__dict__["score"] = value


class ScoreMaximizing:
    """A classifier or density whose structure maximises `score`; a call of it is scikit-learn's method.

    >>> from tanager import TANClassifier, TreeDensity
    >>> model = TANClassifier(score="bic")
    >>> model.score == "bic", model.get_params()["score"]
    (True, 'bic')
    >>> model.fit([["a", "x"], ["b", "y"], ["b", "x"]], [0, 1, 1]).score([["b", "y"]], [1])
    1.0
    >>> density = TreeDensity(score="bic").fit([["a", "x"], ["b", "y"], ["b", "y"]])
    >>> density.score == "bic", round(density.score([["b", "y"]]), 3)
    (True, -0.757)
    """

    score = ScoreAttribute()

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name; `score` is what the structure maximises."""
        params: dict[str, Any] = super().get_params(deep)  # type: ignore[misc]
        return params | {"score": self.__dict__.get("score")}

    def _score(self) -> ScoreLike:
        return self.__dict__["score"]
