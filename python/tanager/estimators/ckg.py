"""Consistent k-graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from numpy.typing import ArrayLike

from tanager.estimators.base import column_position
from tanager.estimators.score_attribute import ScoreMaximizingClassifier
from tanager.parameters import ParametersLike
from tanager.scores import ScoreLike
from tanager.settings import parent_limit

__all__ = ["CkGClassifier", "root_setting"]


def root_setting(root: int | str | None, names: list[str]) -> int | str | None:
    """The core's setting: nothing, a position, or "best" (a column of that name is given by its position)."""
    return root if isinstance(root, str) and root == "best" else column_position(root, names, "root")


class CkGClassifier(ScoreMaximizingClassifier):
    """Every attribute depends on the class and on the best at most k of its ancestors in the optimal tree.

    The tree is the one that `TANClassifier` learns for the same score and root; the parents of an attribute
    are the subset of its ancestors that scores highest, of equal ones the smallest, then the one with the
    lowest columns. The search is exact.

    Parameters:
        k: the most attribute parents; more than an attribute has ancestors means all of them.
        score: what the structure maximises: a name or an object of `tanager.scores`, as "bic" or BDeu(10), or
            any function of a table of counts.
        parameters: how the tables are estimated: a name or an object of `tanager.parameters`, as "laplace" or
            Laplace(0.5).
        root: the root of the tree, by name or position; None as in TANClassifier; "best" for the root whose
            k-graph scores highest, which takes one search for each column.
        discretize: what cuts numeric columns: "mdl", "none", or a transformer.
        categorical, numeric: columns whose kind is not to be inferred, by name or position; or "all".
        missing: missing values at fit: "category", "drop" or "available".
        handle_unknown: values unseen at fit: "marginalize" or "error".
        missing_at_predict: how missing values are summed out at predict: "exact" or "approximate".
        class_weight: None, "balanced", or a weight by class; multiplied with `sample_weight`.
        class_prior: the classes' probabilities at predict, where they differ from those at fit: one for each
            of `classes_`, or by class.
        n_jobs: threads; None for all cores.
        progress: called now and then with the families searched and expected.

    >>> from tanager import CkGClassifier
    >>> X = [[a, b, a ^ b] for a in (0, 1) for b in (0, 1)] * 20
    >>> model = CkGClassifier(score="ll").fit(X, [0, 1] * 40)
    >>> print(model.network_)
    x0
    └── x2
    x1
    """

    learner = "ckg"

    def __init__(
        self,
        k: int = 2,
        score: ScoreLike = "bic",
        parameters: ParametersLike = "dirichlet",
        root: int | str | None = None,
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
        progress: Callable[[int, int], object] | None = None,
    ) -> None:
        self.k = k
        self.score = score
        self.parameters = parameters
        self.root = root
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
        return {"k": parent_limit(self.k, len(names)), "root": root_setting(self.root, names)}
