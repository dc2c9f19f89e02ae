"""The statistics of comparing learners over data sets.

A table of scores has one row per data set and one column per learner; a higher score is better. Ranks start
at 1 for the best learner and tied learners share the mean of their ranks.

References: Demšar 2006 (`demsar2006`), beside those of each test.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from tanager.exceptions import DataError

__all__ = [
    "Friedman",
    "PairTest",
    "TTest",
    "WinDrawLoss",
    "average_ranks",
    "corrected_resampled_t",
    "friedman",
    "holm",
    "nemenyi_critical_difference",
    "pairwise_wilcoxon",
    "ranks",
    "wilcoxon",
    "wilson_interval",
    "win_draw_loss",
]

_Floats = NDArray[np.float64]


def _score_table(scores: ArrayLike) -> _Floats:
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] < 1 or table.shape[1] < 2:
        raise DataError(f"scores must be data sets × at least 2 learners, not of shape {table.shape}")
    if not np.isfinite(table).all():
        row, column = (int(i) for i in np.argwhere(~np.isfinite(table))[0])
        raise DataError(f"the score of learner {column} on data set {row} is not a finite number")
    return table


def ranks(scores: ArrayLike, decimals: int = 10) -> _Floats:
    """Rank of every learner on every data set; 1 is the best, ties share the mean rank.

    Scores are rounded to `decimals` first, so that two learners that got the same rows right are tied
    whatever order their folds were summed in.

    >>> ranks([[0.9, 0.8, 0.8]])
    array([[1. , 2.5, 2.5]])
    """
    table = np.round(_score_table(scores), decimals)
    return np.asarray(stats.rankdata(-table, axis=1), dtype=np.float64)


def average_ranks(scores: ArrayLike) -> _Floats:
    """Mean over the data sets of each learner's rank.

    >>> average_ranks([[0.9, 0.8, 0.7], [0.6, 0.8, 0.7]])
    array([2. , 1.5, 2.5])
    """
    return np.asarray(ranks(scores).mean(axis=0), dtype=np.float64)


@dataclass(frozen=True)
class _Fields:
    def as_dict(self) -> dict[str, object]:
        """The fields as plain Python, for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Friedman(_Fields):
    """Friedman's test over `n_datasets` × `n_learners`, with and without the correction for ties.

    `iman_davenport` is F-distributed with (k−1) and (k−1)(N−1) degrees of freedom; its p-value is 0 and F
    infinite when every data set ranks the learners alike.
    """

    average_ranks: tuple[float, ...]
    n_datasets: int
    n_learners: int
    chi2: float
    p_value: float
    chi2_ties: float
    p_value_ties: float
    iman_davenport: float
    iman_davenport_p_value: float
    iman_davenport_ties: float
    iman_davenport_ties_p_value: float


def _iman_davenport(chi2: float, n: int, k: int) -> tuple[float, float]:
    rest = n * (k - 1) - chi2
    if n < 2:
        return math.nan, math.nan
    if rest <= 1e-12 * n * (k - 1):
        return math.inf, 0.0
    statistic = (n - 1) * chi2 / rest
    return statistic, float(stats.f.sf(statistic, k - 1, (k - 1) * (n - 1)))


