"""Augmented semi-naive Bayes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from numpy.typing import ArrayLike

from tanager.estimators.selecting import SelectingClassifier
from tanager.estimators.wrapper import WrapperClassifier
from tanager.parameters import ParametersLike

__all__ = ["ASBClassifier"]


class ASBClassifier(SelectingClassifier, WrapperClassifier):
    """The semi-naive Bayes of `BSEJClassifier`, with a forest of arcs between its nodes.

    Two nodes may be linked where a χ² test finds them dependent given the class; of these links, the
    forest with the largest conditional mutual information is used. An arc between nodes makes every
    attribute of one a parent of every attribute of the other.

    Parameters:
        cv: the number of stratified folds, a splitter, or pairs of (train, test) rows.
        alpha: the significance level of the tests between groups, above 0 and not above 1.
        parameters: how the tables are estimated: a name or an object of `tanager.parameters`, as "laplace" or
            Laplace(0.5).
        random_state: the seed of the folds; all candidates are measured on the same ones.
        epsilon: the least rise of the accuracy that counts, such as 0.01; 0 for any.
        min_cell: a test with fewer rows a cell is not relied on, and means independence.
        roots: where the trees are rooted: at the "lowest" of their groups or at a "random" one.
        discretize: what cuts numeric columns: "mdl", "none", or a transformer.
        categorical, numeric: columns whose kind is not to be inferred, by name or position; or "all".
        missing: missing values at fit: "category", "drop" or "available".
        handle_unknown: values unseen at fit: "marginalize" or "error".
        missing_at_predict: how missing values are summed out at predict: "exact" or "approximate".
        class_weight: None, "balanced", or a weight by class; multiplied with `sample_weight`.
        class_prior: the classes' probabilities at predict, where they differ from those at fit: one for each
            of `classes_`, or by class.
        n_jobs: threads; None for all cores. The result does not depend on it.
        progress: called now and then with the numbers of candidates tried and planned so far.

    >>> from tanager import ASBClassifier
    >>> X = [[a, a, b] for a in "xy" for b in "pq"] * 20
    >>> model = ASBClassifier().fit(X, [b for _, _, b in X])
    >>> print(model.network_)
    x0
    └── x1
    x2
    """

    learner = "asb"

    def __init__(
        self,
        cv: Any = 5,
        alpha: float = 0.05,
        parameters: ParametersLike = "laplace",
        random_state: Any = 0,
        *,
        epsilon: float = 0.0,
        min_cell: float = 5.0,
        roots: str = "lowest",
        discretize: Any = "mdl",
        categorical: Iterable[str | int] | str | None = None,
        numeric: Iterable[str | int] | str | None = None,
        missing: str = "category",
        handle_unknown: str = "marginalize",
        missing_at_predict: str = "exact",
        class_weight: Mapping[Any, float] | str | None = None,
        class_prior: ArrayLike | Mapping[Any, float] | None = None,
        n_jobs: int | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> None:
        self.cv = cv
        self.alpha = alpha
        self.parameters = parameters
        self.random_state = random_state
        self.epsilon = epsilon
        self.min_cell = min_cell
        self.roots = roots
        self.discretize = discretize
        self.categorical = categorical
        self.numeric = numeric
        self.missing = missing
        self.handle_unknown = handle_unknown
        self.missing_at_predict = missing_at_predict
        self.class_weight = class_weight
        self.class_prior = class_prior
        self.n_jobs = n_jobs
        self.progress = progress

    def _settings(self, names: list[str]) -> dict[str, Any]:
        tests = {"alpha": self.alpha, "min_cell": self.min_cell, "roots": self.roots}
        return super()._settings(names) | tests
