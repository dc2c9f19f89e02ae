"""Numbers that are not cut: Gaussian and kernel densities given the class, and Gaussian trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tanager.network import parents_first

__all__ = ["ContinuousTables", "arc_weights", "fit_continuous", "log_normal", "silverman"]

Floats = NDArray[np.float64]
Parent = tuple[str, int]

#: Pseudo-rows of the class's own distribution in the table of a discrete parent's value.
PSEUDO_ROWS = 5.0
#: The least variance, as a share of that of the column over all rows.
LEAST = 1e-9
_ROWS = 256  # of which the kernels are summed at a time


def silverman(values: Floats, weights: Floats, least: float) -> float:
    """The bandwidth 0.9 min(σ, IQR/1.34) N^(−1/5); σ where the quartiles are equal, never below √least.

    A row of weight w counts w times, N is the sum of weights.

    >>> round(silverman(np.arange(10.0), np.ones(10), 0.0), 4)
    1.6311
    """
    mean = np.average(values, weights=weights)
    sigma = float(np.sqrt(np.average((values - mean) ** 2, weights=weights)))
    quartiles = (quantile(values, weights, 0.75) - quantile(values, weights, 0.25)) / 1.34
    spread = min(sigma, quartiles) if quartiles > 0 else sigma
    return float(max(0.9 * spread * float(weights.sum()) ** -0.2, np.sqrt(least)))


def quantile(values: Floats, weights: Floats, share: float) -> float:
    """`np.quantile` of the values, each as often as its weight says.

    >>> quantile(np.array([3.0, 1.0]), np.array([2.0, 3.0]), 0.625), np.quantile([1, 1, 1, 3, 3], 0.625)
    (2.0, np.float64(2.0))
    """
    order = np.argsort(values, kind="stable")
    ascending, upto = values[order], np.cumsum(weights[order])
    place = max(share * (float(upto[-1]) - 1.0), 0.0)
    low = np.floor(place)
    # The value of which the first `low` + 1 rows, or `low` + 2, are the last.
    at = np.minimum(np.searchsorted(upto, [low, low + 1.0], side="right"), len(values) - 1)
    below, above = ascending[at].tolist()
    return float(below + (place - low) * (above - below))


def log_normal(x: Floats, mean: Floats, variance: Floats) -> Floats:
    """ln N(x; μ, σ²)."""
    found: Floats = -0.5 * ((x - mean) ** 2 / variance + np.log(2 * np.pi * variance))
    return found


@dataclass(frozen=True)
class ContinuousTables:
    """f(x_j | parent, c) of every column of numbers.

    ```text
    no parent            N(μ_jc, σ²_jc), or the kernels Σ_i w_i φ((x − x_i)/h_c)/h_c / Σ_i w_i
    numeric parent p     N(μ_jc + b (x_p − μ_pc), σ²_jc (1 − ρ²)),  b = ρ σ_jc / σ_pc
    discrete parent d    N(μ_jcd, σ²_jcd), each with 5 pseudo-rows of N(μ_jc, σ²_jc)
    ```

    References: Pérez, Larrañaga and Inza 2006 (`perez2006`) for conditional Gaussian trees; John and Langley
    1995 (`john1995`) for kernels.

    A number that is missing counts for nothing; where the parent is missing, the column takes its own
    distribution given the class.

    Attributes:
        columns: their positions in the table.
        parents: of each, ("numeric", place in `columns`), ("discrete", position in the table), or None.
        mean, variance: by column and class.
        slope, residual: of columns with a numeric parent, by column and class; elsewhere 0 and the variance.
        by_value: of columns with a discrete parent, mean and variance by class and value.
        kernels: by column and class the points, their weights and the bandwidth; empty without kernels.
    """

    columns: tuple[int, ...]
    parents: tuple[Parent | None, ...]
    mean: Floats
    variance: Floats
    slope: Floats
    residual: Floats
    by_value: Mapping[int, tuple[Floats, Floats]]
    kernels: tuple[tuple[tuple[Floats, Floats, float], ...], ...] = ()

    def log_densities(self, values: Floats, codes: Mapping[int, NDArray[np.int64]]) -> Floats:
        """ln f(x_j | parent, c) by row, column and class; `codes` of discrete parents, −1 where unknown."""
        rows, s = values.shape[0], self.mean.shape[1]
        found = np.zeros((rows, len(self.parents), s))
        for j, parent in enumerate(self.parents):
            x = values[:, j]
            known = ~np.isnan(x)
            if self.kernels:
                found[known, j] = self._kernel(j, x[known])
                continue
            mean = np.broadcast_to(self.mean[j], (rows, s)).copy()
            variance = np.broadcast_to(self.variance[j], (rows, s)).copy()
            if parent is not None and parent[0] == "numeric":
                given = values[:, parent[1]]
                there = ~np.isnan(given)
                mean[there] += self.slope[j] * (given[there, None] - self.mean[parent[1]])
                variance[there] = self.residual[j]
            elif parent is not None:
                code = codes[parent[1]]
                there = code >= 0
                means, variances = self.by_value[j]
                mean[there], variance[there] = means[:, code[there]].T, variances[:, code[there]].T
            found[known, j] = log_normal(x[:, None], mean, variance)[known]
        return found

    def range_of(self, j: int) -> tuple[float, float]:
        """From two deviations below the lowest mean of a class to two above the highest."""
        reach = 2 * np.sqrt(self.variance[j])
        return float((self.mean[j] - reach).min()), float((self.mean[j] + reach).max())

    def draw(
        self,
        classes: NDArray[Any],
        known: NDArray[np.bool_],
        codes: Sequence[NDArray[Any]],
        seed: int,
    ) -> Floats:
        """Numbers of rows whose classes and codes are drawn; a parent that is not `known` says nothing."""
        rows, m = known.shape
        normal = np.random.default_rng([seed, 0]).standard_normal((rows, m))
        chosen = np.random.default_rng([seed, 1]).random((rows, m))
        found = np.zeros((rows, m))
        for j in self._parents_first():
            parent = self.parents[j]
            mean, variance = self.mean[j][classes], self.variance[j][classes]
            if self.kernels:
                for c, (points, weights, bandwidth) in enumerate(self.kernels[j]):
                    own = classes == c
                    at = np.searchsorted(np.cumsum(weights) / weights.sum(), chosen[own, j], side="right")
                    mean[own], variance[own] = points[np.minimum(at, points.size - 1)], bandwidth**2
            elif parent is not None and parent[0] == "numeric":
                there = known[:, parent[1]]
                gap = found[:, parent[1]] - self.mean[parent[1]][classes]
                mean = mean + np.where(there, self.slope[j][classes] * gap, 0.0)
                variance = np.where(there, self.residual[j][classes], variance)
            elif parent is not None:
                means, variances = self.by_value[j]
                mean, variance = (table[classes, codes[parent[1]]] for table in (means, variances))
            found[:, j] = mean + np.sqrt(variance) * normal[:, j]
        return found

    def _parents_first(self) -> list[int]:
        above = [[p[1]] if p is not None and p[0] == "numeric" else [] for p in self.parents]
        return parents_first([([j], parents) for j, parents in enumerate(above)])

    def _kernel(self, j: int, x: Floats) -> Floats:
        found = np.empty((x.size, len(self.kernels[j])))
        for c, (points, weights, bandwidth) in enumerate(self.kernels[j]):
            shift = np.log(weights) - np.log(weights.sum()) - 0.5 * np.log(2 * np.pi) - np.log(bandwidth)
            for start in range(0, x.size, _ROWS):
                some = x[start : start + _ROWS, None]
                terms = shift - 0.5 * ((some - points) / bandwidth) ** 2
                found[start : start + _ROWS, c] = np.logaddexp.reduce(terms, axis=1)
        return found


@dataclass(frozen=True)
class _Rows:
    """What is learned from: numbers (NaN where missing), classes, weights, discrete columns by position."""

    values: Floats
    classes: NDArray[np.int64]
    s: int
    weights: Floats
    discrete: Mapping[int, tuple[NDArray[np.int64], int]]

    def moments(self, j: int, least: float) -> tuple[Floats, Floats]:
        """Mean and variance by class; those of all rows for a class without a number."""
        x = self.values[:, j]
        known = ~np.isnan(x) & (self.weights > 0)
        if not known.any():
            return np.zeros(self.s), np.ones(self.s)
        pooled = _moments(x[known], self.weights[known], least)
        pairs = []
        for c in range(self.s):
            own = known & (self.classes == c)
            pairs.append(_moments(x[own], self.weights[own], least) if own.any() else pooled)
        return np.array([mean for mean, _ in pairs]), np.array([variance for _, variance in pairs])


def _moments(x: Floats, weights: Floats, least: float) -> tuple[float, float]:
    mean = float(np.average(x, weights=weights))
    return mean, max(float(np.average((x - mean) ** 2, weights=weights)), least)


def _least(x: Floats) -> float:
    """The floor of a column's variances; a column without spread has one of its own."""
    spread = float(np.nanvar(x)) if np.isfinite(x).any() else 0.0
    return LEAST * spread if spread > 0 else LEAST


