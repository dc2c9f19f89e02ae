"""Cutting numbers into intervals: Fayyad and Irani's MDL, equal width, equal frequency."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from tanager import _core
from tanager.data.labels import LabelCodes
from tanager.data.weights import check_weights
from tanager.exceptions import DataError, TanagerError, own_errors
from tanager.scikit_learn import MissingAllowed, check_names, takes_missing, validate_data
from tanager.settings import is_whole

__all__ = ["Binning", "EqualFrequency", "EqualWidth", "MDLDiscretizer", "fit_binning", "mdl_cut_points"]

Floats = NDArray[np.float64]


def mdl_cut_points(x: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Floats:
    """Where Fayyad and Irani's MDL rule cuts one numeric column; empty where one bin is best.

    A value falls into the bin numbered by how many cut points lie below it. NaN takes no part.

    References: Fayyad and Irani 1993 (`fayyad1993`).

    >>> mdl_cut_points([1.0, 2.0, 3.0, 10.0, 11.0, 12.0], ["a", "a", "a", "b", "b", "b"])
    array([6.5])
    """
    labels = LabelCodes().fit(y)
    try:
        with own_errors():
            column = np.ascontiguousarray(x, dtype=np.float64)
    except TanagerError:
        _refuse_text(np.asarray(x, dtype=object), "x")
        raise
    if column.ndim != 1:
        raise DataError(f"x has {column.ndim} dimensions, allowed is 1")
    if np.isinf(column).any():
        row = int(np.isinf(column).argmax())
        raise DataError(f"x, row {row}: {column[row]} is not allowed, numbers are finite or missing (NaN)")
    weights = None if sample_weight is None else check_weights(sample_weight, len(labels.codes_))
    return _core.mdl_cut_points([column], labels.codes_, len(labels.classes_), weights)[0]


class _CutPoints(OneToOneFeatureMixin, TransformerMixin, MissingAllowed):
    """What the discretisers share: codes from `cut_points_`."""

    cut_points_: list[Floats]

    def transform(self, X: Any) -> Floats:
        """The number of the interval of every value, as floats; NaN stays NaN."""
        check_is_fitted(self)
        X = _validate(self, X, reset=False)
        codes: Floats = np.empty_like(X)
        for i, cuts in enumerate(self.cut_points_):
            codes[:, i] = np.where(np.isnan(X[:, i]), np.nan, np.searchsorted(cuts, X[:, i]))
        return codes


class MDLDiscretizer(_CutPoints):
    """Cuts every column where Fayyad and Irani's MDL rule says that it tells about the class.

    Attributes:
        cut_points_: one ascending array per column; a column that tells nothing has none.

    References: Fayyad and Irani 1993 (`fayyad1993`).

    >>> X = [[1.0], [2.0], [3.0], [10.0], [11.0], [12.0]]
    >>> MDLDiscretizer().fit_transform(X, [0, 0, 0, 1, 1, 1]).ravel()
    array([0., 0., 0., 1., 1., 1.])
    """

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Learns the cut points; weight 2 equals the row twice."""
        X, y = _validate(self, X, y)
        labels = LabelCodes().fit(y)
        weights = None if sample_weight is None else check_weights(sample_weight, len(X))
        columns = _contiguous_columns(X)
        self.cut_points_ = _core.mdl_cut_points(columns, labels.codes_, len(labels.classes_), weights)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _more_tags(self) -> dict[str, Any]:  # scikit-learn 1.5
        return {"requires_y": True}


