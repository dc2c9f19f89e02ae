"""Naive Bayes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from numpy.typing import ArrayLike

from tanager.estimators.base import BayesianNetworkClassifier
from tanager.parameters import ParametersLike

__all__ = ["NaiveBayesClassifier"]


class NaiveBayesClassifier(BayesianNetworkClassifier):
    """Every attribute depends on the class alone: P(c, x) = P(c) Π P(x_i | c).

    Parameters:
        parameters: how the tables are estimated: a name or an object of `tanager.parameters`, as "laplace" or
            Laplace(0.5).
        discretize: what cuts numeric columns: "mdl", "none", or a transformer.
        categorical, numeric: columns whose kind is not to be inferred, by name or position; or "all".
        missing: missing values at fit: "category", "drop" or "available".
        handle_unknown: values unseen at fit: "marginalize" or "error".
        missing_at_predict: how missing values are summed out at predict: "exact" or "approximate".
        class_weight: None, "balanced", or a weight by class; multiplied with `sample_weight`.
        class_prior: the classes' probabilities at predict, where they differ from those at fit: one for each
            of `classes_`, or by class.
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
        categorical: Iterable[str | int] | str | None = None,
        numeric: Iterable[str | int] | str | None = None,
        missing: str = "category",
        handle_unknown: str = "marginalize",
        missing_at_predict: str = "exact",
        class_weight: Mapping[Any, float] | str | None = None,
        class_prior: ArrayLike | Mapping[Any, float] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.parameters = parameters
        self.discretize = discretize
        self.categorical = categorical
        self.numeric = numeric
        self.missing = missing
        self.handle_unknown = handle_unknown
        self.missing_at_predict = missing_at_predict
        self.class_weight = class_weight
        self.class_prior = class_prior
        self.n_jobs = n_jobs