def correlations(rows: _Rows, i: int, j: int) -> Floats:
    """ρ of two columns of numbers in each class, on the rows where both are known; 0 with fewer than 3."""
    found = np.zeros(rows.s)
    both = ~np.isnan(rows.values[:, i]) & ~np.isnan(rows.values[:, j]) & (rows.weights > 0)
    for c in range(rows.s):
        own = both & (rows.classes == c)
        if own.sum() < 3:
            continue
        x, y, w = rows.values[own, i], rows.values[own, j], rows.weights[own]
        x, y = x - np.average(x, weights=w), y - np.average(y, weights=w)
        spread = np.sqrt((w @ x**2) * (w @ y**2))
        found[c] = np.clip((w * x) @ y / spread, -1, 1) if spread > 0 else 0.0
    limited: Floats = np.clip(found, -np.sqrt(1 - 1e-9), np.sqrt(1 - 1e-9))
    return limited


def arc_weights(rows: _Rows, variances: Sequence[Floats]) -> tuple[Floats, dict[int, Floats]]:
    """I(X_i; X_j | C) of numbers, and I(D; X_j | C) of each discrete column D and every column of numbers.

    ```text
    I(X_i; X_j | C) = −½ Σ_c P(c) ln(1 − ρ²_c)
    I(D; X_j | C)   = ½ Σ_c P(c) [ ln σ²_jc − Σ_d P(d | c) ln σ²_jcd ]
    ```
    """
    m = rows.values.shape[1]
    share = np.bincount(rows.classes, rows.weights, rows.s) / rows.weights.sum()
    between = np.zeros((m, m))
    for i in range(m):
        for j in range(i + 1, m):
            between[i, j] = between[j, i] = -0.5 * share @ np.log1p(-(correlations(rows, i, j) ** 2))
    from_discrete = {}
    for position in rows.discrete:
        gains = np.zeros(m)
        for j in range(m):
            _, by_value, sizes = _by_value(rows, j, position, variances[j], 0.0)
            inside = sizes.sum(axis=1)
            within = np.divide(
                (sizes * np.log(by_value)).sum(axis=1), inside, out=np.log(variances[j]), where=inside > 0
            )
            gains[j] = 0.5 * share @ (np.log(variances[j]) - within)
        from_discrete[position] = gains
    return between, from_discrete


