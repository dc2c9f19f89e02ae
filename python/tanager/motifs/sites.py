"""Aligned binding sites: files of one site a line, or FASTA."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tanager.exceptions import DataError
from tanager.input import read_bytes

__all__ = ["LETTERS", "Sites", "file_lines", "file_text", "letter_codes", "read_sites"]

#: The letters in the order of their codes: 3 − code is the complement.
LETTERS = "ACGT"

_IUPAC = {
    "U": "T in RNA",
    "R": "A or G",
    "Y": "C or T",
    "S": "C or G",
    "W": "A or T",
    "K": "G or T",
    "M": "A or C",
    "B": "C, G or T",
    "D": "A, G or T",
    "H": "A, C or T",
    "V": "A, C or G",
    "N": "any letter",
    "-": "a gap",
    ".": "a gap",
}


def letter_codes() -> NDArray[np.uint8]:
    """A table from bytes to codes: A, C, G, T in either case are 0 to 3, everything else is 255."""
    table = np.full(256, 255, dtype=np.uint8)
    for code, letter in enumerate(LETTERS):
        table[ord(letter)] = table[ord(letter.lower())] = code
    return table


_CODES = letter_codes()


@dataclass(frozen=True)
class Sites:
    """Aligned sites of one width.

    Attributes:
        name: what they are called.
        codes: one row per site, one column per position; A, C, G, T = 0 to 3.

    >>> sites = Sites.from_strings(["ACG", "acT"], "demo")
    >>> sites.codes.tolist(), len(sites), sites.width
    ([[0, 1, 2], [0, 1, 3]], 2, 3)
    >>> sites.strings()
    ['ACG', 'ACT']
    """

    name: str
    codes: NDArray[np.uint8]

    @classmethod
    def from_strings(cls, sites: Sequence[str], name: str = "sites") -> Sites:
        """From strings of one length over A, C, G and T; errors name the position in the list."""
        return cls._build(name, [(f"{name}, site {i + 1}", site) for i, site in enumerate(sites)])

    @classmethod
    def _build(cls, name: str, placed: Sequence[tuple[str, str]]) -> Sites:
        """From (where it stands, site) pairs."""
        if not placed:
            raise DataError(f"{name}: there are no sites")
        width = len(placed[0][1])
        for where, site in placed:
            if not site:
                raise DataError(f"{where}: the site is empty")
            if len(site) != width:
                raise DataError(
                    f"{where}: the site has {len(site)} letters, the first one has {width}; "
                    "aligned sites have one length"
                )
            _check_letters(where, site)
        letters = np.frombuffer("".join(site for _, site in placed).encode("ascii"), dtype=np.uint8)
        return cls(name, _CODES[letters].reshape(len(placed), width))

    @property
    def width(self) -> int:
        """Letters of a site."""
        return int(self.codes.shape[1])

    def __len__(self) -> int:
        return len(self.codes)

    def strings(self) -> list[str]:
        """The sites as text."""
        return ["".join(LETTERS[code] for code in site) for site in self.codes.tolist()]


def read_sites(path: str | Path) -> Sites:
    """Aligned sites from a file: one a line, or FASTA (then a site may go over several lines).

    Blank lines are skipped, case does not matter, a name that ends in ``.gz`` is decompressed. Sites of
    unequal length, and letters other than A, C, G and T, are refused with file and line.
    """
    source = Path(path)
    lines = file_lines(source, "sites")
    fasta = bool(lines) and lines[0][1].startswith(">")
    placed = _records(source, lines) if fasta else [(f"{source}, line {n}", line) for n, line in lines]
    if not placed:
        raise DataError(f"{source}: the file is empty, there are no sites")
    name = source.name.removesuffix(".gz")
    return Sites(Path(name).stem, Sites._build(str(source), placed).codes)


def file_text(path: str | Path, what: str) -> str:
    """The text of a file of sites or motifs."""
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{path}: this is not a text file of {what}") from None


def file_lines(path: str | Path, what: str) -> list[tuple[int, str]]:
    """The lines of such a file that are not blank, with their numbers."""
    lines = enumerate(file_text(path, what).splitlines(), 1)
    return [(number, line.strip()) for number, line in lines if line.strip()]


def _records(source: Path, lines: Iterable[tuple[int, str]]) -> list[tuple[str, str]]:
    """The sites of a FASTA file, each with the line of its header."""
    records: list[tuple[str, str]] = []
    for number, line in lines:
        if line.startswith(">"):
            records.append((f"{source}, line {number}", ""))
        else:
            where, site = records[-1]
            records[-1] = (where, site + line)
    return records


def _check_letters(where: str, site: str) -> None:
    for place, letter in enumerate(site, 1):
        if letter.upper() in LETTERS:
            continue
        meaning = _IUPAC.get(letter.upper())
        explained = f", an IUPAC code for {meaning}," if meaning else ""
        raise DataError(
            f"{where}, letter {place}: {letter!r}{explained} is not allowed; sites consist of A, C, G and T, "
            "so give every letter or leave the site out"
        )
