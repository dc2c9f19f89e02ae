"""What replaces the exact sum over missing values where that is too large: beliefs that are kept apart."""

from itertools import product

from reference.parameters import Model
from reference.posterior import _log, node_probability
from reference.table import MISSING


def believed_joint(model: Model, row) -> list[float]:
    """ln P̂(c, observed values): nodes parents first, each missing value as an independent distribution.

    At a node: T(x_M) = θ Π b_m(x_m) over the missing parents m; S = Σ T; every missing attribute of the node
    and its parents gets the marginal of T / S as its belief; P̂ is the prior times all S.
    """
    prior = [1.0] if model.prior is None else list(model.prior)
    return [_log(p_c) + _believed(model, c, row) for c, p_c in enumerate(prior)]


def _believed(model: Model, c: int, row) -> float:
    beliefs: dict[int, list[float]] = {}
    total = 0.0
    for i in _parents_first(model):
        node = model.structure[i]
        gaps = [a for a in (*node.parents, *node.members) if row[a] == MISSING]
        terms = {}
        for values in product(*(range(model.arities[a]) for a in gaps)):
            complete = list(row)
            for a, value in zip(gaps, values, strict=True):
                complete[a] = value
            term = node_probability(model, i, c, complete)
            for parent in node.parents:
                if parent in gaps:
                    term *= beliefs[parent][complete[parent]]
            terms[values] = term
        s = sum(terms.values())
        total += _log(s)
        if s > 0:
            for place, a in enumerate(gaps):
                beliefs[a] = [
                    sum(term for values, term in terms.items() if values[place] == value) / s
                    for value in range(model.arities[a])
                ]
    return total


def _parents_first(model: Model) -> list[int]:
    order: list[int] = []
    known: set[int] = set()
    while len(order) < len(model.structure):
        for i, node in enumerate(model.structure):
            if i not in order and known.issuperset(node.parents):
                order.append(i)
                known.update(node.members)
    return order
