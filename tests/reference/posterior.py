"""From a model to a row's probabilities."""

from collections import Counter
from itertools import product
from math import exp, inf, log

from reference.parameters import Model
from reference.table import MISSING, position


def log_joint(model: Model, row) -> list[float]:
    """ln P(c, x) = ln θ_c + Σ_nodes ln θ_{members | c, parents} for each class c, of a complete row.

    In a density there is one value, ln P(x).
    """
    prior = [1.0] if model.prior is None else list(model.prior)
    return [
        _log(p_c) + sum(_log(node_probability(model, i, c, row)) for i in range(len(model.structure)))
        for c, p_c in enumerate(prior)
    ]


def node_probability(model: Model, i: int, c: int, row) -> float:
    """θ of node i's values in the row given class c and the values of its parents."""
    node = model.structure[i]
    member_arities = [model.arities[member] for member in node.members]
    parent_arities = [model.arities[parent] for parent in node.parents]
    configurations = model.tables[i].shape[0] // (1 if model.prior is None else len(model.prior))
    j = position(tuple(row[parent] for parent in node.parents), parent_arities)
    k = position(tuple(row[member] for member in node.members), member_arities)
    return float(model.tables[i][c * configurations + j, k])


def _log(p: float) -> float:
    return log(p) if p > 0 else -inf


def log_sum_exp(values) -> float:
    """ln Σ e^v, without overflow: m + ln Σ e^{v−m}."""
    m = max(values)
    return m + log(sum(exp(v - m) for v in values)) if m > -inf else -inf


def log_marginal(model: Model, row) -> list[float]:
    """ln P(c, observed values) by summing e^{log_joint} over all completions of the missing values."""
    missing = [i for i, value in enumerate(row) if value == MISSING]
    terms = []
    for values in product(*(range(model.arities[i]) for i in missing)):
        complete = list(row)
        for i, value in zip(missing, values, strict=True):
            complete[i] = value
        terms.append(log_joint(model, complete))
    return [log_sum_exp([term[c] for term in terms]) for c in range(len(terms[0]))]


def posterior(model: Model, row) -> list[float]:
    """P(c | observed values); the class prior where every class has probability 0."""
    joint = log_marginal(model, row)
    total = log_sum_exp(joint)
    if total == -inf:
        return list(model.prior)
    return [exp(value - total) for value in joint]


def predict(model: Model, row) -> int:
    """The most probable class; the lowest of those within 1e-9 in log-probability."""
    joint = log_marginal(model, row)
    if max(joint) == -inf:
        joint = [_log(p) for p in model.prior]
    return next(c for c, value in enumerate(joint) if value >= max(joint) - 1e-9)


def conditional_log_likelihood(model: Model, rows, classes) -> float:
    """Σ_rows ln P(c_row | x_row)."""
    return sum(_log(posterior(model, row)[c]) for row, c in zip(rows, classes, strict=True))


def conditional_relative_entropy(model: Model, rows, classes) -> float:
    """Σ_a P̂(a) Σ_c P̂(c | a) ln( P̂(c | a) / P(c | a) ), P̂ the frequencies of the rows."""
    n = len(rows)
    of_row = Counter(map(tuple, rows))
    of_both = Counter(zip(map(tuple, rows), classes, strict=True))
    total = 0.0
    for a, n_a in of_row.items():
        answer = posterior(model, a)
        for c in range(len(answer)):
            observed = of_both[a, c] / n_a
            if observed > 0:
                total += n_a / n * observed * (log(observed) - _log(answer[c]))
    return total
