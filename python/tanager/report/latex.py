"""A comparison as a LaTeX table (booktabs)."""

from __future__ import annotations

from tanager.escape import printable
from tanager.evaluation.comparison import Comparison
from tanager.report.format import heading, rows

__all__ = ["latex"]

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def escaped(text: str) -> str:
    r"""Text that LaTeX prints as it stands.

    >>> escaped("50 % of a_b")
    '50 \\% of a\\_b'
    """
    return "".join(_SPECIAL.get(letter, letter) for letter in printable(text))


def latex(comparison: Comparison, metric: str = "accuracy") -> str:
    """The metric's table with the best values of each row in bold, and average ranks below."""
    learners = comparison.learners
    lines = [
        r"% needs \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escaped(heading(metric))}, {escaped(str(comparison.setup.get('splits', '')))}.}}",
        rf"\begin{{tabular}}{{l{'r' * len(learners)}}}",
        r"\toprule",
        "Data set & " + " & ".join(escaped(name) for name in learners) + r" \\",
        r"\midrule",
    ]
    for row in rows(comparison, metric):
        cells = []
        for index, (text, best) in enumerate(zip(row.texts, row.best, strict=True)):
            value = rf"\textbf{{{escaped(text)}}}" if best else escaped(text)
            if row.spreads is not None and metric == "accuracy":
                value += rf" $\pm$ {100 * row.spreads[index]:.1f}"
            cells.append(value)
        lines.append(f"{escaped(row.dataset)} & " + " & ".join(cells) + r" \\")
    if len(learners) > 1 and len(comparison.datasets) > 1 and comparison.n_ranked(metric):
        ranks = comparison.ranks_by(metric)
        lines.append(r"\midrule")
        lines.append("Average rank & " + " & ".join(f"{ranks[name]:.2f}" for name in learners) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}", r"\end{table}"]
    return "\n".join(lines) + "\n"
