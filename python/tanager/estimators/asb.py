"""Augmented semi-naive Bayes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Unpack

from tanager.estimators.base import ClassifierSettings
from tanager.estimators.network import positions
from tanager.estimators.selecting import SelectingClassifier
from tanager.estimators.wrapper import WrapperClassifier
from tanager.exceptions import DataTypeError
from tanager.parameters import ParametersLike

__all__ = ["ASBClassifier"]


class ASBClassifier(SelectingClassifier, WrapperClassifier):
    """The semi-naive Bayes of `BSEJClassifier`, or of other groups, with a forest of arcs between its nodes.

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
        min_cell: a test with fewer rows per cell is not relied on, and means independence.
        roots: where the trees are rooted: at the "lowest" of their groups or at a "random" one.
        groups: the groups between which arcs are drawn: lists of columns by name or position, an attribute in
            none being dropped; or the learner that finds them, "bsej", "fss" (attributes that forward
            selection takes, each a group), "fssj" or "ffss"; None for "bsej".
        progress: called now and then with the numbers of candidates tried and planned so far.
        **settings: those of `BayesianNetworkClassifier`.

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
        groups: Iterable[Iterable[str | int]] | str | None = None,
        progress: Callable[[int, int], object] | None = None,
        **settings: Unpack[ClassifierSettings],
    ) -> None:
        super().__init__(**settings)
        self.cv = cv
        self.alpha = alpha
        self.parameters = parameters
        self.random_state = random_state
        self.epsilon = epsilon
        self.min_cell = min_cell
        self.roots = roots
        self.groups = groups
        self.progress = progress

    def _settings(self, names: list[str]) -> dict[str, Any]:
        groups = self.groups
        if groups is not None and not isinstance(groups, str):
            if not isinstance(groups, Iterable):
                raise DataTypeError(
                    f"groups = {groups!r} is not allowed: it is lists of columns, or a learner's name"
                )
            groups = [positions(group, names, f"groups[{place}]") for place, group in enumerate(groups)]
        return super()._settings(names) | {"groups": groups}
