"""What everything is computed from: a table of codes."""

from itertools import product
from math import prod
from typing import NamedTuple

CLASS = "class"
MISSING = -1

Variable = int | str
"""The position of an attribute, or `CLASS`."""


class Table(NamedTuple):
    """N rows of n attributes, and perhaps a class. A code of −1 is a missing value."""

    codes: list[list[int]]
    arities: list[int]
    classes: list[int] | None = None
    n_classes: int | None = None
    weights: list[float] | None = None

    @property
    def n_rows(self) -> int:
        return len(self.codes)

    @property
    def n_attributes(self) -> int:
        return len(self.arities)

    def value(self, row: int, variable: Variable) -> int:
        return self.classes[row] if variable == CLASS else self.codes[row][variable]

    def arity(self, variable: Variable) -> int:
        return self.n_classes if variable == CLASS else self.arities[variable]

    def weight(self, row: int) -> float:
        return 1 if self.weights is None else self.weights[row]

    def total(self) -> float:
        """N, the sum of the weights of all rows."""
        return sum(self.weight(row) for row in range(self.n_rows))

    def rows(self, chosen: list[int]) -> "Table":
        """The same columns, with the same domains, restricted to the chosen rows."""
        return Table(
            [self.codes[row] for row in chosen],
            self.arities,
            None if self.classes is None else [self.classes[row] for row in chosen],
            self.n_classes,
            None if self.weights is None else [self.weights[row] for row in chosen],
        )

    def class_parent(self) -> list[Variable]:
        """`[CLASS]` where there is a class, nothing where there is none."""
        return [] if self.classes is None else [CLASS]


def configurations(arities: list[int]) -> list[tuple[int, ...]]:
    """All combinations of values, the last varying fastest; one empty combination if there is nothing."""
    return list(product(*(range(arity) for arity in arities)))


def position(values: tuple[int, ...], arities: list[int]) -> int:
    """Where `values` stands in `configurations(arities)`: v₁·r₂r₃… + v₂·r₃… + … ."""
    return sum(value * prod(arities[place + 1 :]) for place, value in enumerate(values))


def make_table(codes, arities, classes=None, n_classes=None, weights=None) -> Table:
    """A `Table` of plain Python numbers from arrays or lists."""

    def plain(values, kind):
        return None if values is None else [kind(value) for value in values]

    return Table(
        [[int(code) for code in row] for row in codes],
        plain(arities, int),
        plain(classes, int),
        None if n_classes is None else int(n_classes),
        plain(weights, float),
    )
