"""Searches by accuracy as people call them."""

import io
import pickle
import signal
import warnings
from itertools import pairwise

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold

from tanager import (
    ASBClassifier,
    BCkGClassifier,
    BSEJClassifier,
    DataError,
    FSSClassifier,
    FSSJClassifier,
    NaiveBayesClassifier,
    TanagerError,
    TANHCClassifier,
    _core,
    load_dataset,
)
from tanager.evaluation.progress import watched_search

CLASSIFIERS = [FSSClassifier, FSSJClassifier, BSEJClassifier, ASBClassifier, TANHCClassifier]


@pytest.fixture(scope="module")
def votes():
    table = load_dataset("vote")
    return np.asarray(table.X).astype(str), np.asarray(table.y)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_a_fitted_search(classifier, votes):
    X, y = votes
    model = classifier(n_jobs=2).fit(X, y)
    assert [step.step for step in model.search_path_] == list(range(1, len(model.search_path_) + 1))
    accuracies = [model.search_start_, *(step.accuracy for step in model.search_path_)]
    assert len(accuracies) > 1
    assert all(before < after for before, after in pairwise(accuracies))
    assert model.search_skipped_ == 0
    used = [name for group in model.network_.groups for name in group]
    assert len(used) == len(set(used))
    assert set(used) <= {f"x{i}" for i in range(X.shape[1])}
    # the number of threads changes nothing
    other = clone(model).set_params(n_jobs=1).fit(X, y)
    assert other.search_path_ == model.search_path_
    assert other.network_ == model.network_
    assert np.array_equal(other.predict_proba(X), model.predict_proba(X))
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), model.predict_proba(X))


def test_dropped_attributes_are_accepted_and_ignored(votes):
    X, y = votes
    model = FSSClassifier().fit(X, y)
    dropped = [i for i in range(X.shape[1]) if f"x{i}" not in model.network_.nodes]
    assert dropped
    scrambled = X.astype(object)
    scrambled[:, dropped] = "never seen"
    assert np.array_equal(model.predict_proba(scrambled), model.predict_proba(X))


def test_given_groups_are_augmented(votes):
    X, y = votes
    model = ASBClassifier(groups=[["x3", "x4"], [0], ["x2"]]).fit(X, y)
    assert model.network_.groups == (("x0",), ("x2",), ("x3", "x4"))
    assert model.search_path_ == []
    assert 0.5 < model.search_start_ < 1
    fss = FSSClassifier().fit(X, y)
    augmented = ASBClassifier(groups="fss").fit(X, y)
    assert augmented.network_.groups == fss.network_.groups
    assert augmented.search_path_ == fss.search_path_
    for groups, said in [
        ([["x0"], ["x0"]], "column 0 is in two nodes"),
        ([["x0", "x0"]], "names column 'x0' twice"),
        ([["nothing"]], "is not a column"),
        ([[]], "a node has no members|a group has no members"),
        ("tan", "unknown groups"),
        (["x0"], "it is a list of columns"),
        (FSSClassifier(), "is not allowed: it is lists of columns, or a learner's name"),
    ]:
        with pytest.raises(TanagerError, match=said):
            ASBClassifier(groups=groups).fit(X, y)


def test_without_significant_pairs_asb_is_bsej(votes):
    X, y = votes
    bsej = BSEJClassifier().fit(X, y)
    asb = ASBClassifier(min_cell=1e9).fit(X, y)
    assert asb.network_ == bsej.network_
    assert np.array_equal(asb.predict_proba(X), bsej.predict_proba(X))
    augmented = ASBClassifier().fit(X, y)
    assert augmented.network_.groups == bsej.network_.groups
    assert augmented.network_.edges


def test_a_compound_table_is_the_joint_table():
    X = np.array([[a, b, c] for a in "xy" for b in "pqr" for c in "uv"] * 5)
    y = [(a == "x") != (b == "p") for a, b, _ in X]
    model = BSEJClassifier().fit(X, y)
    joined = next(place for place, group in enumerate(model.network_.groups) if group == ("x0", "x1"))
    table = np.exp(model.model_.table(joined))
    assert table.shape == (2, 3, 2)
    for label in (0, 1):
        counts = np.array(
            [[sum((X[:, 0] == a) & (X[:, 1] == b) & (np.array(y) == label)) for b in "pqr"] for a in "xy"]
        )
        assert np.allclose(table[..., label], (counts + 1) / (counts.sum() + 6))


def test_the_accuracy_is_that_of_cross_validation(votes):
    X, y = votes
    folds = list(StratifiedKFold(4, shuffle=True, random_state=3).split(X, y))
    model = BSEJClassifier(cv=folds).fit(X, y)
    right = sum((NaiveBayesClassifier().fit(X[a], y[a]).predict(X[b]) == y[b]).sum() for a, b in folds)
    assert model.search_start_ == right / len(y)
    same = BSEJClassifier(cv=StratifiedKFold(4, shuffle=True, random_state=3)).fit(X, y)
    assert same.search_path_ == model.search_path_


