"""A comparison as Markdown."""

from __future__ import annotations

from tanager.evaluation.comparison import Comparison
from tanager.evaluation.metrics import METRICS
from tanager.report.format import heading, p_value, rows, sentences

__all__ = ["markdown"]


def markdown(comparison: Comparison, metric: str = "accuracy") -> str:
    """Table, average ranks, tests and setup; the best values of a row are bold."""
    learners = comparison.learners
    lines = [f"**{heading(metric)}**, {comparison.setup.get('splits', '')}", ""]
    lines.append("| data set | " + " | ".join(_escaped(name) for name in learners) + " |")
    lines.append("|:--|" + "--:|" * len(learners))
    for row in rows(comparison, metric):
        cells = [f"**{text}**" if best else text for text, best in zip(row.texts, row.best, strict=True)]
        lines.append(f"| {_escaped(row.dataset)} | " + " | ".join(cells) + " |")
    if metric == "accuracy" and len(learners) > 1 and len(comparison.datasets) > 1:
        ranks = comparison.ranks
        lines.append("| *average rank* | " + " | ".join(f"{ranks[name]:.2f}" for name in learners) + " |")
    lines += ["", *(f"{sentence}\n" for sentence in sentences(comparison, metric))]
    if metric in METRICS and len(learners) > 1 and len(comparison.datasets) > 4:
        lines += ["| pair | wins/draws/losses | Wilcoxon p | Holm p |", "|:--|--:|--:|--:|"]
        for test in comparison.pairwise(metric):
            score = comparison.win_draw_loss(test.first, test.second, metric)
            pair = f"{_escaped(test.first)} : {_escaped(test.second)}"
            lines.append(f"| {pair} | {score} | {p_value(test.p_value)} | {p_value(test.p_holm)} |")
        lines.append("")
    lines.append(_setup(comparison))
    return "\n".join(lines).rstrip() + "\n"


def _setup(comparison: Comparison) -> str:
    how = {
        "fold": "numbers discretised within each training part",
        "before": "numbers discretised on all rows before splitting, as many papers do",
        "none": "numbers not discretised",
    }
    parts = [comparison.setup.get("splits", ""), how.get(str(comparison.setup.get("discretize")), "")]
    if comparison.setup.get("complete_rows_only"):
        parts.append("rows with missing values left out")
    return f"*Setup: {'; '.join(part for part in parts if part)}.*"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")
