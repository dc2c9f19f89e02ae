"""What compare takes: tuples, numbers of numpy, splitters, and one clear sentence for everything else."""

from __future__ import annotations

import csv
import io
import math

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import KFold, RepeatedStratifiedKFold, StratifiedKFold

from tanager import ACLL, ACLLParameters, BDeu, Laplace, compare, load_dataset
from tanager.evaluation.learner import as_learner
from tanager.evaluation.splits import Plan, plan_splits

QUICK = {"cv": 2, "repeats": 1, "progress": False}
X = np.array([["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]] * 10)
PAIR = (X, X[:, 0])
THREE = (X, np.array(["p", "q", "r", "q"] * 10))


def test_tuples_of_names_are_sequences_and_a_pair_of_arrays_is_one_data_set():
    result = compare(("nb", "majority"), ("iris", "tic-tac-toe"), **QUICK)
    assert result.learners == ["nb", "majority"]
    assert result.dataset_names == ["iris", "tic-tac-toe"]
    assert compare("nb", PAIR, **QUICK).dataset_names == ["data"]
    assert compare("nb", (load_dataset("iris"),), **QUICK).dataset_names == ["iris"]


@pytest.mark.parametrize("cv", [3, np.int64(3), np.uint8(3)])
def test_whole_numbers_of_numpy_are_numbers_of_folds(cv):
    result = compare("nb", PAIR, cv=cv, repeats=np.int64(2), random_state=np.int32(1), progress=False)
    assert len(result.cells) == 6
    assert '"cv": 3' in result.to_json()


def test_a_splitter_gives_its_own_splits():
    splitter = StratifiedKFold(4, shuffle=True, random_state=3)
    result = compare({"guess": DummyClassifier()}, PAIR, cv=splitter, predictions=True, progress=False)
    expected = [test.tolist() for _, test in splitter.split(X, PAIR[1])]
    assert [part["rows"] for part in result.predictions("data", "guess")] == expected
    assert "StratifiedKFold" in result.setup["splits"]


def test_a_split_that_tests_a_row_again_begins_another_repeat():
    splitter = RepeatedStratifiedKFold(n_splits=4, n_repeats=3, random_state=0)
    splits = plan_splits(Plan(splitter), np.array([0, 1] * 20))
    assert [(s.repeat, s.fold) for s in splits] == [(r, f) for r in range(3) for f in range(4)]
    once = compare("majority", PAIR, cv=KFold(4), progress=False)
    thrice = compare("majority", PAIR, cv=[*KFold(4).split(X)] * 3, progress=False)
    assert thrice.interval("data", "majority") == once.interval("data", "majority")


def test_pairs_from_an_iterator_serve_every_data_set():
    result = compare("nb", {"a": PAIR, "b": PAIR}, cv=KFold(4).split(X), progress=False)
    assert len(result.cells) == 8


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"cv": None}, "cv is a number of folds, .*, not None"),
        ({"cv": "5"}, "cv is a number of folds, .*, not '5'"),
        ({"cv": True}, "cv is a number of folds, .*, not True"),
        ({"cv": StratifiedKFold}, "cv is a number of folds"),
        ({"cv": [1, 2]}, "split 0 is not a pair of training and test rows"),
        ({"cv": [([0.5], [1.5])]}, "split 0 does not hold positions of rows"),
        ({"random_state": None}, "random_state is a whole number from 0 on, .*, not None"),
        ({"random_state": np.random.default_rng(0)}, "random_state is a whole number"),
        ({"repeats": 1.5}, "repeats is a whole number from 1 on, not 1.5"),
    ],
)
def test_other_arguments_are_refused_in_one_sentence(arguments, message):
    with pytest.raises((TypeError, ValueError), match=message):
        compare("nb", PAIR, progress=False, **arguments)


def test_a_positive_class_needs_data_of_two_classes():
    with pytest.raises(ValueError, match="positive='zz' is for data of two classes, and no data set has two"):
        compare("nb", THREE, positive="zz", **QUICK)
    with pytest.raises(ValueError, match="no class 'zz'"):
        compare("nb", {"two": PAIR, "three": THREE}, positive="zz", **QUICK)
    result = compare("nb", {"two": PAIR, "three": THREE}, positive="a", **QUICK)
    assert result.table("f1_positive")["two"]["nb"] == 1.0
    assert math.isnan(result.table("f1_positive")["three"]["nb"])


@pytest.mark.parametrize(
    ("text", "parameter", "value"),
    [
        ("tan:score=bdeu(ess=10)", "score", BDeu(10)),
        ("tan:score=ACLL(prior=uniform)", "score", ACLL(prior="uniform")),
        ("tan:parameters=acll(n0=2)", "parameters", ACLLParameters(n0=2)),
        ("tan:parameters=laplace(alpha=0.5)", "parameters", Laplace(0.5)),
    ],
)
def test_scores_and_parameter_estimators_take_settings(text, parameter, value):
    assert as_learner(text).estimator.get_params()[parameter] == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tan:score=dataset(codes=1)", "there is no score 'dataset'; known: acll, aic"),
        ("tan:score=laplace(alpha=1)", "there is no score 'laplace'"),
        ("tan:parameters=bdeu(ess=1)", "there is no parameter estimator 'bdeu'"),
        ("tan:missing=bdeu(ess=1)", "only score and parameters take a value with settings"),
        ("tan:score=bdeu(ess=bd(alpha=1))", "ess of bdeu is a number or a word"),
        ("tan:score=bdeu(size=1)", "size"),
    ],
)
def test_nothing_else_takes_settings(text, message):
    with pytest.raises(ValueError, match=message):
        as_learner(text)


def test_folds_that_are_counted_together_have_no_time_of_their_own_to_predict():
    result = compare(["nb", "tree"], "tic-tac-toe", **QUICK)
    lines = list(csv.DictReader(io.StringIO(result.to_csv())))
    assert {line["predict_seconds"] == "" for line in lines if line["learner"] == "nb"} == {True}
    assert all(float(line["predict_seconds"]) > 0 for line in lines if line["learner"] == "tree")
    assert math.isnan(result.table("predict_seconds")["tic-tac-toe"]["nb"])
    seconds = result.seconds["tic-tac-toe"]
    assert seconds["nb"] == result.table("fit_seconds")["tic-tac-toe"]["nb"] > 0
    both = [result.table(name)["tic-tac-toe"]["tree"] for name in ("fit_seconds", "predict_seconds")]
    assert seconds["tree"] == pytest.approx(sum(both))
    assert result.from_json(result.to_json()).seconds["tic-tac-toe"]["nb"] == seconds["nb"]
    assert "nan" not in result.to_text() + result.to_markdown(metric="predict_seconds")
    assert ">nan<" not in result.to_html()
