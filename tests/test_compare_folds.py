"""Folds by subtraction equal refitting, and where they would not, models are fitted again."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from compared import frame
from tanager.estimators import CLASSIFIERS
from tanager.evaluation.compare import compare
from tanager.evaluation.counting import COUNT_BASED
from tanager.evaluation.learner import as_learner
from tanager.evaluation.splits import Plan, plan_splits
from tanager.evaluation.task import as_task, make_task


@pytest.mark.parametrize("name", [name for name in COUNT_BASED if name in CLASSIFIERS])
@pytest.mark.parametrize("data", ["car", "tic-tac-toe", "chess"])
def test_folds_by_subtraction_equal_refitting_exactly(name, data):
    task = as_task(data)
    splits = plan_splits(Plan(cv=5, repeats=1), task.y)
    learner = as_learner(name)
    together = learner.cross_validate(task, splits)
    assert together is not None
    for split, counted in zip(splits, together, strict=True):
        refitted = learner.fit_predict(task, split.train, split.test)
        np.testing.assert_array_equal(counted.probabilities, refitted.probabilities)


def test_splits_given_by_hand_keep_the_order_of_their_rows():
    task = as_task("tic-tac-toe")
    rows = np.random.default_rng(2).permutation(task.n_rows)
    given = [(rows[300:], rows[:300]), (rows[:300], rows[300:])]
    learner = as_learner("tan")
    splits = plan_splits(Plan(given), task.y)
    for split, counted in zip(splits, learner.cross_validate(task, splits), strict=True):
        refitted = learner.fit_predict(task, split.train, split.test)
        np.testing.assert_array_equal(counted.probabilities, refitted.probabilities)


def test_folds_are_refitted_where_subtraction_would_differ():
    learner = as_learner("tan")
    X, y = frame()
    mixed = make_task("mixed", X, y, "")
    assert learner.cross_validate(mixed, plan_splits(Plan(3, 1), mixed.y)) is None  # numbers
    words = make_task("words", X[["word", "noise"]], y, "")
    assert learner.cross_validate(words, plan_splits(Plan(3, 1), words.y)) is None  # gaps
    whole = make_task("whole", X[["word"]], y, "")
    assert learner.cross_validate(whole, plan_splits(Plan(0.3, 1), whole.y)) is None  # hold-out
    assert learner.cross_validate(whole, plan_splits(Plan(3, 1), whole.y)) is not None
    rare = make_task("rare", X[["word"]], np.array(["rare", *y[1:]]), "")
    assert learner.cross_validate(rare, plan_splits(Plan(3, 1), rare.y)) is None  # a class in one fold only
    half = np.arange(60)
    twice = [(np.r_[half[:-1], 0], half + 60), (half + 60, half)]  # row 0 trains twice, row 59 never
    assert learner.cross_validate(whole, plan_splits(Plan(twice), whole.y)) is None
    result = compare(["nb", "tan"], {"rare": rare, "mixed": mixed}, 3, 1, complete=True, progress=False)
    assert not any(cell["by_counting"] for cell in result.cells)


def test_domains_are_those_of_all_rows_in_every_fold():
    X = pd.DataFrame({"a": ["x"] * 30 + ["y"] * 29 + ["rare"], "n": list(range(60))})
    task = make_task("t", X, ["p", "q"] * 30, "")
    part = task.rows(np.arange(10))
    assert list(part.raw("a").levels) == ["rare", "x", "y"]
    assert task.numeric == (False, True)
    assert make_task("t", X.assign(n=[i % 7 for i in range(60)]), ["p", "q"] * 30, "").numeric == (
        False,
        False,
    )
