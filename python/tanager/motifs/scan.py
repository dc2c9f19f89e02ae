"""Finding sites in a genome: log-odds of every window on both strands, streaming."""

from __future__ import annotations

import heapq
import sys
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO, cast

import numpy as np
from numpy.typing import NDArray

from tanager.escape import printable
from tanager.exceptions import DataError
from tanager.input import read_blocks
from tanager.motifs.motif import Motif
from tanager.motifs.sites import letter_codes
from tanager.settings import is_number, whole

__all__ = ["Hit", "genome_background", "read_fasta", "scan_fasta", "scan_sequence", "write_bed"]

#: Bytes of a FASTA file that are in memory at a time.
BLOCK = 1 << 22
#: Bytes of a header, which is in memory as a whole.
LONGEST_HEADER = 1 << 22

#: A part of a sequence: its name, where the part starts, codes (255 for unknown letters).
Piece = tuple[str, int, NDArray[np.uint8]]

_UNIFORM = (0.25, 0.25, 0.25, 0.25)
_CODES = letter_codes()
_SEQUENCE_BYTES = np.zeros(256, dtype=np.bool_)
_SEQUENCE_BYTES[[ord(c) for c in "ACGTURYSWKMBDHVNXacgturyswkmbdhvnx-.*"]] = True


@dataclass(frozen=True, order=True)
class Hit:
    """A window that scores high enough.

    Attributes:
        sequence: the name of the sequence.
        start: where the window begins, counted from 0, on the sequence as it stands in the file.
        end: the first letter behind it.
        strand: the strand that was scored, "+" or "-".
        score: ln P(window) − ln B(window), natural logarithm.
        p_value: how often a window of the background scores as high, where `with_p_values` has found out.
    """

    sequence: str
    start: int
    end: int
    strand: str
    score: float
    p_value: float | None = None


def scan_sequence(
    motif: Motif,
    sequence: str,
    *,
    threshold: float | None = None,
    top: int | None = None,
    background: Sequence[float] = _UNIFORM,
    name: str = "sequence",
    n_jobs: int | None = None,
) -> list[Hit]:
    """Windows of one sequence, both strands: those that reach a threshold, or the `top` best.

    Windows with a letter other than A, C, G and T have no score. Case does not matter.

    >>> from tanager.motifs import Sites, fit_motif, scan_sequence
    >>> motif = fit_motif(Sites.from_strings(["TTGACA"] * 9 + ["TTGATA"]), "pssm")
    >>> [(hit.start, hit.strand) for hit in scan_sequence(motif, "CCTTGACACCTGTCAACC", top=2)]
    [(2, '+'), (10, '-')]
    """
    letters = np.frombuffer(sequence.encode(), dtype=np.uint8)
    _check_letters(letters, name)
    return list(_scan(motif, [(name, 0, _CODES[letters])], threshold, top, background, n_jobs))


def scan_fasta(
    motif: Motif,
    path: str | Path,
    *,
    threshold: float | None = None,
    top: int | None = None,
    background: Sequence[float] | str = _UNIFORM,
    n_jobs: int | None = None,
) -> Iterator[Hit]:
    """Windows of all sequences of a FASTA file (``.gz`` is decompressed), in bounded memory.

    With a threshold, hits come as they are found, in the order of the file. With `top`, the best of the whole
    file come at its end, in the order of the file. `background` is four shares of A, C, G and T, or "genome":
    those of the file and its reverse complement, which takes a pass of its own.
    """
    if isinstance(background, str):
        if background != "genome":
            raise DataError(f"background = {background!r} is not allowed: it is four shares, or 'genome'")
        background = genome_background(path)
    return _scan(motif, read_fasta(path, motif.width - 1), threshold, top, background, n_jobs)


def genome_background(path: str | Path) -> tuple[float, float, float, float]:
    """The shares of A, C, G and T in a FASTA file and its reverse complement."""
    counts = np.zeros(4, dtype=np.int64)
    for _, _, codes in read_fasta(path, 0):
        counts += np.bincount(codes, minlength=256)[:4]
    both = counts + counts[::-1]
    if not both.all():
        raise DataError(f"{path}: a letter never occurs, so its share of the background would be 0")
    shares = (both / both.sum()).tolist()
    return shares[0], shares[1], shares[2], shares[3]


