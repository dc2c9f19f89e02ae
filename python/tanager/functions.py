"""The core, by function: counts, scores, weights and trees of encoded data.

Indices are column positions; class codes are 0 to s−1; ``"class"`` names the class. Trees are arrays
of parents, −1 at the root.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtrc

from tanager import _core
from tanager._core import Dataset
from tanager.exceptions import DataError, DataTypeError
from tanager.scores import ScoreLike
from tanager.settings import flag, is_number, is_whole, parent_limit, whole

__all__ = [
    "GTest",
    "acll_constants",
    "acll_constants_monte_carlo",
    "ancestors",
    "best_parents",
    "bfs_order",
    "chi2_forest",
    "edge_weights",
    "family_counts",
    "family_score",
    "g_test",
    "maximum_branching",
    "maximum_spanning_tree",
    "memory_limit",
    "network_score",
    "set_memory_limit",
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
    return _core.family_counts(_data(data), child, _listed(parents, "parents"))


def family_score(data: Dataset, child: int | str, parents: Sequence[int | str], score: ScoreLike) -> float:
    """φ of a child given exactly these parents.

    Rows where one of them is missing do not count, so that scores of families that miss different rows cannot
    be compared; `network_score`, `edge_weights` and `best_parents` scale what they compare to the same N.

    >>> from tanager import Dataset, family_score
    >>> data = Dataset([[0, 1], [1, 0], [1, 1]], [2, 2], class_codes=[0, 1, 1])
    >>> round(family_score(data, 1, ["class"], "ll"), 4)
    -1.3863
    """
    return _core.family_score(_data(data), child, _listed(parents, "parents"), score)


def network_score(
    data: Dataset, parents: Sequence[Sequence[int]], score: ScoreLike, n_jobs: int | None = None
) -> float:
    """The score of a network, given the attribute parents of each column.

    Where the data has a class, it is a parent of every column, and its own node is part of the sum.
    Where entries are missing, a column contributes φ(class) on the rows where it is known, and φ(parents) −
    φ(class) on the rows where all of the family are known, every count scaled to N: networks over the same
    columns can be compared.

    >>> from tanager import Dataset, network_score
    >>> data = Dataset([[0, 1], [1, 0], [1, 1]], [2, 2], class_codes=[0, 1, 1])
    >>> round(network_score(data, [[], [0]], "bic"), 4)
    -7.141
    """
    families = [_columns(family, "parents") for family in _listed(parents, "parents", "lists of columns")]
    return _core.network_score(_data(data), families, score, n_jobs)


def edge_weights(data: Dataset, score: ScoreLike, n_jobs: int | None = None) -> NDArray[np.float64]:
    """w[i, j] = φ_j({i} + class) − φ_j(class), what column i adds to the score as a parent of column j.

    Where entries are missing, both scores are those of the rows where i and j are known, counts scaled to N.

    >>> from tanager import Dataset, edge_weights
    >>> data = Dataset([[0, 0], [0, 0], [1, 1], [1, 1]], [2, 2])
    >>> edge_weights(data, "ll").round(4)
    array([[0.    , 2.7726],
           [2.7726, 0.    ]])
    """
    return _core.edge_weights(_data(data), score, n_jobs)


def best_parents(
    data: Dataset,
    child: int,
    candidates: Sequence[int],
    k: int,
    score: ScoreLike,
    *,
    prune: bool = True,
    n_jobs: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> tuple[tuple[int, ...], float]:
    """The best at most k of the candidates as parents of a column, beside the class, and their score.

    Exact. Of equally good sets (within a relative 1e-9) the smallest, then the one with the lowest columns.
    k larger than the number of candidates means all of them. `prune` skips families that provably cannot be
    the best; the result is the same without. `progress` is called with the families done and expected.
    Where entries are missing, sets are compared by φ(set) − φ(class), which is also what is returned: on the
    rows where all of the family are known, counts scaled to N.

    >>> from tanager import Dataset, best_parents
    >>> data = Dataset([[a, b, a ^ b, 0] for a in (0, 1) for b in (0, 1)], [2, 2, 2, 2])
    >>> best_parents(data, 2, [0, 1, 3], 3, "ll")
    ((0, 1), 0.0)
    """
    among = _columns(candidates, "candidates")
    most, pruned = parent_limit(k, len(among)), flag(prune, "prune")
    of = _position(child, "child")
    if progress is not None and not callable(progress):
        raise DataTypeError(f"progress = {progress!r} is not allowed: it is a function or None")
    parents, value = _core.best_parents(_data(data), of, among, most, score, pruned, n_jobs, progress)
    return tuple(parents), value


def maximum_spanning_tree(weights: ArrayLike, root: int = 0) -> NDArray[np.int64]:
    """The spanning tree of largest total weight, directed away from the root.

    >>> from tanager import maximum_spanning_tree
    >>> maximum_spanning_tree([[0, 3, 1], [3, 0, 2], [1, 2, 0]])
    array([-1,  0,  1])
    """
    return _core.maximum_spanning_tree(_matrix(weights), _position(root, "root"))


def maximum_branching(weights: ArrayLike, root: int | None = None) -> NDArray[np.int64]:
    """The directed spanning tree of largest total weight: over all roots, or from a given one.

    ``weights[i, j]`` is the weight of the arc i → j.

    >>> from tanager import maximum_branching
    >>> maximum_branching([[0, 1, 1], [5, 0, 1], [1, 4, 0]])
    array([ 1,  2, -1])
    """
    return _core.maximum_branching(_matrix(weights), None if root is None else _position(root, "root"))


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
    return _core.ancestors(_tree(tree), _position(node, "node"))


def acll_constants(
    n_classes: int, prior: str = "dirichlet", a: float = 1.0, b: float = 1000.0, p: float = 1.0
) -> tuple[float, float]:
    """β and γ of the approximate conditional log-likelihood, exactly.

    −ln Σ_c U_c ≈ β Σ_c ln U_c + γ is the best such approximation in the mean square, U_c being the model's
    joint probability of a row and class c. ``prior="dirichlet"``: (U_1, …, U_s, rest) ~ Dir(a, …, a, b), in
    closed form. ``prior="uniform"``: U uniform on [0, p]^s, by quadrature to 1e-12; β does not depend on p,
    and γ(p) = γ(1) − (1 + β s) ln p.

    >>> from tanager import acll_constants
    >>> beta, gamma = acll_constants(2)
    >>> round(beta, 7), round(gamma, 7)
    (-0.3919417, 0.6179502)
    >>> round(acll_constants(3, "uniform")[0], 10)
    -0.2001731557
    >>> round(acll_constants(3, "uniform", p=0.001)[1], 4)
    1.8212
    """
    if not isinstance(prior, str):
        raise DataTypeError(f'prior = {prior!r} is not allowed: it is "dirichlet" or "uniform"')
    s = whole(n_classes, "n_classes")
    beta, gamma = _core.acll_constants(s, prior, _number(a, "a"), _number(b, "b"))
    return beta, gamma + _shift(prior, p, 1 + beta * n_classes)


def _shift(prior: Any, p: float, slope: float) -> float:
    """What p adds to γ."""
    if not (isinstance(p, int | float | np.number) and 0 < p <= 1):
        raise DataError(f"p = {p!r} is not allowed: a largest probability lies above 0 and not above 1")
    if p != 1 and not (isinstance(prior, str) and prior == "uniform"):
        raise DataError(f'p = {p!r} is not allowed: only prior="uniform" has a largest probability')
    return -slope * float(np.log(p))


def acll_constants_monte_carlo(
    n_classes: int,
    prior: str | Sampler = "dirichlet",
    a: float | Sequence[float] = 1.0,
    b: float = 1000.0,
    samples: int = 100_000,
    random_state: int = 0,
    p: float = 1.0,
) -> tuple[float, float]:
    """β and γ by simulation, as their paper has them: a cross-check of `acll_constants`.

    The least-squares line through ``samples`` points (Σ_c ln u_c, −ln Σ_c u_c), u drawn from the prior
    (uniform on [0, p]^s or Dirichlet). The same ``random_state`` gives the same points on every machine.

    ``prior`` may also be any distribution, given as a sampler: a function of the number of samples and a
    numpy Generator that returns an array (samples, n_classes) of numbers above 0. ``a`` may be one number for
    each class, for a Dirichlet distribution that is not symmetric. β and γ are then the best of the same
    form, with one β for all classes, which without symmetry is not the best of all.

    >>> from tanager import acll_constants_monte_carlo
    >>> beta, gamma = acll_constants_monte_carlo(2)
    >>> round(beta, 2), round(gamma, 2)
    (-0.39, 0.61)
    >>> def squares(samples, rng):
    ...     return rng.random((samples, 2)) ** 2
    >>> round(acll_constants_monte_carlo(2, squares)[0], 2)
    -0.29
    """
    s, m, seed = (
        whole(n_classes, "n_classes"),
        whole(samples, "samples"),
        whole(random_state, "random_state"),
    )
    _number(b, "b")
    if isinstance(prior, str) and isinstance(a, int | float | np.number):
        beta, gamma = _core.acll_constants_monte_carlo(s, prior, float(a), b, m, seed)
    else:
        if isinstance(prior, str):
            if prior != "dirichlet":
                raise DataError(f'a = {a!r} is not allowed: only prior="dirichlet" has one for each class')
            ln_u = _ln_dirichlet(a, s, b, m, np.random.default_rng(seed))
        else:
            ln_u = _ln_sampled(prior, s, m, np.random.default_rng(seed))
        if m < 3:
            raise DataError(f"samples = {m} is not allowed: a line needs at least 3")
        B, A = ln_u.sum(axis=1), -np.logaddexp.reduce(ln_u, axis=1)
        centred = B - B.mean()
        beta = float((centred @ (A - A.mean())) / (centred @ centred))
        gamma = float(A.mean() - beta * B.mean())
    return beta, gamma + _shift(prior, p, 1 + beta * s)


#: Numbers above 0, one row for each sample and one column for each class.
Sampler = Callable[[int, np.random.Generator], NDArray[np.float64]]


def _ln_sampled(sampler: Any, s: int, samples: int, rng: np.random.Generator) -> NDArray[np.float64]:
    if not callable(sampler):
        raise DataTypeError(f"prior = {sampler!r} is not allowed: it is a name or a sampler")
    drawn = np.asarray(sampler(samples, rng), dtype=np.float64)
    if drawn.shape != (samples, s):
        raise DataError(f"the sampler returned shape {drawn.shape}, expected ({samples}, {s})")
    if not (np.isfinite(drawn) & (drawn > 0)).all():
        raise DataError("the sampler returned something that is not a finite number above 0")
    logarithms: NDArray[np.float64] = np.log(drawn)
    return logarithms


def _ln_dirichlet(a: Any, s: int, b: float, samples: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Logarithms of the first s of Dir(a_1, …, a_s, b), by G(a) = G(a + 1) U^(1/a): small ones underflow."""
    try:
        shapes = np.append(np.asarray(a, dtype=np.float64), b)
    except (TypeError, ValueError):
        shapes = np.empty(0)
    if shapes.shape != (s + 1,) or not (np.isfinite(shapes) & (shapes > 0)).all():
        raise DataError(
            f"a = {a!r}, b = {b!r}: there is one finite number above 0 for each of the {s} classes"
        )
    gammas = rng.standard_gamma(shapes + 1, (samples, s + 1))
    ln_u: NDArray[np.float64] = np.log(gammas) + np.log(rng.random((samples, s + 1))) / shapes
    ln_u -= np.logaddexp.reduce(ln_u, axis=1, keepdims=True)
    return ln_u[:, :s]


