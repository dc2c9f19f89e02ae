"""The core, by function: counts, scores, weights and trees of encoded data.

Indices are column positions; class codes are 0 to s−1; ``"class"`` names the class. Trees are arrays
of parents, −1 at the root.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tanager import _core
from tanager._core import Dataset
from tanager.exceptions import DataError
from tanager.scores import ScoreLike

__all__ = [
    "ancestors",
    "bfs_order",
    "edge_weights",
    "family_counts",
    "family_score",
    "maximum_branching",
    "maximum_spanning_tree",
    "network_score",
]


def family_counts(data: Dataset, child: int | str, parents: Sequence[int | str]) -> NDArray[Any]:
    """The table of a child given its parents: one row per configuration, one column per value.

    Parents stand in the given order, the last varies fastest. Rows with a missing entry do not count.

    >>> from tanager import Dataset, family_counts
    >>> data = Dataset([[0, 1], [1, 0], [1, 1]], [2, 2], class_codes=[0, 1, 1])
    >>> family_counts(data, 1, ["class"])
    array([[0, 1],
           [1, 1]])
    """
    return _core.family_counts(data, child, list(parents))


def family_score(data: Dataset, child: int | str, parents: Sequence[int | str], score: ScoreLike) -> float:
    """φ of a child given exactly these parents.

    >>> from tanager import Dataset, family_score
    >>> data = Dataset([[0, 1], [1, 0], [1, 1]], [2, 2], class_codes=[0, 1, 1])
    >>> round(family_score(data, 1, ["class"], "ll"), 4)
    -1.3863
    """
    return _core.family_score(data, child, list(parents), score)


def network_score(
    data: Dataset, parents: Sequence[Sequence[int]], score: ScoreLike, n_jobs: int | None = None
) -> float:
    """The score of a network, given the attribute parents of each column.

    Where the data has a class, it is a parent of every column, and its own node is part of the sum.

    >>> from tanager import Dataset, network_score
    >>> data = Dataset([[0, 1], [1, 0], [1, 1]], [2, 2], class_codes=[0, 1, 1])
    >>> round(network_score(data, [[], [0]], "bic"), 4)
    -7.141
    """
    return _core.network_score(data, [list(family) for family in parents], score, n_jobs)


def edge_weights(data: Dataset, score: ScoreLike, n_jobs: int | None = None) -> NDArray[np.float64]:
    """w[i, j] = φ_j({i} + class) − φ_j(class), what column i adds to the score as a parent of column j.

    >>> from tanager import Dataset, edge_weights
    >>> data = Dataset([[0, 0], [0, 0], [1, 1], [1, 1]], [2, 2])
    >>> edge_weights(data, "ll").round(4)
    array([[0.    , 2.7726],
           [2.7726, 0.    ]])
    """
    return _core.edge_weights(data, score, n_jobs)


def maximum_spanning_tree(weights: ArrayLike, root: int = 0) -> NDArray[np.int64]:
    """The spanning tree of largest total weight, directed away from the root.

    >>> from tanager import maximum_spanning_tree
    >>> maximum_spanning_tree([[0, 3, 1], [3, 0, 2], [1, 2, 0]])
    array([-1,  0,  1])
    """
    return _core.maximum_spanning_tree(_matrix(weights), root)


def maximum_branching(weights: ArrayLike, root: int | None = None) -> NDArray[np.int64]:
    """The directed spanning tree of largest total weight: over all roots, or from a given one.

    ``weights[i, j]`` is the weight of the arc i → j.

    >>> from tanager import maximum_branching
    >>> maximum_branching([[0, 1, 1], [5, 0, 1], [1, 4, 0]])
    array([ 1,  2, -1])
    """
    return _core.maximum_branching(_matrix(weights), root)


def bfs_order(tree: ArrayLike) -> NDArray[np.int64]:
    """The nodes by depth, and within a depth by position.

    >>> from tanager import bfs_order
    >>> bfs_order([2, 0, -1, 2])
    array([2, 0, 3, 1])
    """
    return _core.bfs_order(_tree(tree))


def ancestors(tree: ArrayLike, node: int) -> NDArray[np.int64]:
    """The nodes on the way from the root to a node, which is left out.

    >>> from tanager import ancestors
    >>> ancestors([2, 0, -1, 2], 1)
    array([2, 0])
    """
    return _core.ancestors(_tree(tree), node)


def _matrix(weights: ArrayLike) -> NDArray[np.float64]:
    matrix = np.asarray(weights, dtype=np.float64)
    if matrix.ndim != 2:
        raise DataError(f"the weight matrix has {matrix.ndim} dimensions, expected 2")
    return matrix


def _tree(tree: ArrayLike) -> list[int]:
    parents = np.asarray(tree)
    if parents.ndim != 1 or (parents.size and parents.dtype.kind not in "iu"):
        raise DataError("a tree is a list of integers: the parent of each node, −1 at the root")
    return [int(parent) for parent in parents]
