"""The Rust core. `tanager` wraps what is here; arrays are contiguous and of the stated type."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__version__: str

def mdl_cut_points(
    columns: Sequence[NDArray[np.float64]],
    y: NDArray[np.uint32],
    n_classes: int,
    weights: NDArray[np.float64] | None = None,
) -> list[NDArray[np.float64]]: ...
