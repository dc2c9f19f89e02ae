"""The approximate conditional log-likelihood: its constants, and Wilcoxon's tests of the CLL of TANs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import integrate, special, stats

from tanager import _core
from tanager.evaluation.progress import Progress, progress_bar
from tanager.functions import acll_constants, acll_constants_monte_carlo, network_score
from tanager.parameters import ACLLParameters, Dirichlet
from tanager.reproduce._acll_tasks import CodedTask, site_tasks, table_tasks
from tanager.reproduce._options import Options
from tanager.reproduce._paper import published, reproduction
from tanager.reproduce._sites import HOW_TO_GET_SITES, site_files
from tanager.reproduce._tables import Figure, Panel, Plot, ReproducedTable, Reproduction
from tanager.scores import ACLL, LL

__all__ = ["reproduce", "signed_rank_z"]

_SCORES = {"LL": LL(), "aCLL uniform": ACLL(prior="uniform"), "aCLL Dirichlet": ACLL(b=1000.0)}
_OWN_PARAMETERS = {
    "LL": Dirichlet(),
    "aCLL uniform": ACLLParameters(prior="uniform"),
    "aCLL Dirichlet": ACLLParameters(b=1000.0),
}
_OWN = "held out, own parameters"
_MEASURES = ("held out", "training rows", _OWN)
_FOLDS = 10


def reproduce(options: Options) -> Reproduction:
    """The constants, and tables 1 and 2 on binding sites and on tables; quick mode draws 3 times, not 25."""
    repeats = 3 if options.quick else 25
    files = site_files(options.data_dir)
    groups: dict[str, dict[int, list[_Measured]]] = {}
    if files:
        groups["sets of binding sites"] = {
            s: _mean([_measure_all(site_tasks(s, options, k), options, 1) for k in range(repeats)])
            for s in (2, 3)
        }
    groups["tables"] = {s: _measure_all(table_tasks(s, options), options, repeats) for s in (2, 3)}
    tests = {
        group: [_wilcoxon(group, s, some) for s, some in measured.items() if len(some) > 1]
        for group, measured in groups.items()
    }
    tables = [_constants()]
    for group, measured in groups.items():
        tables += [*tests[group], _likelihoods(group, measured)]
        tables += [_each(group, s, some) for s, some in measured.items() if some]
    tables += [_counter_example()]
    plots = [
        _figure_1(group, s, some) for group, found in groups.items() for s, some in found.items() if some
    ]
    missing = [] if files else [HOW_TO_GET_SITES]
    return reproduction("acll", tables, missing, *_directions(tests), plots=plots, repeats=repeats)


def _each(group: str, n_classes: int, measured: list[_Measured]) -> ReproducedTable:
    figures = [
        Figure(one.name, name, None, one.cll["held out"][name]) for one in measured for name in _SCORES
    ]
    return ReproducedTable(f"CLL per held-out row, {n_classes} classes, {group}", tuple(figures), "nats", 4)


def _figure_1(group: str, n_classes: int, measured: list[_Measured]) -> Plot:
    """The CLL of every data set, by score, in the order of that of LL."""
    ordered = sorted(measured, key=lambda one: one.cll["held out"]["LL"])
    places = [float(place) for place in range(1, len(ordered) + 1)]
    series = {name: (places, [one.cll["held out"][name] for one in ordered]) for name in _SCORES}
    panel = Panel("data sets, by the CLL of LL", "CLL per held-out row (nats)", series, lines=True)
    title = f"Figure 1: CLL of optimal TANs, {n_classes} classes, {group}"
    return Plot(f"acll-figure-1-{group.replace(' ', '-')}-{n_classes}", title, (panel,))


def _counter_example() -> ReproducedTable:
    """Theorem 3.9: two equivalent structures that should not score alike, by the pseudo-count."""
    data = _core.Dataset([[0, 0], [0, 1], [1, 1], [1, 1]], [2, 2], [1, 1, 0, 1], 2)
    figures = []
    for n0 in (5.0, 1.0, 0.1):
        score = ACLL(b=4.0, n0=n0)
        g, h = (network_score(data, parents, score) for parents in ([[], [0]], [[1], []]))
        note = "no counter-example" if abs(g - h) < 1e-9 else "they differ"
        figures.append(Figure(f"N' = {n0:g}", "aCLL(G) − aCLL(H)", None, g - h, note=note))
    return ReproducedTable("Theorem 3.9: its counter-example", tuple(figures), "nats", 6)


@dataclass(frozen=True)
class _Measured:
    """CLL per row of one task: [measure][score]."""

    name: str
    cll: Mapping[str, Mapping[str, float]]


def _measure_all(tasks: Iterable[CodedTask], options: Options, repeats: int) -> list[_Measured]:
    listed = list(tasks)
    with progress_bar(len(listed), options.progress) as bar:
        return [_measure(task, options, repeats, bar) for task in listed]


def _measure(task: CodedTask, options: Options, repeats: int, bar: Progress) -> _Measured:
    cll: dict[str, dict[str, float]] = {measure: {} for measure in _MEASURES}
    folds = [_stratified(task.classes, [options.random_state, repeat]) for repeat in range(repeats)]
    for name, score in _SCORES.items():
        model, _ = _core.fit(task.data, "tan", {}, score, Dirichlet(), options.n_jobs)
        cll["training rows"][name] = _per_row(model.log_posterior(task.data, options.n_jobs), task)
        for measure, parameters in (
            ("held out", Dirichlet()),
            (_OWN, _OWN_PARAMETERS[name]),
        ):
            runs = [_held_out(task, fold, score, parameters, options) for fold in folds]
            cll[measure][name] = float(np.mean(runs))
    bar.advance(1, task.name)
    return _Measured(task.name, cll)


def _held_out(
    task: CodedTask, fold: NDArray[np.uint32], score: Any, parameters: Any, options: Options
) -> float:
    parts = _core.cross_validate(task.data, fold, _FOLDS, "tan", {}, score, parameters, options.n_jobs)
    posterior = np.empty((task.classes.size, parts[0].shape[1]))
    posterior[np.argsort(fold, kind="stable")] = np.concatenate(parts)
    return _per_row(np.log(posterior), task)


def _per_row(log_posterior: NDArray[np.float64], task: CodedTask) -> float:
    return float(log_posterior[np.arange(task.classes.size), task.classes].mean())


def _stratified(classes: NDArray[np.intp], seed: list[int]) -> NDArray[np.uint32]:
    """The fold of each row: rows shuffled within their class, then dealt out in turn."""
    random = np.random.default_rng(seed)
    fold = np.empty(classes.size, dtype=np.uint32)
    fold[np.lexsort((random.random(classes.size), classes))] = np.arange(classes.size) % _FOLDS
    return fold


def _mean(repeats: list[list[_Measured]]) -> list[_Measured]:
    """The mean over repeats, task by task."""
    averaged = []
    for same in zip(*repeats, strict=True):
        cll = {
            measure: {name: float(np.mean([one.cll[measure][name] for one in same])) for name in _SCORES}
            for measure in _MEASURES
        }
        averaged.append(replace(same[0], cll=cll))
    return averaged


def _wilcoxon(group: str, n_classes: int, measured: list[_Measured]) -> ReproducedTable:
    figures = []
    for test in published("acll")["tests"][str(n_classes)]:
        first, second, paper = test["first"], test["second"], test["z"]
        for measure in _MEASURES:
            difference = [one.cll[measure][first] - one.cll[measure][second] for one in measured]
            ours = signed_rank_z(difference)
            figures.append(
                Figure(
                    f"{first} against {second}",
                    measure,
                    None if measure == _OWN else paper,
                    ours,
                    note=_verdict(measure, paper, ours, test["p"]),
                )
            )
    title = (
        f"Table {n_classes - 1}: Wilcoxon's z of the CLL, {n_classes} classes, {len(measured)} {group};"
        " positive where the first has the higher CLL"
    )
    return ReproducedTable(title, tuple(figures), "z", 2)


def signed_rank_z(difference: Sequence[float]) -> float:
    """Wilcoxon's signed-rank statistic, standardised; ranks of zero differences are split evenly.

    >>> round(signed_rank_z([3.0, 1.0, 2.0, 4.0, -0.5]), 3)
    1.753
    """
    d = np.round(np.asarray(difference), 10)
    n = d.size
    ranks = stats.rankdata(np.abs(d))
    positive = ranks[d > 0].sum() + 0.5 * ranks[d == 0].sum()
    return float((positive - n * (n + 1) / 4) / math.sqrt(n * (n + 1) * (2 * n + 1) / 24))


_WORDS = ("as in the paper", "no significant difference", "the other way than in the paper")


def _direction(paper: float, ours: float) -> str:
    if abs(ours) < stats.norm.isf(0.05):
        return _WORDS[1]
    return _WORDS[0] if ours * paper > 0 else _WORDS[2]


def _verdict(measure: str, paper: float, ours: float, printed: str) -> str:
    """The direction with both p. Of own parameters the paper has no numbers to explain."""
    direction = _direction(paper, ours)
    said = f"{direction} (p {stats.norm.sf(abs(ours)):.2g}, paper {printed})"
    return said if direction == _WORDS[0] or measure == _OWN else f"{said}: not explained"


def _directions(tests: Mapping[str, list[ReproducedTable]]) -> list[str]:
    """One sentence for each group and measure: how many directions are the paper's, and which are not."""
    notes = []
    for group, tables in tests.items():
        for measure in _MEASURES:
            said = [
                (figure.note.split(" (")[0], f"{figure.row}, {table.title.split(', ')[1]}")
                for table in tables
                for figure in table.figures
                if figure.column == measure
            ]
            same, neither, other = ([row for word, row in said if word == wanted] for wanted in _WORDS)
            listed = f" ({'; '.join(other)})" if other else ""
            notes.append(
                f"{group[0].upper()}{group[1:]}, {measure}: of {len(said)} comparisons {len(same)} as in the"
                f" paper, {len(neither)} without a significant difference (5 %), {len(other)} the other"
                f" way{listed}."
            )
    return notes


