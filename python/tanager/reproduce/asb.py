"""Augmented semi-naive Bayes: accuracies, ranks and tests of seven learners on fourteen data sets."""

from __future__ import annotations

import dataclasses

import numpy as np

from tanager.data import Frame, Table
from tanager.data.columns import Numbers
from tanager.evaluation import statistics
from tanager.evaluation.compare import compare
from tanager.evaluation.comparison import Comparison
from tanager.reproduce._options import Options, available
from tanager.reproduce._paper import published, reproduction
from tanager.reproduce._tables import Figure, ReproducedTable, Reproduction, difference_interval

__all__ = ["reproduce"]


def reproduce(options: Options) -> Reproduction:
    """Tables 2 and 3: one repeat of 5-fold cross-validation in quick mode, five as in the paper otherwise."""
    paper = published("asb")
    tables, missing = available(list(paper["accuracy"]), options)
    if "balance-scale" in tables:
        tables["balance-scale"] = _as_numbers(tables["balance-scale"])
    result = compare(
        {name: "tan:parameters=laplace" if name == "tan" else name for name in paper["learners"]},
        tables,
        cv=5,
        repeats=1 if options.quick else 5,
        random_state=options.random_state,
        discretize="before",
        complete=True,
        n_jobs=options.n_jobs,
        progress=options.progress,
        cache=options.cache,
    )
    repeats = "once" if options.quick else "5 times, as in the paper"
    shown = [_accuracies(result), _ranks(result), _tests(result)]
    return reproduction("asb", shown, missing, repeats=repeats)


def _as_numbers(table: Table) -> Table:
    """The table with its categories, which are whole numbers, as numbers."""
    columns = {
        name: Numbers(np.asarray(table.X[name].tolist(), dtype=np.float64)) for name in table.X.columns
    }
    return dataclasses.replace(table, X=Frame(columns))


def _accuracies(result: Comparison) -> ReproducedTable:
    paper, figures = published("asb"), []
    for data in result.datasets:
        name, rows = data["name"], float(data["rows"])
        for index, learner in enumerate(paper["learners"]):
            printed, ours = paper["accuracy"][name][index], 100.0 * result.accuracy[name][learner]
            reach = 100.0 * difference_interval(printed / 100.0, ours / 100.0, rows, rows)
            figures.append(Figure(name, learner, printed, ours, reach))
    return ReproducedTable("Table 3: accuracy", tuple(figures))


def _rounded() -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.array(list(published("asb")["accuracy"].values()))


def _ranks(result: Comparison) -> ReproducedTable:
    paper, ours = published("asb"), result.ranks
    rounded = statistics.average_ranks(_rounded())
    figures = [
        Figure(name, "rank", paper["ranks"][name], ours[name], note=f"rounded table 3: {rounded[index]:.2f}")
        for index, name in enumerate(paper["learners"])
    ]
    some = len(result.datasets) < len(paper["accuracy"])
    title = f"Table 2: average ranks{f' (ours over {len(result.datasets)} data sets)' if some else ''}"
    return ReproducedTable(title, tuple(figures), "rank", 2)


def _tests(result: Comparison) -> ReproducedTable:
    rounded, ours, p = statistics.friedman(_rounded()), result.friedman(), published("asb")["p_value"]
    figures = (
        Figure(
            "Friedman",
            "p",
            p,
            ours.p_value_ties,
            note=f"rounded table 3: {rounded.p_value:.3f}, corrected for ties {rounded.p_value_ties:.3f}",
        ),
        Figure(
            "Iman–Davenport",
            "p",
            p,
            ours.iman_davenport_ties_p_value,
            note=(
                f"rounded table 3: {rounded.iman_davenport_p_value:.3f}, corrected for ties "
                f"{rounded.iman_davenport_ties_p_value:.3f}"
            ),
        ),
    )
    return ReproducedTable("Table 2: tests that all learners rank alike", figures, "p", 3)
