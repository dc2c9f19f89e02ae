"""`compare`: learners × data sets × splits, each cell computed once and kept."""

from __future__ import annotations

import warnings
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, Literal

from joblib import Parallel, delayed

from tanager import _core
from tanager.data import Table
from tanager.data.warned import nearly_unique
from tanager.evaluation.cache import CellCache, software
from tanager.evaluation.cells import Runner, Unit, positive_code
from tanager.evaluation.comparison import Comparison
from tanager.evaluation.diagnostics import pooled
from tanager.evaluation.learner import Learner, as_learner
from tanager.evaluation.networks import learned_network
from tanager.evaluation.progress import progress_bar
from tanager.evaluation.provenance import provenance
from tanager.evaluation.splits import Plan, plan_splits
from tanager.evaluation.task import Task, as_task, complete_cases, discretized
from tanager.exceptions import DataError, DataWarning
from tanager.settings import is_whole

__all__ = ["compare"]

Discretize = Literal["fold", "before", "none"]
Cells = dict[tuple[str, str, int, int], dict[str, Any]]


def compare(
    learners: Any,
    datasets: Any,
    cv: Any = 5,
    repeats: int = 5,
    random_state: int = 0,
    discretize: Discretize = "fold",
    n_jobs: int | None = None,
    progress: bool = True,
    *,
    complete: bool = False,
    predictions: bool = False,
    networks: bool = False,
    positive: str | None = None,
    target: str = "class",
    cache: str | Path | None = None,
) -> Comparison:
    """Compare learners on data sets with honest statistics.

    Parameters:
        learners: names such as ``"tan"`` or ``"bckg:k=2,score=mdl"``, scikit-learn classifiers, or a
            mapping of labels to either.
        datasets: names of bundled data, paths, tables, frames with the class among their columns, ``(X, y)``
            pairs, or a mapping of names to these. Row weights of a file or table are used in training; every
            tested row counts once.
        cv: number of stratified folds, a test share below 1 for hold-out, a splitter of scikit-learn, or
            pairs of training and test rows.
        repeats: how often the rows are split anew; a splitter or pairs say that themselves.
        random_state: seed of the splits.
        discretize: "fold" cuts numbers within each training part; "before" cuts them once on all rows,
            as many papers do, which lets the test rows help; "none" leaves numbers as they are.
        n_jobs: threads over learner × data set × repeat. Times are only comparable with one.
        progress: show a bar with the time left, on a terminal.
        complete: leave out rows with missing values before splitting.
        predictions: keep every out-of-fold prediction.
        networks: also learn each network from all rows, for the report.
        positive: label of the positive class of two-class data, for its F1; by default the last in order.
        target: name of the class column of files and frames; where there is no column "class", the last one.
        cache: folder of finished cells. A run that was killed continues from it. Learners that are neither
            tanager's nor scikit-learn's, or that hold a function, always run: their code may have changed.

    A learner that fails on a data set has no results there: a warning, and the reports, name it with the fold
    and the error. Where all fail, the first error is raised.

    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from sklearn.dummy import DummyClassifier
    >>> X = np.array([["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]] * 10)
    >>> result = compare(
    ...     {"tree": DecisionTreeClassifier(), "guess": DummyClassifier()}, {"toy": (X, X[:, 0])}, repeats=1
    ... )
    >>> result.accuracy["toy"]
    {'tree': 1.0, 'guess': 0.5}
    """
    if discretize not in ("fold", "before", "none"):
        raise DataError(f"discretize is 'fold', 'before' or 'none', not {discretize!r}")
    if n_jobs is not None and (not is_whole(n_jobs) or n_jobs == 0):
        raise DataError(f"n_jobs is a number of threads from 1 on, or −1 for all processors, not {n_jobs!r}")
    plan = Plan.checked(cv, repeats, random_state)
    chosen = _distinct([as_learner(learner, label) for label, learner in _labelled(learners)], "learner")
    if isinstance(datasets, tuple) and not all(isinstance(data, str | Path | Table) for data in datasets):
        datasets = [datasets]  # a pair (X, y)
    tasks = [
        _prepared(as_task(data, name, target), complete, discretize) for name, data in _labelled(datasets)
    ]
    _distinct(tasks, "data set")
    _check_positive(tasks, positive)
    for task in tasks:
        for learner in chosen:
            learner.weights(task)  # refuses those that cannot take a task's weights before anything is run
    units = [
        Unit(task, learner, splits)
        for task in tasks
        for _, of_repeat in groupby(plan_splits(plan, task.y), key=attrgetter("repeat"))
        for splits in [tuple(of_repeat)]
        for learner in chosen
    ]
    for task in tasks:
        _warn_of_unique(task)
    store = CellCache(None if cache is None else Path(cache))
    total = sum(len(unit.splits) for unit in units)
    cells: Cells = {}
    run = Parallel(n_jobs=n_jobs or 1, prefer="threads", return_as="generator_unordered")
    with progress_bar(total, progress) as bar, warnings.catch_warnings():
        # a search within a training part meets rare classes again and again; the splits have coped with them
        warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
        warnings.filterwarnings("ignore", category=DataWarning)  # said above, once and not in every fold
        # an interruption reaches this thread only, and the others would go on
        stop = _core.Stop()
        runner = Runner(store, positive, predictions, bar, stop)
        jobs = (delayed(stop.call)(runner.run, unit) for unit in units)
        try:
            for done in run(jobs):
                for cell in done:
                    cells[cell["dataset"], cell["learner"], cell["repeat"], cell["fold"]] = cell
        except BaseException:
            stop.stop()
            raise
        failures = runner.failures
        if len(failures) == len(tasks) * len(chosen):
            first = next(iter(failures.values()))
            raise first.raised() from first.error
        drawn = _networks(tasks, chosen, store, failures) if networks else []
    for failure in failures.values():
        warnings.warn(f"{failure}; the rest goes on", DataWarning, stacklevel=2)
    order = [
        (unit.task.name, unit.learner.label, split.repeat, split.fold)
        for unit in units
        for split in unit.splits
    ]
    diagnostics = [
        {"dataset": task.name, "learner": learner.label, **_pooled(cells, task, learner)}
        for task in tasks
        for learner in chosen
        if (task.name, learner.label) not in failures
    ]
    return Comparison(
        learners=[learner.label for learner in chosen],
        datasets=[_described(task, positive) for task in tasks],
        cells=[cells[place] for place in order],
        setup={
            "splits": plan.description,
            "cv": plan.cv if isinstance(plan.cv, int | float) else "given",
            "repeats": plan.repeats,
            "random_state": plan.random_state,
            "discretize": discretize,
            "complete_rows_only": complete,
            "cells_from_cache": runner.from_cache,
            "learners": {learner.label: learner.key for learner in chosen},
        },
        provenance=provenance(),
        networks=drawn,
        diagnostics=diagnostics,
    )


