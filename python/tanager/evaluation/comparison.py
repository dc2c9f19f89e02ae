"""`Comparison`: what `compare` found out, its statistics, and the doors to every report."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tanager.escape import printable
from tanager.evaluation import statistics
from tanager.evaluation.comparison_json import FORMAT, VERSION, read_comparison
from tanager.evaluation.metrics import METRICS
from tanager.evaluation.score_table import ScoreTable
from tanager.exceptions import DataError, UnknownNameError
from tanager.output import written

__all__ = ["Comparison", "give_reports"]

_MEASURES = ("fit_seconds", "predict_seconds")
_REPORTS: dict[str, Callable[..., Any]] = {}


def give_reports(**reports: Callable[..., Any]) -> None:
    """Give comparisons their reports: functions of a comparison, by name.

    Reports are made of comparisons, so that they stand to the right of this room and cannot be imported here;
    they give themselves when they are imported, which the package does when the first one is asked for.
    """
    _REPORTS.update(reports)


def _report(name: str) -> Callable[..., Any]:
    if not _REPORTS:
        getattr(sys.modules[__name__.partition(".")[0]], "report")  # noqa: B009 (the package imports it)
    return _REPORTS[name]


@dataclass(repr=False)
class Comparison:
    """Results of learners × data sets.

    `cells` has one entry per learner, data set, repeat and fold; everything else is computed from them.
    `datasets` describes each data set, `setup` says how rows were split and treated, `provenance` records
    versions and seeds, `networks` the structures learned from all rows, where they were asked for, and
    `diagnostics` the counts behind ROC curves and reliability diagrams.
    """

    learners: list[str]
    datasets: list[dict[str, Any]]
    cells: list[dict[str, Any]]
    setup: dict[str, Any] = field(default_factory=dict)
    provenance: dict[str, Any] = field(default_factory=dict)
    networks: list[dict[str, Any]] = field(default_factory=list)
    diagnostics: list[dict[str, Any]] = field(default_factory=list)

    # -- tables ----------------------------------------------------------------------------------------------

    @property
    def dataset_names(self) -> list[str]:
        """Names of the data sets, in the order given."""
        return [str(dataset["name"]) for dataset in self.datasets]

    def _cells_of(self, dataset: str, learner: str) -> list[dict[str, Any]]:
        return [cell for cell in self.cells if cell["dataset"] == dataset and cell["learner"] == learner]

    def _fill(self, value: Any) -> ScoreTable:
        values = [
            [value(self._cells_of(dataset, learner)) for learner in self.learners]
            for dataset in self.dataset_names
        ]
        return ScoreTable(self.dataset_names, self.learners, values)

    def table(self, metric: str = "accuracy") -> ScoreTable:
        """One metric by data set and learner.

        Folds are averaged with their test rows as weights, so that accuracy is the share of all tested rows.
        Conditional log-likelihood is summed over the folds of a repeat and averaged over repeats; times are
        means. Where all folds came from one pass of counting, the time to predict is not known (NaN): it is
        part of `fit_seconds`.
        """
        if metric in _MEASURES:
            return self._fill(lambda cells: float(np.mean([_number(cell[metric]) for cell in cells])))
        if metric not in METRICS:
            known = ", ".join([*METRICS, *_MEASURES])
            raise DataError(f"unknown metric {metric!r}; known: {known}")
        return self._fill(lambda cells: _pooled(cells, metric))

    def spread(self, metric: str = "accuracy") -> ScoreTable:
        """Standard deviation of a metric over folds and repeats (0 for a single cell)."""
        return self._fill(
            lambda cells: (
                float(np.std([_number(cell["metrics"].get(metric)) for cell in cells], ddof=1))
                if len(cells) > 1
                else 0.0
            )
        )

    @property
    def seconds(self) -> ScoreTable:
        """Mean time of fitting and predicting together, which is known however the folds were computed."""
        both = [np.asarray(self.table(measure).values) for measure in _MEASURES]
        return ScoreTable(self.dataset_names, self.learners, both[0] + np.nan_to_num(both[1]))

    @property
    def accuracy(self) -> ScoreTable:
        """Accuracy by data set and learner."""
        return self.table("accuracy")

    @property
    def ranks(self) -> dict[str, float]:
        """Average rank of every learner by accuracy; 1 is best."""
        return self.ranks_by("accuracy")

    def ranks_by(self, metric: str) -> dict[str, float]:
        """Average rank of every learner by a metric, over the data sets where all have results; 1 is best."""
        means = statistics.average_ranks(self._higher_is_better(metric))
        return {learner: float(mean) for learner, mean in zip(self.learners, means, strict=True)}

    @property
    def failures(self) -> list[str]:
        """What went wrong: a sentence for each learner and data set without results."""
        return list(dict.fromkeys(str(cell["error"]) for cell in self.cells if cell.get("error")))

    def interval(self, dataset: str, learner: str) -> tuple[float, float]:
        """Wilson's 95 % interval of an accuracy; repeats do not make the data set larger, so they do not
        narrow it."""
        cells = self._cells_of(dataset, learner)
        repeats = len({cell["repeat"] for cell in cells})
        trials = sum(cell["n_test"] for cell in cells) / repeats
        if np.isnan(self.accuracy[dataset][learner]):
            return float("nan"), float("nan")
        return statistics.wilson_interval(self.accuracy[dataset][learner] * trials, trials)

    def confusion(self, dataset: str, learner: str) -> np.ndarray[Any, np.dtype[np.int64]]:
        """How many tested rows of each true class (a row) were given to each class (a column).

        Classes are in the order of the data set's `classes`; the counts are summed over folds and repeats.
        """
        for name, known in ((dataset, self.dataset_names), (learner, self.learners)):
            if name not in known:
                raise UnknownNameError(f"unknown {name!r}; known: {', '.join(known)}")
        cells = self._cells_of(dataset, learner)
        if any(cell.get("confusion") is None for cell in cells):
            raise DataError("this comparison was kept without confusion matrices: run it again")
        total: np.ndarray[Any, np.dtype[np.int64]] = np.sum([cell["confusion"] for cell in cells], axis=0)
        return total

    # -- statistics ------------------------------------------------------------------------------------------

    def _complete(self, metric: str) -> ScoreTable:
        """The data sets on which every learner has a value; statistics compare nothing else."""
        table = self.table(metric)
        known = np.asarray(~np.isnan(table.values).any(axis=1))
        if not known.any():
            raise DataError(f"there is no data set on which every learner has a value of {metric}")
        names = [name for name, whole in zip(table.rows, known, strict=True) if whole]
        return ScoreTable(names, table.columns, table.values[known])

    def _higher_is_better(self, metric: str) -> np.ndarray[Any, Any]:
        values = self._complete(metric).values
        return values if metric in METRICS and METRICS[metric].higher_is_better else -values

    def n_ranked(self, metric: str = "accuracy") -> int:
        """The number of data sets on which every learner has a value."""
        return int((~np.isnan(self.table(metric).values).any(axis=1)).sum())

    def friedman(self, metric: str = "accuracy") -> statistics.Friedman:
        """Friedman's and Iman–Davenport's tests over the data sets."""
        return statistics.friedman(self._higher_is_better(metric))

    def critical_difference(self, alpha: float = 0.05, metric: str = "accuracy") -> float:
        """Nemenyi's critical difference of average ranks."""
        return statistics.nemenyi_critical_difference(len(self.learners), self.n_ranked(metric), alpha)

    def wilcoxon(
        self, a: str, b: str, metric: str = "accuracy", *, within: str | None = None
    ) -> statistics.PairTest:
        """Wilcoxon's signed-rank test of two learners over the data sets.

        `within` names one data set: the test is then over its folds and repeats. These share training rows,
        so that its p-values are too small; `corrected_t` allows for that.
        """
        if within is not None:
            if metric not in METRICS:
                raise DataError(f"unknown metric {metric!r} of folds; known: {', '.join(METRICS)}")
            pairs = self._pairs(within, a, b)
            first, second = ([_number(pair[i]["metrics"].get(metric)) for pair in pairs] for i in (0, 1))
            return statistics.wilcoxon(first, second, (a, b))
        table = self._complete(metric)
        return statistics.wilcoxon(table.column(a), table.column(b), (a, b))

    def pairwise(self, metric: str = "accuracy") -> list[statistics.PairTest]:
        """Wilcoxon's test of every pair of learners, adjusted by Holm."""
        return statistics.pairwise_wilcoxon(self._complete(metric).values, self.learners)

    def win_draw_loss(self, a: str, b: str, metric: str = "accuracy") -> statistics.WinDrawLoss:
        """On how many data sets `a` is better than, level with and worse than `b`."""
        table = ScoreTable(self._complete(metric).rows, self.learners, self._higher_is_better(metric))
        return statistics.win_draw_loss(table.column(a), table.column(b))

    def corrected_t(self, dataset: str, a: str, b: str, metric: str = "accuracy") -> statistics.TTest:
        """Corrected resampled t-test of two learners on one data set, over its folds and repeats."""
        pairs = self._pairs(dataset, a, b)
        differences = [
            _number(x["metrics"].get(metric)) - _number(y["metrics"].get(metric)) for x, y in pairs
        ]
        train = float(np.mean([x["n_train"] for x, _ in pairs]))
        test = float(np.mean([x["n_test"] for x, _ in pairs]))
        return statistics.corrected_resampled_t(differences, train, test)

    def _pairs(self, dataset: str, a: str, b: str) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        """The cells of two learners on one data set, fold by fold."""
        first, second = (
            {(cell["repeat"], cell["fold"]): cell for cell in self._cells_of(dataset, learner)}
            for learner in (a, b)
        )
        if not first or not second:
            raise UnknownNameError(f"no results of {a!r} and {b!r} on {dataset!r}")
        return [(first[place], second[place]) for place in sorted(first)]

    def predictions(self, dataset: str, learner: str) -> list[dict[str, Any]]:
        """Out-of-fold predictions of every repeat and fold, where `compare(predictions=True)` kept them."""
        kept = [cell["predictions"] for cell in self._cells_of(dataset, learner) if cell.get("predictions")]
        if not kept:
            raise DataError(f"no predictions of {learner!r} on {dataset!r}: compare with predictions=True")
        return kept

    def diagnostics_of(self, dataset: str, learner: str) -> dict[str, Any]:
        """The counts of one learner on one data set; without results, or in an old file, there are none."""
        for found in self.diagnostics:
            if (found["dataset"], found["learner"]) == (dataset, learner):
                return found
        if dataset not in self.dataset_names or learner not in self.learners:
            raise UnknownNameError(f"no results of {learner!r} on {dataset!r}")
        classes = next(len(data["classes"]) for data in self.datasets if data["name"] == dataset)
        return {
            "confusion": np.zeros((classes, classes), dtype=int).tolist(),
            "roc": None,
            "reliability": None,
        }

    # -- JSON ------------------------------------------------------------------------------------------------

    def to_json(self, path: str | Path | None = None) -> str:
        """Everything as JSON text, written to `path` where one is given."""
        content = {
            "format": FORMAT,
            "version": VERSION,
            "learners": self.learners,
            "datasets": self.datasets,
            "setup": self.setup,
            "provenance": self.provenance,
            "summary": self.summary(),
            "cells": self.cells,
            "networks": self.networks,
            "diagnostics": self.diagnostics,
        }
        text = json.dumps(_plain(content), indent=1, allow_nan=False)
        return written(text, path)

    @classmethod
    def from_json(cls, source: str | Path) -> Comparison:
        """A comparison from the text that `to_json` wrote, or from the file, where a `Path` is given.

        What does not fit together is refused.
        """
        return cls(**read_comparison(source))

    def summary(self) -> dict[str, Any]:
        """The headline numbers: accuracies with intervals, ranks and tests."""
        accuracy = self.accuracy
        found: dict[str, Any] = {
            "accuracy": accuracy.as_dict(),
            "interval": {
                dataset: {learner: list(self.interval(dataset, learner)) for learner in self.learners}
                for dataset in self.dataset_names
            },
        }
        if self.failures:
            found["failures"] = self.failures
        if len(self.learners) > 1 and self.n_ranked():
            found["ranks"] = self.ranks
            found["wilcoxon"] = [test.as_dict() for test in self.pairwise()]
        if len(self.learners) > 2 and self.n_ranked() > 1:
            found["friedman"] = self.friedman().as_dict()
            found["critical_difference"] = self.critical_difference()
        return found

    # -- reports, which the room to the right gives ----------------------------------------------------------

    def to_markdown(self, path: str | Path | None = None, metric: str = "accuracy") -> str:
        """The comparison as Markdown."""
        return written(_report("markdown")(self, metric), path)

    def to_latex(self, path: str | Path | None = None, metric: str = "accuracy") -> str:
        """The table as LaTeX (booktabs)."""
        return written(_report("latex")(self, metric), path)

    def to_csv(self, path: str | Path | None = None, spreadsheet: bool = False) -> str:
        """One line per learner, data set, repeat and fold, with every metric.

        `spreadsheet` puts an apostrophe before names that a spreadsheet would take for a formula.
        """
        return written(_report("csv")(self, spreadsheet), path)

    def predictions_to_csv(self, path: str | Path | None = None, spreadsheet: bool = False) -> str:
        """One line per out-of-fold prediction, where `compare(predictions=True)` kept them.

        `spreadsheet` puts an apostrophe before names and labels that a spreadsheet would take for a formula.
        """
        return written(_report("predictions")(self, spreadsheet), path)

    def to_html(self, path: str | Path | None = None) -> str:
        """One self-contained page: tables, tests, plots, networks and provenance."""
        return written(_report("html")(self), path)

    def to_text(self, metric: str = "accuracy") -> str:
        """Plain text for a terminal."""
        return str(_report("text")(self, metric))

    def plot_critical_difference(
        self, path: str | Path | None = None, alpha: float = 0.05, metric: str = "accuracy"
    ) -> Any:
        """Demšar's critical-difference diagram.

        Every plot is a figure of matplotlib; with a `path` it is saved as PNG, SVG or PDF by the name's
        ending, and the path is returned.
        """
        return _report("critical_difference")(self, path, alpha, metric)

    def plot_scatter(self, a: str, b: str, path: str | Path | None = None, metric: str = "accuracy") -> Any:
        """One point per data set, learner `a` against learner `b`."""
        return _report("scatter")(self, a, b, path, metric)

    def plot_accuracy_time(self, path: str | Path | None = None, metric: str = "accuracy") -> Any:
        """A metric, mean over the data sets, against the mean time of fitting and predicting."""
        return _report("accuracy_time")(self, path, metric)

    def plot_confusion(self, dataset: str, learner: str, path: str | Path | None = None) -> Any:
        """Rows by true and by predicted class, out of fold."""
        return _report("confusion")(self, dataset, learner, path)

    def plot_roc(self, dataset: str, path: str | Path | None = None) -> Any:
        """The ROC curves of all learners on one data set, out of fold."""
        return _report("roc")(self, dataset, path)

    def plot_reliability(self, dataset: str, path: str | Path | None = None) -> Any:
        """How often the predicted class is right, by the probability that it was given."""
        return _report("reliability")(self, dataset, path)

    def __repr__(self) -> str:
        def few(names: list[str]) -> str:
            return ", ".join(map(printable, names[:3])) + (f", … ({len(names)})" if len(names) > 3 else "")

        return (
            f"Comparison of {few(self.learners)} on {few(self.dataset_names)}; {self.setup.get('splits', '')}"
        )

    def _repr_html_(self) -> str:
        """What a notebook shows: the accuracies and what the statistics say of them."""
        return str(_report("notebook")(self))

    def __str__(self) -> str:
        return self.to_text()


def _number(value: float | None) -> float:
    return float("nan") if value is None else float(value)


def _pooled(cells: Sequence[dict[str, Any]], metric: str) -> float:
    if any(cell.get("error") for cell in cells):
        return float("nan")
    values = np.array([_number(cell["metrics"].get(metric)) for cell in cells])
    if metric == "cll":
        return float(values.sum() / len({cell["repeat"] for cell in cells}))
    weights = np.array([cell["n_test"] for cell in cells], dtype=np.float64)
    if metric == "accuracy":
        return float(sum(cell["correct"] for cell in cells) / weights.sum())
    known = ~np.isnan(values)
    return float(np.average(values[known], weights=weights[known])) if known.any() else float("nan")


def _plain(value: Any) -> Any:
    """JSON has no NaN and no numpy: both become plain Python."""
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value
