"""What a classifier is as a joint distribution: how many numbers it has, and rows drawn from it."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from tanager import _core
from tanager.data import EncodedTable, TableEncoder
from tanager.exceptions import DataError
from tanager.network import parents_first
from tanager.settings import is_whole

__all__ = ["GenerativeClassifier"]


class GenerativeClassifier:
    """P(c, x) of a classifier whose model is one network with its tables."""

    if TYPE_CHECKING:
        encoder_: TableEncoder
        model_: _core.Classifier
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
        if not is_whole(n_samples) or n_samples < 1:
            raise DataError(f"n_samples = {n_samples!r} is not allowed: it is a whole number from 1 on")
        n, nodes, encodings = int(n_samples), self.model_.nodes, self.encoder_.columns
        rng = np.random.default_rng(int(check_random_state(random_state).randint(2**31)))
        # One row of uniform numbers for each row that is drawn, so that fewer rows are the first of more.
        uniform = rng.random((n, 1 + len(nodes)))
        prior = np.exp(np.asarray(self.model_.log_prior))[None, :]
        classes = _drawn(prior, np.zeros(n, dtype=np.int64), uniform[:, 0])
        s = len(self.classes_)
        codes: list[Any] = [
            np.full(n, np.iinfo(encoding.dtype).max, dtype=encoding.dtype) for encoding in encodings
        ]
        for place in parents_first(nodes):
            members, parents = nodes[place]
            shape = [encodings[member].arity for member in members]
            context = np.zeros(n, dtype=np.int64)
            for parent in parents:
                context = context * encodings[parent].arity + codes[parent]
            # The table is [parents, members, class]; a context here is the parents' values and the class.
            by_parents = np.exp(self.model_.table(place)).reshape(-1, prod(shape), s)
            theta = np.swapaxes(by_parents, 1, 2).reshape(-1, prod(shape))
            values = _drawn(theta, context * s + classes, uniform[:, 1 + place])
            for member, drawn in zip(members, np.unravel_index(values, shape), strict=True):
                codes[member] = drawn.astype(encodings[member].dtype)
        table = EncodedTable(codes, [encoding.arity for encoding in encodings], n)
        rows: NDArray[Any] = np.column_stack(list(self.encoder_.inverse_transform(table).values()))
        labels: NDArray[Any] = self.classes_[classes]
        return rows, labels


def _drawn(
    theta: NDArray[np.float64], context: NDArray[np.int64], uniform: NDArray[np.float64]
) -> NDArray[np.int64]:
    """One value for each row by inversion: from θ[context] with its own uniform number in [0, 1)."""
    values = np.empty(len(context), dtype=np.int64)
    order = np.argsort(context, kind="stable")
    found, starts = np.unique(context[order], return_index=True)
    for one, rows in zip(found, np.split(order, starts[1:]), strict=True):
        cumulative = np.cumsum(theta[one])
        total = cumulative[-1]
        # The last value that is possible, where rounding lifts a number to the total.
        last = np.searchsorted(cumulative, total)
        values[rows] = np.minimum(np.searchsorted(cumulative, uniform[rows] * total, side="right"), last)
    return values
