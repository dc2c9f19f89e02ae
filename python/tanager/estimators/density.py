"""What all densities share: encode, fit in the core, score and sample in the core."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import DensityMixin

from tanager.data import check_weights
from tanager.data.schema import Schema
from tanager.data.sources import is_source
from tanager.estimators.concentrations import TunedTables
from tanager.estimators.counted import CountedDensity
from tanager.streaming import Progress

__all__ = ["BayesianNetworkDensity"]


class BayesianNetworkDensity(TunedTables, DensityMixin, CountedDensity):
    """The base of all densities. A subclass names its learner and its settings."""

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        weight: str | None = None,
        schema: Schema | None = None,
        memory: int | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """Learns structure and tables. X is a frame or a 2-D array; y is not looked at.

        X may also be a table that is read in parts, and the other parameters are for such a table: see
        `TANClassifier.fit`.
        """
        if is_source(X):
            return self._fit_source(X, None, weight, schema, memory, progress)
        self._forget()
        weights = None if sample_weight is None else check_weights(sample_weight)
        encoder = self._encoder()
        table = encoder.fit_transform(X, None, weights)
        if self.missing == "drop":
            complete = table.complete_rows()
            table = table.take(complete)
            weights = None if weights is None else weights[complete]
        names = encoder.labels
        model, score = self._learn(table.data.with_class(weights=weights, names=names), names)
        self._keep(encoder, model, score, None)
        return self

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """ln P(x) of each row."""
        data = self._encode(X)
        return self.model_.log_density(data, self.n_jobs)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The mean of ln P(x) over the rows, weighted where weights are given; higher is better."""
        return float(np.average(self.score_samples(X), weights=sample_weight))

    def sample(self, n_samples: int = 1, random_state: Any = None) -> NDArray[Any]:
        """Draws rows: levels, or intervals as text for numeric columns; None where missing."""
        return self._drawn(n_samples, random_state)[0]
