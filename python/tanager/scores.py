"""Decomposable scores, each with its settings. A string gives the defaults: ``"bic"`` is ``BIC()``.

Any function ``f(counts: ndarray[q, r]) -> float`` is a score too: one row for each configuration of the
parents (the class varies slowest), one column for each value of the child. It is not taken to be score
equivalent unless it has an attribute ``score_equivalent = True``.

The classes are made from the core's registry; `scores.pyi` shows them to type checkers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tanager.specification import SPECIFICATIONS, Specification

_CLASSES = {kind.__name__: kind for kind in SPECIFICATIONS["score"].values()}
globals().update(_CLASSES)

__all__ = [*_CLASSES, "ScoreLike"]

ScoreLike = str | Specification | Callable[[NDArray[np.int64]], float] | Any
