"""Trees by hill climbing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from numpy.typing import ArrayLike

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
        discretize: what cuts numeric columns: "mdl", "none", or a transformer.
        categorical, numeric: columns whose kind is not to be inferred, by name or position; or "all".
        missing: missing values at fit: "category", "drop" or "available".
        handle_unknown: values unseen at fit: "marginalize" or "error".
        class_weight: None, "balanced", or a weight by class; multiplied with `sample_weight`.
        class_prior: the classes' probabilities at predict, where they differ from those at fit: one for each
            of `classes_`, or by class.
        n_jobs: threads; None for all cores. The result does not depend on it.
        progress: called now and then with the numbers of candidates tried and planned so far.

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
        discretize: Any = "mdl",
        categorical: Iterable[str | int] | str | None = None,
        numeric: Iterable[str | int] | str | None = None,
        missing: str = "category",
        handle_unknown: str = "marginalize",
        class_weight: Mapping[Any, float] | str | None = None,
        class_prior: ArrayLike | Mapping[Any, float] | None = None,
        n_jobs: int | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> None:
        self.cv = cv
        self.superparent = superparent
        self.parameters = parameters
        self.random_state = random_state
        self.epsilon = epsilon
        self.discretize = discretize
        self.categorical = categorical
        self.numeric = numeric
        self.missing = missing
        self.handle_unknown = handle_unknown
        self.class_weight = class_weight
        self.class_prior = class_prior
        self.n_jobs = n_jobs
        self.progress = progress

    def _settings(self, names: list[str]) -> dict[str, Any]:
        return super()._settings(names) | {"superparent": self.superparent}