def read_fasta(path: str | Path, overlap: int) -> Iterator[Piece]:
    """The sequences of a FASTA file in pieces: name, start of the piece, codes (255 for unknown letters).

    Pieces of one sequence overlap by `overlap` letters, so that every window lies within one of them.
    """
    source = Path(path)
    with closing(read_blocks(source, BLOCK)) as blocks:
        name: str | None = None
        start, kept = 0, np.empty(0, dtype=np.uint8)
        number = 0
        rest, within_line = b"", False
        while True:
            block = next(blocks, b"")
            text, rest = rest + block, b""
            part: list[bytes] = []
            if within_line:
                letters, end, text = text.partition(b"\n")
                part.append(letters.strip())
                within_line = not end
            last = text.rfind(b"\n") + 1
            # A header without its end waits for the next block; letters do not, however long their line is.
            if block and text.startswith(b">", last):
                text, rest = text[:last], text[last:]
                if len(rest) > LONGEST_HEADER:
                    raise DataError(f"{source}: a header has more than {LONGEST_HEADER:,} bytes")
            else:
                within_line = within_line or last < len(text)
            for line in text.splitlines():
                number += 1
                if not line.startswith(b">"):
                    part.append(line.strip())
                    continue
                if part:
                    name, start, kept = yield from _piece(source, name, start, kept, part, overlap)
                    part = []
                words = line[1:].split()
                if not words:
                    raise DataError(f"{source}, line {number}: a header without a name")
                name, start, kept = words[0].decode("utf-8", "replace"), 0, np.empty(0, dtype=np.uint8)
            if part:
                name, start, kept = yield from _piece(source, name, start, kept, part, overlap)
            if not block:
                break
        if name is None:
            raise DataError(f"{source}: the file is empty, there are no sequences")


def _piece(
    source: Path, name: str | None, start: int, kept: NDArray[np.uint8], lines: list[bytes], overlap: int
) -> Generator[Piece, None, tuple[str | None, int, NDArray[np.uint8]]]:
    """Yields the lines as one piece; returns name, start and first letters of the next one."""
    letters = np.frombuffer(b"".join(lines), dtype=np.uint8)
    if not letters.size:
        return name, start, kept
    if name is None:
        raise DataError(f"{source}: this is not a FASTA file, its first line does not begin with '>'")
    _check_letters(letters, f"{source}, sequence {name}")
    codes = np.concatenate([kept, _CODES[letters]])
    yield name, start, codes
    left = min(overlap, len(codes))
    return name, start + len(codes) - left, codes[len(codes) - left :]


def _scan(
    motif: Motif,
    pieces: Iterable[Piece],
    threshold: float | None,
    top: int | None,
    background: Sequence[float],
    n_jobs: int | None,
) -> Iterator[Hit]:
    if (threshold is None) == (top is None):
        raise DataError("give either a threshold or top, the number of best windows")
    if top is not None:
        whole(top, "top", 1)
    if threshold is not None and not (is_number(threshold) and threshold == threshold):
        raise DataError(f"threshold = {threshold!r} is not allowed: it is a number, and not NaN")
    shares = [float(share) for share in background]
    if len(shares) != 4:
        raise DataError(f"the background has {len(shares)} shares, it needs 4: of A, C, G and T")
    if threshold is not None:
        least = float(threshold)
        return (hit for piece in pieces for hit in _hits(motif, piece, shares, least, None, n_jobs))
    # No file has more windows than an index can number.
    return _best(motif, pieces, min(cast(int, top), sys.maxsize), shares, n_jobs)


def _hits(
    motif: Motif, piece: Piece, background: list[float], least: float, top: int | None, n_jobs: int | None
) -> Iterator[Hit]:
    """The windows of one piece that score at least this much, or the `top` best of these."""
    name, start, codes = piece
    places, reverse, scores = motif.density.scan(codes, background, least, top, n_jobs)
    for place, turned, score in zip(places.tolist(), reverse.tolist(), scores.tolist(), strict=True):
        first = start + place
        yield Hit(name, first, first + motif.width, "-" if turned else "+", score)


def _best(
    motif: Motif, pieces: Iterable[Piece], top: int, background: list[float], n_jobs: int | None
) -> Iterator[Hit]:
    # (score, −order of arrival): of equal scores the first in the file stays.
    kept: list[tuple[float, int, Hit]] = []
    arrived = 0
    for piece in pieces:
        needed = kept[0][0] if len(kept) == top else -np.inf
        for hit in _hits(motif, piece, background, needed, top, n_jobs):
            arrived += 1
            if len(kept) < top:
                heapq.heappush(kept, (hit.score, -arrived, hit))
            elif hit.score > kept[0][0]:
                heapq.heapreplace(kept, (hit.score, -arrived, hit))
    yield from (hit for _, _, hit in sorted(kept, key=lambda entry: -entry[1]))


def write_bed(hits: Iterable[Hit], file: TextIO, name: str) -> int:
    """Write hits as BED: six columns, seventh the log-odds and, where it is known, eighth the p-value.

    The fifth column is BED's score from 0 to 1000: ten times the log-odds, cut off at both ends. Returns how
    many hits there were.
    """
    label = printable("_".join(name.split())) or "motif"
    count = 0
    for hit in hits:
        scaled = min(1000, max(0, round(10 * hit.score)))
        fields = [printable(hit.sequence), hit.start, hit.end, label, scaled, hit.strand, f"{hit.score:.6g}"]
        fields += [] if hit.p_value is None else [f"{hit.p_value:.4g}"]
        file.write("\t".join(map(str, fields)) + "\n")
        count += 1
    return count


def _check_letters(letters: NDArray[np.uint8], where: str) -> None:
    strange = letters[~_SEQUENCE_BYTES[letters]]
    if strange.size:
        raise DataError(f"{where}: {chr(int(strange[0]))!r} is not a nucleotide letter or an IUPAC code")