def _likelihoods(group: str, measured: Mapping[int, list[_Measured]]) -> ReproducedTable:
    figures = [
        Figure(
            f"{n_classes} classes, {measure}",
            name,
            None,
            float(np.mean([one.cll[measure][name] for one in some])),
        )
        for n_classes, some in measured.items()
        for measure in _MEASURES
        for name in _SCORES
        if some
    ]
    return ReproducedTable(f"Mean CLL per row over the {group}", tuple(figures), "nats", 4)


def _constants() -> ReproducedTable:
    """Examples 3.4, 3.6 and 3.7; the interval is that of one simulation of the paper's size."""
    figures = []
    for printed in published("acll")["constants"]:
        s, prior, samples = printed["classes"], printed["prior"], printed["samples"]
        runs = [acll_constants_monte_carlo(s, prior, samples=samples, random_state=k) for k in range(8)]
        reach = stats.norm.isf(0.025) * np.std(runs, axis=0, ddof=1)
        ours = acll_constants(s, prior)
        row = f"example {printed['example']}, {s} classes, {prior}"
        for place, (sign, name) in enumerate((("β", "beta"), ("γ", "gamma"))):
            if name in printed:
                figures.append(Figure(row, sign, printed[name], ours[place], float(reach[place])))
    figures.append(
        Figure("example 3.4, its formula", "β", 0.2001732, acll_constants(3, "uniform")[0], note="wrong sign")
    )
    # Example 3.6 does not say which p its γ is of; it is near that of p = 0.001 with the paper's own β.
    beta, gamma = acll_constants(3, "uniform")
    printed = next(one for one in published("acll")["constants"] if one["example"] == "3.6")
    of_p = gamma + 3 * (printed["beta"] - beta) - (1 + 3 * printed["beta"]) * math.log(0.001)
    exact = acll_constants(3, "uniform", p=0.001)[1]
    said = f"p = 0.001 and the paper's β; with the exact β {exact:.4f}"
    figures.append(Figure("example 3.6, 3 classes, uniform", "γ", 1.85116, of_p, note=said))
    for name, square, mean, paper in (
        ("Dirichlet", _mean_square_error(2, 1000.0), 1.0, 0.1392),
        ("uniform", _uniform_square_error(), 2 * math.log(2) - 0.5, None),
    ):
        row = f"section 5, {name}, 2 classes"
        figures.append(Figure(row, "mean square error", paper, square))
        relative = math.sqrt(square) / mean
        figures.append(Figure(row, "root of it over the mean of −f", None, relative))
    return ReproducedTable("Constants: simulated in the paper, exact here", tuple(figures), "nats", 6)


def _uniform_square_error() -> float:
    """Equation (21) for two classes, uniform on [0, p]²; p is irrelevant. E ln² S by quadrature."""
    beta, _ = acll_constants(2, "uniform")
    square, _ = integrate.quad(lambda t: math.log(t) ** 2 * (t if t < 1 else 2 - t), 0, 2, points=[1])
    variance_a = square - (2 * math.log(2) - 1.5) ** 2
    return float(variance_a - beta**2 * 2)


def _mean_square_error(n_classes: int, b: float) -> float:
    """Equation (21), Var A − Cov(A, B)² / Var B, for Dir(1, …, 1, b)."""
    beta, _ = acll_constants(n_classes, b=b)
    rest = special.polygamma(1, n_classes + b)
    variance_a = special.polygamma(1, n_classes) - rest
    variance_b = n_classes * special.polygamma(1, 1) - n_classes**2 * rest
    return float(variance_a - beta**2 * variance_b)
