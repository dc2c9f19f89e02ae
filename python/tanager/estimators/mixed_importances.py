"""How much numbers that are not cut say about the class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from tanager.estimators.continuous import ContinuousTables, log_normal
from tanager.estimators.mixed_reading import MixedReading

__all__ = ["MixedImportances"]

Floats = NDArray[np.float64]

#: Steps of the trapezoidal rule, in deviations: of one number, and of a number with its parent.
_STEP, _STEP_OF_TWO = 0.01, 0.1
#: Beyond so many deviations nothing is added.
_REACH = 7.0


class MixedImportances(MixedReading):
    """The expectations of `importances` where numbers have densities: integrals beside the sums.

    P(c, x_i, π) is what the model says of a row in which nothing else is known; a number whose parent is not
    among it then has its own density given the class, as in `predict_proba`.

    # Complexity
    1,401 points for each pair of classes and column; 19,881 where a number depends on a number; with kernels
    8 points for each bandwidth in which there are rows, each a sum over the rows.
    """

    def _expected_contribution(self, place: int, parents: Sequence[int]) -> float:
        column = self.model_.nodes[place][0][0]
        if not hasattr(self, "continuous_") or column not in self.continuous_.columns:
            return super()._expected_contribution(place, parents)
        made = self.continuous_
        j = made.columns.index(column)
        above = made.parents[j]
        beside = None if above is None else above[1] if above[0] == "discrete" else made.columns[above[1]]
        columns = [*parents, column]
        columns += [] if beside is None or beside in columns else [beside]
        rows = list(product(*(range(self.encoder_.columns[i].arity) for i in columns)))
        table, found = self.model_.table(place), 0.0
        points: dict[int | None, _Points] = {}
        for row, given in zip(rows, self._log_joint_of(columns, rows), strict=True):
            t = table[row[: len(parents) + 1]]
            possible = np.flatnonzero(np.isfinite(given))
            if row[len(parents)] > 0 and possible.size:  # the number is missing
                found += float(np.exp(given) @ _distances(given[None], t[None])[0])
                continue
            code = None if beside is None else row[columns.index(beside)]
            if code not in points:
                points[code] = _points(made, j, code)
            of = points[code]
            for c in possible:
                distances = _distances(given + of.above[c] + of.densities[c], t + of.densities[c])[:, c]
                found += float(np.exp(given[c]) * (of.weights[c] @ distances))
        return found

    def _information(self, column: int) -> float:
        if not hasattr(self, "continuous_") or column not in self.continuous_.columns:
            return super()._information(column)
        made = self.continuous_
        codes: list[tuple[int, ...]] = [(code,) for code in range(self.encoder_.columns[column].arity)]
        joint = self._log_joint_of([column], codes)
        prior = np.logaddexp.reduce(joint, axis=0)
        of = _points(made, made.columns.index(column), None)
        found = 0.0
        for code, given in enumerate(joint):
            for c in np.flatnonzero(np.isfinite(given)):
                densities = of.densities[c] if code == 0 else np.zeros((1, len(given)))
                weights = of.weights[c] if code == 0 else np.ones(1)
                ratio = given[c] + densities[:, c] - np.logaddexp.reduce(given + densities, axis=1) - prior[c]
                found += float(np.exp(given[c]) * (weights @ ratio))
        return max(found, 0.0)


@dataclass(frozen=True)
class _Points:
    """Points of a number for each class, their probabilities, and there the densities of all classes.

    Attributes:
        weights: by class, of each point; they sum to 1.
        densities: by class, ln f(x | parent, c') of each point and class c'.
        above: by class, ln f(parent | c') of each point and class; 0 without a parent that is a number.
    """

    weights: list[Floats]
    densities: list[Floats]
    above: list[Floats]


def _points(made: ContinuousTables, j: int, code: int | None) -> _Points:
    """Points of column j, its parent unknown (None) or of this code; numbers have 0, missing ones 1."""
    s, parent = made.mean.shape[1], made.parents[j]
    if made.kernels:
        panels = [_panels(points, bandwidth) for points, _, bandwidth in made.kernels[j]]
        densities = [_kernel_densities(made, j, x) for x, _ in panels]
        weights = [w * np.exp(densities[c][:, c]) for c, (_, w) in enumerate(panels)]
        return _Points([w / w.sum() for w in weights], densities, [np.zeros((1, s))] * s)
    mean, variance = made.mean[j], made.variance[j]
    if parent is not None and parent[0] == "discrete" and code is not None:
        mean, variance = (values[:, code] for values in made.by_value[j])
    if parent is None or parent[0] == "discrete" or code != 0:
        z = np.arange(-_REACH, _REACH + _STEP / 2, _STEP)
        mass = np.exp(-0.5 * z**2)
        densities = [
            log_normal(mean[c] + np.sqrt(variance[c]) * z[:, None], mean, variance) for c in range(s)
        ]
        return _Points([mass / mass.sum()] * s, densities, [np.zeros((1, s))] * s)
    z = np.arange(-_REACH, _REACH + _STEP_OF_TWO / 2, _STEP_OF_TWO)
    first, second = (grid.ravel()[:, None] for grid in np.meshgrid(z, z, indexing="ij"))
    mass = np.exp(-0.5 * (first**2 + second**2)).ravel()
    densities, above = [], []
    centre, spread = made.mean[parent[1]], made.variance[parent[1]]
    for c in range(s):
        x_p = centre[c] + np.sqrt(spread[c]) * first
        x = mean[c] + made.slope[j, c] * (x_p - centre[c]) + np.sqrt(made.residual[j, c]) * second
        above.append(log_normal(x_p, centre, spread))
        densities.append(log_normal(x, mean + made.slope[j] * (x_p - centre), made.residual[j]))
    return _Points([mass / mass.sum()] * s, densities, above)


def _panels(points: Floats, bandwidth: float) -> tuple[Floats, Floats]:
    """Points and weights of Gauss's rule in half bandwidths, wherever a kernel is not nearly 0."""
    low, width = float(points.min()), bandwidth / 2
    cells = np.unique(np.floor((points - low) / width))
    cells = np.unique((cells[:, None] + np.arange(-2 * _REACH, 2 * _REACH + 1)).ravel())
    inside, weights = np.polynomial.legendre.leggauss(4)
    x = low + width * (cells[:, None] + 0.5 * (1 + inside))
    return x.ravel(), np.tile(0.5 * width * weights, cells.size)


def _kernel_densities(made: ContinuousTables, j: int, x: Floats) -> Floats:
    values = np.full((x.size, len(made.columns)), np.nan)
    values[:, j] = x
    return made.log_densities(values, {})[:, j]


def _distances(joint: Floats, t: Floats) -> Floats:
    """|t_c − Σ_c' P(c' | ·) t_c'| of each row and class, from ln P(c, ·) and t."""
    posterior = np.exp(joint - np.logaddexp.reduce(joint, axis=1, keepdims=True))
    finite = np.where(posterior > 0, t, 0.0)
    distances: Floats = np.abs(finite - (posterior * finite).sum(axis=1, keepdims=True))
    return distances
