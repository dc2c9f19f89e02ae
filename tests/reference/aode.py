"""Averaged one-dependence and two-dependence estimators, row by row.

Every number is a count of training rows that have certain values; a row counts only where all that is asked
about is known.
"""

from itertools import combinations
from math import exp, log
from typing import NamedTuple

from reference.kdb import TIE
from reference.posterior import log_sum_exp
from reference.table import MISSING, Table


class Aode(NamedTuple):
    """The training table and which of the estimators."""

    table: Table
    order: int = 1
    weighted: bool = False
    subsumption: bool = False
    min_count: float = 1
    least: float = 100.0

    def count(self, values: dict[int, int], c: int | None = None, known=()) -> float:
        """The rows with these values, of this class, in which the columns of `known` are known too."""
        t = self.table
        return sum(
            t.weight(row)
            for row, codes in enumerate(t.codes)
            if all(codes[i] == x for i, x in values.items())
            and all(codes[i] != MISSING for i in known)
            and c in (None, t.classes[row])
        )

    def information(self, parent) -> float:
        """I(X_p; C) in nats, over the rows in which X_p is known."""
        t, n = self.table, self.count({}, known=parent)
        joint: dict[tuple, float] = {}
        for row, codes in enumerate(t.codes):
            x = tuple(codes[i] for i in parent)
            if MISSING not in x:
                joint[x, t.classes[row]] = joint.get((x, t.classes[row]), 0) + t.weight(row)
        of_x = {x: sum(m for (y, _), m in joint.items() if y == x) for x, _ in joint}
        of_c = {c: sum(m for (_, d), m in joint.items() if d == c) for _, c in joint}
        return sum(m / n * log(m * n / (of_x[x] * of_c[c])) for (x, c), m in joint.items())

    def kept(self, row) -> dict[int, int]:
        """The values of a row that are known and that no other of them implies."""
        values = {i: x for i, x in enumerate(row) if x != MISSING}
        if not self.subsumption:
            return values

        def implies(j: int, i: int) -> bool:
            both = self.count({i: values[i], j: values[j]})
            return both >= self.least and self.count({j: values[j]}, known=[i]) == both

        def dropped(i: int) -> bool:
            return any(implies(j, i) and (i > j or not implies(i, j)) for j in values if j != i)

        return {i: x for i, x in values.items() if not dropped(i)}

    def term(self, parent, values: dict[int, int], c: int) -> float:
        """ln P(c, x_p) Π_{j ∉ p} P(x_j | c, x_p)."""
        t = self.table
        x_p = {i: values[i] for i in parent}
        size = t.n_classes
        for i in parent:
            size *= t.arities[i]
        total = log((self.count(x_p, c) + 1 / size) / (self.count({}, known=parent) + 1))
        for j, x in values.items():
            if j not in parent:
                given = self.count(x_p, c, known=[j])
                total += log((self.count({**x_p, j: x}, c) + 1 / t.arities[j]) / (given + 1))
        return total

    def log_joint(self, row) -> list[float]:
        """ln of the mean over the super-parents, for each class; of naive Bayes where there are none."""
        values = self.kept(row)
        used = []
        for parent in combinations(sorted(values), self.order):
            weight = self.information(parent) if self.weighted else 1.0
            if self.count({i: values[i] for i in parent}) >= self.min_count and weight > TIE:
                used.append((parent, weight))
        classes = range(self.table.n_classes)
        if not used:
            return [self.term((), values, c) for c in classes]
        whole = log(sum(weight for _, weight in used))
        return [
            log_sum_exp([log(weight) + self.term(parent, values, c) for parent, weight in used]) - whole
            for c in classes
        ]

    def posterior(self, row) -> list[float]:
        """P(c | x)."""
        joint = self.log_joint(row)
        total = log_sum_exp(joint)
        return [exp(value - total) for value in joint]
