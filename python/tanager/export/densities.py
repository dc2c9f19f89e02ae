"""Normal densities of numbers in a SELECT."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log, pi

import numpy as np
from numpy.typing import NDArray

from tanager.export.sql_text import quoted

__all__ = ["Normal", "densities"]

Floats = NDArray[np.float64]
#: Below this a logarithm is that of 0: PostgreSQL refuses exponentials that are too small for a number.
_LEAST = -700.0
#: Above this is infinity, which like NULL counts for nothing; and NaN, which databases sort above it.
_MOST = "1.7976931348623157e308"


@dataclass(frozen=True)
class Normal:
    """A column of numbers that is normal given the class and at most one other column.

    Attributes:
        name: of the column.
        mean, variance: by class.
        slope, residual: by class, with a numeric parent: what a unit of it adds, and the variance given it.
        numeric: the parent that is a number: its name and its means by class; or None.
        discrete: the position of a parent that is not a number, with means and variances by class and value;
            or None.
    """

    name: str
    mean: Floats
    variance: Floats
    slope: Floats
    residual: Floats
    numeric: tuple[str, Floats] | None = None
    discrete: tuple[int, Floats, Floats] | None = None

    def lines(self) -> Iterator[tuple[int, int, list[float]]]:
        """Class, value of a discrete parent (−1: not known), and what the columns of the table hold."""
        for c, (mean, variance) in enumerate(zip(self.mean, self.variance, strict=True)):
            above = 0.0 if self.numeric is None else self.numeric[1][c]
            yield c, -1, [mean, variance, self.slope[c], above, self.residual[c]]
            if self.discrete is not None:
                _, means, variances = self.discrete
                for d in range(means.shape[1]):
                    yield c, d, [means[c, d], variances[c, d], 0.0, 0.0, variances[c, d]]


def densities(normals: Sequence[Normal], number: str) -> Iterator[str]:
    """Common table expressions, the last of which is `density(row_, c, p)`: Π_j f(x_j | …) up to a constant.

    Logarithms are added, and the largest of a row is taken off before they become numbers again: those of
    another class may be many powers of ten away.
    """
    for place, normal in enumerate(normals):
        yield from _logarithms(place, normal, number)
    union = " UNION ALL ".join(f"SELECT row_, c, l FROM l{place}" for place in range(len(normals)))
    yield f"logs AS (SELECT row_, c, SUM(l) AS l FROM ({union}) AS each_ GROUP BY row_, c)"
    yield "most AS (SELECT row_, MAX(l) AS l FROM logs GROUP BY row_)"
    yield (
        f"density AS (SELECT logs.row_, logs.c, CASE WHEN logs.l - most.l < {_LEAST!r} THEN 0.0 "
        "ELSE EXP(logs.l - most.l) END AS p FROM logs JOIN most ON most.row_ = logs.row_)"
    )


def _logarithms(place: int, normal: Normal, number: str) -> Iterator[str]:
    """ln f(x | parent, c) of each row and class; 0 where x is missing, without the parent where that is."""
    table = f"n{place}"
    cells = (
        f"({c}, {d}, {', '.join(f'{value:.17e}' for value in (*values, *map(_constant, values[1::3])))})"
        for c, d, values in normal.lines()
    )
    yield f"{table}(c, d, m, v, b, q, r, lv, lr) AS (VALUES {', '.join(cells)})"
    m, v, b, q, r, lv, lr = (
        f"CAST({table}.{name} AS {number})" for name in ("m", "v", "b", "q", "r", "lv", "lr")
    )
    x = f"CAST(rows_.{quoted(normal.name)} AS {number})"
    cases, agree = [f"WHEN {_unknown(x)} THEN 0.0"], "-1"
    own = _log_normal(f"{x} - {m}", v, lv)
    if normal.numeric is not None:
        given = f"CAST(rows_.{quoted(normal.numeric[0])} AS {number})"
        cases.append(f"WHEN {_unknown(given)} THEN {own}")
        own = _log_normal(f"{x} - {m} - {b} * ({given} - {q})", r, lr)
    elif normal.discrete is not None:
        agree = f"COALESCE(codes.a{normal.discrete[0]}, -1)"
    yield (
        f"l{place} AS (SELECT rows_.row_, {table}.c, CASE {' '.join(cases)} ELSE {own} END AS l "
        f"FROM rows_ JOIN codes ON codes.row_ = rows_.row_ JOIN {table} ON {table}.d = {agree})"
    )


def _constant(variance: float) -> float:
    return log(2 * pi * variance)


def _log_normal(gap: str, variance: str, constant: str) -> str:
    return f"-0.5 * (({gap}) * ({gap}) / {variance} + {constant})"


def _unknown(x: str) -> str:
    return f"{x} IS NULL OR ABS({x}) > {_MOST}"