class EqualWidth(_CutPoints):
    """Cuts the range of every column into `bins` intervals of equal width.

    >>> EqualWidth(bins=2).fit([[0.0], [1.0], [10.0]]).cut_points_
    [array([5.])]
    """

    def __init__(self, bins: int = 10) -> None:
        self.bins = bins

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learns the cut points; a constant column has none."""
        X = _validate(self, X)
        self.cut_points_ = [_equal_width(X[:, i], _check_bins(self.bins)) for i in range(X.shape[1])]
        return self


class EqualFrequency(_CutPoints):
    """Cuts every column into at most `bins` intervals that hold about equally many rows.

    Equal values are never parted: the cuts are midway between the neighbouring values at the quantiles.

    >>> EqualFrequency(bins=2).fit([[0.0], [1.0], [2.0], [10.0]]).cut_points_
    [array([1.5])]
    """

    def __init__(self, bins: int = 10) -> None:
        self.bins = bins

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learns the cut points; weight 2 equals the row twice."""
        X = _validate(self, X)
        weights = None if sample_weight is None else check_weights(sample_weight, len(X))
        bins = _check_bins(self.bins)
        self.cut_points_ = [_equal_frequency(X[:, i], weights, bins) for i in range(X.shape[1])]
        return self


def _validate(estimator: BaseEstimator, X: Any, y: Any = "no_validation", reset: bool = True) -> Any:
    alone = isinstance(y, str)
    try:
        with own_errors():
            if not alone:
                check_names(estimator, X, y, reset)
            numbers = validate_data(estimator, X, dtype=np.float64, finite="allow-nan", reset=reset)
    except TanagerError:
        names = getattr(X, "columns", None)
        table = np.asarray(X, dtype=object) if isinstance(X, list | np.ndarray) or names is not None else None
        for i, column in enumerate(table.T if table is not None and table.ndim == 2 else ()):
            _refuse_text(column, f"column {f'x{i}' if names is None else names[i]!r}")
        raise
    return numbers if alone else (numbers, y)


def _refuse_text(values: NDArray[Any], where: str) -> None:
    """Tells which of some values is text that is no number."""
    for row, value in enumerate(values.tolist()):
        if isinstance(value, str):
            try:
                float(value)
            except ValueError:
                raise DataError(
                    f"{where}, row {row}: {value!r} is not a number, and only numbers are cut"
                ) from None


def _contiguous_columns(X: Floats) -> list[Floats]:
    """The columns, each of them without gaps between its values."""
    if X.flags.f_contiguous:
        return list(X.T)
    columns = np.empty(X.shape[::-1])
    for start in range(0, len(X), 2048):  # rows that are still in the cache when the next column needs them
        columns[:, start : start + 2048] = X[start : start + 2048].T
    return list(columns)


def _check_bins(bins: Any) -> int:
    if not is_whole(bins) or bins < 1:
        raise DataError(f"bins = {bins!r} is not allowed, it is a whole number of at least 1")
    return int(bins)


def _equal_width(x: Floats, bins: int) -> Floats:
    known = x[~np.isnan(x)]
    if not len(known) or known.min() == known.max():
        return np.empty(0)
    low, high = float(known.min()), float(known.max())
    if math.isfinite(high - low):
        return np.unique(np.linspace(low, high, bins + 1)[1:-1])
    return np.unique(2 * np.linspace(low / 2, high / 2, bins + 1)[1:-1])


def _equal_frequency(x: Floats, weights: Floats | None, bins: int) -> Floats:
    known = ~np.isnan(x) if weights is None else ~np.isnan(x) & (weights > 0)
    values, place = np.unique(x[known], return_inverse=True)
    if len(values) < 2:
        return np.empty(0)
    below = np.cumsum(np.bincount(place, weights=None if weights is None else weights[known]))
    wanted = below[-1] * np.arange(1, bins) / bins
    # The gap after a value whose cumulated weight is nearest to the wanted one; the lower of two.
    right = np.clip(np.searchsorted(below, wanted), 0, len(values) - 2)
    left = np.maximum(right - 1, 0)
    gap = np.unique(np.where(wanted - below[left] <= below[right] - wanted, left, right))
    middle = values[gap] / 2 + values[gap + 1] / 2
    cuts: Floats = np.where(middle < values[gap + 1], middle, values[gap])
    return cuts


