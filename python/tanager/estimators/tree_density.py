"""Optimal branchings as densities."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tanager.estimators.base import column_position
from tanager.estimators.density import ScoreMaximizingDensity
from tanager.parameters import ParametersLike
from tanager.scores import ScoreLike
from tanager.settings import flag

__all__ = ["TreeDensity"]


class TreeDensity(ScoreMaximizingDensity):
    """Every column but one root depends on one other, the best tree of all by the score.

    Parameters:
        score: what the structure maximises: a name or an object of `tanager.scores`, as "bic" or BDeu(10), or
            any function of a table of counts.
        parameters: how the tables are estimated: a name or an object of `tanager.parameters`, as "laplace" or
            Laplace(0.5).
        root: the root, by name or position; None for the first column, or for the best root where the
            direction of an arc matters to the score.
        forest: whether arcs that do not raise the score are dropped.
        discretize: what cuts numeric columns: "mdl" (without a class: five bins of equal frequency), "none",
            or a transformer.
        categorical, numeric: columns whose kind is not to be inferred, by name or position; or "all".
        missing: missing values at fit: "category", "drop" or "available".
        handle_unknown: values unseen at fit: "marginalize" or "error".
        n_jobs: threads; None for all cores.

    >>> from tanager import TreeDensity
    >>> X = [["a", "a", "x"], ["b", "b", "y"], ["a", "a", "y"], ["b", "b", "x"]]
    >>> print(TreeDensity().fit(X).network_)
    x0
    ├── x1
    └── x2
    """

    learner = "tan"

    def __init__(
        self,
        score: ScoreLike = "ll",
        parameters: ParametersLike = "dirichlet",
        root: int | str | None = None,
        forest: bool = False,
        *,
        discretize: Any = "mdl",
        categorical: Iterable[str | int] | str | None = None,
        numeric: Iterable[str | int] | str | None = None,
        missing: str = "category",
        handle_unknown: str = "marginalize",
        n_jobs: int | None = None,
    ) -> None:
        self.score = score
        self.parameters = parameters
        self.root = root
        self.forest = forest
        self.discretize = discretize
        self.categorical = categorical
        self.numeric = numeric
        self.missing = missing
        self.handle_unknown = handle_unknown
        self.n_jobs = n_jobs

    def _settings(self, names: list[str]) -> dict[str, Any]:
        return {"root": column_position(self.root, names, "root"), "forest": flag(self.forest, "forest")}
