"""Numbers as readers want them, and which of them stand out."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tanager.evaluation.comparison import Comparison
from tanager.evaluation.metrics import METRICS

__all__ = ["Row", "duration", "heading", "p_value", "percentage", "rows", "sentences", "shown"]

_ENOUGH = 5  # data sets, for a test of ranks to mean anything
_SHARES = ("accuracy", "f1_macro", "f1_weighted", "f1_positive", "auc")


def heading(metric: str) -> str:
    """How tables call a metric, unit included."""
    named = {"fit_seconds": "time to fit", "predict_seconds": "time to predict"}
    if metric in named:
        return named[metric]
    return f"{METRICS[metric].heading} (%)" if metric in _SHARES else METRICS[metric].heading


def percentage(share: float) -> str:
    """A share in percent with two decimals.

    >>> percentage(0.93456)
    '93.46'
    """
    return "–" if math.isnan(share) else f"{100.0 * share:.2f}"


def duration(seconds: float) -> str:
    """A time with a fitting unit.

    >>> duration(0.0123), duration(75.0), duration(0.00002)
    ('12.3 ms', '75.0 s', '20 µs')
    """
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} µs"
    return f"{seconds * 1e3:.1f} ms" if seconds < 1.0 else f"{seconds:.1f} s"


def p_value(p: float) -> str:
    """A p-value with three digits, or as a bound.

    >>> p_value(0.0312), p_value(0.00001)
    ('0.031', '< 0.001')
    """
    if math.isnan(p):
        return "–"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def shown(value: float, metric: str) -> str:
    """One value of a metric in its usual form."""
    if math.isnan(value):
        return "–"
    if metric in ("fit_seconds", "predict_seconds"):
        return duration(value)
    if metric in _SHARES:
        return percentage(value)
    return f"{value:.1f}" if metric == "cll" else f"{value:.4f}"


@dataclass(frozen=True)
class Row:
    """One data set's line of a table: values, spreads over folds, their text, and which are the best."""

    dataset: str
    values: tuple[float, ...]
    spreads: tuple[float, ...] | None
    texts: tuple[str, ...]
    best: tuple[bool, ...]


def rows(comparison: Comparison, metric: str = "accuracy") -> list[Row]:
    """The lines of a metric's table; the best are those whose printed text equals that of the best value."""
    table = comparison.table(metric)
    measured = metric in METRICS
    spread = comparison.spread(metric).values if measured and len(comparison.cells) else None
    several = any(cell["repeat"] or cell["fold"] for cell in comparison.cells)
    higher = measured and METRICS[metric].higher_is_better
    found = []
    for index, dataset in enumerate(table.rows):
        values = table.values[index]
        texts = [shown(float(value), metric) for value in values]
        known = values[~np.isnan(values)]
        top = None if not known.size else shown(float(known.max() if higher else known.min()), metric)
        found.append(
            Row(
                dataset=dataset,
                values=tuple(float(value) for value in values),
                spreads=None if spread is None or not several else tuple(float(s) for s in spread[index]),
                texts=tuple(texts),
                best=tuple(text == top and text != "–" for text in texts),
            )
        )
    return found


def sentences(comparison: Comparison, metric: str = "accuracy") -> list[str]:
    """What the statistics say, in words; nothing that the data sets are too few to say.

    Before that, what could be misread: how the logarithm of 0 counts in a table of `metric`, and row weights.
    """
    said = []
    if metric in ("log_loss", "cll"):
        said.append(f"{heading(metric).capitalize()}: {METRICS[metric].description}.")
    weighted = [str(data["name"]) for data in comparison.datasets if data.get("weighted")]
    if weighted:
        said.append(f"Rows are weighted in training; every tested row counts once: {', '.join(weighted)}.")
    learners, datasets = len(comparison.learners), len(comparison.datasets)
    if learners > 1 and datasets > 1:
        ordered = sorted(comparison.ranks.items(), key=lambda item: item[1])
        listed = "; ".join(f"{name} {rank:.2f}" for name, rank in ordered)
        best = ", ".join(name for name, rank in ordered if rank - ordered[0][1] < 1e-9)
        said.append(f"Average ranks by accuracy (1 is best): {listed}. Best: {best}.")
    if learners > 1 and 1 < datasets < _ENOUGH:
        said.append(f"{datasets} data sets are too few to test whether ranks differ.")
    elif learners > 2 and datasets > 1:
        test = comparison.friedman()
        verdict = "differ" if test.iman_davenport_ties_p_value < 0.05 else "do not differ significantly"
        said.append(
            f"The learners {verdict} at the 5 % level: Friedman χ² {test.chi2_ties:.2f} "
            f"(p {p_value(test.p_value_ties)}), Iman–Davenport F {test.iman_davenport_ties:.2f} "
            f"(p {p_value(test.iman_davenport_ties_p_value)}), both corrected for ties; "
            f"Nemenyi critical difference {comparison.critical_difference():.2f} ranks."
        )
    elif learners == 2 and datasets > 1:
        pair = comparison.pairwise()[0]
        said.append(f"Wilcoxon signed-rank test, {pair.first} : {pair.second}: p {p_value(pair.p_value)}.")
    said.extend(_single(comparison))
    return said


def _single(comparison: Comparison) -> list[str]:
    """On one data set: the best learner against each other one, by the corrected resampled t-test."""
    if len(comparison.datasets) != 1 or len(comparison.learners) < 2:
        return []
    name = comparison.dataset_names[0]
    values = comparison.accuracy[name]
    best = max(values, key=lambda learner: values[learner])
    said = []
    for other in comparison.learners:
        repeated = len([cell for cell in comparison.cells if cell["learner"] == other]) > 1
        if other == best or not repeated:
            continue
        test = comparison.corrected_t(name, best, other)
        said.append(
            f"{best} − {other}: {100 * test.mean:+.2f} points of accuracy, "
            f"95 % interval {100 * test.low:+.2f} to {100 * test.high:+.2f} "
            f"(corrected resampled t-test, p {p_value(test.p_value)})."
        )
    return said
