"""Independent columns."""

from __future__ import annotations

from typing import Unpack

from tanager.data.encoding_settings import EncodingSettings
from tanager.estimators.density import BayesianNetworkDensity
from tanager.parameters import ParametersLike

__all__ = ["IndependentDensity"]


class IndependentDensity(BayesianNetworkDensity):
    """Every column is independent of the others: P(x) = Π P(x_i), for sites a position-specific matrix.

    Parameters:
        parameters: how the tables are estimated: a name or an object of `tanager.parameters`, as "laplace" or
            Laplace(0.5).
        **settings: those of `ReadsTables`.

    >>> from tanager import IndependentDensity
    >>> model = IndependentDensity("mle").fit([["a", "x"], ["a", "y"], ["b", "y"], ["a", "y"]])
    >>> model.score_samples([["a", "y"]]).round(4)
    array([-0.5754])
    """

    learner = "nb"

    def __init__(
        self,
        parameters: ParametersLike = "dirichlet",
        **settings: Unpack[EncodingSettings],
    ) -> None:
        super().__init__(**settings)
        self.parameters = parameters