def chi2_forest(
    data: Dataset,
    groups: Sequence[Sequence[int]] | None = None,
    alpha: float = 0.05,
    min_cell: float = 5.0,
    n_jobs: int | None = None,
) -> NDArray[np.int64]:
    """The maximum weighted forest over the groups of columns that are dependent given the class.

    Two groups are dependent where G = 2N·I(S; T | C) is significant at `alpha` and there are at least
    `min_cell` rows for each cell of their table. The weight of a pair is I(S; T | C). Returns the parent
    group of each group, −1 at roots, which are the lowest groups of their trees. Without `groups` each column
    is one.

    >>> from tanager import Dataset, chi2_forest
    >>> data = Dataset([[a, b, a] for a in (0, 1) for b in (0, 1)] * 10, [2, 2, 2])
    >>> chi2_forest(data)
    array([-1, -1,  0])
    >>> chi2_forest(data, groups=[[2], [0, 1]])
    array([-1,  0])
    """
    lists = None
    if groups is not None:
        lists = [_columns(group, "groups") for group in _listed(groups, "groups", "lists of columns")]
    level, least = _number(alpha, "alpha"), _number(min_cell, "min_cell")
    return _core.chi2_forest(_data(data), lists, level, least, n_jobs)


class GTest(NamedTuple):
    """The outcome of `g_test`."""

    #: The statistic G = 2N·I(A; B | C), never negative.
    g: float
    #: The degrees of freedom.
    df: int
    #: P(χ²_df > G); 1 without degrees of freedom.
    p_value: float
    #: Whether there are enough rows for each cell to rely on the χ² distribution of G.
    reliable: bool


