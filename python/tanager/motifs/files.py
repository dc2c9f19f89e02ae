"""Motifs in the files of others: MEME's and JASPAR's, in and out.

Both hold independent positions. A motif whose positions depend on each other is written as the matrix of its
marginals: what each position is on its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tanager import _core
from tanager.document import document_kind
from tanager.escape import printable
from tanager.exceptions import DataError
from tanager.motifs.motif import MOTIF_KIND, Motif, load_motif
from tanager.motifs.sites import LETTERS, file_lines, file_text
from tanager.motifs.walk import marginals
from tanager.output import written

__all__ = ["matrix", "matrix_motif", "open_motifs", "read_jaspar", "read_meme", "write_jaspar", "write_meme"]

Floats = NDArray[np.float64]
_JASPAR_ROW = re.compile(r"([ACGTacgt])?\s*\[?([^\]]*)\]?\s*$")


def matrix(motif: Motif) -> Floats:
    """P(letter) at every position: one row per position, columns A, C, G and T.

    >>> from tanager.motifs import Sites, fit_motif, matrix
    >>> matrix(fit_motif(Sites.from_strings(["AC", "AG"]), "pssm", parameters="mle")).tolist()
    [[1.0, 0.0, 0.0, 0.0], [0.0, 0.5, 0.5, 0.0]]
    """
    return marginals(motif.density.nodes, [motif.density.table(i) for i in range(motif.width)])


def matrix_motif(name: str, probabilities: Floats, sites: int) -> Motif:
    """A motif of independent positions from its matrix."""
    with np.errstate(divide="ignore"):
        tables = [np.ascontiguousarray(row) for row in np.log(probabilities)]
    nodes: list[tuple[list[int], list[int]]] = [([place], []) for place in range(len(tables))]
    return Motif(name, "pssm", _core.Network.from_parts([4] * len(tables), None, nodes, tables), sites)


def open_motifs(path: str | Path) -> list[Motif]:
    """The motifs of a file of any kind: tanager's own, MEME's or JASPAR's."""
    if document_kind(path) == MOTIF_KIND:
        return [load_motif(path)]
    text = file_text(path, "motifs")
    first = next((line for line in text.splitlines() if line.strip()), "")
    if first.startswith("MEME version"):
        return read_meme(path)
    if first.startswith(">") and re.search(r"^\s*[ACGT]\s*\[", text, re.MULTILINE):
        return read_jaspar(path)
    return [load_motif(path)]


def read_meme(path: str | Path) -> list[Motif]:
    """The motifs of a file in MEME's format of letter probabilities, as `meme2meme` and MEME itself write it.

    Rows are normalised, since files have few digits. A motif without `nsites` has 20, as for MEME.
    """
    lines = file_text(path, "motifs").splitlines()
    if not lines or not lines[0].startswith("MEME version"):
        raise DataError(f"{path}: this is not a MEME file, which begins with 'MEME version'")
    motifs: list[Motif] = []
    name = ""
    number = 0
    while number < len(lines):
        line = lines[number].strip()
        number += 1
        if line.startswith("ALPHABET") and line.replace(" ", "") not in ("ALPHABET=ACGT", "ALPHABETDNA"):
            raise DataError(f"{path}, line {number}: the alphabet is not ACGT")
        if line.startswith("MOTIF"):
            name = " ".join(line.split()[1:]) or f"motif {len(motifs) + 1}"
        if line.startswith("letter-probability matrix:"):
            settings = dict(re.findall(r"(\w+)\s*=\s*(\S+)", line))
            width = int(settings["w"]) if settings.get("w", "").isdigit() else None
            rows: list[list[float]] = []
            while number < len(lines) and (width is None or len(rows) < width):
                fields = lines[number].split()
                if width is None and not fields:
                    break
                number += 1
                rows.append(_row(fields, f"{path}, line {number}"))
            if not rows or (width is not None and len(rows) < width):
                raise DataError(f"{path}, line {number}: motif {name!r} has {len(rows)} rows")
            probabilities = np.array(rows)
            sums = probabilities.sum(axis=1, keepdims=True)
            if (np.abs(sums - 1) > 0.05).any():
                raise DataError(f"{path}: a row of motif {name!r} does not sum to 1")
            sites = settings.get("nsites", "20")
            motifs.append(matrix_motif(name, probabilities / sums, round(_number(sites, str(path)))))
    if not motifs:
        raise DataError(f"{path}: the file holds no letter-probability matrix")
    return motifs


