"""From the oracle's tables to the library's and back, and how closely the two have to agree."""

import numpy as np
import pandas as pd

import tanager
from reference.structure import Node
from reference.table import MISSING, Table
from tanager import _core


def dataset(table: Table) -> tanager.Dataset:
    """The same table as the library wants it."""
    return tanager.Dataset(
        np.array(table.codes, dtype=np.int64).reshape(table.n_rows, table.n_attributes),
        table.arities,
        None if table.classes is None else np.array(table.classes, dtype=np.int64),
        table.n_classes,
        weights=None if table.weights is None else np.array(table.weights),
        missing=MISSING,
    )


def fit(table: Table, learner: str, score="ll", parameters="laplace", n_jobs=1, **settings):
    """The core's classifier and the score of its structure (None where the learner uses no score)."""
    return _core.fit(dataset(table), learner, settings, score, parameters, n_jobs)


def structure_of(model) -> list[Node]:
    """A fitted classifier's structure in the oracle's terms."""
    return [Node(tuple(members), tuple(parents)) for members, parents in model.nodes]


def table_of(model, i: int) -> np.ndarray:
    """θ of node i as the oracle lays it out: [class and parents, node's values]."""
    log_theta = np.moveaxis(model.table(i), -1, 0)
    _, parents = model.nodes[i]
    rows = int(np.prod(log_theta.shape[: 1 + len(parents)]))
    return np.exp(log_theta).reshape(rows, -1)


def close(found, expected) -> bool:
    """Equal to a relative 1e-9; near 0, where scores are differences of large numbers, to 1e-9."""
    return np.allclose(found, expected, rtol=1e-9, atol=1e-9)


def present_classes(table: Table) -> Table:
    """The table with the classes that do not occur left out: what an estimator sees of the labels."""
    kept = sorted(set(table.classes))
    return table._replace(classes=[kept.index(c) for c in table.classes], n_classes=len(kept))


def frame(table: Table) -> pd.DataFrame:
    """Categorical columns x0, x1, … whose levels are the declared domains, seen or not; −1 is missing."""
    columns = {
        f"x{i}": pd.Categorical.from_codes([row[i] for row in table.codes], categories=range(arity))
        for i, arity in enumerate(table.arities)
    }
    return pd.DataFrame(columns)


def parents_of(network) -> list[list[int]]:
    """The attribute parents of x0, x1, … as positions."""
    parents = {name: network.parents[name] for name in network.parents}
    return [[int(parent[1:]) for parent in parents[f"x{i}"]] for i in range(len(parents))]
