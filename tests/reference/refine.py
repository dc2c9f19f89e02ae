"""Refined networks, slow and obvious: every count is a loop over the rows, every optimum scipy's.

Codes are lists of columns; None is a missing value. `weights` weigh the rows.

    p_{-1}(x) = 1/r,  p_d(x) = (n_d(x) + c_d p_{d-1}(x)) / (n_d + c_d)
    ln P(c | x) = b_c + sum_i [w_i ln theta_i + sum_d delta_{i,d}(c; x_i, P_1..P_{d-1})]
                  + sum_j (+-1/2) delta_j(c) - ln Z

References: Petitjean, Buntine, Webb and Zaidi 2018; Zhang, Petitjean and Buntine 2020; Sahami 1996.
"""

import math

import numpy as np
from scipy.optimize import minimize

WEIGHT_PRECISION = 10.0
BIAS_PRECISION = 1e-6


def known_prefix(path):
    """The values before the first missing one."""
    return path[: path.index(None)] if None in path else path


def paths(columns, node):
    """For each row the value of the node and of its parents, the most informative first."""
    members, parents = node
    rows = zip(*(columns[i] for i in members), strict=True)
    values = [None if None in row else tuple(row) for row in rows]
    return [(value, *rest) for value, *rest in zip(values, *(columns[i] for i in parents), strict=True)]


def counts(train, classes, weights, path, c):
    """[(n_d(x), n_d)] for d = 0, 1, ..., as far as the path is known."""
    prefix = known_prefix(path)
    pairs = []
    for level in range(len(prefix) + 1):
        of_value = total = 0.0
        for row, of_row, weight in zip(train, classes, weights, strict=True):
            if row[0] is None or (level > 0 and of_row != c) or row[1:level] != prefix[1:level]:
                continue
            total += weight
            of_value += weight * (row[0] == prefix[0])
        pairs.append((of_value, total))
    return pairs


def smoothed(pairs, r, concentrations, out=0.0):
    """p at the end of a path, without `out` of a row."""
    p = 1.0 / r
    for (of_value, total), c in zip(pairs, concentrations, strict=False):
        p = (max(of_value - out, 0.0) + c * p) / (max(total - out, 0.0) + c)
    return p


def own_weight(train, classes, weights, path, c):
    """The weight of the rows with exactly this known path and class."""
    same = zip(train, classes, weights, strict=True)
    return sum(w for row, k, w in same if k == c and known_prefix(row) == known_prefix(path))


def left_out_likelihood(ln_c, train, classes, weights, r):
    """The leave-one-out likelihood of the concentrations, with their prior."""
    value = -sum((at - math.log(2)) ** 2 for at in ln_c) / 18
    for path, c, weight in zip(train, classes, weights, strict=True):
        if path[0] is not None:
            out = min(1.0, own_weight(train, classes, weights, path, c))
            pairs = counts(train, classes, weights, path, c)
            value += weight * math.log(smoothed(pairs, r, np.exp(ln_c), out))
    return value


def concentrations(train, classes, weights, r, levels):
    """c_0, c_1, ... that maximise the leave-one-out likelihood."""
    found = minimize(
        lambda ln_c: -left_out_likelihood(ln_c, train, classes, weights, r),
        np.full(levels, math.log(2)),
        bounds=[(-5, 9)] * levels,
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-9},
    )
    return np.exp(found.x)


