"""Numbers as readers want them, and which of them stand out."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tanager.evaluation.comparison import Comparison
from tanager.evaluation.metrics import METRICS

__all__ = [
    "Row",
    "difference",
    "duration",
    "heading",
    "p_value",
    "percentage",
    "plain_heading",
    "rows",
    "sentences",
    "shown",
]

_ENOUGH = 5  # data sets, for a test of ranks to mean anything
_SHARES = (
    "accuracy",
    *(f"f1_{kind}" for kind in ("macro", "weighted", "positive")),
    *(f"{name}_{kind}" for name in ("precision", "recall") for kind in ("macro", "positive")),
    "auc",
)


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
    if math.isnan(seconds):
        return "–"
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
                best=tuple(text == top and text != "–" and len(texts) > 1 for text in texts),
            )
        )
    return found


def sentences(comparison: Comparison, metric: str = "accuracy") -> list[str]:
    """What the statistics say of a metric, in words; nothing that the data sets are too few to say.

    Before that, what could be misread: learners that failed, how the logarithm of 0 counts, row weights, and
    times that were measured before.
    """
    said = [f"{failure[0].upper()}{failure[1:]}." for failure in comparison.failures]
    if metric in ("log_loss", "cll"):
        said.append(f"{heading(metric).capitalize()}: {METRICS[metric].description}.")
    weighted = [str(data["name"]) for data in comparison.datasets if data.get("weighted")]
    if weighted:
        said.append(f"Rows are weighted in training; every tested row counts once: {', '.join(weighted)}.")
    said += _ranked(comparison, metric)
    said += _single(comparison, metric)
    cached = comparison.setup.get("cells_from_cache")
    if isinstance(cached, int) and cached:
        all_of = "all" if cached == len(comparison.cells) else f"{cached} of {len(comparison.cells)}"
        said.append(f"Times of {all_of} folds are from the cache: they were measured in an earlier run.")
    return said


def _ranked(comparison: Comparison, metric: str) -> list[str]:
    """On several data sets: average ranks and whether they differ, where every learner has a value."""
    learners, datasets = len(comparison.learners), comparison.n_ranked(metric)
    if learners < 2 or len(comparison.datasets) < 2 or not datasets:
        return []
    over = "" if datasets == len(comparison.datasets) else f" over the {datasets} data sets with all results"
    ordered = sorted(comparison.ranks_by(metric).items(), key=lambda item: item[1])
    listed = "; ".join(f"{name} {rank:.2f}" for name, rank in ordered)
    best = ", ".join(name for name, rank in ordered if rank - ordered[0][1] < 1e-9)
    named = plain_heading(metric)
    said = [f"Average ranks by {named}{over} (1 is best): {listed}. Best: {best}."]
    if datasets < _ENOUGH:
        return [
            *said,
            f"{datasets} data set{'s are' if datasets > 1 else ' is'} too few to test whether ranks differ.",
        ]
    if learners == 2:
        pair = comparison.pairwise(metric)[0]
        return [*said, f"Wilcoxon signed-rank test, {pair.first} : {pair.second}: p {p_value(pair.p_value)}."]
    test = comparison.friedman(metric)
    verdict = "differ" if test.iman_davenport_ties_p_value < 0.05 else "do not differ significantly"
    return [
        *said,
        f"The learners {verdict} at the 5 % level: Friedman χ² {test.chi2_ties:.2f} "
        f"(p {p_value(test.p_value_ties)}), Iman–Davenport F {test.iman_davenport_ties:.2f} "
        f"(p {p_value(test.iman_davenport_ties_p_value)}), both corrected for ties; "
        f"Nemenyi critical difference {comparison.critical_difference(metric=metric):.2f} ranks.",
    ]


def _single(comparison: Comparison, metric: str) -> list[str]:
    """On one data set: the best learner against each other one, by the corrected resampled t-test."""
    if len(comparison.datasets) != 1 or len(comparison.learners) < 2 or metric not in METRICS:
        return []
    name = comparison.dataset_names[0]
    values = {learner: v for learner, v in comparison.table(metric)[name].items() if not math.isnan(v)}
    if len(values) < 2:
        return []
    higher = METRICS[metric].higher_is_better
    best = (max if higher else min)(values, key=lambda learner: values[learner])
    said = []
    for other in values:
        repeated = len([cell for cell in comparison.cells if cell["learner"] == other]) > 1
        if other == best or not repeated:
            continue
        test = comparison.corrected_t(name, best, other, metric)
        said.append(
            f"{best} − {other}: {difference(test.mean, metric)}, "
            f"95 % interval {difference(test.low, metric, False)} to {difference(test.high, metric, False)} "
            f"(corrected resampled t-test, p {p_value(test.p_value)})."
        )
    return said


def plain_heading(metric: str) -> str:
    """What a metric is called in a sentence.

    >>> plain_heading("accuracy"), plain_heading("log_loss"), plain_heading("fit_seconds")
    ('accuracy', 'log-loss', 'time to fit')
    """
    return METRICS[metric].heading if metric in METRICS else heading(metric)


def difference(value: float, metric: str, named: bool = True) -> str:
    """A difference of two values: shares in percentage points, everything else in its own unit.

    >>> difference(0.0123, "accuracy"), difference(-0.02, "log_loss", False)
    ('+1.23 points of accuracy', '-0.0200')
    """
    if metric in _SHARES:
        return f"{100 * value:+.2f}" + (f" points of {plain_heading(metric)}" if named else "")
    return f"{value:+.4f}" + (f" of {plain_heading(metric)}" if named else "")
