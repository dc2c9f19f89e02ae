"""A comparison as Markdown."""

from __future__ import annotations

from tanager.escape import markdown_text
from tanager.evaluation.comparison import Comparison
from tanager.evaluation.metrics import METRICS
from tanager.report.format import heading, p_value, rows, sentences
from tanager.text_table import markdown_table

__all__ = ["markdown"]


def markdown(comparison: Comparison, metric: str = "accuracy") -> str:
    """Table, average ranks, tests and setup; the best values of a row are bold."""
    learners = comparison.learners
    lines = [f"**{heading(metric)}**, {markdown_text(comparison.setup.get('splits', ''))}", ""]
    table = [
        [
            markdown_text(row.dataset),
            *(f"**{t}**" if best else t for t, best in zip(row.texts, row.best, strict=True)),
        ]
        for row in rows(comparison, metric)
    ]
    if len(learners) > 1 and len(comparison.datasets) > 1 and comparison.n_ranked(metric):
        table.append(["*average rank*", *(f"{rank:.2f}" for rank in comparison.ranks_by(metric).values())])
    lines += markdown_table(["data set", *map(markdown_text, learners)], table)
    lines += ["", *(f"{markdown_text(sentence)}\n" for sentence in sentences(comparison, metric))]
    if metric in METRICS and len(learners) > 1 and comparison.n_ranked(metric) > 4:
        tests = [
            [
                f"{markdown_text(test.first)} : {markdown_text(test.second)}",
                str(comparison.win_draw_loss(test.first, test.second, metric)),
                p_value(test.p_value),
                p_value(test.p_holm),
            ]
            for test in comparison.pairwise(metric)
        ]
        lines += [*markdown_table(["pair", "wins/draws/losses", "Wilcoxon p", "Holm p"], tests), ""]
    lines.append(_setup(comparison))
    return "\n".join(lines).rstrip() + "\n"


def _setup(comparison: Comparison) -> str:
    how = {
        "fold": "numbers discretised within each training part",
        "before": "numbers discretised on all rows before splitting, as many papers do",
        "none": "numbers not discretised",
    }
    parts = [
        markdown_text(comparison.setup.get("splits", "")),
        how.get(str(comparison.setup.get("discretize")), ""),
    ]
    if comparison.setup.get("complete_rows_only"):
        parts.append("rows with missing values left out")
    return f"*Setup: {'; '.join(part for part in parts if part)}.*"
