"""A comparison as one HTML page; `page.html.j2` is the page, this is what stands in it."""

from __future__ import annotations

import math
from functools import partial
from importlib.resources import files
from itertools import combinations
from typing import Any

from tanager.drawing import network_svg
from tanager.evaluation.comparison import Comparison
from tanager.evaluation.metrics import METRICS
from tanager.exceptions import MissingPackageError
from tanager.report.charts import accuracy_time_chart, critical_difference_chart, scatter_chart
from tanager.report.format import heading, p_value, rows, sentences

__all__ = ["html"]

_MOST_PAIRS = 6
_DISCRETISED = {
    "fold": "Numeric attributes are discretised within each training part, so that test rows stay unseen.",
    "before": "Numeric attributes were discretised on all rows before splitting, as many papers do: the "
    "test rows had a part in the cut points, and accuracies are a little optimistic.",
    "none": "Numeric attributes were not discretised.",
}


def html(comparison: Comparison) -> str:
    """The whole page as text."""
    try:
        import jinja2
    except ImportError:
        raise MissingPackageError("pages need jinja2: pip install jinja2, or tanager[report]") from None
    pages = jinja2.Environment(loader=jinja2.FunctionLoader(_file), autoescape=True)
    several = len(comparison.learners) > 1 and len(comparison.datasets) > 1
    pairs = _pairs(comparison)
    text: str = pages.get_template("page.html.j2").render(
        title=_title(comparison),
        style=_file("page.css"),
        script=_file("page.js"),
        setup=comparison.setup,
        learners=comparison.learners,
        datasets=comparison.datasets,
        ranks=comparison.ranks if several else {},
        interval=comparison.interval,
        sentences=sentences(comparison),
        metrics=_metrics(comparison),
        tests=_tests(comparison) if several else [],
        critical_difference=critical_difference_chart(comparison)
        if several and len(comparison.learners) > 2
        else None,
        p_value=p_value,
        scatters=[scatter_chart(comparison, a, b) for a, b in pairs],
        best_alone=math.comb(len(comparison.learners), 2) > _MOST_PAIRS,
        accuracy_time=accuracy_time_chart(comparison),
        networks=sorted(comparison.networks, key=lambda network: not network["edges"]),
        network_svg=partial(network_svg, standalone=False),
        discretised=_DISCRETISED.get(str(comparison.setup.get("discretize")), ""),
        facts=_facts(comparison),
    )
    return text + "\n"


def _file(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _title(comparison: Comparison) -> str:
    learners, datasets = len(comparison.learners), len(comparison.datasets)
    where = comparison.dataset_names[0] if datasets == 1 else f"{datasets} data sets"
    return f"{learners} learner{'s' * (learners > 1)} on {where}"


def _metrics(comparison: Comparison) -> list[dict[str, Any]]:
    """The measures that have any number, with their tables."""
    tables = {name: rows(comparison, name) for name in (*METRICS, "fit_seconds", "predict_seconds")}
    return [
        {"name": name, "heading": heading(name), "rows": table, "note": _explained(name)}
        for name, table in tables.items()
        if name not in METRICS or not all(math.isnan(value) for row in table for value in row.values)
    ]


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


def _tests(comparison: Comparison) -> list[tuple[Any, Any]]:
    return [(test, comparison.win_draw_loss(test.first, test.second)) for test in comparison.pairwise()]


def _pairs(comparison: Comparison) -> list[tuple[str, str]]:
    """The pairs whose accuracies are drawn; of many learners the best against each other one."""
    if len(comparison.learners) < 2 or len(comparison.datasets) < 3:
        return []
    pairs = list(combinations(comparison.learners, 2))
    if len(pairs) <= _MOST_PAIRS:
        return pairs
    ranks = comparison.ranks
    best = min(ranks, key=lambda name: ranks[name])
    return [(other, best) for other in comparison.learners if other != best]


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
