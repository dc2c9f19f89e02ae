"""Which kind of motif describes sites best: cross-validated log-likelihood over a folder of site files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tanager.escape import markdown_text
from tanager.evaluation.statistics import PairTest, WinDrawLoss, average_ranks, wilcoxon, win_draw_loss
from tanager.exceptions import DataError
from tanager.motifs.motif import MODELS, fit_mixture, fit_motif
from tanager.motifs.sites import Sites, read_sites
from tanager.parameters import ParametersLike
from tanager.scores import ScoreLike
from tanager.settings import whole
from tanager.text_table import markdown_table

__all__ = ["COMPARED", "MotifComparison", "compare_motifs", "held_out_loss"]

#: Kinds of motif, and a mixture of two trees, which cannot be saved or scanned with.
COMPARED = (*MODELS, "mixture")

_ENDINGS = (".txt", ".sites", ".fa", ".fasta", ".mfa", ".gz")


@dataclass(frozen=True)
class MotifComparison:
    """The mean −ln P of a held-out site, for each set of sites and each kind of motif; lower is better.

    Attributes:
        names: the sets of sites.
        models: the kinds of motif.
        loss: one row per set, one column per kind.
        sizes: sites and width of each set.
        folds: the number of folds; a set with fewer sites is left-one-out.
    """

    names: tuple[str, ...]
    models: tuple[str, ...]
    loss: NDArray[np.float64]
    sizes: tuple[tuple[int, int], ...]
    folds: int

    def column(self, model: str) -> NDArray[np.float64]:
        """The losses of one kind of motif."""
        if model not in self.models:
            raise DataError(f"unknown model {model!r}, compared were {', '.join(self.models)}")
        column: NDArray[np.float64] = self.loss[:, self.models.index(model)]
        return column

    def wins(self, first: str, second: str) -> WinDrawLoss:
        """On how many sets `first` has a lower, an equal and a higher loss than `second`."""
        return win_draw_loss(-self.column(first), -self.column(second))

    def wilcoxon(self, first: str, second: str) -> PairTest:
        """The signed-rank test of the losses."""
        return wilcoxon(self.column(first), self.column(second), (first, second))

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain Python, for JSON."""
        pairs = [
            {
                "first": a,
                "second": b,
                "wins": self.wins(a, b).wins,
                "draws": self.wins(a, b).draws,
                "losses": self.wins(a, b).losses,
                "p_value": self.wilcoxon(a, b).p_value,
            }
            for a, b in combinations(self.models, 2)
        ]
        sets = [
            {
                "name": name,
                "sites": n,
                "width": width,
                "folds": min(self.folds, n),
                "loss": dict(zip(self.models, row, strict=True)),
            }
            for name, (n, width), row in zip(self.names, self.sizes, self.loss.tolist(), strict=True)
        ]
        means = dict(zip(self.models, self.loss.mean(axis=0).tolist(), strict=True))
        average = average_ranks(-self.loss).tolist() if len(self.models) > 1 else [1.0]
        ranks = dict(zip(self.models, average, strict=True))
        return {"folds": self.folds, "sets": sets, "mean": means, "ranks": ranks, "pairs": pairs}

    def _validation(self) -> str:
        """How the sets were validated: those with fewer sites than folds leave one out."""
        small = sum(n < self.folds for n, _ in self.sizes)
        if small == len(self.sizes):
            return "leave-one-out cross-validation"
        text = f"{self.folds}-fold cross-validation"
        if small:
            which = "the one set" if small == 1 else f"the {small} sets"
            text += f" (leave-one-out for {which} with fewer than {self.folds} sites)"
        return text

    def to_markdown(self) -> str:
        """The losses, their means and ranks, and every pair of kinds."""
        plain = self.as_dict()
        rows = []
        for name, (n, width), row in zip(self.names, self.sizes, self.loss.tolist(), strict=True):
            losses = [f"**{loss:.3f}**" if loss == min(row) else f"{loss:.3f}" for loss in row]
            rows.append([markdown_text(name), str(n), str(width), *losses])
        rows.append(["mean", "", "", *(f"{plain['mean'][model]:.3f}" for model in self.models)])
        rows.append(["average rank", "", "", *(f"{plain['ranks'][model]:.2f}" for model in self.models)])
        pairs = [
            [
                f"{pair['first']} against {pair['second']}",
                *(str(pair[name]) for name in ("wins", "draws", "losses")),
                f"{pair['p_value']:.3g}",
            ]
            for pair in plain["pairs"]
        ]
        said = f"Mean −ln P of a held-out site, {self._validation()}; lower is better."
        losses = markdown_table(["sites", "n", "width", *self.models], rows)
        tests = markdown_table(["pair", "wins", "draws", "losses", "Wilcoxon p"], pairs)
        return "\n".join([said, "", *losses, "", *tests])

    def plot(self, folder: str | Path, ending: str = "png") -> list[Path]:
        """A scatter plot of every pair of kinds, as in Fig. 1 of the BCkG paper; needs matplotlib."""
        from tanager.report.plots import motif_scatter

        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        return [
            motif_scatter(self.column(a), self.column(b), a, b, target / f"{a}-{b}.{ending}")
            for a, b in combinations(self.models, 2)
        ]


