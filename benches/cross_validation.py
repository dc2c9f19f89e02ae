"""Times 5-fold cross-validation by subtraction of counts beside one fit and one prediction of all rows.

    python benches/cross_validation.py             # all data
    python benches/cross_validation.py --quick     # small versions of the data: does everything work?
    python benches/cross_validation.py --json

The ratio to reach is at most 1.5. Times are the best of several runs in turns, so that both see the same
moments of a busy machine, encoding included on both sides; results are first checked to be equal to those
of refitting.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Callable

import numpy as np

from data import SHAPES, Table, generate
from tanager.data import Frame
from tanager.data.columns import Factor
from tanager.estimators import CLASSIFIERS
from tanager.evaluation.learner import Learner
from tanager.evaluation.splits import Plan, Split, plan_splits
from tanager.evaluation.task import Task, make_task

FOLDS = 5
LEARNERS = ("nb", "tan", "stan", "ffss")
QUICK = {"chess": (800, None), "letter": (2_000, None), "tall": (30_000, 12)}


def as_task(table: Table) -> Task:
    """The encoded table as a task for `compare`."""
    columns = {
        f"x{i}": Factor(table.codes[:, i].astype(np.int16), [str(k) for k in range(arity)], declared=True)
        for i, arity in enumerate(table.arities)
    }
    return make_task(table.name, Frame(columns), table.classes, "generated")


def check(learner: Learner, task: Task, splits: list[Split]) -> None:
    """Folds by subtraction equal refitted folds, number by number."""
    together = learner.cross_validate(task, splits)
    if together is None:
        sys.exit(f"cross_validation: {learner.label} on {task.name} is not cross-validated by counting")
    refitted = learner.fit_predict(task, splits[0].train, splits[0].test)
    if not np.array_equal(together[0].probabilities, refitted.probabilities):
        sys.exit(f"cross_validation: {learner.label} on {task.name}: subtraction differs from refitting")


def best_times(*runs: Callable[[], object], seconds: float) -> list[float]:
    """The fastest of each in turns that take `seconds` together, and three turns at least."""
    best = [math.inf] * len(runs)
    turns, begin = 0, time.perf_counter()
    while turns < 3 or time.perf_counter() - begin < seconds:
        for index, run in enumerate(runs):
            start = time.perf_counter()
            run()
            best[index] = min(best[index], time.perf_counter() - start)
        turns += 1
    return best


def measure(learner: Learner, task: Task, seconds: float) -> dict[str, float | str]:
    """The best times of both, and their ratio."""
    splits = plan_splits(Plan(cv=FOLDS, repeats=1), task.y)
    check(learner, task, splits)

    def once() -> None:
        learner.build(task).fit(task.X, task.y).predict_proba(task.X)

    alone, folds = best_times(once, lambda: learner.cross_validate(task, splits), seconds=seconds)
    return {
        "data": task.name,
        "learner": learner.label,
        "fit_and_predict": alone,
        "cross_validate": folds,
        "ratio": folds / alone,
    }


def main(arguments: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only", action="append", choices=tuple(QUICK), metavar="DATA", help="only this table"
    )
    parser.add_argument("--quick", action="store_true", help="small versions of the tables, short runs")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args(arguments)
    found = []
    for name in options.only or QUICK:
        task = as_task(generate(name, *(QUICK[name] if options.quick else ())))
        for learner in LEARNERS:
            if learner in CLASSIFIERS:
                estimator = CLASSIFIERS[learner]()
                found.append(measure(Learner(learner, estimator), task, 0.05 if options.quick else 3.0))
    if options.json:
        print(json.dumps(found, indent=1))
        return 0
    print(f"{'data':<8}{'learner':<9}{'fit + predict':>14}{f'{FOLDS}-fold CV':>14}{'ratio':>8}")
    for line in found:
        times = (
            f"{1e3 * float(line['fit_and_predict']):>11.2f} ms{1e3 * float(line['cross_validate']):>11.2f} ms"
        )
        print(f"{line['data']:<8}{line['learner']:<9}{times}{float(line['ratio']):>8.2f}")
    sizes = "; ".join(f"{name}: {SHAPES[name]}" for name in QUICK)
    print(f"({sizes})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
