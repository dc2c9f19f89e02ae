"""Threads at once, with or without a lock around the interpreter: each gets the bits that one alone gets."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from tanager import load_dataset
from tanager.data import TableEncoder
from tanager.estimators import CLASSIFIERS

THREADS = 6


def at_once(work: Callable[[int], Any]) -> list[Any]:
    """What each of some threads gets that begin at the same moment."""
    ready = threading.Barrier(THREADS)

    def begin(number: int) -> Any:
        ready.wait()
        return work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(begin, range(THREADS)))


@pytest.fixture(scope="module")
def votes() -> tuple[np.ndarray, np.ndarray]:
    table = load_dataset("vote")
    return np.column_stack([np.asarray(table.X[name]) for name in table.feature_names])[:200], table.y[:200]


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_fits_at_once_are_those_of_one(name, votes) -> None:
    X, y = votes
    X = X[:, :6]
    alone = CLASSIFIERS[name]().fit(X, y).predict_proba(X)
    for found in at_once(lambda number: CLASSIFIERS[name](n_jobs=1 + number % 2).fit(X, y).predict_proba(X)):
        assert_array_equal(found, alone)


def test_one_model_answers_all(votes) -> None:
    X, y = votes
    model = CLASSIFIERS["tan"]().fit(X, y)
    alone = [model.predict_proba(X[i : i + 40]) for i in range(0, 200, 40)]

    def ask(number: int) -> list[np.ndarray]:
        order = np.roll(np.arange(5), number)
        answers = {i: model.predict_proba(X[40 * i : 40 * i + 40]) for i in order.tolist()}
        return [answers[i] for i in range(5)]

    for found in at_once(ask):
        for ours, expected in zip(found, alone, strict=True):
            assert_array_equal(ours, expected)


def test_scores_in_python_are_called_from_all(votes) -> None:
    X, y = votes
    X = X[:, :6]

    def score(counts: np.ndarray) -> float:
        return float(np.log1p(counts).sum())

    alone = CLASSIFIERS["tan"](score=score).fit(X, y).network_.parents
    assert all(
        found == alone
        for found in at_once(lambda _: CLASSIFIERS["tan"](score=score, n_jobs=2).fit(X, y).network_.parents)
    )


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_thread_that_calls_a_score_is_the_same_to_python_each_time(jobs, votes) -> None:
    """What a score keeps for its thread is there at the next call: a new record costs more than a call."""
    X, y = votes
    kept = threading.local()
    begun: list[int] = []
    calls: list[int] = []

    def score(counts: np.ndarray) -> float:
        if not hasattr(kept, "here"):
            kept.here = True
            begun.append(1)
        calls.append(1)
        return float(counts.max())

    CLASSIFIERS["tan"](score=score, n_jobs=jobs).fit(X, y)
    assert len(calls) > 100
    assert 1 <= len(begun) <= jobs


def test_threads_that_end_leave_the_interpreter() -> None:
    """More fits at once than threads are kept for, again and again, then the interpreter ends."""
    code = """
import threading
import numpy as np
import tanager

X, y = np.random.default_rng(0).integers(0, 3, (60, 5)), np.arange(60) % 2
expected = tanager.TANClassifier(score=lambda counts: float(counts.max())).fit(X, y).predict_proba(X)
found = []


def learn(ready):
    ready.wait()
    model = tanager.TANClassifier(score=lambda counts: float(counts.max()), n_jobs=2)
    found.append(np.array_equal(model.fit(X, y).predict_proba(X), expected))


for _ in range(5):
    ready = threading.Barrier(20)
    threads = [threading.Thread(target=learn, args=(ready,)) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print(len(found), all(found))
"""
    assert run(code).split() == ["100", "True"]


def test_tables_are_encoded_at_once(votes) -> None:
    X, _ = votes
    alone = TableEncoder().fit_transform(X).columns
    for found in at_once(lambda number: TableEncoder(n_jobs=1 + number % 2).fit_transform(X).columns):
        assert all(np.array_equal(a, b) for a, b in zip(found, alone, strict=True))


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_names_that_are_first_asked_for_at_once_are_there() -> None:
    """Public names are imported when the first is asked for: by whichever thread comes first."""
    code = f"""
import threading, tanager
ready, found = threading.Barrier({THREADS}), []
def ask(name):
    ready.wait()
    found.append(getattr(tanager, name).__name__)
names = ["TANClassifier", "compare", "load_dataset", "BDeu", "Schema", "TANClassifier"]
threads = [threading.Thread(target=ask, args=[name]) for name in names]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(sorted(found) == sorted(names))
"""
    assert run(code) == "True"


@pytest.mark.skipif(
    not sysconfig.get_config_var("Py_GIL_DISABLED"),
    reason="this interpreter has a global lock: only one without can show that tanager does not ask for it",
)
def test_the_core_does_not_ask_for_the_global_lock() -> None:
    # an extension that does not declare that it can do without turns the lock on, with a warning
    assert run("import sys\nfrom tanager import _core\nprint(sys._is_gil_enabled())") == "False"
