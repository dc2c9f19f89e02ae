"""Weights of rows and of classes, and the classes' prior."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_array

from tanager.exceptions import DataError, own_errors

__all__ = ["as_weights", "check_class_prior", "check_weights", "class_weights", "weigh_classes"]


def as_weights(sample_weight: Any) -> NDArray[np.float64]:
    """Weights as float64, not looked at further."""
    with own_errors():
        return np.asarray(sample_weight, dtype=np.float64)


def check_weights(sample_weight: Any, rows: int | None = None) -> NDArray[np.float64]:
    """Weights as float64: one per row (where their number is known), finite, not negative, not all zero.

    >>> check_weights([1, 2], 2)
    array([1., 2.])
    """
    if isinstance(sample_weight, np.ma.MaskedArray) and np.ma.getmaskarray(sample_weight).any():
        row = int(np.argmax(np.ma.getmaskarray(sample_weight)))
        raise DataError(f"sample_weight, row {row}: a masked weight is not allowed, every row has a weight")
    with own_errors():
        weights = check_array(
            sample_weight,
            ensure_2d=False,
            allow_nd=False,
            dtype=np.float64,
            order="C",
            input_name="sample_weight",
        )
    if weights.ndim != 1:
        raise DataError(f"Sample weights must be 1D array or scalar, found {weights.ndim} dimensions")
    if rows is not None and len(weights) != rows:
        raise DataError(f"sample_weight.shape == {weights.shape}, expected {(rows,)}!")
    if (weights < 0).any():
        row = int(np.flatnonzero(weights < 0)[0])
        raise DataError(f"sample_weight, row {row}: {weights[row]} is not allowed, a weight is not negative")
    if not weights.any():
        raise DataError("Sample weights must contain at least one non-zero number.")
    return np.require(weights, np.float64, "A")  # what came in a message may lie anywhere


def weigh_classes(
    class_weight: Mapping[Any, float] | str | None,
    classes: NDArray[Any],
    codes: NDArray[np.uint32],
    sample_weight: Any,
) -> NDArray[np.float64] | None:
    """Row weights, which are checked, times the weight of the row's class.

    "balanced" gives every class the same total weight, and all rows together what they had before. A class
    that a mapping does not name has weight 1.

    >>> weigh_classes("balanced", np.array(["a", "b"]), np.array([0, 0, 0, 1]), None).round(3)
    array([0.667, 0.667, 0.667, 2.   ])
    """
    weights = None if sample_weight is None else check_weights(sample_weight, len(codes))
    if class_weight is None:
        return weights
    totals = np.bincount(codes, weights=weights, minlength=len(classes))
    by_class = class_weights(class_weight, classes, totals)
    weighed: NDArray[np.float64] = by_class[codes] if weights is None else by_class[codes] * weights
    return weighed


def class_weights(
    class_weight: Mapping[Any, float] | str, classes: NDArray[Any], totals: NDArray[Any]
) -> NDArray[np.float64]:
    """The weight of each class, of which there are so many rows; see `weigh_classes`."""
    if isinstance(class_weight, Mapping):
        by_class = _by_class(class_weight, classes, "class_weight", 1.0)
        if not (np.isfinite(by_class).all() and (by_class >= 0).all() and by_class.any()):
            raise DataError("class_weight is not allowed: weights are finite, not negative, and not all zero")
        return by_class
    if isinstance(class_weight, str) and class_weight == "balanced":
        shares = np.divide(totals.sum(), totals, out=np.zeros(len(classes)), where=totals > 0)
        balanced: NDArray[np.float64] = shares / np.count_nonzero(totals)
        return balanced
    raise DataError(
        f"class_weight = {class_weight!r} is not allowed, allowed are None, 'balanced' and a mapping"
    )


def check_class_prior(prior: ArrayLike | Mapping[Any, float], classes: NDArray[Any]) -> NDArray[np.float64]:
    """One probability for each class: not negative, summing to 1.

    >>> check_class_prior({"b": 0.75, "a": 0.25}, np.array(["a", "b"]))
    array([0.25, 0.75])
    """
    if isinstance(prior, Mapping):
        values = _by_class(prior, classes, "class_prior", 0.0)
    else:
        try:
            values = np.asarray(prior, dtype=np.float64)
        except (TypeError, ValueError):
            values = np.full(0, np.nan)
    if values.shape != (len(classes),):
        raise DataError(
            f"class_prior = {prior!r} is not allowed, it holds one number for each of {len(classes)} classes"
        )
    if not ((values >= 0).all() and abs(values.sum() - 1) < 1e-8):
        raise DataError(
            f"class_prior = {prior!r} is not allowed, probabilities are not negative and sum to 1"
        )
    return values


def _by_class(
    mapping: Mapping[Any, float], classes: NDArray[Any], name: str, default: float
) -> NDArray[np.float64]:
    labels = classes.tolist()
    unknown = [label for label in mapping if label not in labels]
    if unknown:
        raise DataError(
            f"{name} names {unknown[0]!r}, which is not a class; classes are {', '.join(map(repr, labels))}"
        )
    return np.array([mapping.get(label, default) for label in labels], dtype=np.float64)