def compare_motifs(
    sources: str | Path | Sequence[Sites],
    models: Sequence[str] = COMPARED,
    *,
    folds: int = 10,
    score: ScoreLike = "bic",
    parameters: ParametersLike = "dirichlet",
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> MotifComparison:
    """Cross-validate kinds of motif over sets of aligned sites: a folder of files, or the sets themselves.

    Sites are shuffled once per set by the seed, and all kinds share the folds; a set with fewer sites than
    folds is left-one-out. Each training part keeps the four letters at every position.

    >>> from tanager.motifs import Sites, compare_motifs
    >>> sites = Sites.from_strings(["AAT", "TTT", "AAG", "TTG"] * 8)
    >>> found = compare_motifs([sites], ["pssm", "tree"])
    >>> bool(found.column("tree")[0] < found.column("pssm")[0])
    True
    """
    for model in models:
        if model not in COMPARED:
            raise DataError(f"unknown model {model!r}, known are {', '.join(COMPARED)}")
    whole(folds, "folds", 2)
    sets = _sets(sources)
    loss = np.empty((len(sets), len(models)))
    for row, sites in enumerate(sets):
        fold_of_site = _folds(sites, folds, random_state)
        for column, model in enumerate(models):
            loss[row, column] = held_out_loss(sites, fold_of_site, model, score, parameters, n_jobs)
        if progress is not None:
            progress(row + 1, len(sets))
    names = tuple(sites.name for sites in sets)
    sizes = tuple((len(sites), sites.width) for sites in sets)
    return MotifComparison(names, tuple(models), loss, sizes, folds)


def _sets(sources: str | Path | Sequence[Sites]) -> list[Sites]:
    if not isinstance(sources, (str, Path)):
        return list(sources)
    folder = Path(sources)
    if not folder.is_dir():
        raise DataError(f"{folder} is not a folder of site files")
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name.endswith(_ENDINGS))
    if not files:
        raise DataError(f"{folder} holds no site files; their names end in {', '.join(_ENDINGS)}")
    return [read_sites(path) for path in files]


def _folds(sites: Sites, folds: int, random_state: int) -> NDArray[np.int64]:
    n = len(sites)
    if n < 2:
        raise DataError(f"{sites.name} has {n} site: cross-validation needs at least 2")
    places = np.random.default_rng(random_state).permutation(n)
    assigned: NDArray[np.int64] = places % min(folds, n)
    return assigned


def held_out_loss(
    sites: Sites,
    fold_of_site: NDArray[np.int64],
    model: str,
    score: ScoreLike,
    parameters: ParametersLike,
    n_jobs: int | None = None,
) -> float:
    """The mean −ln P of a site under the motif learned from the other folds; every site has its fold."""
    total = 0.0
    for fold in range(int(fold_of_site.max()) + 1):
        held_out = fold_of_site == fold
        training = Sites(sites.name, sites.codes[~held_out])
        tested = Sites(sites.name, sites.codes[held_out])
        if model == "mixture":
            total -= float(fit_mixture(training, parameters, n_jobs)(tested).sum())
            continue
        motif = fit_motif(training, model, score=score, parameters=parameters, n_jobs=n_jobs)
        total -= float(motif.log_density(tested).sum())
    return total / len(sites)