def friedman(scores: ArrayLike) -> Friedman:
    """Friedman's test that all learners rank alike, and Iman and Davenport's less conservative F.

    **Formula**

        χ² = 12 N / (k (k+1)) · [ Σ_j R_j² − k (k+1)² / 4 ]
        χ²_ties = χ² / ( 1 − Σ (t³ − t) / (N k (k² − 1)) )
        F = (N−1) χ² / ( N (k−1) − χ² )

    N data sets, k learners, R_j the average rank of learner j, t the size of each group of tied ranks within
    a data set. χ² has k−1 degrees of freedom, F has k−1 and (k−1)(N−1).

    References: Friedman 1937 (`friedman1937`); Iman and Davenport 1980 (`iman1980`).

    >>> result = friedman([[0.9, 0.8, 0.7], [0.9, 0.8, 0.7], [0.8, 0.9, 0.7], [0.9, 0.8, 0.7]])
    >>> round(result.chi2, 3), round(result.p_value, 3)
    (6.5, 0.039)
    """
    ranked = ranks(scores)
    n, k = ranked.shape
    means = ranked.mean(axis=0)
    chi2 = 12.0 * n / (k * (k + 1)) * (float((means**2).sum()) - k * (k + 1) ** 2 / 4.0)
    chi2 = max(chi2, 0.0)
    tied = 0.0
    for row in ranked:
        sizes = np.unique(row, return_counts=True)[1].astype(np.float64)
        tied += float((sizes**3 - sizes).sum())
    correction = 1.0 - tied / (n * k * (k * k - 1.0))
    chi2_ties = chi2 / correction if correction > 1e-12 else 0.0
    f, f_p = _iman_davenport(chi2, n, k)
    f_ties, f_ties_p = _iman_davenport(chi2_ties, n, k)
    return Friedman(
        average_ranks=tuple(float(mean) for mean in means),
        n_datasets=n,
        n_learners=k,
        chi2=chi2,
        p_value=float(stats.chi2.sf(chi2, k - 1)),
        chi2_ties=chi2_ties,
        p_value_ties=float(stats.chi2.sf(chi2_ties, k - 1)),
        iman_davenport=f,
        iman_davenport_p_value=f_p,
        iman_davenport_ties=f_ties,
        iman_davenport_ties_p_value=f_ties_p,
    )


def nemenyi_critical_difference(n_learners: int, n_datasets: int, alpha: float = 0.05) -> float:
    """Two learners differ at level `alpha` when their average ranks differ by at least this much (Nemenyi).

    **Formula**

        CD = q_α √( k (k+1) / (6 N) )

    q_α is the (1−α) quantile of the studentised range of k groups with infinite degrees of freedom, over √2.

    References: Nemenyi 1963 (`nemenyi1963`); Demšar 2006 (`demsar2006`).

    >>> round(nemenyi_critical_difference(4, 14), 3)  # q = 2.569 in Demšar's table 5
    1.254
    """
    if n_learners < 2 or n_datasets < 1:
        raise DataError("a critical difference needs at least 2 learners and 1 data set")
    if not 0.0 < alpha < 1.0:
        raise DataError(f"alpha must lie strictly between 0 and 1, not {alpha}")
    quantile = float(stats.studentized_range.ppf(1.0 - alpha, n_learners, np.inf)) / math.sqrt(2.0)
    return quantile * math.sqrt(n_learners * (n_learners + 1) / (6.0 * n_datasets))


@dataclass(frozen=True)
class PairTest(_Fields):
    """Wilcoxon's signed-rank test of two learners over data sets; `p_holm` is adjusted where several were
    tested."""

    first: str
    second: str
    statistic: float
    p_value: float
    p_holm: float
    median_difference: float
    n_nonzero: int


