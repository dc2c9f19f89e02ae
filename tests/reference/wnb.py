"""Weighted naive Bayes: tables, weights of three kinds, and posteriors, by loops."""

from math import exp, lgamma, log, sqrt

import numpy as np
from scipy.optimize import minimize

from reference.counts import class_counts, family_counts
from reference.posterior import log_sum_exp
from reference.random import Xoshiro
from reference.table import CLASS, MISSING, Table

NOTHING = 1e-10


class WeightedNaiveBayes:
    """The tables of a training table; `alpha` is added to every count, by default 1 over the values."""

    def __init__(self, table: Table, alpha: float | None = None):
        self.table, self.alpha = table, alpha
        s = table.n_classes
        a = 1 / s if alpha is None else alpha
        counts = class_counts(table)
        self.log_prior = [log((n + a) / (counts.sum() + s * a)) for n in counts]
        self.counts = [family_counts(table, i, [CLASS]) for i in range(table.n_attributes)]

    def pseudo(self, i: int) -> float:
        return 1 / self.table.arities[i] if self.alpha is None else self.alpha

    def theta(self, i: int, k: int, c: int | None) -> float:
        """θ(k | c), or θ(k) where there is no c."""
        n = self.counts[i].sum(axis=0) if c is None else self.counts[i][c]
        a = self.pseudo(i)
        return (n[k] + a) / (n.sum() + len(n) * a)

    def posterior(self, row, term) -> list[float]:
        """P(c | x) where a known value adds term(i, k, c)."""
        joint = [
            prior + sum(term(i, k, c) for i, k in enumerate(row) if k != MISSING)
            for c, prior in enumerate(self.log_prior)
        ]
        total = log_sum_exp(joint)
        return [exp(value - total) for value in joint]

    def powered(self, row, weights) -> list[float]:
        """P(c | x) ∝ P(c) Π θ(x_i | c)^w_i."""
        return self.posterior(row, lambda i, k, c: weights[i] * log(self.theta(i, k, c)))

    def mixed(self, row, weights) -> list[float]:
        """P(c | x) ∝ P(c) Π [w_i θ(x_i | c) + (1 − w_i) θ(x_i)]."""

        def term(i, k, c):
            return log(weights[i] * self.theta(i, k, c) + (1 - weights[i]) * self.theta(i, k, None))

        return self.posterior(row, term)

    def manb(self) -> list[float]:
        """A / (A + B) of each attribute."""

        def log_evidence(counts, a):
            whole = a * len(counts)
            return (
                lgamma(whole)
                - lgamma(whole + counts.sum())
                + sum(lgamma(a + n) - lgamma(a) for n in counts.tolist())
            )

        weights = []
        for i, counts in enumerate(self.counts):
            a = self.pseudo(i)
            with_arc = sum(log_evidence(of_class, a) for of_class in counts)
            weights.append(1 / (1 + exp(min(700, log_evidence(counts.sum(axis=0), a) - with_arc))))
        return weights

    def loss(self, weights) -> float:
        """−Σ_t ln P(c_t | x_t) / N."""
        t = self.table
        total = sum(
            -t.weight(row) * log(max(self.powered(codes, weights)[t.classes[row]], 1e-300))
            for row, codes in enumerate(t.codes)
        )
        return total / t.total()

    def slope(self, weights) -> np.ndarray:
        """−Σ_t [ln θ(x_ti | c_t) − Σ_c P(c | x_t) ln θ(x_ti | c)] / N."""
        t, slope = self.table, np.zeros(self.table.n_attributes)
        for row, codes in enumerate(t.codes):
            p = self.powered(codes, weights)
            for i, k in enumerate(codes):
                if k != MISSING:
                    expected = sum(p[c] * log(self.theta(i, k, c)) for c in range(t.n_classes))
                    slope[i] -= t.weight(row) * (log(self.theta(i, k, t.classes[row])) - expected)
        return slope / t.total()

    def wanbia(self) -> float:
        """The least loss that a general solver finds over the box."""
        n = self.table.n_attributes
        options = {"ftol": 1e-15, "gtol": 1e-10, "maxiter": 500}
        box = [(0.0, 1.0)] * n
        found = minimize(
            self.loss, np.ones(n), jac=self.slope, bounds=box, method="L-BFGS-B", options=options
        )
        return float(found.fun)

    def awnb(self, trees: int, seed: int) -> list[float]:
        """The mean of 1/√depth over trees of bootstrap samples."""
        seeds = Xoshiro(seed)
        n, weights = self.table.n_attributes, [0.0] * self.table.n_attributes
        for _ in range(trees):
            random = Xoshiro(seeds.word())
            drawn = [0.0] * self.table.n_rows
            for _ in range(self.table.n_rows):
                drawn[random.below(self.table.n_rows)] += 1
            mass = {
                row: times * self.table.weight(row)
                for row, times in enumerate(drawn)
                if times * self.table.weight(row) > 0
            }
            depths: dict[int, int] = {}
            self._grow(mass, list(mass), 1, list(range(n)), depths)
            for i, depth in depths.items():
                weights[i] += 1 / sqrt(depth)
        return [weight / trees for weight in weights]

    def _grow(self, mass, rows, depth: int, left, depths) -> None:
        t, gains = self.table, {}

        def entropy(groups) -> float:
            """Of labels, each with its rows' mass."""
            sizes = [size for size in groups if size > 0]
            return -sum(size / sum(sizes) * log(size / sum(sizes)) for size in sizes)

        def of_classes(some) -> list[float]:
            return [sum(mass[row] for row in some if t.classes[row] == c) for c in range(t.n_classes)]

        everything = sum(mass[row] for row in rows)
        for i in left:
            known = [row for row in rows if t.codes[row][i] != MISSING]
            branches = [[row for row in known if t.codes[row][i] == k] for k in range(t.arities[i])]
            sizes = [sum(mass[row] for row in branch) for branch in branches]
            if sum(size >= 2 for size in sizes) < 2:
                continue
            within = sum(
                size * entropy(of_classes(branch)) for size, branch in zip(sizes, branches, strict=True)
            )
            gain = (sum(sizes) * entropy(of_classes(known)) - within) / everything
            split = sum(sizes) * entropy(sizes) / everything
            if gain > NOTHING and split > NOTHING:
                gains[i] = (gain, gain / split)
        if not gains:
            return
        average = sum(gain for gain, _ in gains.values()) / len(gains)
        best = None
        for i, (gain, ratio) in gains.items():
            if gain >= average - NOTHING and (best is None or ratio > gains[best][1] + NOTHING):
                best = i
        depths[best] = min(depth, depths.get(best, depth))
        rest = [i for i in left if i != best]
        for k in range(t.arities[best]):
            branch = [row for row in rows if t.codes[row][best] == k]
            if len(branch) > 1 and rest:
                self._grow(mass, branch, depth + 1, rest, depths)