def g_test(
    data: Dataset,
    a: int | str | Iterable[int | str],
    b: int | str | Iterable[int | str],
    given: str | None = "class",
    *,
    min_cell: float = 5.0,
) -> GTest:
    """The G test of A ⟂ B given the class, for two columns or two groups of columns.

    ```text
    G  = 2N·I(A; B | C) = 2 Σ_cab N_cab ln( N_cab N_c / (N_ca N_cb) )      0 ln 0 = 0
    df = (r_A − 1)(r_B − 1) s
    reliable iff N / (r_A r_B s) ≥ min_cell
    ```

    N_cab counts the rows with class c and values a and b, fewer letters are its sums; N is their total, s the
    number of classes and r_A the product of the arities of A, whether seen or not. With ``given=None`` there
    is one stratum, s = 1, and one of the two may be ``"class"``: the test of an attribute against the class.
    Rows with a missing entry in A or B do not count. It is the test of `chi2_forest` and the learners stan,
    ffss and asb (Mihaljević, Larrañaga and Bielza 2013, `mihaljevic2013`).

    >>> from tanager import Dataset, g_test
    >>> data = Dataset([[a, b, a] for a in (0, 1) for b in (0, 1)] * 10, [2, 2, 2])
    >>> g_test(data, 0, 1, given=None)
    GTest(g=0.0, df=1, p_value=1.0, reliable=True)
    >>> test = g_test(data, [0, 1], 2, given=None)
    >>> round(test.g, 3), test.df, test.p_value < 0.001, test.reliable
    (55.452, 3, True, True)
    """
    if given not in ("class", None):
        raise DataError(f'given = {given!r} is not allowed: it is "class" or None')
    data, min_cell = _data(data), _number(min_cell, "min_cell")
    groups = [_group(a, "a"), _group(b, "b")]
    named = [*groups[0], *groups[1], *([] if given is None else [given])]
    for column in named:
        if named.count(column) > 1:
            raise DataError(f"{column!r} stands twice in the test: a, b and given have no column in common")
    *rest, child = groups[1]
    # The parents vary slowest first, so that the table is [class, values of A, values of B].
    strata: list[int | str] = [] if given is None else [given]
    counts = np.asarray(_core.family_counts(data, child, [*strata, *groups[0], *rest]), dtype=np.float64)
    s, r_a, r_b = (_size(data, columns) for columns in (strata, groups[0], groups[1]))
    cells = counts.reshape(s, r_a, r_b)
    n_c, n_ca, n_cb = (cells.sum(axis=axes, keepdims=True) for axes in ((1, 2), 2, 1))
    seen = cells > 0
    # A product of counts over a product of counts: exactly 1 where the sample is independent.
    ratio = np.divide(cells * n_c, n_ca * n_cb, out=np.ones_like(cells), where=seen)
    g = max(2.0 * float((cells * np.log(ratio)).sum()), 0.0)
    df = (r_a - 1) * (r_b - 1) * s
    p_value = float(chdtrc(df, g)) if df > 0 else 1.0
    return GTest(g, df, p_value, bool(cells.sum() / (r_a * r_b * s) >= min_cell))


