"""What the cache keeps and what it does not: only results whose key tells all that they depend on."""

from __future__ import annotations

import errno

import numpy as np
import pytest
from sklearn.ensemble import BaggingClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from tanager import BDeu, FSSClassifier, NaiveBayesClassifier, TANClassifier, compare
from tanager.evaluation import cache
from tanager.evaluation.learner import as_learner

X = np.array([["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]] * 10)
DATA = {"toy": (X, X[:, 0])}


class Own(DecisionTreeClassifier):
    """A class whose code may change under the same name."""


def own_score(counts: np.ndarray) -> float:
    return float(counts.max())


def run(learner, folder) -> int:
    """How many files the cache has after comparing."""
    compare({"learner": learner}, DATA, cv=2, repeats=1, networks=True, progress=False, cache=folder)
    return len(list(folder.rglob("*.json")))


@pytest.mark.parametrize(
    "learner",
    [
        "tan",
        DecisionTreeClassifier(class_weight={"a": 1.0, "b": 2.0}),
        BaggingClassifier(DecisionTreeClassifier(), random_state=0),
        make_pipeline(StandardScaler(), DecisionTreeClassifier()),
        TANClassifier(score=BDeu(3)),
        FSSClassifier(progress=print),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_learners_of_tanager_and_scikit_learn_are_kept(learner):
    assert as_learner(learner).is_cacheable


@pytest.mark.parametrize(
    "learner",
    [
        Own(),
        BaggingClassifier(Own()),
        make_pipeline(StandardScaler(), Own()),
        make_pipeline(
            FunctionTransformer(np.log1p), FunctionTransformer(own_score), DecisionTreeClassifier()
        ),
        TANClassifier(score=own_score),
        TANClassifier(score=lambda counts: 0.0),
        DecisionTreeClassifier(random_state=np.random.RandomState(0)),
    ],
)
def test_what_can_change_under_the_same_name_is_not_kept(learner):
    assert not as_learner(learner).is_cacheable


def test_only_what_may_be_kept_is_written(tmp_path):
    assert run(Own(), tmp_path) == 0
    assert run(TANClassifier(score=own_score), tmp_path) == 0
    assert run(DecisionTreeClassifier(), tmp_path) == 3  # two folds and a network, which is none


def test_other_versions_are_other_results(tmp_path, monkeypatch):
    assert run("nb", tmp_path) == 3
    assert run("nb", tmp_path) == 3
    for module in (cache.numpy, cache.scipy, cache.sklearn):
        with monkeypatch.context() as patch:
            patch.setattr(module, "__version__", "0.0")
            found = run("nb", tmp_path)
        assert found % 3 == 0
    assert len(list(tmp_path.rglob("*.json"))) == 12


def flipped(file, place: int) -> None:
    data = bytearray(file.read_bytes())
    data[place] ^= 1
    file.write_bytes(data)


def test_a_cell_with_any_bit_flipped_is_absent(tmp_path):
    store, key = cache.CellCache(tmp_path), {"learner": "nb", "split": "0"}
    cell = {"correct": 190, "n_test": 200, "metrics": {"accuracy": 0.95}}
    store.write(key, cell)
    (file,) = tmp_path.rglob("*.json")
    whole = file.read_bytes()
    assert store.read(key) == cell
    for place in range(len(whole)):
        flipped(file, place)
        assert store.read(key) in (None, cell), whole[place - 9 : place + 9]  # blanks mean nothing
        file.write_bytes(whole)
    for end in range(len(whole) - 1):
        file.write_bytes(whole[:end])
        assert store.read(key) is None


def test_a_changed_cell_is_computed_again(tmp_path):
    def accuracy() -> float:
        result = compare("nb", DATA, cv=2, repeats=1, progress=False, cache=tmp_path)
        return result.accuracy["toy"]["nb"]

    before = accuracy()
    for file in tmp_path.rglob("*.json"):
        text = file.read_text()
        assert '"correct": 20' in text
        file.write_text(text.replace('"correct": 20', '"correct": 10'))
    assert accuracy() == before


def test_a_full_disk_is_a_warning_and_not_the_end(tmp_path, monkeypatch):
    def full(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(cache, "write_document", full)
    with pytest.warns(UserWarning, match=r"cannot be written \(No space left") as warned:
        result = compare(["nb", "tan"], DATA, cv=2, repeats=2, networks=True, progress=False, cache=tmp_path)
    assert len(warned) == 1
    assert result.accuracy["toy"]["tan"] == 1.0


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EDQUOT])
def test_a_full_disk_without_the_cache_folder_is_a_warning(tmp_path, monkeypatch, code):
    def full(*arguments, **named):
        raise OSError(code, "no more")

    monkeypatch.setattr(cache.Path, "mkdir", full)
    with pytest.warns(UserWarning, match="no more"):
        store = cache.CellCache(tmp_path / "cells")
    store.write({"learner": "nb"}, {"correct": 1})
    assert store.read({"learner": "nb"}) is None


def test_what_json_cannot_hold_is_not_kept(tmp_path):
    store = cache.CellCache(tmp_path)
    store.write({"learner": "peer"}, {"predictions": [float("nan")]})
    assert store.read({"learner": "peer"}) is None
    assert not list(tmp_path.rglob("*.json"))


def test_keys_tell_arrays_apart_to_the_last_digit():
    prior = np.array([0.1, 0.9])
    nearly = prior + np.array([1e-12, -1e-12])
    keys = {as_learner(NaiveBayesClassifier(class_prior=p)).key for p in (prior, nearly)}
    assert len(keys) == 2
    long = [np.arange(5000), np.arange(5000)]
    long[1][2500] = 0  # where the text of an array has dots
    keys = {as_learner(FSSClassifier(cv=[(rows, rows + 5000)])).key for rows in long}
    assert len(keys) == 2
    assert all(len(key) < 1000 for key in keys)


def test_manners_of_computing_do_not_change_the_key():
    assert as_learner(TANClassifier(n_jobs=2)).key == as_learner(TANClassifier()).key