def _by_value(
    rows: _Rows, j: int, position: int, variance: Floats, pseudo: float, mean: Floats | None = None
) -> tuple[Floats, Floats, Floats]:
    """Mean and variance of column j by class and value of a discrete column, and the weights behind them."""
    codes, arity = rows.discrete[position]
    x = rows.values[:, j]
    least = _least(x)
    known = ~np.isnan(x) & (codes >= 0) & (rows.weights > 0)
    cell = rows.classes[known] * arity + codes[known]
    size = rows.s * arity
    weight: Floats = np.bincount(cell, rows.weights[known], size).astype(np.float64)
    prior = np.zeros(size) if mean is None else np.repeat(mean, arity)
    spread = np.repeat(variance, arity)
    total = np.bincount(cell, rows.weights[known] * x[known], size) + pseudo * prior
    means = np.divide(total, weight + pseudo, out=prior.copy(), where=weight + pseudo > 0)
    inside = np.bincount(cell, rows.weights[known] * (x[known] - means[cell]) ** 2, size)
    squares: Floats = inside + pseudo * (spread + (prior - means) ** 2)
    variances = np.divide(squares, weight + pseudo, out=spread.copy(), where=weight + pseudo > 0)
    shape = (rows.s, arity)
    return means.reshape(shape), np.maximum(variances, least).reshape(shape), weight.reshape(shape)


