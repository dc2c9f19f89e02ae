"""Aligned binding sites, and classification tasks made of them.

A file holds one site a line, all of one length, over A, C, G and T; lines that begin with ``>`` are headings.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tanager.exceptions import DataError

__all__ = ["ROWS", "read_sites", "site_files", "site_task"]

Sites = NDArray[np.uint8]

ROWS = 1000
"""Rows of a task with two classes: the papers' data sets have about as many."""

_LETTERS = "ACGT"


def site_files(folder: str | Path | None) -> list[Path]:
    """The site files of a folder (by default that of ``TANAGER_DATA``): those in its subfolder ``motifs``."""
    folder = folder or os.environ.get("TANAGER_DATA")
    return [] if not folder else sorted(Path(folder, "motifs").glob("*.txt"))


def read_sites(path: str | Path) -> Sites:
    """Sites × positions, coded 0 to 3 in the order A, C, G, T."""
    sites: list[list[int]] = []
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
        text = line.strip().upper()
        if not text or text.startswith(">"):
            continue
        codes = [_LETTERS.find(letter) for letter in text]
        if -1 in codes:
            letter = text[codes.index(-1)]
            raise DataError(f"{path}, line {number}: {letter!r} is not one of A, C, G and T")
        if sites and len(codes) != len(sites[0]):
            raise DataError(f"{path}, line {number}: {len(codes)} positions, the first has {len(sites[0])}")
        sites.append(codes)
    if not sites:
        raise DataError(f"{path} has no sites")
    return np.array(sites, dtype=np.uint8)


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
    composition = np.bincount(sites.ravel(), minlength=len(_LETTERS)) / sites.size
    more = random.choice(len(_LETTERS), size=(len(sites), length - sites.shape[1]), p=composition)
    return np.hstack([sites, more.astype(np.uint8)])
