"""k-dependence Bayesian classifiers."""

from __future__ import annotations

from typing import Any, Unpack

from tanager.estimators.base import BayesianNetworkClassifier, ClassifierSettings
from tanager.estimators.selecting import SelectingClassifier
from tanager.exceptions import DataError
from tanager.parameters import ParametersLike
from tanager.settings import flag

__all__ = ["KDBClassifier"]


class KDBClassifier(SelectingClassifier, BayesianNetworkClassifier):
    """Every attribute depends on the class and on k attributes that tell more about the class than it does.

    Attributes are ordered by their information about the class; the parents of each are those k before it
    that tell most about it given the class. The selective kind keeps the beginning of that order and the
    number of parents, at most k, that classify the rows best when each is left out in turn.

    Parameters:
        k: the most attribute parents; more than there are attributes before it means all of them.
        selective: whether a prefix of the order and a number of parents up to k are selected.
        selection: the leave-one-out loss by which they are: "log_loss", "rmse" or "zero_one".
        parameters: how the tables are estimated: a name or an object of `tanager.parameters`, as "laplace" or
            Laplace(0.5).
        information: what parents are chosen by: "conditional", I(X; P | C), or "residual",
            I(X; P | C) − I(X; P), which finds parents that matter for the class alone.
        **settings: those of `BayesianNetworkClassifier`.

    >>> from tanager import KDBClassifier
    >>> X = [[a, b, a ^ b] for a in (0, 1) for b in (0, 1)] * 20
    >>> model = KDBClassifier(k=2).fit(X, [a for a, b, c in X])
    >>> model.network_.parents
    {'x0': (), 'x1': ('x0',), 'x2': ('x1', 'x0')}
    """

    learner = "kdb"

    def __init__(
        self,
        k: int = 2,
        selective: bool = False,
        selection: str = "log_loss",
        parameters: ParametersLike = "hierarchical",
        *,
        information: str = "conditional",
        **settings: Unpack[ClassifierSettings],
    ) -> None:
        super().__init__(**settings)
        self.k = k
        self.selective = selective
        self.selection = selection
        self.parameters = parameters
        self.information = information

    def _check_counted(self) -> None:
        super()._check_counted()
        if flag(self.selective, "selective"):
            raise DataError(
                f"{type(self).__name__} with selective=True looks at the rows one by one and needs all of "
                "them in memory; from counts, or a table in parts, it learns without selective=True"
            )

    def _settings(self, names: list[str]) -> dict[str, Any]:
        return super()._settings(names) | {"selective": flag(self.selective, "selective")}
