"""Filter forward sequential selection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from numpy.typing import ArrayLike

from tanager.estimators.base import BayesianNetworkClassifier
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
        min_cell: a test with fewer rows a cell is not relied on, and means independence.
        discretize: what cuts numeric columns: "mdl", "none", or a transformer.
        categorical, numeric: columns whose kind is not to be inferred, by name or position; or "all".
        missing: missing values at fit: "category", "drop" or "available".
        handle_unknown: values unseen at fit: "marginalize" or "error".
        missing_at_predict: how missing values are summed out at predict: "exact" or "approximate".
        class_weight: None, "balanced", or a weight by class; multiplied with `sample_weight`.
        class_prior: the classes' probabilities at predict, where they differ from those at fit: one for each
            of `classes_`, or by class.
        n_jobs: threads; None for all cores. The result does not depend on it.

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
        self.alpha = alpha
        self.parameters = parameters
        self.min_cell = min_cell
        self.discretize = discretize
        self.categorical = categorical
        self.numeric = numeric
        self.missing = missing
        self.handle_unknown = handle_unknown
        self.missing_at_predict = missing_at_predict
        self.class_weight = class_weight
        self.class_prior = class_prior
        self.n_jobs = n_jobs

    def _settings(self, names: list[str]) -> dict[str, Any]:
        return {"alpha": self.alpha, "min_cell": self.min_cell}
