"""Naive Bayes."""

from __future__ import annotations

from typing import Any

from tanager.estimators.base import BayesianNetworkClassifier
from tanager.parameters import ParametersLike

__all__ = ["NaiveBayesClassifier"]


class NaiveBayesClassifier(BayesianNetworkClassifier):
    """Every attribute depends on the class alone: P(c, x) = P(c) Π P(x_i | c).

    Parameters:
        parameters: how the tables are estimated: "laplace", "mle", "dirichlet", or
            an object such as Laplace(0.5).
        discretize: what cuts numeric columns: "mdl", "none", or a transformer.
        missing: missing values at fit: "category", "drop" or "available".
        handle_unknown: values unseen at fit: "marginalize" or "error".
        n_jobs: threads; None for all cores.

    >>> from tanager import NaiveBayesClassifier
    >>> X = [["sun", "hot"], ["sun", "mild"], ["rain", "mild"], ["rain", "cool"]]
    >>> model = NaiveBayesClassifier().fit(X, ["no", "no", "yes", "yes"])
    >>> model.predict([["rain", "mild"]]).tolist()
    ['yes']
    >>> model.predict_proba([["rain", "mild"]]).round(3)
    array([[0.25, 0.75]])
    """

    learner = "nb"

    def __init__(
        self,
        parameters: ParametersLike = "laplace",
        *,
        discretize: Any = "mdl",
        missing: str = "category",
        handle_unknown: str = "marginalize",
        n_jobs: int | None = None,
    ) -> None:
        self.parameters = parameters
        self.discretize = discretize
        self.missing = missing
        self.handle_unknown = handle_unknown
        self.n_jobs = n_jobs
