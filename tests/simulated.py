"""Tables drawn from a random distribution."""

import numpy as np

from reference.table import Table


def simulated(n_classes: int, rows: int, seed: int, arity: int = 3, attributes: int = 4) -> Table:
    """Attributes that depend on the class and on the attribute before them."""
    random = np.random.default_rng(seed)
    classes = random.integers(0, n_classes, rows)
    codes = np.empty((rows, attributes), dtype=np.int64)
    before = np.zeros(rows, dtype=np.int64)
    for i in range(attributes):
        cumulative = random.dirichlet(np.ones(arity), size=(n_classes, arity)).cumsum(axis=2)
        uniform = random.random(rows)
        codes[:, i] = (uniform[:, None] >= cumulative[classes, before, :-1]).sum(axis=1)
        before = codes[:, i]
    return Table(codes.tolist(), [arity] * attributes, classes.tolist(), n_classes)
