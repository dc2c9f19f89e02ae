"""What the classifiers share that leave attributes out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from tanager.estimators.estimator import BayesianNetworkEstimator

__all__ = ["SelectingClassifier"]


class SelectingClassifier(BayesianNetworkEstimator):
    """A classifier whose network need not use all attributes."""

    def get_support(self, indices: bool = False) -> NDArray[Any]:
        """Which columns the network uses, as scikit-learn's selectors tell it.

        A mask with a truth value for each column, or with `indices` their positions, ascending.

        >>> from tanager import FFSSClassifier
        >>> X = [[a, b] for a in "xy" for b in "pq"] * 20
        >>> FFSSClassifier().fit(X, [a for a, _ in X]).get_support()
        array([ True, False])
        """
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[[member for members, _ in self.model_.nodes for member in members]] = True
        return np.flatnonzero(mask) if indices else mask
