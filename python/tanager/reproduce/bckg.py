"""BFS-consistent k-graphs on binding sites: how well NB, TAN and BC2G describe sites they have not seen."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
from sklearn.model_selection import KFold

from tanager.evaluation import statistics
from tanager.evaluation.progress import progress_bar
from tanager.motifs import Sites, read_sites
from tanager.motifs.compare import held_out_loss
from tanager.reproduce._options import Options
from tanager.reproduce._paper import reproduction
from tanager.reproduce._sites import HOW_TO_GET_SITES, site_files
from tanager.reproduce._tables import Figure, Panel, Plot, ReproducedTable, Reproduction

__all__ = ["held_out_surprise", "reproduce"]

_FOLDS = 10
_FEWEST = 20  # the paper takes data sets "for which there were 20 or more sites"
# Kind of motif and score of each model.
_MODELS = {
    "NB": ("pssm", "ll"),
    "TAN": ("tree", "ll"),
    "BC2G": ("bc2g", "ll"),
    "BC2G (MDL)": ("bc2g", "mdl"),
    "2 trees": ("mixture", "ll"),
}
_PANELS = (("NB", "TAN"), ("NB", "BC2G"), ("TAN", "BC2G"))  # those of figure 1


def reproduce(options: Options) -> Reproduction:
    """Figure 1: mean −ln P of held-out sites by 10-fold cross-validation, model against model."""
    sets = [read_sites(path) for path in site_files(options.data_dir)]
    sets = [sites for sites in sets if len(sites) >= _FEWEST]
    found: dict[str, dict[str, float]] = {}
    with progress_bar(len(sets), options.progress) as bar:
        for sites in sets:
            found[sites.name] = held_out_surprise(sites, options.random_state)
            bar.advance(1, sites.name)
    missing = [] if found else [HOW_TO_GET_SITES]
    tables = _tables(found) if found else []
    plots = [_scatter(found)] if found else []
    return reproduction("bckg", tables, missing, plots=plots, folds=_FOLDS, fewest=_FEWEST)


def _scatter(found: Mapping[str, Mapping[str, float]]) -> Plot:
    """Figure 1: three models, pair by pair; a data set is below the line where the second is better."""
    panels = []
    for first, second in _PANELS:
        points = [row[first] for row in found.values()], [row[second] for row in found.values()]
        panels.append(Panel(f"−ln P, {first}", f"−ln P, {second}", {"data sets": points}, diagonal=True))
    return Plot("bckg-figure-1", "Figure 1: mean −ln P of a held-out site", tuple(panels))


def held_out_surprise(sites: Sites, random_state: int = 0) -> dict[str, float]:
    """Mean −ln P of the held-out sites under each model; lower is better.

    >>> result = held_out_surprise(Sites.from_strings(["AA", "CC", "GG", "TT"] * 10))
    >>> result["TAN"] < result["NB"] - 1
    True
    """
    fold = np.empty(len(sites), dtype=np.int64)
    folds = KFold(min(_FOLDS, len(sites)), shuffle=True, random_state=random_state)
    for index, (_, test) in enumerate(folds.split(sites.codes)):
        fold[test] = index
    return {
        name: held_out_loss(sites, fold, model, score, "dirichlet")
        for name, (model, score) in _MODELS.items()
    }


def _tables(found: Mapping[str, Mapping[str, float]]) -> list[ReproducedTable]:
    names = list(_MODELS)
    values = {name: np.array([row[name] for row in found.values()]) for name in names}
    duels = []
    for first, second in combinations(reversed(names), 2):
        score = statistics.win_draw_loss(-values[first], -values[second], tolerance=1e-9)
        test = statistics.wilcoxon(-values[first], -values[second])
        said = f"wins/draws/losses {score}, Wilcoxon p {test.p_value:.3g}"
        gain = float((values[second] - values[first]).mean())
        duels.append(Figure(f"{first} : {second}", "mean gain", None, gain, note=said))
    rows = [Figure(set_name, name, None, row[name]) for set_name, row in found.items() for name in names]
    return [
        ReproducedTable(
            f"Figure 1: model against model over {len(found)} data sets", tuple(duels), "nats", 3
        ),
        ReproducedTable("Figure 1: mean −ln P of a held-out site", tuple(rows), "nats", 3),
    ]