def _group(columns: int | str | Iterable[int | str], name: str) -> list[int | str]:
    """The columns of a group, of which a single one may stand for itself."""
    given = list(columns) if isinstance(columns, Iterable) and not isinstance(columns, str) else [columns]
    group: list[int | str] = []
    for column in given:
        if isinstance(column, str):
            group += ["class"] if column == "class" else []
        elif is_whole(column) and column >= 0:
            group.append(int(column))
    if not group or len(group) < len(given):
        raise DataError(f'{name} = {columns!r} is not allowed: it is a position, "class", or a list of them')
    return group


def _size(data: Dataset, columns: Sequence[int | str]) -> int:
    """The number of joint values of some columns."""
    arities, classes = data.arities, data.n_classes or 1
    return prod(classes if isinstance(column, str) else arities[column] for column in columns)


def _data(data: Any) -> Dataset:
    if not isinstance(data, Dataset):
        raise DataTypeError(f"data is a {type(data).__name__}, allowed is a Dataset")
    return data


def _listed(values: Any, name: str, what: str = "columns") -> list[Any]:
    if not isinstance(values, Iterable):
        raise DataTypeError(f"{name} = {values!r} is not allowed: it is a list of {what}")
    return list(values)


def _columns(values: Any, name: str) -> list[int]:
    return [_position(value, name) for value in _listed(values, name)]


