"""Row weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array

from tanager.exceptions import DataError

__all__ = ["check_weights"]


def check_weights(sample_weight: Any, rows: int) -> NDArray[np.float64]:
    """Weights as float64: one per row, finite, not negative, not all zero.

    >>> check_weights([1, 2], 2)
    array([1., 2.])
    """
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
    if len(weights) != rows:
        raise DataError(f"sample_weight.shape == {weights.shape}, expected {(rows,)}!")
    if (weights < 0).any():
        row = int(np.flatnonzero(weights < 0)[0])
        raise DataError(f"sample_weight, row {row}: {weights[row]} is not allowed, a weight is not negative")
    if not weights.any():
        raise DataError("Sample weights must contain at least one non-zero number.")
    return np.asarray(weights, dtype=np.float64)
