"""Parameter estimators with their settings. A string gives the defaults: ``"laplace"`` is ``Laplace()``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from tanager.specification import Specification

__all__ = ["MLE", "ACLLParameters", "Dirichlet", "Laplace", "ParametersLike"]


@dataclass(frozen=True)
class MLE(Specification):
    """Relative frequencies; a configuration never seen gets the child's marginal."""

    name: ClassVar[str] = "mle"


@dataclass(frozen=True)
class Laplace(Specification):
    """(N_xπ + α) / (N_π + α r)."""

    name: ClassVar[str] = "laplace"
    alpha: float = 1.0


@dataclass(frozen=True)
class Dirichlet(Specification):
    """(N_xπ + n0·p̂(x)) / (N_π + n0): ``n0`` pseudo-rows distributed as the child is in the whole data."""

    name: ClassVar[str] = "dirichlet"
    n0: float = 5.0


@dataclass(frozen=True)
class ACLLParameters(Specification):
    """M / ΣM with M = max(N_xπc + β N_xπ, n0): the maximum of the approximate conditional log-likelihood.

    N_xπ counts all classes. The settings are those of the score `ACLL`; any structure may have them.
    """

    name: ClassVar[str] = "acll"
    prior: Literal["dirichlet", "uniform"] = "dirichlet"
    n0: float = 5.0
    a: float = 1.0
    b: float | None = None


ParametersLike = str | Specification
