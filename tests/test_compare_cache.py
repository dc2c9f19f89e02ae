"""What a comparison has computed is kept, checked and never computed twice."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from sklearn.tree import DecisionTreeClassifier

from compared import frame, trees, without_times
from tanager.evaluation.compare import compare
from tanager.evaluation.comparison import Comparison


def test_nothing_is_computed_twice_with_a_cache(tmp_path, monkeypatch):
    X, y = frame()
    first = compare(trees(), {"t": (X, y)}, repeats=2, cache=tmp_path, progress=False)
    monkeypatch.setattr(DecisionTreeClassifier, "fit", None)
    second = compare(trees(), {"t": (X, y)}, repeats=2, cache=tmp_path, progress=False)
    assert second.cells == first.cells


def test_the_cache_tells_other_parameters_data_and_splits_apart(tmp_path):
    X, y = frame()
    kept = compare({"t": DecisionTreeClassifier(max_depth=1)}, {"d": (X, y)}, cache=tmp_path, progress=False)
    for learner, table, cv, seed in [
        (DecisionTreeClassifier(max_depth=None), X, 5, 0),
        (DecisionTreeClassifier(max_depth=1), X.iloc[::-1].reset_index(drop=True), 5, 0),
        (DecisionTreeClassifier(max_depth=1), X, 5, 1),
        (DecisionTreeClassifier(max_depth=1), X, 3, 0),
    ]:
        fresh = compare({"t": learner}, {"d": (table, y)}, cv=cv, random_state=seed, progress=False)
        through = compare(
            {"t": learner}, {"d": (table, y)}, cv=cv, random_state=seed, cache=tmp_path, progress=False
        )
        assert without_times(through) == without_times(fresh)
    assert len(kept.cells) == 25


def test_a_damaged_cell_is_computed_again(tmp_path):
    X, y = frame()
    first = compare(trees(), {"t": (X, y)}, repeats=1, cache=tmp_path, progress=False)
    files = sorted(tmp_path.rglob("*.json"))
    assert len(files) == 10
    files[0].write_text("{", encoding="utf-8")
    files[1].write_text("{}", encoding="utf-8")
    again = compare(trees(), {"t": (X, y)}, repeats=1, cache=tmp_path, progress=False)
    assert without_times(again) == without_times(first)


_SLOW_RUN = """
import sys, time
import numpy as np
from sklearn.tree import DecisionTreeClassifier
from tanager.data import load_dataset
from tanager.estimators import CLASSIFIERS
from tanager.evaluation.compare import compare

fits = []
plain_fit = DecisionTreeClassifier.fit

def slow_fit(self, X, y):
    fits.append(1)
    if len(fits) > int(sys.argv[2]):
        time.sleep(3600)
    return plain_fit(self, X, y)

# Results of a class of one's own would not be kept.
DecisionTreeClassifier.fit = slow_fit

X = np.random.default_rng(1).integers(0, 3, size=(90, 4)).astype(str)
y = np.where(X[:, 0] == X[:, 1], "a", "b")
learners = {"slow": DecisionTreeClassifier(random_state=0)}
result = compare(learners, {"toy": (X, y)}, repeats=2, cache=sys.argv[1], progress=False)
print(result.to_json())
"""


def test_a_run_killed_in_the_middle_continues_to_the_same_result(tmp_path):
    script, folder = tmp_path / "run.py", tmp_path / "cells"
    script.write_text(_SLOW_RUN, encoding="utf-8")

    def start(cells: Path, fits: int) -> subprocess.Popen[str]:
        command = [sys.executable, str(script), str(cells), str(fits)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    running = start(folder, 3)  # hangs in its fourth fit
    deadline = time.monotonic() + 300
    while (
        len(list(folder.rglob("[!.]*.json"))) < 3 and time.monotonic() < deadline and running.poll() is None
    ):
        time.sleep(0.02)
    running.kill()  # SIGKILL: no chance to tidy up
    running.communicate()
    kept = {path: path.read_bytes() for path in folder.rglob("[!.]*.json")}
    assert len(kept) == 3
    resumed, _ = start(folder, 7).communicate(timeout=300)  # only the seven that are left are fitted
    assert all(path.read_bytes() == content for path, content in kept.items())
    untouched, _ = start(tmp_path / "fresh", 10).communicate(timeout=300)
    results = [without_times(Comparison.from_json(text)) for text in (resumed, untouched)]
    assert results[0] == results[1]
    assert len(results[0]) == 10
