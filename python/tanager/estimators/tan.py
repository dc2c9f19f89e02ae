"""Optimal tree-augmented naive Bayes."""

from __future__ import annotations

from typing import Any, Unpack

from tanager.estimators.base import ClassifierSettings
from tanager.estimators.mixed import MixedClassifier
from tanager.estimators.score_attribute import ScoreMaximizing
from tanager.parameters import ParametersLike
from tanager.scores import ScoreLike
from tanager.settings import column_position, flag, random_source

__all__ = ["TANClassifier"]


class TANClassifier(ScoreMaximizing, MixedClassifier):
    """Every attribute depends on the class and, but for one root, on one other attribute.

    The tree is the best of all by the score: a maximum spanning tree for score-equivalent scores, Edmonds'
    maximum branching over all roots otherwise.

    With ``numeric="gaussian"`` numbers are not cut: they are normal given the class and one other column, and
    hang from each other, or from a column that is not a number, in the tree of largest mutual information.
    `score`, `root` and `forest` are for the other columns.

    Parameters:
        score: what the structure maximises: a name or an object of `tanager.scores`, as "bic" or BDeu(10), or
            any function of a table of counts.
        parameters: how the tables are estimated: a name or an object of `tanager.parameters`, as "laplace" or
            Laplace(0.5).
        root: the root, by name or position; None for the first column, or for the best root where the
            direction of an arc matters to the score; "random" for any column, unless one is called that.
        forest: whether arcs that do not raise the score are dropped.
        random_state: the seed of a random root.
        smoothed: pseudo-counts of the mutual information that the tree maximises in place of the score, such
            as 1.0; 0 for the score.
        **settings: those of `BayesianNetworkClassifier`.

    >>> from tanager import TANClassifier
    >>> X = [["a", "a", "x"], ["b", "b", "y"], ["a", "a", "y"], ["b", "b", "x"]]
    >>> model = TANClassifier().fit(X, [0, 0, 1, 1])
    >>> print(model.network_)
    x0
    ├── x1
    └── x2
    """

    learner = "tan"
    _tree_of_numbers = True

    def __init__(
        self,
        score: ScoreLike = "ll",
        parameters: ParametersLike = "dirichlet",
        root: int | str | None = None,
        forest: bool = False,
        *,
        random_state: Any = None,
        smoothed: float = 0.0,
        **settings: Unpack[ClassifierSettings],
    ) -> None:
        super().__init__(**settings)
        self.score = score
        self.parameters = parameters
        self.root = root
        self.forest = forest
        self.random_state = random_state
        self.smoothed = smoothed

    def _settings(self, names: list[str]) -> dict[str, Any]:
        root = self.root
        if isinstance(root, str) and root == "random" and root not in names:
            root = int(random_source(self.random_state).randint(len(names)))
        checked = {"root": column_position(root, names, "root"), "forest": flag(self.forest, "forest")}
        return super()._settings(names) | checked