def write_meme(
    motifs: Motif | Iterable[Motif],
    path: str | Path | None = None,
    background: Sequence[float] = (0.25, 0.25, 0.25, 0.25),
) -> str:
    """Motifs in MEME's format; the text, written to `path` where one is given."""
    shares = " ".join(f"{letter} {share:.6g}" for letter, share in zip(LETTERS, background, strict=True))
    lines = ["MEME version 4", "", f"ALPHABET= {LETTERS}", "", "strands: + -", ""]
    lines += ["Background letter frequencies", shares, ""]
    for motif in _each(motifs):
        head = f"letter-probability matrix: alength= 4 w= {motif.width} nsites= {motif.sites} E= 0"
        lines += [f"MOTIF {_label(motif)}", head]
        lines += [" ".join(f"{value:.9f}" for value in row) for row in matrix(motif)]
        lines.append("")
    return written("\n".join(lines), path)


def read_jaspar(path: str | Path, pseudocount: float = 1.0) -> list[Motif]:
    """The motifs of a file of JASPAR's counts: θ = (N_x + c/4) / (N + c) at each position.

    N_x are the sites with letter x, N all of them, c the `pseudocount`. Rows may begin with a letter and
    stand in brackets, or be four bare lines in the order A, C, G, T.
    """
    if not (np.isfinite(pseudocount) and pseudocount >= 0):
        raise DataError(f"pseudocount = {pseudocount!r} is not allowed: it is a finite number from 0 on")
    motifs = []
    for name, counts, where in _jaspar_records(path):
        totals = counts.sum(axis=0)
        if (totals + pseudocount == 0).any():
            raise DataError(f"{where}: motif {name!r} has a position without counts")
        probabilities = (counts + pseudocount / 4) / (totals + pseudocount)
        motifs.append(matrix_motif(name, probabilities.T, round(float(totals.max()))))
    if not motifs:
        raise DataError(f"{path}: the file holds no motif, which begins with '>'")
    return motifs


def _jaspar_records(path: str | Path) -> Iterator[tuple[str, Floats, str]]:
    lines = file_lines(path, "motifs")
    for place, (number, line) in enumerate(lines):
        if not line.startswith(">"):
            continue
        where = f"{path}, line {number}"
        rows: dict[str, list[float]] = {}
        for letter, (below, text) in zip(LETTERS, lines[place + 1 : place + 5], strict=False):
            found = _JASPAR_ROW.match(text)
            fields = [] if found is None else found[2].split()
            named = letter if found is None or found[1] is None else found[1].upper()
            rows[named] = [_number(field, f"{path}, line {below}") for field in fields]
        if set(rows) != set(LETTERS) or len({len(row) for row in rows.values()}) != 1 or not rows["A"]:
            raise DataError(f"{where}: a motif has four rows of equal length, of A, C, G and T")
        yield line[1:].strip() or "motif", np.array([rows[letter] for letter in LETTERS]), where


def write_jaspar(motifs: Motif | Iterable[Motif], path: str | Path | None = None) -> str:
    """Motifs as JASPAR's counts, probabilities times sites; written to `path` where one is given."""
    blocks = []
    for motif in _each(motifs):
        counts = matrix(motif).T * max(motif.sites, 1)
        rows = [
            f"{letter} [ {' '.join(f'{count:8.4f}' for count in row)} ]"
            for letter, row in zip(LETTERS, counts, strict=True)
        ]
        blocks.append("\n".join([f">{_label(motif)}", *rows, ""]))
    return written("\n".join(blocks), path, "" if blocks else "\n")


def _each(motifs: Motif | Iterable[Motif]) -> list[Motif]:
    return [motifs] if isinstance(motifs, Motif) else list(motifs)


def _label(motif: Motif) -> str:
    return printable(motif.name).strip() or "motif"


def _row(fields: list[str], where: str) -> list[float]:
    if len(fields) != 4:
        raise DataError(f"{where}: {len(fields)} numbers, expected 4: of A, C, G and T")
    return [_number(field, where) for field in fields]


def _number(field: str, where: str) -> float:
    try:
        value = float(field)
    except ValueError:
        value = np.nan
    if not (np.isfinite(value) and value >= 0):
        raise DataError(f"{where}: {field[:40]!r} is not a finite number from 0 on")
    return value
