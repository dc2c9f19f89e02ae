"""Selective tree-augmented naive Bayes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from numpy.typing import ArrayLike

from tanager.estimators.base import BayesianNetworkClassifier
from tanager.parameters import ParametersLike

__all__ = ["STANClassifier"]


class STANClassifier(BayesianNetworkClassifier):
    """Naive Bayes with a forest of arcs between attributes that are dependent given the class.

    Two attributes may be linked where a χ² test finds them dependent given the class; of these links, the
    forest with the largest conditional mutual information is used.

    Parameters:
        alpha: the significance level of the tests, above 0 and not above 1.
        parameters: how the tables are estimated: a name or an object of `tanager.parameters`, as "laplace" or
            Laplace(0.5).
        min_cell: a test with fewer rows a cell is not relied on, and means independence.
        roots: where the trees are rooted: at the "lowest" of their columns or at a "random" one.
        random_state: the seed of random roots.
        discretize: what cuts numeric columns: "mdl", "none", or a transformer.
        categorical, numeric: columns whose kind is not to be inferred, by name or position; or "all".
        missing: missing values at fit: "category", "drop" or "available".
        handle_unknown: values unseen at fit: "marginalize" or "error".
        missing_at_predict: how missing values are summed out at predict: "exact" or "approximate".
        class_weight: None, "balanced", or a weight by class; multiplied with `sample_weight`.
        class_prior: the classes' probabilities at predict, where they differ from those at fit: one for each
            of `classes_`, or by class.
        n_jobs: threads; None for all cores. The result does not depend on it.

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
        self.roots = roots
        self.random_state = random_state
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
        return {
            "alpha": self.alpha,
            "min_cell": self.min_cell,
            "roots": self.roots,
            "random_state": self.random_state,
        }
