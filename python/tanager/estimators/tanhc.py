"""Trees by hill climbing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Unpack

from tanager.estimators.base import ClassifierSettings
from tanager.estimators.wrapper import WrapperClassifier
from tanager.parameters import ParametersLike

__all__ = ["TANHCClassifier"]


class TANHCClassifier(WrapperClassifier):
    """Tree-augmented naive Bayes whose arcs a search by accuracy adds (TAN-HC, TAN-HCSP).

    From naive Bayes on, each step adds the arc between two attributes that raises the cross-validated
    accuracy most, as long as one does. Every attribute has at most one parent beside the class.

    Parameters:
        cv: the number of stratified folds, a splitter, or pairs of (train, test) rows.
        superparent: whether a step first chooses the parent, by the accuracy with arcs to all attributes that
            may be its children, and then the best one of these: TAN-HCSP.
        parameters: how the tables are estimated: a name or an object of `tanager.parameters`, as "laplace" or
            Laplace(0.5).
        random_state: the seed of the folds; all candidates are measured on the same ones.
        epsilon: the least rise of the accuracy that counts, such as 0.01; 0 for any.
        progress: called now and then with the numbers of candidates tried and planned so far.
        **settings: those of `BayesianNetworkClassifier`.

    >>> from tanager import TANHCClassifier
    >>> X = [[a, b] for a in (0, 1) for b in (0, 1)] * 5
    >>> model = TANHCClassifier().fit(X, [a ^ b for a, b in X])
    >>> model.search_path_
    [SearchStep(step=1, operation='arc x0 → x1', accuracy=1.0)]
    """

    learner = "tanhc"

    def __init__(
        self,
        cv: Any = 5,
        superparent: bool = False,
        parameters: ParametersLike = "laplace",
        random_state: Any = 0,
        *,
        epsilon: float = 0.0,
        progress: Callable[[int, int], object] | None = None,
        **settings: Unpack[ClassifierSettings],
    ) -> None:
        super().__init__(**settings)
        self.cv = cv
        self.superparent = superparent
        self.parameters = parameters
        self.random_state = random_state
        self.epsilon = epsilon
        self.progress = progress
