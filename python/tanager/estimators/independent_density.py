"""Independent columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tanager.estimators.density import BayesianNetworkDensity
from tanager.parameters import ParametersLike

__all__ = ["IndependentDensity"]


class IndependentDensity(BayesianNetworkDensity):
    """Every column is independent of the others: P(x) = Π P(x_i), for sites a position-specific matrix.

    Parameters:
        parameters: how the tables are estimated: a name or an object of `tanager.parameters`, as "laplace" or
            Laplace(0.5).
        discretize: what cuts numeric columns: "mdl" (without a class: five bins of equal frequency), "none",
            or a transformer.
        categorical, numeric: columns whose kind is not to be inferred, by name or position; or "all".
        missing: missing values at fit: "category", "drop" or "available".
        handle_unknown: values unseen at fit: "marginalize" or "error".
        n_jobs: threads; None for all cores.

    >>> from tanager import IndependentDensity
    >>> model = IndependentDensity("mle").fit([["a", "x"], ["a", "y"], ["b", "y"], ["a", "y"]])
    >>> model.score_samples([["a", "y"]]).round(4)
    array([-0.5754])
    """

    learner = "nb"

    def __init__(
        self,
        parameters: ParametersLike = "dirichlet",
        *,
        discretize: Any = "mdl",
        categorical: Iterable[str | int] | str | None = None,
        numeric: Iterable[str | int] | str | None = None,
        missing: str = "category",
        handle_unknown: str = "marginalize",
        n_jobs: int | None = None,
    ) -> None:
        self.parameters = parameters
        self.discretize = discretize
        self.categorical = categorical
        self.numeric = numeric
        self.missing = missing
        self.handle_unknown = handle_unknown
        self.n_jobs = n_jobs
