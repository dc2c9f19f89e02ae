"""A comparison as one HTML page that needs nothing else: no network, no files beside it, light and dark."""

from __future__ import annotations

import math
from collections.abc import Iterable
from html import escape
from importlib.resources import files
from itertools import combinations
from typing import Any

from tanager.evaluation.comparison import Comparison
from tanager.evaluation.metrics import METRICS
from tanager.report.charts import accuracy_time_chart, critical_difference_chart, scatter_chart
from tanager.report.format import heading, p_value, rows, sentences
from tanager.report.network_svg import network_svg

__all__ = ["html"]

_MOST_PAIRS = 6
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
_DISCRETISED = {
    "fold": "Numeric attributes are discretised within each training part, so that test rows stay unseen.",
    "before": "Numeric attributes were discretised on all rows before splitting, as many papers do: the "
    "test rows had a part in the cut points, and accuracies are a little optimistic.",
    "none": "Numeric attributes were not discretised.",
}


def html(comparison: Comparison) -> str:
    """The whole page as text."""
    here = files(__package__)
    style = here.joinpath("page.css").read_text(encoding="utf-8")
    script = here.joinpath("page.js").read_text(encoding="utf-8")
    title = _title(comparison)
    sections = [
        _results(comparison),
        _tests(comparison),
        _scatters(comparison),
        _times(comparison),
        _networks(comparison),
        _setup(comparison),
    ]
    body = "".join(section for section in sections if section)
    splits = escape(str(comparison.setup.get("splits", "")))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style}</style></head>"
        f'<body><main><header><h1>{escape(title)}</h1><button id="theme" type="button" '
        f'aria-label="switch between light and dark">◐</button></header>'
        f'<p class="lead">{splits}</p>{body}</main><script>{script}</script></body></html>\n'
    )


def _title(comparison: Comparison) -> str:
    learners, datasets = len(comparison.learners), len(comparison.datasets)
    if datasets == 1:
        return f"{learners} learner{'s' * (learners > 1)} on {comparison.dataset_names[0]}"
    return f"{learners} learner{'s' * (learners > 1)} on {datasets} data sets"


def _table(
    header: Iterable[str], body: Iterable[str], foot: str = "", attributes: str = "", sortable: bool = True
) -> str:
    titles = "".join(
        f'<th scope="col"{_side(t)}><button type="button">{escape(t)}</button></th>'
        if sortable
        else f'<th scope="col">{escape(t)}</th>'
        for t in header
    )
    kind = "sortable" if sortable else ""
    end = f"<tfoot>{foot}</tfoot>" if foot else ""
    table = (
        f'<table class="{kind}"><thead><tr>{titles}</tr></thead><tbody>{"".join(body)}</tbody>{end}</table>'
    )
    return f'<div class="scroll"{attributes}>{table}</div>'


def _side(title: str) -> str:
    """Headings of columns of text stand on the left, like their cells."""
    return ' class="text"' if title == "origin" else ""


def _cell(text: str, value: float | None = None, kind: str = "") -> str:
    number = "" if value is None or math.isnan(value) else f' data-value="{value:.10g}"'
    name = f' class="{kind}"' if kind else ""
    return f"<td{name}{number}>{text}</td>"


def _results(comparison: Comparison) -> str:
    metrics = [
        m for m in METRICS if not all(math.isnan(v) for row in rows(comparison, m) for v in row.values)
    ]
    metrics += ["fit_seconds", "predict_seconds"]
    options = "".join(f'<option value="{m}">{escape(heading(m))}</option>' for m in metrics)
    parts = ["<h2>Results</h2>"]
    parts += [f"<p>{escape(sentence)}</p>" for sentence in sentences(comparison)]
    parts.append(f'<p><label>Measure <select id="metric">{options}</select></label></p>')
    parts += [_metric_table(comparison, metric) for metric in metrics]
    return "".join(parts)


def _metric_table(comparison: Comparison, metric: str) -> str:
    lines = []
    for row in rows(comparison, metric):
        cells = [_cell(escape(row.dataset))]
        for index, (text, best) in enumerate(zip(row.texts, row.best, strict=True)):
            shown = escape(text)
            if metric == "accuracy":
                low, high = comparison.interval(row.dataset, comparison.learners[index])
                shown = f'<span title="95 % interval {100 * low:.2f} to {100 * high:.2f}">{shown}</span>'
                if row.spreads is not None:
                    shown += f" <small>± {100 * row.spreads[index]:.1f}</small>"
            cells.append(_cell(shown, row.values[index], "best" if best and len(row.best) > 1 else ""))
        lines.append(f"<tr>{''.join(cells)}</tr>")
    foot = ""
    if metric == "accuracy" and len(comparison.learners) > 1 and len(comparison.datasets) > 1:
        ranks = comparison.ranks
        foot = "<tr><td>average rank</td>" + "".join(f"<td>{ranks[n]:.2f}</td>" for n in comparison.learners)
        foot += "</tr>"
    table = _table(["data set", *comparison.learners], lines, foot)
    return f'<div data-metric="{metric}">{table}<p class="note">{escape(_explained(metric))}</p></div>'


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


