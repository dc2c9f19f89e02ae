"""Densities of numbers as plain numbers, for model files, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tanager.data import TableEncoder
from tanager.data.plain_numbers import numbers
from tanager.estimators.continuous import ContinuousTables, Parent
from tanager.exceptions import DataError
from tanager.settings import is_whole

__all__ = ["densities_from_plain", "plain_densities"]

Floats = NDArray[np.float64]


def plain_densities(made: ContinuousTables) -> dict[str, Any]:
    """All that is known of columns of numbers that are not cut."""
    return {
        "columns": list(made.columns),
        "parents": [None if parent is None else list(parent) for parent in made.parents],
        "mean": made.mean.tolist(),
        "variance": made.variance.tolist(),
        "slope": made.slope.tolist(),
        "residual": made.residual.tolist(),
        "by_value": [
            [place, means.tolist(), variances.tolist()] for place, (means, variances) in made.by_value.items()
        ],
        "kernels": [
            [[points.tolist(), weights.tolist(), width] for points, weights, width in of_class]
            for of_class in made.kernels
        ],
    }


def densities_from_plain(plain: Mapping[str, Any], encoder: TableEncoder, s: int) -> ContinuousTables:
    """What `plain_densities` gave; what does not fit together is refused."""
    columns = tuple(plain["columns"])
    numeric = [i for i, column in enumerate(encoder.columns) if column.binning is not None]
    if list(columns) != numeric:
        raise DataError("the densities are not those of the columns of numbers")
    m = len(columns)
    parents = tuple(_parent(parent, m, encoder) for parent in plain["parents"])
    if len(parents) != m:
        raise DataError(f"{len(parents)} parents of {m} columns of numbers")
    _check_tree(parents)
    by_value = {}
    for place, means, variances in plain["by_value"]:
        parent = parents[place] if is_whole(place) and 0 <= place < m else None
        if parent is None or parent[0] != "discrete":
            raise DataError(f"densities by value of column {place!r}, which has no discrete parent")
        shape = (s, encoder.columns[parent[1]].arity)
        by_value[int(place)] = (_cells(means, shape), _variances(variances, shape))
    if set(by_value) != {
        i for i, parent in enumerate(parents) if parent is not None and parent[0] == "discrete"
    }:
        raise DataError("a discrete parent has no densities by value")
    kernels = tuple(tuple(_kernel(kernel) for kernel in of_class) for of_class in plain["kernels"])
    if kernels and [len(of_class) for of_class in kernels] != [s] * m:
        raise DataError("the kernels are not one for each column of numbers and class")
    return ContinuousTables(
        columns,
        parents,
        _cells(plain["mean"], (m, s)),
        _variances(plain["variance"], (m, s)),
        _cells(plain["slope"], (m, s)),
        _variances(plain["residual"], (m, s)),
        by_value,
        kernels,
    )


def _parent(plain: Any, m: int, encoder: TableEncoder) -> Parent | None:
    if plain is None:
        return None
    kind, place = plain
    if kind == "numeric" and is_whole(place) and 0 <= place < m:
        return kind, int(place)
    known = kind == "discrete" and is_whole(place) and 0 <= place < encoder.n_features
    if known and encoder.columns[place].binning is None:
        return kind, int(place)
    raise DataError(f"{plain!r} is not the parent of a number")


def _check_tree(parents: tuple[Parent | None, ...]) -> None:
    """No number depends on itself."""
    for first in range(len(parents)):
        place, steps = first, 0
        while (parent := parents[place]) is not None and parent[0] == "numeric":
            place, steps = parent[1], steps + 1
            if steps > len(parents):
                raise DataError("the arcs between numbers form a cycle")


def _cells(plain: Any, shape: tuple[int, ...]) -> Floats:
    lines = [numbers(line) for line in plain]
    if len(lines) != shape[0] or any(line.size != shape[1] for line in lines):
        raise DataError(f"densities are not {shape[0]} by {shape[1]} finite numbers")
    found: Floats = np.array(lines).reshape(shape)
    return found


def _variances(plain: Any, shape: tuple[int, ...]) -> Floats:
    found = _cells(plain, shape)
    if not (found > 0).all():
        raise DataError("a variance is not above 0")
    return found


def _kernel(plain: Any) -> tuple[Floats, Floats, float]:
    points, weights, width = numbers(plain[0]), numbers(plain[1]), float(numbers([plain[2]])[0])
    if points.size == 0 or points.shape != weights.shape:
        raise DataError("kernels are not as many finite points as weights")
    if not (weights > 0).all() or not width > 0:
        raise DataError("a kernel has no weight or no width above 0")
    return points, weights, width
