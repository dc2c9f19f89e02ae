"""Optimal tree-augmented naive Bayes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from tanager.estimators.base import column_position
from tanager.estimators.score_attribute import ScoreMaximizingClassifier
from tanager.parameters import ParametersLike
from tanager.scores import ScoreLike
from tanager.settings import flag

__all__ = ["TANClassifier"]


class TANClassifier(ScoreMaximizingClassifier):
    """Every attribute depends on the class and, but for one root, on one other attribute.

    The tree is the best of all by the score: a maximum spanning tree for score-equivalent scores, Edmonds'
    maximum branching over all roots otherwise.

    Parameters:
        score: what the structure maximises: a name or an object of `tanager.scores`, as "bic" or BDeu(10), or
            any function of a table of counts.
        parameters: how the tables are estimated: a name or an object of `tanager.parameters`, as "laplace" or
            Laplace(0.5).
        root: the root, by name or position; None for the first column, or for the best root where the
            direction of an arc matters to the score; "random" for any column, unless one is called that.
        forest: whether arcs that do not raise the score are dropped.
        random_state: the seed of a random root.
        discretize: what cuts numeric columns: "mdl", "none", or a transformer.
        categorical, numeric: columns whose kind is not to be inferred, by name or position; or "all".
        missing: missing values at fit: "category", "drop" or "available".
        handle_unknown: values unseen at fit: "marginalize" or "error".
        missing_at_predict: how missing values are summed out at predict: "exact" or "approximate".
        class_weight: None, "balanced", or a weight by class; multiplied with `sample_weight`.
        class_prior: the classes' probabilities at predict, where they differ from those at fit: one for each
            of `classes_`, or by class.
        n_jobs: threads; None for all cores.

    >>> from tanager import TANClassifier
    >>> X = [["a", "a", "x"], ["b", "b", "y"], ["a", "a", "y"], ["b", "b", "x"]]
    >>> model = TANClassifier().fit(X, [0, 0, 1, 1])
    >>> print(model.network_)
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
        random_state: Any = None,
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
        self.score = score
        self.parameters = parameters
        self.root = root
        self.forest = forest
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
        root = self.root
        if isinstance(root, str) and root == "random" and root not in names:
            root = int(check_random_state(self.random_state).randint(len(names)))
        return {"root": column_position(root, names, "root"), "forest": flag(self.forest, "forest")}
