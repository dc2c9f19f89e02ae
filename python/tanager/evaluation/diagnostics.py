"""How a learner's out-of-fold probabilities do, in few numbers: ROC and reliability.

Counts add up: those of folds and repeats are those of all tested rows together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["BINS", "STEPS", "calibration_error", "diagnose", "pooled", "reliability_points", "roc_points"]

Floats = NDArray[np.float64]
#: Equal bins of the probability given to the predicted class.
BINS = 10
#: Steps of the threshold of a ROC curve, equal in the logarithm of the odds.
_STEPS = np.linspace(-16.0, 16.0, 129)
STEPS = len(_STEPS) + 1


def diagnose(
    y: NDArray[np.int64], chances: Floats, probabilistic: bool, positive: int | None
) -> dict[str, Any]:
    """Counts of one set of test rows, with the `chances` of the classes (rows × classes).

    `roc`: how many probabilities of classes that are (`in`) and are not (`out`) a row's own lie in each step
    of the odds; of two classes those of the positive one. A tie within a step is drawn as a straight line.
    `reliability`: rows, sum of the probability of the predicted class, and rows predicted right, by equal
    bins of that probability. Without probabilities there is neither.
    """
    s = chances.shape[1]
    predicted = chances.argmax(axis=1)
    found: dict[str, Any] = {"roc": None, "reliability": None}
    if not probabilistic:
        return found
    own = np.eye(s, dtype=bool)[y]
    of = [1 if positive is None else positive] if s == 2 else list(range(s))
    with np.errstate(divide="ignore"):
        odds = np.log(np.clip(chances, 0, 1)) - np.log1p(-np.clip(chances, 0, 1))
    steps = np.searchsorted(_STEPS, odds[:, of], side="right")
    found["roc"] = {
        name: np.bincount(steps[rows], minlength=STEPS).tolist()
        for name, rows in (("in", own[:, of]), ("out", ~own[:, of]))
    }
    sure = chances[np.arange(len(y)), predicted]
    bins = np.minimum((sure * BINS).astype(np.int64), BINS - 1)
    found["reliability"] = {
        "rows": np.bincount(bins, minlength=BINS).tolist(),
        "sure": np.bincount(bins, sure, minlength=BINS).tolist(),
        "right": np.bincount(bins, predicted == y, minlength=BINS).astype(int).tolist(),
    }
    return found


def pooled(parts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The counts of several sets of test rows together.

    >>> pooled([{"roc": {"in": [1, 0], "out": [0, 2]}, "reliability": None}] * 2)
    {'roc': {'in': [2, 0], 'out': [0, 4]}, 'reliability': None}
    """
    listed = list(parts)
    found: dict[str, Any] = {}
    for name in ("roc", "reliability"):
        if any(part[name] is None for part in listed):
            found[name] = None
        else:
            found[name] = {
                field: np.sum([part[name][field] for part in listed], axis=0).tolist()
                for field in listed[0][name]
            }
    return found


def roc_points(roc: Mapping[str, Any]) -> tuple[Floats, Floats]:
    """Shares of false and of true positives, from the strictest threshold to the most lenient."""
    inside, outside = (np.cumsum(np.asarray(roc[name], dtype=np.float64)[::-1]) for name in ("in", "out"))
    return (
        np.append(0.0, outside / max(outside[-1], 1.0)),
        np.append(0.0, inside / max(inside[-1], 1.0)),
    )


def reliability_points(counts: Mapping[str, Any]) -> tuple[Floats, Floats, Floats]:
    """Mean probability, share predicted right, and rows, of the bins that have any."""
    rows, sure, right = (np.asarray(counts[name], dtype=np.float64) for name in ("rows", "sure", "right"))
    used = rows > 0
    return sure[used] / rows[used], right[used] / rows[used], rows[used]


def calibration_error(counts: Mapping[str, Any]) -> float:
    """The expected calibration error: Σ_b n_b / N · |share right in b − mean probability in b|.

    Bins b of n_b of the N rows, by the probability of the predicted class (Naeini, Cooper and Hauskrecht
    2015, `naeini2015`).
    """
    sure, right, rows = reliability_points(counts)
    return float((rows * np.abs(right - sure)).sum() / max(rows.sum(), 1.0))