@dataclass(frozen=True)
class Binning:
    """How one numeric column becomes codes.

    Attributes:
        cut_points: ascending; a value that equals a cut point lies to its left.
    """

    cut_points: Floats

    def __setstate__(self, state: dict[str, Any]) -> None:
        # What came in a message may lie anywhere.
        self.__dict__["cut_points"] = np.require(state["cut_points"], requirements="A")

    @property
    def bins(self) -> int:
        """The number of intervals."""
        return len(self.cut_points) + 1

    def describe(self, code: int) -> str:
        """The interval as text.

        >>> Binning(np.array([2.5])).describe(0), Binning(np.array([])).describe(0)
        ('≤ 2.5', 'any')
        """
        cuts = self.cut_points
        if not len(cuts):
            return "any"
        if code == 0:
            return f"≤ {cuts[0]:.6g}"
        if code == len(cuts):
            return f"> {cuts[-1]:.6g}"
        return f"({cuts[code - 1]:.6g}, {cuts[code]:.6g}]"


def fit_binning(
    discretize: Any, columns: Sequence[Floats], y: NDArray[Any] | None, weights: Floats | None
) -> list[Binning]:
    """One binning per column: by "mdl" (equal frequency where there is no class) or by a transformer."""
    if discretize not in ("mdl", "none") if isinstance(discretize, str) else not hasattr(discretize, "fit"):
        raise DataError(
            f"discretize = {discretize!r} is not allowed, allowed are 'mdl', 'none' and a transformer"
        )
    if not columns:
        return []
    contiguous = [np.ascontiguousarray(column) for column in columns]
    if isinstance(discretize, str):
        if y is None:
            cuts = [_equal_frequency(column, weights, 5) for column in contiguous]
        else:
            codes = np.ascontiguousarray(y, dtype=np.uint32)
            cuts = _core.mdl_cut_points(contiguous, codes, int(codes.max()) + 1, weights)
    else:
        cuts = _transformer_cuts(discretize, np.column_stack(contiguous), y, weights)
    return [Binning(np.asarray(cut, dtype=np.float64)) for cut in cuts]


def _transformer_cuts(
    transformer: Any, X: Floats, y: NDArray[Any] | None, weights: Floats | None
) -> list[Floats]:
    """The cut points of a fitted clone; one that refuses missing values sees known ones only."""
    missing = np.isnan(X)
    if not missing.any() or takes_missing(transformer):
        return _fitted_cuts(clone(transformer), X, y, weights)
    cuts = []
    for i in range(X.shape[1]):
        known = ~missing[:, i]
        one = clone(transformer)
        bins: Any = getattr(one, "n_bins", None)
        if np.ndim(bins) == 1:  # KBinsDiscretizer takes one number for each column
            one.set_params(n_bins=int(np.asarray(bins)[i]))
        if known.any():
            of_y = None if y is None else y[known]
            heavy = None if weights is None else weights[known]
            cuts += _fitted_cuts(one, X[known, i : i + 1], of_y, heavy)
        else:
            cuts.append(np.empty(0))
    return cuts


def _fitted_cuts(fitted: Any, X: Floats, y: NDArray[Any] | None, weights: Floats | None) -> list[Floats]:
    """`cut_points_`, or the inner `bin_edges_` of KBinsDiscretizer."""
    if weights is not None and has_fit_parameter(fitted, "sample_weight"):
        fitted.fit(X, y, sample_weight=weights)
    else:
        fitted.fit(X, y)
    if hasattr(fitted, "cut_points_"):
        return list(fitted.cut_points_)
    if hasattr(fitted, "bin_edges_"):
        # KBinsDiscretizer puts a value that equals an edge to the right of it, tanager to the left.
        return [np.nextafter(edges[1:-1], -np.inf) for edges in fitted.bin_edges_]
    raise DataError(f"discretize = {fitted!r} has neither cut_points_ nor bin_edges_ after fit")