def _position(value: Any, name: str) -> int:
    if not is_whole(value):
        raise DataTypeError(f"{name}: {value!r} is not a position, which is a whole number from 0 on")
    return int(value)


def _number(value: Any, name: str) -> float:
    if not is_number(value):
        raise DataTypeError(f"{name} = {value!r} is not allowed: it is a number")
    return float(value)


def _matrix(weights: ArrayLike) -> NDArray[np.float64]:
    try:
        matrix = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"the weights are not a matrix of numbers: {error}") from error
    if matrix.ndim != 2:
        raise DataError(f"the weight matrix has {matrix.ndim} dimensions, expected 2")
    return matrix


def _tree(tree: ArrayLike) -> list[int]:
    parents = np.asarray(tree)
    if parents.ndim != 1 or (parents.size and parents.dtype.kind not in "iu"):
        raise DataError("a tree is a list of integers: the parent of each node, −1 at the root")
    return [int(parent) for parent in parents]


def memory_limit() -> int:
    """The most bytes that one table, or one set of tables, may take before a `CapacityError` refuses it.

    By default a quarter of what the process may use: the lowest of the machine's memory, the limits of its
    control groups and what its address space has left; 2 GiB where the system does not tell.

    >>> from tanager import memory_limit
    >>> memory_limit() > 0
    True
    """
    return _core.memory_limit()


def set_memory_limit(limit: int | None) -> None:
    """Sets `memory_limit` for the process, in bytes; None returns to the default.

    >>> from tanager import memory_limit, set_memory_limit
    >>> set_memory_limit(10**9)
    >>> memory_limit()
    1000000000
    >>> set_memory_limit(None)
    """
    if limit is not None and (not is_whole(limit) or not 0 < limit < 2**64):
        error = DataError if is_whole(limit) else DataTypeError
        raise error(f"limit = {limit!r} is not allowed: it is a number of bytes, from 1 to 2^64 − 1, or None")
    _core.set_memory_limit(0 if limit is None else int(limit))