def _tests(comparison: Comparison) -> str:
    if len(comparison.learners) < 2 or len(comparison.datasets) < 2:
        return ""
    parts = ["<h2>Do they differ?</h2>"]
    if len(comparison.learners) > 2:
        parts.append(f'<div class="panel">{critical_difference_chart(comparison)}</div>')
        parts.append(
            '<p class="note">Average ranks by accuracy, 1 is best. A bar joins learners whose ranks differ '
            "by less than the critical difference of Nemenyi's test.</p>"
        )
    lines = []
    for test in comparison.pairwise():
        score = comparison.win_draw_loss(test.first, test.second)
        pair = f"{escape(test.first)} : {escape(test.second)}"
        kind = "best" if test.p_holm < 0.05 else ""
        lines.append(
            f"<tr>{_cell(pair)}{_cell(str(score), score.wins - score.losses)}"
            f"{_cell(f'{100 * test.median_difference:+.2f}', test.median_difference)}"
            f"{_cell(p_value(test.p_value), test.p_value)}"
            f"{_cell(p_value(test.p_holm), test.p_holm, kind)}</tr>"
        )
    header = ["pair", "wins/draws/losses", "median difference (points)", "Wilcoxon p", "p after Holm"]
    parts.append(_table(header, lines))
    return "".join(parts)


def _scatters(comparison: Comparison) -> str:
    if len(comparison.learners) < 2 or len(comparison.datasets) < 3:
        return ""
    pairs = list(combinations(comparison.learners, 2))
    note = ""
    if len(pairs) > _MOST_PAIRS:
        ranks = comparison.ranks
        best = min(ranks, key=lambda name: ranks[name])
        pairs = [(other, best) for other in comparison.learners if other != best]
        note = f'<p class="note">Of {len(comparison.learners)} learners, the best against each other one.</p>'
    panels = "".join(f'<div class="panel">{scatter_chart(comparison, a, b)}</div>' for a, b in pairs)
    said = '<p class="note">Accuracy in percent, one point per data set; the diagonal is a draw.</p>'
    return f'<h2>Pair by pair</h2>{said}{note}<div class="grid">{panels}</div>'


def _times(comparison: Comparison) -> str:
    return f'<h2>Accuracy and time</h2><div class="panel">{accuracy_time_chart(comparison)}</div>'


def _networks(comparison: Comparison) -> str:
    if not comparison.networks:
        return ""
    parts = ["<h2>Learned networks</h2>"]
    parts.append(
        '<p class="note">Learned from all rows. Every attribute depends on the class (faint); '
        "the wider an edge, the higher its conditional mutual information given the class. "
        "Hover for the number.</p>"
    )
    ordered = sorted(comparison.networks, key=lambda network: not network["edges"])
    for index, network in enumerate(ordered):
        edges = len(network["edges"])
        score = network.get("score")
        said = f"{len(network['nodes'])} attributes, {edges} edge{'s' * (edges != 1)}"
        said += "" if score is None else f", score {score:.1f}"
        opened = " open" if index < 2 else ""
        title = f"{escape(network['learner'])} on {escape(network['dataset'])}"
        parts.append(
            f"<details{opened}><summary><h3>{title}</h3><span>{said}</span></summary>"
            f'<div class="body">{network_svg(network, standalone=False)}</div></details>'
        )
    return "".join(parts)


def _setup(comparison: Comparison) -> str:
    setup, origin = comparison.setup, comparison.provenance
    parts = ["<h2>What was run</h2>"]
    parts.append(f"<p>{escape(str(setup.get('splits', '')).capitalize())}. ")
    parts.append(escape(_DISCRETISED.get(str(setup.get("discretize")), "")))
    if setup.get("complete_rows_only"):
        parts.append(" Rows with missing values were left out before splitting.")
    parts.append("</p>")
    learners = [
        f'<tr>{_cell(escape(label))}<td class="text"><code>{escape(str(key))}</code></td></tr>'
        for label, key in dict(setup.get("learners", {})).items()
    ]
    parts.append(_table(["learner", "class and parameters"], learners, sortable=False))
    parts.append(_table(_DATA_HEADER, [_data_line(data) for data in comparison.datasets]))
    facts = [
        ("date", origin.get("date")),
        ("Python", origin.get("python")),
        ("machine", origin.get("platform")),
    ]
    facts += list(dict(origin.get("versions", {})).items())
    facts += [("seed", setup.get("random_state")), ("code", origin.get("code"))]
    lines = [f"<tr>{_cell(escape(str(n)))}{_cell(escape(str(v)))}</tr>" for n, v in facts if v is not None]
    parts.append(_table(["what", "which"], lines, sortable=False))
    return "".join(parts)


_DATA_HEADER = ("data set", "rows", "attributes", "numeric", "classes", "SHA-256", "origin")


def _data_line(data: dict[str, Any]) -> str:
    notes = "; ".join([str(data.get("origin", "")), *map(str, data.get("notes", []))])
    checksum = str(data["checksum"])
    return (
        f"<tr>{_cell(escape(str(data['name'])))}{_cell(str(data['rows']), data['rows'])}"
        f"{_cell(str(data['attributes']), data['attributes'])}"
        f"{_cell(str(data['numeric_attributes']), data['numeric_attributes'])}"
        f"{_cell(str(len(data['classes'])), len(data['classes']))}"
        f'<td><code title="{escape(checksum)}">{escape(checksum[:12])}…</code></td>'
        f'<td class="text">{escape(notes)}</td></tr>'
    )