def _tree(between: Floats, from_discrete: Mapping[int, Floats]) -> list[Parent | None]:
    """The heaviest tree in which numbers hang from each other or from discrete columns, never vice versa.

    Discrete columns are one root: which of them a column hangs from does not matter to the others. Without
    them the first column of numbers is the root. Prim's algorithm; ties go to the lowest column.
    """
    m = between.shape[0]
    outside = [
        max(((gains[j], -position) for position, gains in from_discrete.items()), default=(-np.inf, 0))
        for j in range(m)
    ]
    parents: list[Parent | None] = [None] * m
    best: list[tuple[float, Parent | None]] = [
        (gain, ("discrete", -position)) if from_discrete else (-np.inf, None) for gain, position in outside
    ]
    waiting = set(range(m))
    while waiting:
        j = max(sorted(waiting), key=lambda place: best[place][0])
        waiting.discard(j)
        parents[j] = best[j][1]
        for other in waiting:
            if between[j, other] > best[other][0]:
                best[other] = (float(between[j, other]), ("numeric", j))
    return parents


def fit_continuous(
    values: Floats,
    columns: Sequence[int],
    classes: NDArray[np.int64],
    s: int,
    weights: Floats | None,
    discrete: Mapping[int, tuple[NDArray[np.int64], int]],
    kind: str,
    tree: bool,
) -> ContinuousTables:
    """Learns the densities of all columns of numbers; with `tree` also on what each of them depends."""
    rows = _Rows(values, classes, s, np.ones(len(classes)) if weights is None else weights, discrete)
    m = values.shape[1]
    least = [_least(values[:, j]) for j in range(m)]
    moments = [rows.moments(j, least[j]) for j in range(m)]
    mean = np.array([pair[0] for pair in moments]).reshape(m, s)
    variance = np.array([pair[1] for pair in moments]).reshape(m, s)
    parents: list[Parent | None] = [None] * m
    if tree and m:
        parents = _tree(*arc_weights(rows, list(variance)))
    slope, residual, by_value = np.zeros((m, s)), variance.copy(), {}
    for j, parent in enumerate(parents):
        if parent is not None and parent[0] == "numeric":
            rho = correlations(rows, parent[1], j)
            slope[j] = rho * np.sqrt(variance[j] / variance[parent[1]])
            residual[j] = np.maximum(variance[j] * (1 - rho**2), least[j])
        elif parent is not None:
            found = _by_value(rows, j, parent[1], variance[j], PSEUDO_ROWS, mean[j])
            by_value[j] = found[:2]
    kernels = tuple(_kernels(rows, j, least[j]) for j in range(m)) if kind == "kernel" else ()
    return ContinuousTables(
        tuple(columns), tuple(parents), mean, variance, slope, residual, by_value, kernels
    )


def _kernels(rows: _Rows, j: int, least: float) -> tuple[tuple[Floats, Floats, float], ...]:
    x = rows.values[:, j]
    known = ~np.isnan(x) & (rows.weights > 0)
    found = []
    for c in range(rows.s):
        own = known & (rows.classes == c)
        own = own if own.any() else known
        points, weights = (x[own], rows.weights[own]) if own.any() else (np.zeros(1), np.ones(1))
        found.append((points, weights, silverman(points, weights, least)))
    return tuple(found)
