"""How often a window of the background scores as high: exact dynamic programming over a grid of scores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tanager.exceptions import CapacityError, DataError
from tanager.motifs.motif import Motif
from tanager.motifs.scan import Hit
from tanager.motifs.walk import Step, walk

__all__ = ["ScoreDistribution", "score_distribution", "with_p_values"]

Floats = NDArray[np.float64]
#: Steps of the grid, at most, and numbers that may be in memory at a time.
_CELLS, _FEWEST_CELLS, _MEMORY = 1 << 16, 1 << 10, 1 << 24


@dataclass(frozen=True)
class ScoreDistribution:
    """The distribution of a motif's log-odds over windows whose letters come from a background.

    Attributes:
        step: the width ε of the grid's cells, in nats.
        slack: by how much rounding may lower a score, w ε for a motif of w positions.
        first: the lowest cell.
        tail: P(K ≥ first + i), where K is the sum of the rounded terms.

    >>> from tanager.motifs import Sites, fit_motif, score_distribution
    >>> motif = fit_motif(Sites.from_strings(["AC"] * 8), "pssm")
    >>> best = float(motif.log_density(Sites.from_strings(["AC"]))[0]) - 2 * np.log(0.25)
    >>> score_distribution(motif).p_value(best)
    0.0625
    """

    step: float
    slack: float
    first: int
    tail: Floats

    def p_value(self, score: ArrayLike) -> float | Floats:
        """P(a window of the background scores at least this): never too low.

        It lies between the exact one of the score and that of a score lower by `slack`.
        """
        scores = np.asarray(score, dtype=np.float64)
        if np.isnan(scores).any():
            raise DataError("a score is not a number")
        cells = np.floor(np.clip(scores, -1e300, 1e300) / self.step - self.slack / self.step - 1e-6)
        cells = np.clip(cells + 1 - self.first, 0, len(self.tail))
        found: Floats = np.append(self.tail, 0.0)[cells.astype(np.int64)]
        found = np.where(np.isneginf(scores), 1.0, found)
        return float(found) if found.ndim == 0 else found

    def threshold(self, p_value: float) -> float:
        """The lowest score whose p-value is at most this.

        >>> from tanager.motifs import Sites, fit_motif, score_distribution
        >>> found = score_distribution(fit_motif(Sites.from_strings(["ACGT"] * 9), "pssm"))
        >>> found.p_value(found.threshold(0.01)) <= 0.01
        True
        """
        if not 0 < p_value <= 1:
            raise DataError(f"a p-value of {p_value!r} is not allowed: it is above 0 and at most 1")
        below = np.append(self.tail, 0.0) <= p_value
        cell = int(below.argmax()) + self.first
        return (cell + 1e-3) * self.step + self.slack


def score_distribution(
    motif: Motif,
    background: Sequence[float] = (0.25, 0.25, 0.25, 0.25),
    *,
    letters: Sequence[float] | None = None,
    cells: int = _CELLS,
) -> ScoreDistribution:
    """The distribution of a motif's scores over random windows.

    **Formula**

        S(x) = Σ_i t_i(x),  t_i(x) = ln θ(x_i | parents of i) − ln b(x_i)
        K(x) = Σ_i ⌊t_i(x) / ε⌋,  so that ε K ≤ S < ε (K + w)
        A_i(f, k) = Σ_x_i a(x_i) A_{i−1}(f', k − ⌊t_i / ε⌋)
        p(s) = P(ε (K + w) > s) ≥ P(S ≥ s)

    θ are the motif's tables, b the background of the log-odds, a the shares of the letters of random windows
    (`letters`, by default b), w the width, ε the step of the grid. A_i(f, k) is the probability that the
    first i positions of the walk add up to k and that those which later positions depend on have the letters
    f. Every sum is of terms above 0, so that the smallest p-values are as good as the largest.

    **Complexity**: O(w 4^(f+1) G) for f letters that are kept in mind and a grid of G cells.

    References: Staden 1989 (`staden1989`); Touzet and Varré 2007 (`touzet2007`).
    """
    shares = _shares(background)
    drawn = shares if letters is None else _shares(letters)
    steps = walk(motif.density.nodes)
    terms = [motif.density.table(step.position) - np.log(shares) for step in steps]
    finite = [term[np.isfinite(term)] for term in terms]
    span = sum(float(term.max() - term.min()) for term in finite)
    kept = max(len(step.after) for step in steps)
    fit = min(cells, _MEMORY // 4**kept)
    if fit < _FEWEST_CELLS:
        most = int(np.log(_MEMORY // _FEWEST_CELLS) / np.log(4))
        raise CapacityError(
            f"motif {motif.name!r}: to find p-values, {kept} positions would have to be kept in mind at a "
            f"time, {most} are the most"
        )
    step_width = span / fit or 1e-6
    cells_of = [np.floor(np.where(np.isfinite(term), term, 0.0) / step_width) for term in terms]
    lowest = [int(cell[np.isfinite(term)].min()) for cell, term in zip(cells_of, terms, strict=True)]
    highest = [int(cell[np.isfinite(term)].max()) for cell, term in zip(cells_of, terms, strict=True)]
    size = sum(highest) - sum(lowest) + 1
    mass = np.zeros(size)
    mass[0] = 1.0
    for step, cell, term, low in zip(steps, cells_of, terms, lowest, strict=True):
        moves = np.where(np.isfinite(term), cell - low, -1).astype(np.int64)
        mass = _advance(mass, step, moves, drawn)
    tail = np.cumsum(mass[::-1])[::-1]
    return ScoreDistribution(step_width, motif.width * step_width, sum(lowest), np.minimum(tail, 1.0))


def with_p_values(
    hits: Iterable[Hit], motif: Motif, background: Sequence[float] = (0.25, 0.25, 0.25, 0.25)
) -> Iterator[Hit]:
    """Hits with their p-values: how often a random window of their strand scores as high.

    On the other strand letters have the shares of their complements.
    """
    turned = list(background)[::-1]
    there = score_distribution(motif, background)
    back = there if turned == list(background) else score_distribution(motif, background, letters=turned)

    def found(hit: Hit) -> Hit:
        p_value = (back if hit.strand == "-" else there).p_value(hit.score)
        return replace(hit, p_value=float(np.asarray(p_value)))

    return map(found, hits)


def _advance(mass: Floats, step: Step, moves: NDArray[np.int64], drawn: Floats) -> Floats:
    """Adds one position: `moves` has its cells by parents and letter, −1 for what the motif rules out."""
    made = np.zeros((4,) * len(step.after) + mass.shape[-1:])
    for letters in np.ndindex((4,) * len(step.before)):
        at = dict(zip(step.before, letters, strict=True))
        row = mass[letters]
        given = tuple(at[parent] for parent in step.parents)
        for letter in range(4):
            move = int(moves[(*given, letter)])
            if move >= 0:
                now = {**at, step.position: letter}
                target = made[tuple(now[position] for position in step.after)]
                target[move:] += drawn[letter] * row[: len(row) - move]
    return made


def _shares(background: Sequence[float]) -> Floats:
    shares = np.asarray(background, dtype=np.float64)
    if shares.shape != (4,):
        raise DataError(f"the background has {shares.size} shares, it needs 4: of A, C, G and T")
    if not (np.isfinite(shares) & (shares > 0)).all():
        raise DataError(f"the background {shares.tolist()} is not allowed: shares are finite and above 0")
    return np.asarray(shares / shares.sum())
