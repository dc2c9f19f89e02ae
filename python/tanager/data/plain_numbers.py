"""Numbers from JSON: those of columns, of models and of whatever else is read from a file."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tanager.exceptions import DataError

__all__ = ["log_probabilities", "numbers", "plain_logarithms"]


def numbers(plain: Any, null: float | None = None) -> NDArray[np.float64]:
    """A list of numbers from JSON, in which `null` may stand for one that JSON does not have.

    What is not finite is refused, and text, also where it is the text of a number: "nan" would be one.

    >>> numbers([1, None, 2.5], null=-math.inf).tolist()
    [1.0, -inf, 2.5]
    """
    for value in plain:
        known = type(value) in (int, float) and math.isfinite(value)
        if not (known or (value is None and null is not None)):
            raise DataError(f"{value!r} is not a number")
    return np.array([null if value is None else value for value in plain], dtype=np.float64)


def plain_logarithms(values: NDArray[np.float64]) -> list[float | None]:
    """Logarithms of probabilities for JSON, which has no form for that of 0, −∞: it becomes null."""
    return [value if math.isfinite(value) else None for value in values.tolist()]


def log_probabilities(plain: Any, null: float | None = -math.inf) -> NDArray[np.float64]:
    """Logarithms of probabilities from JSON, `null` for that of 0 where there may be one."""
    values = numbers(plain, null)
    if values.size and float(values.max()) > 1e-9:
        raise DataError("a logarithm of a probability is above 0")
    return values
