"""Decomposable scores, each with its settings."""

# Written by scripts/registry_tables.py from the core's registry.

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tanager.specification import Specification

__all__ = [
    "ACLL",
    "AIC",
    "BD",
    "BIC",
    "K2",
    "LL",
    "MDL",
    "MIT",
    "BDe",
    "BDeu",
    "ScoreLike",
]

@dataclass(frozen=True)
class LL(Specification):
    """Log-likelihood.

    Σ N_jk ln(N_jk / N_j)
    """

    kind: ClassVar[str]
    name: ClassVar[str]

@dataclass(frozen=True)
class AIC(Specification):
    """Log-likelihood, less one for each free parameter.

    ll − (r−1) q
    """

    kind: ClassVar[str]
    name: ClassVar[str]

@dataclass(frozen=True)
class BIC(Specification):
    """Log-likelihood, less ½ ln N for each free parameter.

    ll − ½ ln(N) (r−1) q
    """

    kind: ClassVar[str]
    name: ClassVar[str]

@dataclass(frozen=True)
class MDL(Specification):
    """Minimum description length; the same as bic.

    ll − ½ ln(N) (r−1) q
    """

    kind: ClassVar[str]
    name: ClassVar[str]

@dataclass(frozen=True)
class K2(Specification):
    """Bayesian Dirichlet, one pseudo-count in each cell.

    bd with α = 1
    """

    kind: ClassVar[str]
    name: ClassVar[str]

@dataclass(frozen=True)
class BD(Specification):
    """Bayesian Dirichlet, alpha pseudo-counts in each cell.

    Σ_j [ lnΓ(rα) − lnΓ(rα + N_j) + Σ_k (lnΓ(α + N_jk) − lnΓ(α)) ]

    Parameters:
        alpha: the pseudo-count of each cell.
    """

    kind: ClassVar[str]
    name: ClassVar[str]
    alpha: float = 1.0

@dataclass(frozen=True)
class BDe(Specification):
    """Likelihood-equivalent Bayesian Dirichlet, from a prior without arcs.

    bd with α = ess · P0 per cell, P0 the product of uniform or of empirical margins

    Parameters:
        ess: the equivalent sample size: pseudo-rows.
        prior: the margins of the prior network.
    """

    kind: ClassVar[str]
    name: ClassVar[str]
    ess: float = 1.0
    prior: Literal["uniform", "empirical"] = "uniform"

@dataclass(frozen=True)
class BDeu(Specification):
    """Likelihood-equivalent Bayesian Dirichlet with a uniform prior.

    bd with α = ess / (r q) per cell

    Parameters:
        ess: the equivalent sample size: pseudo-rows.
    """

    kind: ClassVar[str]
    name: ClassVar[str]
    ess: float = 1.0

@dataclass(frozen=True)
class MIT(Specification):
    """Mutual information tests.

    2N·MI(X; Π) − Σ_t χ²(α, l_t)

    Parameters:
        alpha: which quantile of χ² is taken off.
    """

    kind: ClassVar[str]
    name: ClassVar[str]
    alpha: float = 0.999

@dataclass(frozen=True)
class ACLL(Specification):
    """Approximate conditional log-likelihood, for classifiers that discriminate.

    Σ W_jck ln(M_jck / Σ_k M_jck), W = N_jck + β N_j·k, M = max(W, n0)

    Parameters:
        prior: what is assumed of the joint probabilities.
        a: the Dirichlet prior's parameter of each class.
        b: that of the rest; the number of rows unless given.
        n0: the pseudo-count that bounds the parameters from below.
    """

    kind: ClassVar[str]
    name: ClassVar[str]
    prior: Literal["dirichlet", "uniform"] = "dirichlet"
    a: float = 1.0
    b: float | None = None
    n0: float = 5.0

ScoreLike = str | Specification | Callable[[NDArray[np.int64]], float] | Any
