"""`compare` in front of people: failures, names that are not there, frames, other packages, progress."""

from __future__ import annotations

import json
import textwrap

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier

from tanager import Comparison, compare, load_dataset
from tanager.cli import main
from tanager.evaluation.learner import as_learner
from tanager.evaluation.progress import Progress
from tanager.exceptions import DataError, DataWarning, MissingPackageError

QUICK = {"cv": 2, "repeats": 2, "progress": False}


class Choosy(ClassifierMixin, BaseEstimator):
    """Refuses data of three columns from its second fit on."""

    fits = 0

    def fit(self, X, y):
        type(self).fits += X.shape[1] == 3
        if X.shape[1] == 3 and type(self).fits > 1:
            raise RuntimeError("three columns\nare one too many")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def tables() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = np.where(X[:, 0] > 0, "yes", "no")
    return {"two": (X[:, :2], y), "three": (X, y), "also two": (X[:, :2], y)}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TANAGER_CACHE", str(tmp_path / "cache"))
    return tmp_path


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    try:
        code = main(arguments)
    except SystemExit as stop:
        code = int(stop.code or 0)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_a_learner_that_fails_is_named_and_the_rest_goes_on(tmp_path):
    Choosy.fits = 0
    said = "learner 'choosy' failed on data set 'three', repeat 1, fold 2: three columns are one too many"
    with pytest.warns(DataWarning, match=said):
        result = compare(
            {"choosy": Choosy(), "tree": DecisionTreeClassifier(), "nb": "nb"}, tables(), **QUICK
        )
    assert result.failures == [said]
    assert np.isnan(result.accuracy["three"]["choosy"])
    assert result.accuracy["three"]["tree"] > 0.8
    assert result.n_ranked() == 2
    assert set(result.ranks) == {"choosy", "tree", "nb"}
    text = str(result)
    assert said[1:] in text
    assert "over the 2 data sets with all results" in text
    for form in (result.to_markdown(), result.to_html(), result.to_latex(), result.to_csv()):
        assert "three" in form
    again = Comparison.from_json(result.to_json())
    assert again.failures == result.failures
    assert again.ranks == result.ranks
    result.plot_critical_difference(tmp_path / "d.png")
    result.plot_scatter("choosy", "tree", tmp_path / "s.png")
    result.plot_accuracy_time(tmp_path / "t.png")


def test_where_all_fail_the_first_error_is_raised():
    with pytest.raises(
        DataError, match=r"learner 'ckg:k=-1' failed on data set 'car', repeat 1, fold 1: k = -1"
    ):
        compare("ckg:k=-1", "car", **QUICK)


def test_names_that_are_not_there(folder, capsys):
    with pytest.raises(DataError, match=r"unknown learner 'tna' \(did you mean tan"):
        as_learner("tna")
    code, _, err = run(capsys, "compare", "forst", "--data", "car")
    assert (code, "did you mean forest?" in err) == (2, True)
    code, _, err = run(capsys, "comapre", "nb")
    assert (code, "invalid choice: 'comapre' (did you mean compare?)" in err) == (2, True)
    assert err.count("\n") == 1
    code, _, err = run(capsys, "compare", "nb", "--metric", "acuracy")
    assert (code, "did you mean accuracy" in err) == (2, True)


@pytest.mark.parametrize(("word", "meant"), [("tna", "tan"), ("refind:cv=3", "refined")])
def test_a_misspelt_learner_after_the_data_is_told(word, meant, monkeypatch, capsys):
    def offline(*arguments, **settings):
        raise OSError("no network")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", offline)
    code, _, err = run(capsys, "compare", "nb", "--data", "car", word)
    assert (code, f"{word!r} is not a learner (did you mean {meant}?), and as data:" in err) == (2, True)
    assert err.count("\n") == 1
    code, _, err = run(capsys, "compare", "nb", "--data", "voet")
    assert "is not a learner" not in err  # nothing is near: it is a data set that is meant
    code, _, err = run(capsys, "compare", "--data", "car", "no_such_package.SomeClassifier")
    assert (code, "no_such_package.SomeClassifier" in err, "data set" in err) == (2, True, False)


def test_learners_after_the_data_are_learners(folder, capsys):
    options = ["--cv", "2", "--repeats", "1", "--no-progress", "--json"]
    code, out, _ = run(capsys, "compare", "--data", "car", "tan:score=bic", "tree", *options)
    assert code == 0
    assert json.loads(out)["learners"] == ["tan:score=bic", "tree"]
    code, out, _ = run(capsys, "compare", "nb", "--data", "tree", "car", *options)
    assert json.loads(out)["learners"] == ["nb", "tree"]
    assert [data["name"] for data in json.loads(out)["datasets"]] == ["car"]


