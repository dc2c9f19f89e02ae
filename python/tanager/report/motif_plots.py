"""Scatter plots of motif comparisons."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tanager.report.plots import _ACCENT, _FAINT, _figure

__all__ = ["motif_scatter"]


def motif_scatter(
    x: NDArray[np.float64], y: NDArray[np.float64], first: str, second: str, path: str | Path
) -> Path:
    """One point per set of sites: the loss of `second` upwards, of `first` to the right.

    Points above the diagonal are sets on which `first` is better: the loss is −ln P of a held-out site.
    """
    with _figure(path, 4.6, 4.6) as (_, axes):
        low, high = float(min(x.min(), y.min())), float(max(x.max(), y.max()))
        pad = 0.06 * (high - low) or 1.0
        axes.set_xlim(low - pad, high + pad)
        axes.set_ylim(low - pad, high + pad)
        axes.set_aspect("equal")
        axes.plot([low - pad, high + pad], [low - pad, high + pad], color=_FAINT, lw=1, zorder=0)
        axes.scatter(x, y, s=30, color=_ACCENT, alpha=0.85, edgecolors="white", linewidths=0.6)
        axes.set_xlabel(f"{first}, −ln P a site")
        axes.set_ylabel(f"{second}, −ln P a site")
        better = int((x < y - 1e-10).sum()), int((y < x - 1e-10).sum())
        axes.set_title(f"{first} better on {better[0]}, {second} on {better[1]}", fontsize=9.5, loc="left")
    return Path(path)
