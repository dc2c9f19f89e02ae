"""What classifiers share that are more than one network."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tanager import _core
from tanager.data import EncodedTable
from tanager.estimators.base import BayesianNetworkClassifier
from tanager.exceptions import DataError, NotThereError
from tanager.parameters import ParametersLike

__all__ = ["ComposedClassifier"]


class ComposedClassifier(BayesianNetworkClassifier):
    """The base of averages of networks and of weighted networks.

    A subclass says what it is (`_is`) and fits it (`_compose`); explanations are the core's.
    """

    #: What it is, for messages: "an average over all trees".
    _is: ClassVar[str]

    #: Not looked at: such a model has tables of its own.
    parameters: ParametersLike = "laplace"

    def _compose(self, evidence: Any, names: list[str], passes: Any = None, memory: int | None = None) -> Any:
        """The model, from rows or from counts."""
        raise DataError(f"{type(self).__name__} does not say how it is fitted")

    def _learn(self, data: _core.Dataset, names: list[str], folds: Any = None) -> Any:
        return self._compose(data, names), None

    def _learn_counts(self, counts: _core.Statistics, names: list[str], passes: Any, memory: Any) -> Any:
        return self._compose(counts, names, passes, memory), None

    def _terms(self, table: EncodedTable) -> NDArray[np.float64]:
        model: Any = self.model_
        terms: NDArray[np.float64] = model.contributions(table.data, self.n_jobs, self._approximate())
        return terms

    @property
    def sample(self) -> Any:
        """Not there: rows are drawn from one network."""
        raise NotThereError(f"{self._is} is not one network, and has no rows to draw")

    @property
    def n_parameters_(self) -> int:
        """Not there: parameters are counted in one network."""
        raise NotThereError(f"{self._is} is not one network, and has no number of free parameters")

    def _described(self, class_name: str, what: str = "this export holds") -> Any:
        raise DataError(f"{self._is} is not one network with its tables: no such export")


class WithoutJoint(ComposedClassifier):
    """Composed classifiers whose P(c | x) is not that of a joint distribution."""

    @property
    def predict_joint_log_proba(self) -> Any:
        """Not there: P(c | x) comes from no distribution of whole rows."""
        raise NotThereError(f"{self._is} has P(c | x) only, and no joint probability")