def test_a_frame_with_its_class_among_the_columns():
    pl = pytest.importorskip("polars")
    frame = load_dataset("tic-tac-toe").to_pandas()
    frame.insert(0, "outcome", frame.pop(frame.columns[-1]))
    for data in (frame, pl.DataFrame({name: frame[name].astype(str).tolist() for name in frame})):
        result = compare("nb", data, target="outcome", **QUICK)
        assert result.datasets[0]["target"] == "outcome"
        assert result.datasets[0]["attributes"] == 9
        assert 0.6 < result.accuracy["data"]["nb"] < 0.8
    named = compare("nb", {"game": frame}, target="outcome", **QUICK)
    assert named.dataset_names == ["game"]
    assert "958 rows, 9 attributes, class 'outcome'" in str(named)
    assert "outcome" in named.to_html()
    with pytest.raises(DataError, match="'nothing' is not a column"):
        compare("nb", frame, target="nothing", **QUICK)


def test_classifiers_of_other_packages(tmp_path, monkeypatch):
    (tmp_path / "otherpack.py").write_text(
        textwrap.dedent(
            """
            import numpy as np
            from sklearn.base import BaseEstimator, ClassifierMixin

            class Numbered(ClassifierMixin, BaseEstimator):
                def __init__(self, depth=1):
                    self.depth = depth

                def fit(self, X, y):
                    self.classes_ = np.unique(y)
                    if self.classes_.tolist() != list(range(len(self.classes_))):
                        raise ValueError(f"expected classes from 0 on, got {self.classes_}")
                    self.share_ = np.bincount(y) / len(y)
                    return self

                def predict(self, X):
                    return np.full(len(X), self.share_.argmax())

                def predict_proba(self, X):
                    return np.tile(self.share_, (len(X), 1))

            def function():
                pass
            """
        )
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    result = compare(["otherpack.Numbered", "otherpack.Numbered:depth=3", "majority"], "car", **QUICK)
    values = result.accuracy["car"]
    assert values["otherpack.Numbered"] == values["majority"]
    with pytest.raises(MissingPackageError, match="needs nosuchpack, which is not installed"):
        as_learner("nosuchpack.Thing")
    for path in ("otherpack.Nothing", "otherpack.function", "sklearn.linear_model.Ridge", "otherpack._x.Y"):
        with pytest.raises(DataError):
            as_learner(path)


def test_a_sole_learner_has_no_star_and_cached_times_say_so(folder):
    cached = {**QUICK, "cache": folder / "cells"}
    first = compare("nb", "car", **cached)
    assert "*" not in str(first)
    assert "cache" not in str(first)
    assert 'class="best"' not in first.to_html()
    again = compare("nb", "car", **cached)
    assert "Times of all folds are from the cache: they were measured in an earlier run." in str(again)
    mixed = compare(["nb", "tan"], "car", **cached)
    assert "Times of 4 of 8 folds are from the cache" in str(mixed)
    assert "*" in str(mixed)


def test_the_bar_moves_fold_by_fold_and_names_what_runs(monkeypatch):
    seen: list[tuple[int, int, str]] = []
    monkeypatch.setattr(
        Progress,
        "update",
        lambda self, done, planned, doing: (
            setattr(self, "done", done),
            seen.append((done, planned, doing)),
        ),
    )
    compare({"tree": DecisionTreeClassifier(), "nb": "nb"}, "car", cv=3, repeats=1)
    assert seen[0] == (0, 6, "tree on car")  # said before it is done
    assert [done for done, _, _ in seen] == [0, 1, 2, 3, 3, 4, 5, 6]
    assert seen[4] == (3, 6, "nb on car")


def test_no_threads_are_refused(folder, capsys):
    with pytest.raises(DataError, match="n_jobs is a number of threads from 1 on"):
        compare("nb", "car", n_jobs=0)
    for jobs in ("0", "-2"):
        code, _, err = run(capsys, "compare", "nb", "--jobs", jobs)
        assert (code, f"--jobs: '{jobs}' is not allowed: it is a whole number from 1 on" in err) == (2, True)


def test_statistics_follow_the_measure():
    X = pd.DataFrame(np.random.default_rng(0).integers(0, 3, (60, 3)).astype(str))
    y = np.where(X[0] == "1", "a", "b")
    data = {f"d{i}": (X.sample(frac=1, random_state=i).to_numpy(), y) for i in range(5)}
    result = compare(["nb", "tan", "majority"], data, cv=2, repeats=1, progress=False)
    for metric in ("accuracy", "log_loss"):
        ranks = result.ranks_by(metric)
        text = result.to_text(metric)
        for name, rank in ranks.items():
            assert f"{name} {rank:.2f}" in text
        assert f"Friedman χ² {result.friedman(metric).chi2_ties:.2f}" in text
    assert "Average ranks by log-loss" in result.to_text("log_loss")
    one = compare(["nb", "majority"], {"d": data["d0"]}, cv=2, repeats=1, progress=False)
    assert "of log-loss" in one.to_text("log_loss")
