"""Comparisons and networks as something to read: terminal, Markdown, LaTeX, CSV, HTML and plots."""

from tanager.evaluation.comparison import give_reports
from tanager.report import plots
from tanager.report.delimited import delimited, predictions
from tanager.report.html import html, notebook
from tanager.report.latex import latex
from tanager.report.markdown import markdown
from tanager.report.terminal import plain

give_reports(
    markdown=markdown,
    latex=latex,
    csv=delimited,
    predictions=predictions,
    html=html,
    notebook=notebook,
    text=plain,
    critical_difference=plots.critical_difference,
    scatter=plots.scatter,
    accuracy_time=plots.accuracy_time,
    confusion=plots.confusion,
    roc=plots.roc,
    reliability=plots.reliability,
)
