"""Consistent k-graphs: accuracies of NB, TAN and C2G on fourteen data sets."""

from __future__ import annotations

from typing import Any

import numpy as np

from tanager.data import Table
from tanager.evaluation.compare import compare
from tanager.evaluation.comparison import Comparison
from tanager.evaluation.reproduce._options import Options, available
from tanager.evaluation.reproduce._published import CKG_ACCURACY, CKG_ROWS
from tanager.evaluation.reproduction import Figure, ReproducedTable, Reproduction, difference_interval
from tanager.evaluation.splits import Plan, plan_splits
from tanager.evaluation.task import as_task, complete_cases

__all__ = ["reproduce"]

_LEARNERS = ("nb", "tan", "c2g")
_LARGE = ("letter", "satimage", "chess", "segment")  # learned with LL in the paper, the others with MDL
_EXCHANGED = {"segment": "glass", "glass": "segment"}


def reproduce(options: Options) -> Reproduction:
    """Table 1: the paper's hold-outs (drawn anew) and 5-fold cross-validation; quick mode draws once."""
    tables, missing = available(list(CKG_ACCURACY), options)
    draws = 1 if options.quick else 5
    figures: list[Figure] = []
    exchanged: list[Figure] = []
    for name, table in tables.items():
        result = _run(name, table, draws, options)
        figures += _figures(name, name, result)
        if name in _EXCHANGED:
            exchanged += _figures(name, _EXCHANGED[name], result)
    shown = [ReproducedTable("Table 1: accuracy", tuple(figures), decimals=2)]
    if exchanged:
        title = "Table 1: accuracy, the paper's rows of segment and glass exchanged"
        shown.append(ReproducedTable(title, tuple(exchanged), decimals=2))
    return Reproduction(
        paper="ckg",
        citation="Carvalho and Oliveira, Learning Bayesian networks consistent with the optimal branching",
        method=(
            "Rows with missing values left out, numbers discretised by MDL before splitting, Dirichlet"
            " smoothing with 5 pseudo-rows for TAN and C2G. Score LL on letter, satimage, chess and segment,"
            f" MDL elsewhere. Hold-outs of the paper's sizes, stratified and drawn {draws}"
            f" time{'s' * (draws > 1)}, else 5-fold cross-validation. The interval is that of the difference"
            " of two accuracies."
        ),
        tables=tuple(shown),
        notes=_NOTES,
        missing=tuple(missing),
    )


_NOTES = (
    "The splits were never published; the paper's hold-outs are drawn anew.",
    (
        "The paper calls its intervals 95 %: those of the hold-out rows are, those of the CV-5 rows are one"
        " standard error, ±1·√(p(1−p)/N), where 95 % would be ±1.96. The intervals here are 95 % throughout."
    ),
    (
        "The paper's rows of segment and glass look exchanged: everywhere else glass is near 70 % and segment"
        " near 91 %. The second table exchanges them."
    ),
)


def _learners(name: str) -> dict[str, str]:
    score = "ll" if name in _LARGE else "mdl"
    return {"nb": "nb", "tan": f"tan:score={score}", "c2g": f"ckg:k=2,score={score}"}


def _run(name: str, table: Table, draws: int, options: Options) -> Comparison:
    task = complete_cases(as_task(table, name))
    if name in CKG_ROWS:
        test = CKG_ROWS[name][1]
        plan = Plan(cv=test / task.n_rows, repeats=draws, random_state=options.random_state)
    else:
        plan = Plan(cv=5, repeats=draws, random_state=options.random_state)
    splits: Any = [(split.train, split.test) for split in plan_splits(plan, task.y)]
    if name == "satimage":  # the one split that is known: the repository's own
        splits = [(np.arange(4435), np.arange(4435, 6435))]
    return compare(
        _learners(name),
        {name: task},
        cv=splits,
        discretize="before",
        n_jobs=options.n_jobs,
        progress=options.progress,
        cache=options.cache,
    )


def _figures(name: str, row: str, result: Comparison) -> list[Figure]:
    """Our accuracies on a data set beside the paper's row of that name, or of another."""
    tested = float(CKG_ROWS.get(name, (0, int(result.datasets[0]["rows"])))[1])
    found = []
    for index, learner in enumerate(_LEARNERS):
        paper, ours = CKG_ACCURACY[row][index], 100.0 * result.accuracy[name][learner]
        reach = 100.0 * difference_interval(paper / 100.0, ours / 100.0, tested, tested)
        note = "" if row == name else f"the paper's row of {row}"
        found.append(Figure(name, learner, paper, ours, reach, note))
    return found
