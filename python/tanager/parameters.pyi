"""Parameter estimators with their settings."""

# Written by scripts/registry_tables.py from the core's registry.

from dataclasses import dataclass
from typing import ClassVar, Literal

from tanager.specification import Specification

__all__ = [
    "MLE",
    "ACLLParameters",
    "Dirichlet",
    "Hierarchical",
    "Laplace",
    "ParametersLike",
]

@dataclass(frozen=True)
class MLE(Specification):
    """Relative frequencies.

    N_xπ / N_π; a π never seen gives the margin of x
    """

    kind: ClassVar[str]
    name: ClassVar[str]

@dataclass(frozen=True)
class Laplace(Specification):
    """Alpha added to every count.

    (N_xπ + α) / (N_π + α r)

    Parameters:
        alpha: what is added to every count.
    """

    kind: ClassVar[str]
    name: ClassVar[str]
    alpha: float = 1.0

@dataclass(frozen=True)
class Dirichlet(Specification):
    """N0 pseudo-rows, distributed as the child is in the whole data.

    (N_xπ + n0·p̂(x)) / (N_π + n0), p̂(x) = (N_x + 1/r) / (N + 1)

    Parameters:
        n0: the pseudo-rows of each configuration.
    """

    kind: ClassVar[str]
    name: ClassVar[str]
    n0: float = 5.0

@dataclass(frozen=True)
class Hierarchical(Specification):
    """Every context leans on the one with one parent less, as leave-one-out tells.

    (n_d(x) + c_d p_{d−1}(x)) / (n_d + c_d) at the last level d of parents
    """

    kind: ClassVar[str]
    name: ClassVar[str]

@dataclass(frozen=True)
class ACLLParameters(Specification):
    """The maximum of the approximate conditional log-likelihood.

    M / Σ_x M, M = max(N_xπc + β N_xπ, n0)

    Parameters:
        prior: what is assumed of the joint probabilities.
        n0: the pseudo-count that bounds the parameters from below.
        a: the Dirichlet prior's parameter of each class.
        b: that of the rest; the number of rows unless given.
    """

    kind: ClassVar[str]
    name: ClassVar[str]
    prior: Literal["dirichlet", "uniform"] = "dirichlet"
    n0: float = 5.0
    a: float = 1.0
    b: float | None = None

ParametersLike = str | Specification
