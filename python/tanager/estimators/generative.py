"""What a classifier is as a joint distribution: how many numbers it has, and rows drawn from it."""

from __future__ import annotations

from math import prod
from typing import Any

from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from tanager.estimators.estimator import BayesianNetworkEstimator

__all__ = ["GenerativeClassifier"]


class GenerativeClassifier(BayesianNetworkEstimator):
    """P(c, x) of a classifier whose model is one network with its tables."""

    classes_: NDArray[Any]

    @property
    def n_parameters_(self) -> int:
        """The free parameters of the prior and all tables: (s − 1) + Σ_nodes (r − 1) q s.

        s is the number of classes, r that of a node's values and q that of its parents' joint values. Joined
        attributes are one node, whose values are the tuples of theirs; a category "missing" is a value.

        >>> from tanager import NaiveBayesClassifier
        >>> X = [["a", "p"], ["b", "q"], ["c", "q"]]
        >>> NaiveBayesClassifier().fit(X, [0, 1, 1]).n_parameters_
        7
        """
        check_is_fitted(self)
        arities, s = [encoding.arity for encoding in self.encoder_.columns], len(self.classes_)
        return (s - 1) + sum(
            (prod(arities[member] for member in members) - 1)
            * prod(arities[parent] for parent in parents)
            * s
            for members, parents in self.model_.nodes
        )

    def sample(self, n_samples: int = 1, random_state: Any = None) -> tuple[NDArray[Any], NDArray[Any]]:
        """Draws rows with their labels from the network: X and y.

        Values are levels, or intervals as text for numeric columns; None where missing, and in columns that
        the network does not use. Labels follow the prior of training. With the same `random_state` fewer rows
        are the first of more.

        >>> from tanager import NaiveBayesClassifier
        >>> X, y = [["a", "p"], ["b", "q"]] * 50, ["no", "yes"] * 50
        >>> rows, labels = NaiveBayesClassifier(parameters="mle").fit(X, y).sample(1000, random_state=0)
        >>> rows.shape, {(*row, label) for row, label in zip(rows.tolist(), labels.tolist())} == {
        ...     ("a", "p", "no"),
        ...     ("b", "q", "yes"),
        ... }
        ((1000, 2), True)
        """
        check_is_fitted(self)
        rows, classes = self._drawn(n_samples, random_state)
        labels: NDArray[Any] = self.classes_[classes]
        return rows, labels
