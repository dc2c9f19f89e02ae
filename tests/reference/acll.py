"""The constants β and γ of the approximate conditional log-likelihood.

A = ln(U_1 / Σ_c U_c) is approximated by α ln U_1 + β Σ_{c≠1} ln U_c + γ. For U exchangeable, α = 1 + β and
with A' = −ln Σ_c U_c, B = Σ_c ln U_c:  β = Cov(A', B) / Var(B),  γ = E[A'] − β E[B].
"""

from functools import cache
from math import log

import mpmath
import numpy as np


def dirichlet(s: int, a: float = 1.0, b: float = 1000.0) -> tuple[float, float]:
    """(U_1, …, U_s, rest) ~ Dir(a, …, a, b), with digamma ψ and trigamma ψ′:

    β = −[ψ′(sa) − ψ′(sa+b)] / [ψ′(a) − s ψ′(sa+b)]
    γ = [ψ(sa+b) − ψ(sa)] − β s [ψ(a) − ψ(sa+b)]
    """
    with mpmath.workdps(40):
        a, b = mpmath.mpf(a), mpmath.mpf(b)
        total = s * a + b

        def trigamma(x):
            return mpmath.psi(1, x)

        beta = -(trigamma(s * a) - trigamma(total)) / (trigamma(a) - s * trigamma(total))
        mean_a = mpmath.digamma(total) - mpmath.digamma(s * a)
        mean_b = s * (mpmath.digamma(a) - mpmath.digamma(total))
        return float(beta), float(mean_a - beta * mean_b)


def uniform(s: int) -> tuple[float, float]:
    """U_c uniform on [0, 1], independent, S = Σ_c U_c:

        β = −[ E(ln U_1 ln S) − E(ln U_1) E(ln S) ],   E ln U_1 = −1,   γ = −E(ln S) + β s

    with φ(t) = E e^{−tU} = (1 − e^{−t})/t and ξ(t) = E[ln U e^{−tU}] = −(γ_E + ln t + E_1(t))/t,

        E ln S         = ∫_0^∞ (e^{−t} − φ(t)^s) / t dt
        E(ln U_1 ln S) = ∫_0^∞ (−e^{−t} − ξ(t) φ(t)^{s−1}) / t dt.
    """
    with mpmath.workdps(30):

        def phi(t):
            return -mpmath.expm1(-t) / t

        def xi(t):
            if t < 1:  # the same as a series, Σ_k (−t)^k / (k! (k+1)²), which loses no digits
                return -mpmath.nsum(lambda k: (-t) ** k / (mpmath.factorial(k) * (k + 1) ** 2), [0, 30])
            return -(mpmath.euler + mpmath.log(t) + mpmath.e1(t)) / t

        pieces = [0, mpmath.mpf(1) / (10 * s), mpmath.mpf(1) / s, 1, 5, 20, 100, 1000, mpmath.inf]
        ln_s = mpmath.quad(lambda t: (mpmath.exp(-t) - phi(t) ** s) / t, pieces)
        ln_u_ln_s = mpmath.quad(lambda t: (-mpmath.exp(-t) - xi(t) * phi(t) ** (s - 1)) / t, pieces)
        beta = -(ln_u_ln_s + ln_s)
        return float(beta), float(-ln_s + beta * s)


@cache
def constants(s: int, prior: str = "dirichlet", a: float = 1.0, b: float = 1000.0) -> tuple[float, float]:
    """(β, γ) for s classes under the named prior."""
    return uniform(s) if prior == "uniform" else dirichlet(s, a, b)


def monte_carlo(s, prior="dirichlet", a=1.0, b=1000.0, samples=100_000, seed=0) -> tuple[float, float]:
    """(β, γ) as the least-squares line of A' on B over simulated U."""
    random = np.random.default_rng(seed)
    if prior == "uniform":
        log_u = np.log(random.random((samples, s)))
    else:
        gammas = random.standard_gamma([a] * s + [b], size=(samples, s + 1))
        log_u = np.log(gammas[:, :s]) - np.log(gammas.sum(axis=1, keepdims=True))
    left = -np.log(np.exp(log_u).sum(axis=1))
    right = log_u.sum(axis=1)
    covariance = np.cov(left, right)
    beta = covariance[0, 1] / covariance[1, 1]
    return float(beta), float(left.mean() - beta * right.mean())


def approximate_log_posterior(u: list[float], c: int, beta: float, gamma: float) -> float:
    """ln U_c + β Σ_c' ln U_c' + γ, what aCLL puts in the place of ln(U_c / Σ_c' U_c')."""
    return log(u[c]) + beta * sum(log(value) for value in u) + gamma
