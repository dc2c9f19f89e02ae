"""The files of aligned binding sites, and classification tasks made of them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tanager.motifs.sites import LETTERS

__all__ = ["HOW_TO_GET_SITES", "ROWS", "site_files", "site_task"]

Sites = NDArray[np.uint8]

ROWS = 1000
"""Rows of a task with two classes: the papers' data sets have about as many."""

HOW_TO_GET_SITES = (
    "aligned binding sites, one file per factor with one site per line: JASPAR, https://jaspar.elixir.no; put"
    " them as *.txt into a folder 'motifs' within the folder of --data-dir (or TANAGER_DATA)"
)


def site_files(folder: str | Path | None) -> list[Path]:
    """The site files of a folder (by default that of ``TANAGER_DATA``): those in its subfolder ``motifs``."""
    folder = folder or os.environ.get("TANAGER_DATA")
    return [] if not folder else sorted(Path(folder, "motifs").glob("*.txt"))


def site_task(
    sites: Sites, others: Sequence[Sites], random: np.random.Generator, rows: int = ROWS
) -> tuple[Sites, NDArray[np.intp]]:
    """A table of sites and background, and its classes: 0 background, 1 `sites`, 2 and on `others`.

    At most half of the `rows` are sites: all of them, or a sample without replacement. The other rows are
    background: a site drawn with replacement, its letters shuffled, so that it has the composition of sites
    but not their order. Each of `others` adds its sites (at most half of `rows`), cut to the same number of
    positions from the left, or lengthened on the right by letters drawn from their own composition.

    >>> sites = np.array([[0, 1], [0, 1], [0, 2]], dtype=np.uint8)
    >>> codes, classes = site_task(sites, [sites[:, :1]], np.random.default_rng(0), rows=8)
    >>> codes.shape, np.bincount(classes).tolist()
    ((11, 2), [5, 3, 3])
    """
    length = sites.shape[1]
    found = _sample(sites, rows // 2, random)
    background = random.permuted(sites[random.integers(0, len(sites), rows - len(found))], axis=1)
    parts = [background, found]
    for other in others:
        parts.append(_fitted(_sample(other, rows // 2, random), length, random))
    classes = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    return np.vstack(parts), classes


def _sample(sites: Sites, most: int, random: np.random.Generator) -> Sites:
    if len(sites) <= most:
        return sites
    return sites[random.choice(len(sites), most, replace=False)]


def _fitted(sites: Sites, length: int, random: np.random.Generator) -> Sites:
    if sites.shape[1] >= length:
        return sites[:, :length]
    composition = np.bincount(sites.ravel(), minlength=len(LETTERS)) / sites.size
    more = random.choice(len(LETTERS), size=(len(sites), length - sites.shape[1]), p=composition)
    return np.hstack([sites, more.astype(np.uint8)])
