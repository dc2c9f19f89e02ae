"""Mixtures of trees by expectation and maximisation."""

from math import exp, inf, log

from reference.learners import tan
from reference.parameters import PARAMETERS
from reference.random import Xoshiro
from reference.table import Table


def log_density(table: Table, components, row) -> float:
    """ln Σ_k λ_k T_k(x)."""
    return log_sum([log(share) + tree(row) for share, tree in components])


def log_sum(values) -> float:
    """ln Σ e^v."""
    most = max(values)
    return -inf if most == -inf else most + log(sum(exp(value - most) for value in values))


def em(table: Table, m: int, seed: int, steps: int, estimator="laplace", tree_of=tan):
    """After each of `steps` M steps: the components (λ_k, ln T_k) and the mean of ln P(x).

    `tree_of` gives the structure of a weighted table.
    """
    random = Xoshiro(seed)
    shares = []
    drawn = {}
    for row in table.codes:
        if tuple(row) not in drawn:
            draws = [random.exponential() for _ in range(m)]
            drawn[tuple(row)] = [draw / sum(draws) for draw in draws]
        shares.append(drawn[tuple(row)])
    path = []
    for _ in range(steps):
        components = []
        for k in range(m):
            weights = [row[k] for row in shares]
            weighted = table._replace(weights=weights)
            structure = tree_of(weighted)
            tables = [PARAMETERS[estimator](weighted, node.members[0], node.parents) for node in structure]
            components.append((sum(weights) / len(weights), _tree(table, structure, tables)))
        shares = []
        for row in table.codes:
            joint = [log(share) + tree(row) for share, tree in components]
            shares.append([exp(value - log_sum(joint)) for value in joint])
        mean = sum(log_density(table, components, row) for row in table.codes) / table.n_rows
        path.append((components, mean))
    return path


def _tree(table: Table, structure, tables):
    def of_row(row) -> float:
        total = 0.0
        for node, theta in zip(structure, tables, strict=True):
            configuration = 0
            for parent in node.parents:
                configuration = configuration * table.arities[parent] + row[parent]
            value = theta[configuration][row[node.members[0]]]
            total += log(value) if value > 0 else -inf
        return total

    return of_row


DENSITIES = {"mixture": em}