def _pooled(cells: Cells, task: Task, learner: Learner) -> dict[str, Any]:
    """The counts of all folds and repeats; each cell's own are then not needed."""
    mine = [cell for place, cell in sorted(cells.items()) if place[:2] == (task.name, learner.label)]
    return pooled(cell.pop("diagnostics") for cell in mine)


def _labelled(items: Any) -> Iterator[tuple[str | None, Any]]:
    """Pairs of label (or None) and item, from one item, a sequence or a mapping."""
    if isinstance(items, Mapping):
        yield from items.items()
    elif isinstance(items, str | Path) or not isinstance(items, Sequence):
        yield None, items
    else:
        yield from ((None, item) for item in items)


def _distinct(items: list[Any], kind: str) -> list[Any]:
    if not items:
        raise DataError(f"comparing needs at least one {kind}")
    names = [item.label if isinstance(item, Learner) else item.name for item in items]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DataError(f"{kind} {twice[0]!r} is given twice; give a mapping of labels to tell them apart")
    return items


def _prepared(task: Task, complete: bool, discretize: Discretize) -> Task:
    if complete:
        task = complete_cases(task)
    return discretized(task) if discretize == "before" else task


def _warn_of_unique(task: Task) -> None:
    for name in task.X.columns:
        said = nearly_unique(task.X.raw(name), f"{task.name}: column {name!r}")
        if said:
            warnings.warn(said, DataWarning, stacklevel=3)


def _check_positive(tasks: list[Task], positive: str | None) -> None:
    """Refuses a positive class that no data set can use, before anything is run."""
    if positive is not None and all(len(task.classes) != 2 for task in tasks):
        raise DataError(f"positive={positive!r} is for data of two classes, and no data set has two")
    for task in tasks:
        positive_code(task, positive)


def _described(task: Task, positive: str | None) -> dict[str, Any]:
    two = len(task.classes) == 2
    code = positive_code(task, positive)
    return {
        "name": task.name,
        "target": task.target_name,
        "rows": task.n_rows,
        "attributes": len(task.feature_names),
        "numeric_attributes": sum(task.numeric),
        "classes": list(task.classes),
        "positive_class": task.classes[1 if code is None else code] if two else None,
        "weighted": task.weights is not None,
        "checksum": task.checksum,
        "origin": task.origin,
        "notes": list(task.notes),
    }


def _networks(
    tasks: list[Task], learners: list[Learner], store: CellCache, failures: Container[tuple[str, str]]
) -> list[dict[str, Any]]:
    found = []
    for task in tasks:
        for learner in learners:
            if (task.name, learner.label) in failures:
                continue
            key = {
                "network": task.checksum,
                "numeric": "".join("01"[flag] for flag in task.numeric),
                "learner": learner.key,
                **software(),
            }
            network = store.read(key) if learner.is_cacheable else None
            if network is None:
                network = learned_network(learner, task)
                if learner.is_cacheable:
                    store.write(key, network)
            if network:
                found.append({"dataset": task.name, "learner": learner.label, **network})
    return found
