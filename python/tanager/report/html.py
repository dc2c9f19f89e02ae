"""A comparison as one HTML page; `page.html.j2` is the page, this is what stands in it."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from importlib.resources import files
from itertools import combinations, count
from typing import Any

from tanager.drawing import network_svg
from tanager.escape import printable
from tanager.evaluation.comparison import Comparison
from tanager.evaluation.metrics import METRICS
from tanager.exceptions import MissingPackageError
from tanager.report import plots
from tanager.report.figures import inline_svg
from tanager.report.format import difference, heading, p_value, plain_heading, rows, sentences

__all__ = ["html", "notebook"]

_MOST_PAIRS = 6
_TIMES = ("fit_seconds", "predict_seconds")
_DISCRETISED = {
    "fold": "Numeric attributes are discretised within each training part, so that test rows stay unseen.",
    "before": "Numeric attributes were discretised on all rows before splitting, as many papers do: the "
    "test rows had a part in the cut points, and accuracies are a little optimistic.",
    "none": "Numeric attributes were not discretised.",
}


def html(comparison: Comparison) -> str:
    """The whole page as text."""
    numbers = count()

    def picture(label: str, figure: Any) -> str:
        return inline_svg(figure, label, next(numbers))

    networks = sorted(comparison.networks, key=lambda network: not network["edges"])
    targets = {data["name"]: data.get("target") or "class" for data in comparison.datasets}
    text: str = (
        _pages()
        .get_template("page.html.j2")
        .render(
            title=_title(comparison),
            style=_file("page.css"),
            script=_file("page.js"),
            setup=comparison.setup,
            learners=comparison.learners,
            datasets=comparison.datasets,
            interval=comparison.interval,
            metrics=_metrics(comparison, picture),
            p_value=p_value,
            predicted=_predicted(comparison, picture),
            networks=networks,
            targets=targets,
            network_svg=partial(network_svg, standalone=False),
            discretised=_DISCRETISED.get(str(comparison.setup.get("discretize")), ""),
            facts=_facts(comparison),
        )
    )
    return text + "\n"


def notebook(comparison: Comparison) -> str:
    """A part of a page for notebooks: the accuracies and what the statistics say of them."""
    text: str = (
        _pages()
        .get_template("notebook.html.j2")
        .render(
            title=_title(comparison),
            setup=comparison.setup,
            learners=comparison.learners,
            rows=rows(comparison),
            heading=heading("accuracy"),
            sentences=sentences(comparison),
        )
    )
    return text


def _pages() -> Any:
    try:
        import jinja2
    except ImportError:
        raise MissingPackageError("pages need jinja2: pip install jinja2, or tanager-learn[report]") from None
    return jinja2.Environment(loader=jinja2.FunctionLoader(_file), autoescape=True, finalize=_seen)


def _seen(value: Any) -> Any:
    """Text of names with what cannot be seen spelled out; what is markup already is our own."""
    is_name = isinstance(value, str) and not hasattr(value, "__html__")
    return printable(value, lines=True) if is_name else value


def _file(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _title(comparison: Comparison) -> str:
    learners, datasets = len(comparison.learners), len(comparison.datasets)
    where = comparison.dataset_names[0] if datasets == 1 else f"{datasets} data sets"
    return f"{learners} learner{'s' * (learners > 1)} on {where}"


def _metrics(comparison: Comparison, picture: Callable[[str, Any], str]) -> list[dict[str, Any]]:
    """The measures that have any number: their tables, sentences, tests and plots."""
    tables = {name: rows(comparison, name) for name in (*METRICS, *_TIMES)}
    found = []
    for name, table in tables.items():
        if name in METRICS and all(math.isnan(value) for row in table for value in row.values):
            continue
        several = len(comparison.learners) > 1 and len(comparison.datasets) > 1
        ranked = comparison.n_ranked(name) if several else 0
        found.append(
            {
                "name": name,
                "heading": heading(name),
                "plain": plain_heading(name),
                "rows": table,
                "note": _explained(name),
                "ranks": comparison.ranks_by(name) if ranked else {},
                "sentences": sentences(comparison, name),
                "tests": _tests(comparison, name) if ranked else [],
                **{
                    f"{kind}_difference": None
                    if not ranked or len(comparison.learners) < 3
                    else picture(
                        f"Critical-difference diagram of average ranks by {plain_heading(name)}",
                        plots.critical_difference(comparison, metric=name, narrow=kind == "narrow"),
                    )
                    for kind in ("critical", "narrow")
                },
                "scatters": [
                    picture(f"{b} against {a}", plots.scatter(comparison, a, b, metric=name))
                    for a, b in _pairs(comparison, name)
                ],
                "best_alone": math.comb(len(comparison.learners), 2) > _MOST_PAIRS,
                "time": None
                if name in _TIMES
                else picture(
                    f"{plain_heading(name)} against time".capitalize(),
                    plots.accuracy_time(comparison, metric=name),
                ),
            }
        )
    return found


def _explained(metric: str) -> str:
    if metric == "accuracy":
        return (
            "Share of tested rows predicted right, in percent; ± is the standard deviation over folds and "
            "repeats; hover for the 95 % Wilson interval. The best of a row, as printed, is marked."
        )
    if metric in METRICS:
        better = "more" if METRICS[metric].higher_is_better else "less"
        return f"{METRICS[metric].description.capitalize()}; {better} is better."
    return (
        "Mean over folds and repeats on the machine named below. Where all folds came from one pass of "
        "counting, its time is shared out evenly and stands under fitting; predicting then has no time of "
        "its own."
    )


def _tests(comparison: Comparison, metric: str) -> list[tuple[Any, Any, str]]:
    return [
        (
            test,
            comparison.win_draw_loss(test.first, test.second, metric),
            difference(test.median_difference, metric, False),
        )
        for test in comparison.pairwise(metric)
    ]


def _pairs(comparison: Comparison, metric: str) -> list[tuple[str, str]]:
    """The pairs that are drawn; of many learners the best against each other one."""
    if len(comparison.learners) < 2 or comparison.n_ranked(metric) < 3 or metric in _TIMES:
        return []
    pairs = list(combinations(comparison.learners, 2))
    if len(pairs) <= _MOST_PAIRS:
        return pairs
    ranks = comparison.ranks_by(metric)
    best = min(ranks, key=lambda name: ranks[name])
    return [(other, best) for other in comparison.learners if other != best]


def _predicted(comparison: Comparison, picture: Callable[[str, Any], str]) -> list[dict[str, Any]]:
    """For each data set: ROC and reliability of all learners, and a confusion matrix for each."""
    every = {(cell["dataset"], cell["learner"]) for cell in comparison.cells}
    # A learner that failed in one fold has no matrix of all rows.
    counted = every - {
        (cell["dataset"], cell["learner"])
        for cell in comparison.cells
        if cell.get("confusion") is None or cell.get("error")
    }
    curves = {found["dataset"] for found in comparison.diagnostics if found["roc"] is not None}
    pages = []
    for data in comparison.datasets:
        name = data["name"]
        mine = [learner for learner in comparison.learners if (name, learner) in counted]
        if not mine and name not in curves:
            continue
        drawn = [
            picture(f"ROC curves on {name}", plots.roc(comparison, name)),
            picture(f"Reliability on {name}", plots.reliability(comparison, name)),
        ]
        pages.append(
            {
                "name": name,
                "classes": data["classes"],
                "curves": drawn if name in curves else [],
                "confusions": [
                    (learner, _shares(comparison.confusion(name, learner).tolist())) for learner in mine
                ],
            }
        )
    return pages


def _shares(counts: list[list[int]]) -> list[list[tuple[int, float]]]:
    """Counts with their share of the true class's rows."""
    return [[(number, number / max(sum(row), 1)) for number in row] for row in counts]


def _facts(comparison: Comparison) -> list[tuple[str, Any]]:
    origin = comparison.provenance
    return [
        ("date", origin.get("date")),
        ("Python", origin.get("python")),
        ("machine", origin.get("platform")),
        *dict(origin.get("versions", {})).items(),
        ("seed", comparison.setup.get("random_state")),
        ("code", origin.get("code")),
    ]
