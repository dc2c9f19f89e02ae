"""Decomposable scores, each with its settings. A string gives the defaults: ``"bic"`` is ``BIC()``.

Any function ``f(counts: ndarray[q, r]) -> float`` is a score too: one row for each configuration of the
parents (the class varies slowest), one column for each value of the child. It is not taken to be score
equivalent unless it has an attribute ``score_equivalent = True``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tanager.specification import Specification

__all__ = ["ACLL", "AIC", "BD", "BIC", "K2", "LL", "MDL", "MIT", "BDe", "BDeu", "ScoreLike"]


@dataclass(frozen=True)
class LL(Specification):
    """Log-likelihood: Σ N_ijk ln(N_ijk / N_ij)."""

    name: ClassVar[str] = "ll"


@dataclass(frozen=True)
class AIC(Specification):
    """Akaike's information criterion: the log-likelihood less (r−1)q."""

    name: ClassVar[str] = "aic"


@dataclass(frozen=True)
class BIC(Specification):
    """The Bayesian information criterion: the log-likelihood less ½ ln(N) (r−1)q."""

    name: ClassVar[str] = "bic"


@dataclass(frozen=True)
class MDL(Specification):
    """Minimum description length; the same as BIC."""

    name: ClassVar[str] = "mdl"


@dataclass(frozen=True)
class K2(Specification):
    """K2: the Bayesian Dirichlet score with one pseudo-count in every cell."""

    name: ClassVar[str] = "k2"


@dataclass(frozen=True)
class BD(Specification):
    """The Bayesian Dirichlet score with ``alpha`` pseudo-counts in every cell."""

    name: ClassVar[str] = "bd"
    alpha: float = 1.0


@dataclass(frozen=True)
class BDe(Specification):
    """The likelihood-equivalent Bayesian Dirichlet score; ``ess`` pseudo-rows from a factorised prior."""

    name: ClassVar[str] = "bde"
    ess: float = 1.0
    prior: Literal["uniform", "empirical"] = "uniform"


@dataclass(frozen=True)
class BDeu(Specification):
    """The likelihood-equivalent Bayesian Dirichlet score with a uniform prior of ``ess`` pseudo-rows."""

    name: ClassVar[str] = "bdeu"
    ess: float = 1.0


@dataclass(frozen=True)
class MIT(Specification):
    """Mutual information tests: 2N·MI less the ``alpha`` quantiles of χ²."""

    name: ClassVar[str] = "mit"
    alpha: float = 0.999


@dataclass(frozen=True)
class ACLL(Specification):
    """The approximate conditional log-likelihood: discriminative, for classifiers.

    Σ W ln(M / ΣM) with W = N_ijck + β N_ij·k and M = max(W, n0): rows of other classes speak against a value.
    β comes from what is assumed of the model's joint probabilities: ``prior="dirichlet"`` with parameters
    ``a`` for each class and ``b`` (the number of rows unless given) for the rest, or ``prior="uniform"``; see
    `acll_constants`. ``n0`` above 0 bounds the parameters from below.

    >>> from tanager import ACLL, TANClassifier
    >>> TANClassifier(score=ACLL(prior="uniform"), parameters="dirichlet").score
    ACLL(prior='uniform', a=1.0, b=None, n0=5.0)
    """

    name: ClassVar[str] = "acll"
    prior: Literal["dirichlet", "uniform"] = "dirichlet"
    a: float = 1.0
    b: float | None = None
    n0: float = 5.0


ScoreLike = str | Specification | Callable[[NDArray[np.int64]], float] | Any