def wilcoxon(first: ArrayLike, second: ArrayLike, names: tuple[str, str] = ("first", "second")) -> PairTest:
    """Two-sided Wilcoxon signed-rank test of paired scores; pairs without a difference are left out.

    p is exact where the differences allow it (no ties, at most 50 pairs) and normal otherwise, as scipy
    decides. Without any difference p is 1.

    References: Wilcoxon 1945 (`wilcoxon1945`).

    >>> wilcoxon([0.9, 0.8, 0.7, 0.9, 0.6], [0.8, 0.6, 0.4, 0.5, 0.1]).p_value
    0.0625
    """
    a = np.asarray(first, dtype=np.float64)
    b = np.asarray(second, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise DataError(f"paired scores must be two lists of one length, not {a.shape} and {b.shape}")
    difference = np.round(a - b, 10)
    nonzero = difference[difference != 0.0]
    statistic, p_value = 0.0, 1.0
    if nonzero.size:
        sizes = np.abs(nonzero)
        exact = nonzero.size <= 50 and np.unique(sizes).size == sizes.size
        with warnings.catch_warnings():  # n_nonzero tells how few; old releases of scipy warn
            warnings.filterwarnings("ignore", "Sample size too small", UserWarning)
            result = stats.wilcoxon(nonzero, method="exact" if exact else "approx")
        statistic, p_value = float(result.statistic), float(result.pvalue)
    return PairTest(
        first=names[0],
        second=names[1],
        statistic=statistic,
        p_value=p_value,
        p_holm=p_value,
        median_difference=float(np.median(difference)) if difference.size else 0.0,
        n_nonzero=int(nonzero.size),
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment of several p-values, in their own order.

    References: Holm 1979 (`holm1979`).

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(np.arange(p.size, 0, -1) * p[order]), 1.0)
    return [float(value) for value in adjusted]


def pairwise_wilcoxon(scores: ArrayLike, names: Sequence[str]) -> list[PairTest]:
    """Wilcoxon's test of every pair of learners, p-values adjusted by Holm over all pairs."""
    table = _score_table(scores)
    if len(names) != table.shape[1]:
        raise DataError(f"{len(names)} names for {table.shape[1]} learners")
    tests = [
        wilcoxon(table[:, i], table[:, j], (names[i], names[j]))
        for i, j in combinations(range(table.shape[1]), 2)
    ]
    adjusted = holm([test.p_value for test in tests])
    return [replace(test, p_holm=p) for test, p in zip(tests, adjusted, strict=True)]


@dataclass(frozen=True)
class WinDrawLoss:
    """On how many data sets the first learner scores higher, alike and lower than the second."""

    wins: int
    draws: int
    losses: int

    def __str__(self) -> str:
        return f"{self.wins}/{self.draws}/{self.losses}"


def win_draw_loss(first: ArrayLike, second: ArrayLike, tolerance: float = 1e-10) -> WinDrawLoss:
    """Count wins, draws and losses of `first` against `second`; differences up to `tolerance` are draws.

    >>> str(win_draw_loss([0.9, 0.8, 0.7], [0.8, 0.8, 0.9]))
    '1/1/1'
    """
    difference = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    wins = int((difference > tolerance).sum())
    losses = int((difference < -tolerance).sum())
    return WinDrawLoss(wins, int(difference.size) - wins - losses, losses)


def wilson_interval(successes: float, trials: float, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a proportion.

    **Formula**

        ( p + z²/2n ± z √( p(1−p)/n + z²/4n² ) ) / ( 1 + z²/n ),  p = successes / trials, n = trials

    References: Wilson 1927 (`wilson1927`).

    >>> [round(end, 4) for end in wilson_interval(81, 100)]
    [0.7222, 0.8749]
    """
    if trials <= 0 or not 0 <= successes <= trials:
        raise DataError(f"{successes} successes of {trials} trials are not a proportion")
    z = float(stats.norm.ppf(0.5 + confidence / 2.0))
    p = successes / trials
    centre = p + z * z / (2.0 * trials)
    spread = z * math.sqrt(p * (1.0 - p) / trials + z * z / (4.0 * trials * trials))
    scale = 1.0 + z * z / trials
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


@dataclass(frozen=True)
class TTest:
    """A t-test of the mean of differences, with a 95 % interval of that mean."""

    mean: float
    statistic: float
    p_value: float
    low: float
    high: float
    degrees_of_freedom: int


def corrected_resampled_t(differences: ArrayLike, n_train: float, n_test: float) -> TTest:
    """Nadeau and Bengio's corrected t-test of the per-fold differences of repeated cross-validation.

    **Formula**

        t = mean(d) / √( var(d) (1/m + n_test/n_train) )

    m differences d, their variance over m − 1, and m − 1 degrees of freedom.
    The folds of repeated cross-validation share rows, so that the plain paired t-test is far too sure of
    itself; the term n_test/n_train makes up for that. Differences that do not vary give p 1 if they are 0,
    else 0.

    References: Nadeau and Bengio 2003 (`nadeau2003`).

    >>> test = corrected_resampled_t([0.02, 0.01, 0.03, 0.02, 0.02], n_train=80, n_test=20)
    >>> round(test.statistic, 4), round(test.p_value, 4)
    (4.2164, 0.0135)
    """
    d = np.asarray(differences, dtype=np.float64)
    if d.ndim != 1 or d.size < 2:
        raise DataError("a t-test needs at least 2 differences")
    mean = float(d.mean())
    error = math.sqrt(float(d.var(ddof=1)) * (1.0 / d.size + n_test / n_train))
    degrees = int(d.size - 1)
    if error < 1e-15:
        return TTest(
            mean, math.copysign(math.inf, mean) if mean else 0.0, 0.0 if mean else 1.0, mean, mean, degrees
        )
    statistic = mean / error
    reach = float(stats.t.ppf(0.975, degrees)) * error
    p_value = float(2.0 * stats.t.sf(abs(statistic), degrees))
    return TTest(mean, statistic, p_value, mean - reach, mean + reach, degrees)
