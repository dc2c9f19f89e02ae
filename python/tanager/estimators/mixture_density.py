"""Mixtures of trees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from tanager import _core
from tanager.data import TableEncoder
from tanager.data.encoding_settings import EncodingSettings
from tanager.estimators.density import BayesianNetworkDensity
from tanager.estimators.wrapper import seed_of
from tanager.network import Network
from tanager.parameters import ParametersLike

__all__ = ["MixtureOfTreesDensity"]


class MixtureOfTreesDensity(BayesianNetworkDensity):
    """Several trees, each with a share of the rows, fitted by expectation and maximisation.

    P(x) = Σ_k λ_k T_k(x): every component T_k is the tree of largest likelihood (`TreeDensity`) for the rows,
    weighted by how probably each comes from it. Fitted, it has `weights_` (λ, decreasing), `networks_` (one
    for each component; `network_` is the first, the heaviest) and `log_likelihoods_` (the mean of ln P(x)
    after each iteration of the run that was kept).

    Parameters:
        n_components: how many trees.
        random_state: the seed of the first responsibilities.
        parameters: how the tables are estimated: a name or an object of `tanager.parameters`, as "laplace" or
            Laplace(0.5).
        n_init: how many runs from different responsibilities; the best is kept.
        max_iter: the most iterations of a run.
        tol: a run ends where the mean log-likelihood rises by less than so many nats per row.
        progress: called now and then with the iterations done and expected.
        **settings: those of `ReadsTables`.

    >>> from tanager import MixtureOfTreesDensity
    >>> X = [["a", "a"], ["b", "b"]] * 20 + [["a", "b"], ["b", "a"]] * 5
    >>> model = MixtureOfTreesDensity(n_components=2).fit(X)
    >>> len(model.networks_), round(float(model.weights_.sum()), 6)
    (2, 1.0)
    """

    learner = "mixture"

    weights_: NDArray[np.float64]
    networks_: list[Network]
    log_likelihoods_: list[float]
    mixture_: _core.Mixture

    def __init__(
        self,
        n_components: int = 2,
        random_state: Any = 0,
        parameters: ParametersLike = "dirichlet",
        *,
        n_init: int = 1,
        max_iter: int = 100,
        tol: float = 1e-6,
        progress: Callable[[int, int], object] | None = None,
        **settings: Unpack[EncodingSettings],
    ) -> None:
        super().__init__(**settings)
        self.n_components = n_components
        self.random_state = random_state
        self.parameters = parameters
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.progress = progress

    def _settings(self, names: list[str]) -> dict[str, Any]:
        return super()._settings(names) | {"random_state": seed_of(self.random_state)}

    def _learn(self, data: _core.Dataset, names: list[str], folds: Any = None) -> tuple[Any, float | None]:
        settings = self._settings(names)
        return _core.fit_mixture(data, settings, self.parameters, self.n_jobs, self.progress), None

    def _keep(self, encoder: TableEncoder, model: Any, score: float | None, class_name: str | None) -> None:
        components = model.components
        super()._keep(encoder, components[0], score, class_name)
        self.mixture_ = model
        self.weights_ = np.exp(model.log_weights)
        names = self.network_.nodes
        self.networks_ = [Network.build(list(names), component.nodes, None) for component in components]
        self.log_likelihoods_ = model.path

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """ln P(x) of each row."""
        data = self._encode(X)
        return self.mixture_.log_density(data, self.n_jobs)

    def _codes(self, rows: int, seed: int) -> tuple[list[NDArray[np.uint32]], NDArray[np.uint32] | None]:
        return self.mixture_.sample(rows, seed)
