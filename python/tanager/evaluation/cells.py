"""The cells of a comparison: one learner on one data set in one fold, computed once and kept."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np

from tanager import _core
from tanager.evaluation.cache import CellCache, software
from tanager.evaluation.diagnostics import diagnose
from tanager.evaluation.learner import Learner, Prediction
from tanager.evaluation.metrics import METRICS, confusion, evaluate
from tanager.evaluation.progress import Progress
from tanager.evaluation.splits import Split
from tanager.evaluation.task import Task
from tanager.exceptions import DataError, TanagerError

__all__ = ["Failure", "Runner", "Unit", "positive_code"]

_PROBABILISTIC = ("log_loss", "brier", "cll", "auc")


@dataclass(frozen=True)
class Unit:
    """One learner on one data set in one repeat: the least that is worth a worker's while."""

    task: Task
    learner: Learner
    splits: tuple[Split, ...]


@dataclass(frozen=True)
class Failure:
    """What went wrong, and where."""

    learner: str
    dataset: str
    repeat: int
    fold: int
    error: Exception

    def __str__(self) -> str:
        text = " ".join(str(self.error).split()) or type(self.error).__name__
        place = f"repeat {self.repeat + 1}, fold {self.fold + 1}"
        return f"learner {self.learner!r} failed on data set {self.dataset!r}, {place}: {text}"

    def raised(self) -> Exception:
        """An error of the same kind that names the place."""
        kind = type(self.error) if isinstance(self.error, TanagerError) else DataError
        return kind(str(self))


class Runner:
    """Runs units, perhaps several at once, and remembers which learner failed on which data set."""

    def __init__(
        self, store: CellCache, positive: str | None, predictions: bool, bar: Progress, stop: _core.Stop
    ) -> None:
        self.store, self.positive, self.predictions = store, positive, predictions
        self.bar, self.stop = bar, stop
        self.failures: dict[tuple[str, str], Failure] = {}
        self.from_cache = 0
        self._lock = threading.Lock()

    def run(self, unit: Unit) -> list[dict[str, Any]]:
        """The cells of one unit: from the cache where they are there, computed and kept otherwise.

        A learner that fails is not tried again on the same data set: its other cells say so.
        """
        store = self.store if unit.learner.is_cacheable else CellCache(None)
        keys = [self._key(unit, split) for split in unit.splits]
        kept = [store.read(key) for key in keys]
        together: list[Prediction] | None = None
        cells = []
        self.bar.begin(f"{unit.learner.label} on {unit.task.name}")
        for index, (split, key, cell) in enumerate(zip(unit.splits, keys, kept, strict=True)):
            if cell is not None:
                with self._lock:
                    self.from_cache += 1
            failure = self.failures.get((unit.task.name, unit.learner.label))
            if cell is None and failure is None:
                self.stop.check()
                try:
                    if index == kept.index(None):
                        together = unit.learner.cross_validate(unit.task, unit.splits)
                    if together is not None:
                        made = together[index]
                    else:
                        made = unit.learner.fit_predict(unit.task, split.train, split.test)
                    cell = self._measured(unit.task, split, made)
                    cell["by_counting"] = together is not None
                    store.write(key, cell)
                except Exception as error:
                    self.stop.check()  # an interruption is not a failure
                    failure = self._remember(unit, split, error)
            if cell is None:
                cell = _failed(split, str(failure))
            names = {"dataset": unit.task.name, "learner": unit.learner.label}
            place = {"repeat": split.repeat, "fold": split.fold}
            cells.append({**names, **place, **cell})
            self.bar.advance()
        return cells

    def _remember(self, unit: Unit, split: Split, error: Exception) -> Failure:
        failure = Failure(unit.learner.label, unit.task.name, split.repeat, split.fold, error)
        with self._lock:
            return self.failures.setdefault((unit.task.name, unit.learner.label), failure)

    def _key(self, unit: Unit, split: Split) -> dict[str, Any]:
        return {
            "data": unit.task.checksum,
            "numeric": "".join("01"[flag] for flag in unit.task.numeric),
            "learner": unit.learner.key,
            "split": split.checksum,
            "positive": self.positive,
            "predictions": self.predictions,
            **software(),
        }

    def _measured(self, task: Task, split: Split, made: Prediction) -> dict[str, Any]:
        y, positive = task.y[split.test], positive_code(task, self.positive)
        metrics: dict[str, float | None] = {
            name: value if np.isfinite(value) else None
            for name, value in evaluate(y, made.probabilities, positive).items()
        }
        if not made.probabilistic:
            metrics.update(dict.fromkeys(_PROBABILISTIC))
        predicted = made.probabilities.argmax(axis=1)
        cell: dict[str, Any] = {
            "n_train": int(split.train.size),
            "n_test": int(split.test.size),
            "correct": int((predicted == y).sum()),
            "metrics": metrics,
            "confusion": confusion(y, predicted, len(task.classes)).tolist(),
            "fit_seconds": made.fit_seconds,
            "predict_seconds": made.predict_seconds,
            "diagnostics": diagnose(y, made.probabilities, made.probabilistic, positive),
        }
        if self.predictions:
            cell["predictions"] = {
                "rows": split.test.tolist(),
                "true": [task.classes[code] for code in y],
                "predicted": [task.classes[code] for code in predicted],
                "probabilities": made.probabilities.tolist() if made.probabilistic else None,
            }
        return cell


def _failed(split: Split, error: str) -> dict[str, Any]:
    """A cell without a result."""
    return {
        "n_train": int(split.train.size),
        "n_test": int(split.test.size),
        "correct": 0,
        "metrics": dict.fromkeys(METRICS),
        "fit_seconds": None,
        "predict_seconds": None,
        "by_counting": False,
        "error": error,
    }


def positive_code(task: Task, positive: str | None) -> int | None:
    """The code of the positive class of two, where one is named."""
    if positive is None or len(task.classes) != 2:
        return None
    if positive not in task.classes:
        raise DataError(
            f"data set {task.name!r} has no class {positive!r}; it has: {', '.join(task.classes)}"
        )
    return task.classes.index(positive)
