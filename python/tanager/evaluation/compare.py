"""`compare`: learners × data sets × splits, each cell computed once and kept."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from joblib import Parallel, delayed

from tanager import _core
from tanager.data import Table
from tanager.evaluation.cache import CellCache, software
from tanager.evaluation.comparison import Comparison
from tanager.evaluation.learner import Learner, Prediction, as_learner
from tanager.evaluation.metrics import evaluate
from tanager.evaluation.networks import learned_network
from tanager.evaluation.progress import progress_bar
from tanager.evaluation.provenance import provenance
from tanager.evaluation.splits import Plan, Split, plan_splits
from tanager.evaluation.task import Task, as_task, complete_cases, discretized
from tanager.exceptions import DataError

__all__ = ["compare"]

Discretize = Literal["fold", "before", "none"]
_PROBABILISTIC = ("log_loss", "brier", "cll", "auc")


@dataclass(frozen=True)
class _Unit:
    """One learner on one data set in one repeat: the least that is worth a worker's while."""

    task: Task
    learner: Learner
    splits: tuple[Split, ...]


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
        datasets: names of bundled data, paths, tables, ``(X, y)`` pairs, or a mapping of names to these. Row
            weights of a file or table are used in training; every tested row counts once.
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
        target: name of the class column of files; where there is no column "class", the last one.
        cache: folder of finished cells. A run that was killed continues from it. Learners that are neither
            tanager's nor scikit-learn's, or that hold a function, always run: their code may have changed.

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
        _Unit(task, learner, splits)
        for task in tasks
        for splits in _by_repeat(plan_splits(plan, task.y))
        for learner in chosen
    ]
    store = CellCache(None if cache is None else Path(cache))
    total = sum(len(unit.splits) for unit in units)
    cells: dict[tuple[str, str, int, int], dict[str, Any]] = {}
    run = Parallel(n_jobs=n_jobs or 1, prefer="threads", return_as="generator_unordered")
    with progress_bar(total, progress) as bar, warnings.catch_warnings():
        # a search within a training part meets rare classes again and again; the splits have coped with them
        warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
        # an interruption reaches this thread only, and the others would go on
        stop = _core.Stop()
        jobs = (delayed(stop.call)(_run_unit, unit, store, positive, predictions, stop) for unit in units)
        try:
            for done in run(jobs):
                for cell in done:
                    cells[cell["dataset"], cell["learner"], cell["repeat"], cell["fold"]] = cell
                bar.advance(len(done), f"{done[-1]['learner']} on {done[-1]['dataset']}")
        except BaseException:
            stop.stop()
            raise
        drawn = _networks(tasks, chosen, store) if networks else []
    order = [
        (unit.task.name, unit.learner.label, split.repeat, split.fold)
        for unit in units
        for split in unit.splits
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
            "learners": {learner.label: learner.key for learner in chosen},
        },
        provenance=provenance(),
        networks=drawn,
    )


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


def _by_repeat(splits: list[Split]) -> list[tuple[Split, ...]]:
    repeats = sorted({split.repeat for split in splits})
    return [tuple(split for split in splits if split.repeat == repeat) for repeat in repeats]


def _key(unit: _Unit, split: Split, positive: str | None, predictions: bool) -> dict[str, Any]:
    return {
        "data": unit.task.checksum,
        "numeric": "".join("01"[flag] for flag in unit.task.numeric),
        "learner": unit.learner.key,
        "split": split.checksum,
        "positive": positive,
        "predictions": predictions,
        **software(),
    }


def _run_unit(
    unit: _Unit, store: CellCache, positive: str | None, predictions: bool, stop: _core.Stop
) -> list[dict[str, Any]]:
    """The finished cells of one unit: from the cache where they are there, computed and kept otherwise."""
    store = store if unit.learner.is_cacheable else CellCache(None)
    keys = [_key(unit, split, positive, predictions) for split in unit.splits]
    kept = [store.read(key) for key in keys]
    together = unit.learner.cross_validate(unit.task, unit.splits) if None in kept else None
    cells = []
    for index, (split, key, cell) in enumerate(zip(unit.splits, keys, kept, strict=True)):
        if cell is None:
            stop.check()
            if together is not None:
                made = together[index]
            else:
                made = unit.learner.fit_predict(unit.task, split.train, split.test)
            cell = _measured(unit.task, split, made, positive, predictions)
            cell["by_counting"] = together is not None
            store.write(key, cell)
        names = {"dataset": unit.task.name, "learner": unit.learner.label}
        cells.append({**names, "repeat": split.repeat, "fold": split.fold, **cell})
    return cells


def _measured(
    task: Task, split: Split, made: Prediction, positive: str | None, predictions: bool
) -> dict[str, Any]:
    y = task.y[split.test]
    metrics: dict[str, float | None] = {
        name: value if np.isfinite(value) else None
        for name, value in evaluate(y, made.probabilities, _positive_code(task, positive)).items()
    }
    if not made.probabilistic:
        metrics.update(dict.fromkeys(_PROBABILISTIC))
    predicted = made.probabilities.argmax(axis=1)
    cell: dict[str, Any] = {
        "n_train": int(split.train.size),
        "n_test": int(split.test.size),
        "correct": int((predicted == y).sum()),
        "metrics": metrics,
        "fit_seconds": made.fit_seconds,
        "predict_seconds": made.predict_seconds,
    }
    if predictions:
        cell["predictions"] = {
            "rows": split.test.tolist(),
            "true": [task.classes[code] for code in y],
            "predicted": [task.classes[code] for code in predicted],
            "probabilities": made.probabilities.tolist() if made.probabilistic else None,
        }
    return cell


def _check_positive(tasks: list[Task], positive: str | None) -> None:
    """Refuses a positive class that no data set can use, before anything is run."""
    if positive is not None and all(len(task.classes) != 2 for task in tasks):
        raise DataError(f"positive={positive!r} is for data of two classes, and no data set has two")
    for task in tasks:
        _positive_code(task, positive)


def _positive_code(task: Task, positive: str | None) -> int | None:
    if positive is None or len(task.classes) != 2:
        return None
    if positive not in task.classes:
        raise DataError(
            f"data set {task.name!r} has no class {positive!r}; it has: {', '.join(task.classes)}"
        )
    return task.classes.index(positive)


def _described(task: Task, positive: str | None) -> dict[str, Any]:
    two = len(task.classes) == 2
    code = _positive_code(task, positive)
    return {
        "name": task.name,
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


def _networks(tasks: list[Task], learners: list[Learner], store: CellCache) -> list[dict[str, Any]]:
    found = []
    for task in tasks:
        for learner in learners:
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