def test_folds_are_fixed_by_the_seed(votes):
    X, y = votes
    starts = {seed: BSEJClassifier(random_state=seed).fit(X, y).search_start_ for seed in range(4)}
    assert len(set(starts.values())) > 1
    assert BSEJClassifier(random_state=1).fit(X, y).search_start_ == starts[1]
    state = np.random.RandomState(5)
    assert BSEJClassifier(random_state=state).fit(X, y).search_start_ > 0.8


def test_rare_classes_are_warned_of_and_spread():
    X, y = [["a"], ["b"]] * 10 + [["a"]] * 3, [0, 1] * 10 + [2] * 3
    with pytest.warns(UserWarning, match="least populated class in y has only 3 members.*cv=5"):
        model = BSEJClassifier().fit(X, y)
    assert len(model.classes_) == 3
    # more folds than rows: as many as there are rows
    with pytest.warns(UserWarning, match="least populated class"):
        assert FSSClassifier(cv=50).fit(X, y).predict([["a"]]).tolist() == [0]


@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"cv": 1}, "at least 2 folds"),
        ({"cv": 0}, "at least 2 folds"),
        ({"cv": -3}, "cv"),
        ({"cv": "five"}, "cv = 'five' is not allowed"),
        ({"cv": [([0, 1], [0]), ([2, 3], [1])]}, "does not train on exactly the rows"),
        ({"cv": [([2, 3], [0, 1]), ([0, 3], [1, 2])]}, "tests rows that another fold tests"),
        ({"random_state": -1}, "random_state"),
        ({"parameters": "magic"}, "magic"),
    ],
)
def test_bad_settings_are_refused(classifier, settings, said):
    X, y = [["a"], ["b"], ["a"], ["b"]], [0, 1, 0, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        with pytest.raises(DataError, match=said):
            classifier(**settings).fit(X, y)


def test_other_splitters():
    X, y = [["a"], ["b"]] * 10, [0, 1] * 10
    assert FSSClassifier(cv=KFold(5)).fit(X, y).search_path_[-1].accuracy == 1.0
    with pytest.raises(DataError, match="tests rows that another fold tests"):
        FSSClassifier(cv=ShuffleSplit(3, random_state=0)).fit(X, y)
    # rows that are never tested are trained on
    some = [(list(range(1, 20)), [0]), ([0, *range(2, 20)], [1])]
    assert FSSClassifier(cv=some).fit(X, y).search_path_[-1].accuracy == 2 / 20


def test_alpha_outside_its_range_is_refused():
    for alpha in (0.0, 1.5):
        with pytest.raises(DataError, match="alpha"):
            ASBClassifier(alpha=alpha, cv=2).fit([["a"], ["b"]] * 4, [0, 1] * 4)


def test_joins_beyond_the_memory_limit_are_skipped_and_reported():
    random = np.random.default_rng(0)
    X = random.integers(0, 8, (100, 4)).astype(str)
    y = random.integers(0, 2, 100)
    before = _core.memory_limit()
    _core.set_memory_limit(8 * 6 * 2 * 8)  # room for a column of eight values, not for two of them joined
    try:
        with pytest.warns(UserWarning, match="joins were not tried"):
            model = BSEJClassifier().fit(X, y)
    finally:
        _core.set_memory_limit(0)
    assert _core.memory_limit() == before
    assert model.search_skipped_ >= 6
    assert all(len(group) == 1 for group in model.network_.groups)


class Stopped(Exception):
    """Raised by a callback."""


def test_progress_is_reported_and_can_stop_a_search():
    random = np.random.default_rng(0)
    X, y = random.integers(0, 3, (4000, 60)).astype(str), random.integers(0, 3, 4000)
    seen = []

    def watch(done: int, expected: int) -> None:
        seen.append((done, expected))
        raise Stopped

    model = BSEJClassifier(progress=watch)
    with pytest.raises(Stopped):
        model.fit(X, y)
    assert len(seen) == 1
    assert seen[0][0] <= seen[0][1]
    with pytest.raises(NotFittedError):
        model.predict(X)
    # Ctrl-C, also where the tests run in the background, which ignores it
    model = BSEJClassifier(progress=lambda *_: signal.raise_signal(signal.SIGINT))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, y)
    finally:
        signal.signal(signal.SIGINT, before)
    assert not hasattr(model, "search_path_")
    calls = []
    FSSClassifier(progress=lambda *numbers: calls.append(numbers)).fit(X[:50, :3], y[:50])
    assert calls[-1][0] == calls[-1][1] > 0


class Terminal(io.StringIO):
    """A terminal that somebody watches."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("learner", [BSEJClassifier, BCkGClassifier])
def test_the_command_line_shows_a_bar_while_it_searches(monkeypatch, learner):
    random = np.random.default_rng(0)
    X, y = random.integers(0, 3, (60, 4)).astype(str), random.integers(0, 2, 60)
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    model = learner()
    with watched_search(model) as watched:
        watched.fit(X, y)
    assert "candidates tried" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\x1b[K")
    assert model.progress is None
    monkeypatch.setattr("sys.stderr", io.StringIO())
    with watched_search(model) as quiet:
        assert quiet.progress is None