class Problem:
    """The dense problem of one structure: features, ln theta without the row, objective, gradient."""

    def __init__(self, columns, arities, classes, n_classes, weights, nodes, steps, cuts, given):
        """`steps` are columns of cut counts, `cuts` their numbers, `given` the nodes' concentrations."""
        self.s, self.classes = n_classes, np.asarray(classes)
        self.weights = np.asarray(weights, dtype=float)
        self.nodes, self.cuts, self.given, self.arities = nodes, cuts, given, arities
        self.train = [paths(columns, node) for node in nodes]
        self.labels = list(classes)
        self.r = [math.prod(arities[i] for i in members) for members, _ in nodes]
        self.features = {}
        for i, train in enumerate(self.train):
            for path in train:
                prefix = known_prefix(path)
                for depth in range(1, len(prefix) + 1):
                    self.features.setdefault((i, prefix[:depth]), len(self.features))
        self.step_start = len(self.features)
        self.width = self.step_start + sum(cuts)
        self.indicators = np.array(
            [
                self._indicators([train[t] for train in self.train], [column[t] for column in steps])
                for t in range(len(classes))
            ]
        )
        self.log_theta = np.zeros((len(classes), len(nodes), n_classes))
        for i, train in enumerate(self.train):
            for t, path in enumerate(train):
                for c in range(n_classes):
                    own = own_weight(train, self.labels, self.weights, path, c)
                    out = min(1.0, own) if c == classes[t] else 0.0
                    self.log_theta[t, i, c] = self._ln_theta(i, path, c, out)

    def _ln_theta(self, i, path, c, out=0.0):
        if path[0] is None:
            return 0.0
        pairs = counts(self.train[i], self.labels, self.weights, path, c)
        return math.log(smoothed(pairs, self.r[i], self.given[i], out))

    def _indicators(self, of_nodes, steps):
        row = np.zeros(self.width)
        for i, path in enumerate(of_nodes):
            prefix = known_prefix(path)
            for depth in range(1, len(prefix) + 1):
                if (i, prefix[:depth]) in self.features:
                    row[self.features[i, prefix[:depth]]] = 1.0
        start = self.step_start
        for below, cuts in zip(steps, self.cuts, strict=True):
            if below is not None:
                row[start : start + cuts] = np.where(np.arange(cuts) < below, 0.5, -0.5)
            start += cuts
        return row

    def split(self, parameters):
        """b, w and delta (features x classes)."""
        s, n = self.s, len(self.nodes)
        return parameters[:s], parameters[s : s + n], parameters[s + n :].reshape(self.width, s)

    def objective(self, parameters, ridge):
        """F and its gradient."""
        b, w, delta = self.split(parameters)
        logits = b + np.einsum("i,tic->tc", w, self.log_theta) + self.indicators @ delta
        log_p = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)
        own = np.arange(len(self.classes)), self.classes
        value = -(self.weights * log_p[own]).sum() + 0.5 * (
            WEIGHT_PRECISION * (w**2).sum() + ridge * (delta**2).sum() + BIAS_PRECISION * (b**2).sum()
        )
        residuals = np.exp(log_p)
        residuals[own] -= 1.0
        residuals *= self.weights[:, None]
        gradient = np.concatenate(
            [
                residuals.sum(axis=0) + BIAS_PRECISION * b,
                np.einsum("tc,tic->i", residuals, self.log_theta) + WEIGHT_PRECISION * w,
                (self.indicators.T @ residuals + ridge * delta).ravel(),
            ]
        )
        return value, gradient

    def fit(self, ridge):
        """The optimum, by scipy."""
        start = np.zeros(self.s + len(self.nodes) + self.width * self.s)
        options = {"maxiter": 20000, "maxfun": 40000, "ftol": 1e-15, "gtol": 1e-8, "maxcor": 30}
        return minimize(self.objective, start, (ridge,), jac=True, method="L-BFGS-B", options=options)

    def log_proba(self, parameters, columns, steps):
        """ln P(c | x) of other rows."""
        b, w, delta = self.split(parameters)
        found = []
        of_nodes = [paths(columns, node) for node in self.nodes]
        for t in range(len(columns[0])):
            path = [train[t] for train in of_nodes]
            theta = np.array([[self._ln_theta(i, p, c) for c in range(self.s)] for i, p in enumerate(path)])
            logits = b + w @ theta + self._indicators(path, [column[t] for column in steps]) @ delta
            found.append(logits - np.logaddexp.reduce(logits))
        return np.array(found)


def information(a, b, weights):
    """I(A; B) in nats of two columns, and their entropy's pieces by counting."""
    joint, of_a, of_b = {}, {}, {}
    total = sum(weights)
    for x, y, weight in zip(a, b, weights, strict=True):
        joint[x, y] = joint.get((x, y), 0.0) + weight
        of_a[x] = of_a.get(x, 0.0) + weight
        of_b[y] = of_b.get(y, 0.0) + weight
    return sum(n / total * math.log(n * total / of_a[x] / of_b[y]) for (x, y), n in joint.items() if n > 0)


def conditional_information(a, b, given, weights):
    """I(A; B | C) = I(A; B,C) - I(A; C)."""
    both = list(zip(b, given, strict=True))
    return information(a, both, weights) - information(a, given, weights)


def k_dependence(columns, classes, weights, k, explaining_away):
    """Parents of each attribute, for complete columns; ties, to nine digits, go to the first."""
    n = len(columns)
    relevance = [round(information(column, classes, weights), 9) for column in columns]
    order = sorted(range(n), key=lambda i: (-relevance[i], i))
    parents = [()] * n
    for place, child in enumerate(order):

        def measure(parent, child=child):
            value = conditional_information(columns[child], columns[parent], classes, weights)
            if explaining_away:
                value -= information(columns[child], columns[parent], weights)
            return round(value, 9)

        parents[child] = tuple(sorted(order[:place], key=lambda i: (-measure(i), i))[:k])
    return parents
