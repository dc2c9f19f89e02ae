"""A sequence logo: letters as high as the bits that they carry, the commonest on top.

References: Schneider and Stephens 1990 (`schneider1990`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tanager.motifs.files import matrix
from tanager.motifs.motif import Motif
from tanager.motifs.sites import LETTERS
from tanager.reading.frame import axes_of

__all__ = ["information", "letter_heights", "plot_logo"]

Floats = NDArray[np.float64]
_COLOURS = {"A": "#2f855a", "C": "#2b6cb0", "G": "#b7791f", "T": "#c53030"}


def information(probabilities: Floats) -> Floats:
    """Bits of each position: 2 − H(p), where H(p) = −Σ_x p_x log₂ p_x and 0 log 0 = 0.

    >>> information(np.array([[1.0, 0.0, 0.0, 0.0], [0.25, 0.25, 0.25, 0.25]])).tolist()
    [2.0, 0.0]
    """
    safe = np.where(probabilities > 0, probabilities, 1.0)
    return np.asarray(2.0 + (probabilities * np.log2(safe)).sum(axis=1))


def letter_heights(probabilities: Floats) -> Floats:
    """The height of every letter: its share of the position's bits."""
    return np.asarray(probabilities * information(probabilities)[:, None])


def plot_logo(motif: Motif, ax: Any = None) -> Any:
    """Draw the logo of a motif on axes, new ones where none are given, and return them; needs matplotlib.

    Positions that depend on each other show what each is on its own.
    """
    ax = axes_of(ax, max(3.0, 0.45 * motif.width + 1.0), 2.4, bare=("top", "right"))
    from matplotlib.font_manager import FontProperties
    from matplotlib.patches import PathPatch
    from matplotlib.textpath import TextPath
    from matplotlib.transforms import Affine2D

    heights = letter_heights(matrix(motif))
    bold = FontProperties(family="DejaVu Sans", weight="bold")
    shapes = {letter: TextPath((0, 0), letter, size=1, prop=bold) for letter in LETTERS}
    for place, column in enumerate(heights):
        bottom = 0.0
        for code in np.argsort(column, kind="stable"):
            letter, height = LETTERS[code], float(column[code])
            if height < 1e-4:
                continue
            box = shapes[letter].get_extents()
            turned = (
                Affine2D()
                .translate(-box.x0, -box.y0)
                .scale(0.92 / box.width, height / box.height)
                .translate(place + 0.54, bottom)
            )
            shape = turned.transform_path(shapes[letter])
            ax.add_patch(PathPatch(shape, facecolor=_COLOURS[letter], edgecolor="none"))
            bottom += height
    ax.set_xlim(0.5, motif.width + 0.5)
    ax.set_ylim(0.0, 2.0)
    ax.set_xticks(range(1, motif.width + 1) if motif.width <= 30 else range(1, motif.width + 1, 5))
    ax.set_yticks([0, 1, 2])
    ax.set_xlabel("position")
    ax.set_ylabel("bits")
    return ax
