"""Benchmark data: tables drawn from random tree-augmented networks by a fixed seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Shape:
    """The size of a table: the attributes have `values` values, cycling where there are several numbers."""

    rows: int
    columns: int
    values: tuple[int, ...]
    classes: int
    seed: int

    def __str__(self) -> str:
        values = "–".join(str(value) for value in self.values)
        return f"{self.rows:,}×{self.columns}, {values} values, {self.classes} classes"


SHAPES = {
    "chess": Shape(3_196, 36, (2,), 2, seed=1),
    "letter": Shape(20_000, 16, (16,), 26, seed=2),
    "wide": Shape(5_000, 500, (2, 3), 2, seed=3),
    "tall": Shape(1_000_000, 30, (4,), 3, seed=4),
}


@dataclass(frozen=True)
class Table:
    """Codes 0..r−1 of n attributes and of the class, every column contiguous."""

    name: str
    codes: np.ndarray  # (rows, columns) uint8, Fortran order
    arities: list[int]
    classes: np.ndarray  # (rows,) uint8
    n_classes: int

    @property
    def rows(self) -> int:
        return self.codes.shape[0]

    @property
    def columns(self) -> int:
        return self.codes.shape[1]

    def array(self) -> np.ndarray:
        """What users have for scikit-learn: integers of 64 bits, row by row."""
        return np.ascontiguousarray(self.codes, dtype=np.int64)

    def frame(self) -> Any:
        """What users have for the libraries of networks: a pandas frame of categoricals, text for values."""
        import pandas

        columns = {}
        for i, arity in enumerate(self.arities):
            levels = [f"v{value:02d}" for value in range(arity)]
            codes = self.codes[:, i].astype(np.int8 if arity < 128 else np.int16)
            columns[f"x{i}"] = pandas.Categorical.from_codes(codes, categories=levels)
        return pandas.DataFrame(columns)


def generate(name: str, rows: int | None = None, columns: int | None = None) -> Table:
    """The table `name` of `SHAPES`, perhaps with another number of rows or columns.

    The class is drawn from a random distribution; the attributes hang in a random tree, each drawn given
    the class and its parent from distributions that are themselves drawn from a Dirichlet(1, …, 1).
    """
    shape = SHAPES[name]
    rows, columns = rows or shape.rows, columns or shape.columns
    random = np.random.default_rng(shape.seed)
    arities = [shape.values[i % len(shape.values)] for i in range(columns)]
    prior = random.dirichlet(np.full(shape.classes, 5.0))
    classes = random.choice(shape.classes, size=rows, p=prior).astype(np.uint8)
    codes = np.empty((rows, columns), dtype=np.uint8, order="F")
    order = random.permutation(columns)
    for place, i in enumerate(order):
        given = classes.astype(np.int64)
        configurations = shape.classes
        if place > 0:
            parent = order[random.integers(place)]
            given = given * arities[parent] + codes[:, parent]
            configurations *= arities[parent]
        cumulative = random.dirichlet(np.ones(arities[i]), size=configurations).cumsum(axis=1)[:, :-1]
        uniform = random.random(rows)
        codes[:, i] = 0
        for threshold in cumulative.T:
            codes[:, i] += uniform >= threshold[given]
    return Table(name, codes, arities, classes, shape.classes)
