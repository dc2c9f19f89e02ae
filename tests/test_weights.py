"""Weights of rows and classes, and a prior that shifts."""

import numpy as np
import pytest
from sklearn.model_selection import PredefinedSplit

import tanager
from tanager import NaiveBayesClassifier, load_model, save_model
from tanager.estimators import CLASSIFIERS
from tanager.exceptions import DataError


def data(rows: int = 150, seed: int = 0, numeric: bool = True):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, rows)
    X = rng.normal(size=(rows, 4)) + y[:, None] * [1.0, 0.5, 0.0, 2.0]
    X[:, 2] += X[:, 0]
    return (X if numeric else np.digitize(X, [-0.5, 0.5, 1.5])), np.array(["a", "b", "c"])[y], rng


@pytest.fixture(params=sorted(CLASSIFIERS))
def learner(request):
    return CLASSIFIERS[request.param]


@pytest.mark.parametrize("numeric", [False, True], ids=["categories", "numbers"])
def test_weight_two_is_the_row_twice(learner, numeric) -> None:
    X, y, rng = data(numeric=numeric)
    weights = rng.integers(0, 4, len(X))
    first, second = learner(), learner()
    if hasattr(first, "cv"):  # a row and its copies are tested together
        folds = np.arange(len(X)) % 5
        first.set_params(cv=PredefinedSplit(folds))
        second.set_params(cv=PredefinedSplit(np.repeat(folds, weights)))
    weighted = first.fit(X, y, sample_weight=weights)
    repeated = second.fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert weighted.network_.parents == repeated.network_.parents
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-9)
    if hasattr(weighted, "structure_score_"):
        assert weighted.structure_score_ == pytest.approx(repeated.structure_score_, rel=1e-9)


def test_weights_of_one_change_nothing(learner) -> None:
    X, y, _ = data()
    plain, ones = learner().fit(X, y), learner().fit(X, y, sample_weight=np.ones(len(X)))
    np.testing.assert_allclose(plain.predict_proba(X), ones.predict_proba(X), rtol=1e-9)


def test_class_weight_multiplies_the_rows(learner) -> None:
    X, y, rng = data(numeric=False)
    weights = rng.random(len(X)) + 0.5
    by_class = {"a": 2.0, "b": 0.5}
    rows = weights * np.array([by_class.get(label, 1.0) for label in y])
    first = learner(class_weight=by_class).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(
        first.predict_proba(X), learner().fit(X, y, sample_weight=rows).predict_proba(X)
    )
    balanced = learner(class_weight="balanced").fit(X, y)
    assert np.exp(balanced.model_.log_prior) == pytest.approx(np.full(3, 1 / 3), abs=0.02)


def test_class_prior_shifts_the_posterior(learner, tmp_path) -> None:
    X, y, _ = data(numeric=False)
    plain = learner().fit(X, y)
    prior = np.array([0.7, 0.2, 0.1])
    shifted = learner(class_prior=prior).fit(X, y)
    ratio = plain.predict_proba(X) * prior / np.exp(plain.model_.log_prior)
    np.testing.assert_allclose(shifted.predict_proba(X), ratio / ratio.sum(axis=1, keepdims=True), rtol=1e-9)
    np.testing.assert_allclose(np.exp(shifted.predict_log_proba(X)), shifted.predict_proba(X), rtol=1e-9)
    assert (shifted.predict(X) == shifted.classes_[shifted.predict_proba(X).argmax(axis=1)]).all()
    named = learner(class_prior={"c": 0.1, "a": 0.7, "b": 0.2}).fit(X, y)
    np.testing.assert_array_equal(named.predict_proba(X), shifted.predict_proba(X))
    save_model(shifted, tmp_path / "model.json")
    np.testing.assert_allclose(load_model(tmp_path / "model.json").predict_proba(X), shifted.predict_proba(X))
    certain = learner(class_prior=[0.0, 1.0, 0.0]).fit(X, y)
    assert set(certain.predict(X)) == {"b"}


def test_class_prior_where_nothing_is_possible() -> None:
    X, y = [["a"], ["a"], ["x"]], ["s", "s", "t"]
    model = NaiveBayesClassifier("mle", class_prior=[0.0, 1.0]).fit(X, y)
    assert model.predict_proba(X).tolist() == [[0.0, 1.0]] * 3
    assert model.predict(X).tolist() == ["t"] * 3
    weights = [1, 1, 0]
    unseen = NaiveBayesClassifier("mle", class_prior=[0.5, 0.5]).fit(X, y, sample_weight=weights)
    assert unseen.predict_proba([["a"]]).tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"class_weight": "heavy"}, "class_weight = 'heavy' is not allowed, allowed are None, 'balanced'"),
        (
            {"class_weight": {"z": 1.0}},
            "class_weight names 'z', which is not a class; classes are 'a', 'b', 'c'",
        ),
        ({"class_weight": {"a": -1.0}}, "not negative"),
        ({"class_prior": [0.5, 0.5]}, "one number for each of 3 classes"),
        ({"class_prior": [0.5, 0.5, 0.5]}, "sum to 1"),
        ({"class_prior": [1.5, -0.5, 0.0]}, "not negative"),
        ({"class_prior": {"z": 1.0}}, "class_prior names 'z'"),
        ({"class_prior": "even"}, "one number for each of 3 classes"),
    ],
)
def test_bad_settings_are_refused(settings, message) -> None:
    X, y, _ = data()
    with pytest.raises(DataError, match=message):
        NaiveBayesClassifier(**settings).fit(X, y)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.full(150, -1.0), "sample_weight, row 0: -1.0 is not allowed"),
        (np.zeros(150), "at least one non-zero"),
        (np.ones(3), r"sample_weight.shape == \(3,\), expected \(150,\)"),
        (np.ones((150, 2)), "1D array"),
        (np.full(150, np.nan), "NaN"),
    ],
)
def test_bad_weights_are_refused(weights, message) -> None:
    X, y, _ = data()
    with pytest.raises(ValueError, match=message):
        NaiveBayesClassifier().fit(X, y, sample_weight=weights)


def test_kinds_can_be_declared() -> None:
    X, y, _ = data(numeric=False)
    assert {c.kind for c in NaiveBayesClassifier().fit(X, y).encoder_.columns} == {"categorical"}
    assert {c.kind for c in NaiveBayesClassifier(numeric="all").fit(X, y).encoder_.columns} == {"numeric"}


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_weights_beyond_all_numbers_are_refused(name):
    """Sums of them would be infinite, and probabilities not numbers."""
    X, y = np.array([[0, 1], [1, 0], [1, 1], [0, 0]] * 3), [0, 1, 1, 0] * 3
    with pytest.raises(tanager.DataError, match="together, the rows weigh at most 1e300"):
        CLASSIFIERS[name]().fit(X, y, sample_weight=np.full(12, 1e308))


@pytest.mark.parametrize("weight", [1e19, 1e50, 1e299])
def test_weights_beside_which_the_ridge_is_lost_are_refused(weight):
    """The optimiser would give up somewhere, with scores against the heaviest row, or with none."""
    X, y = np.array([[0, 1], [1, 0], [1, 1], [0, 0]] * 3), [0, 1, 1, 0] * 3
    with pytest.raises(tanager.DataError, match="the rows of a refined network weigh at most 1e18"):
        CLASSIFIERS["refined"]().fit(X, y, sample_weight=[weight] + [1.0] * 11)


def test_pseudo_counts_beyond_all_numbers_are_refused():
    X, y = np.array([[0, 1], [1, 0], [1, 1], [0, 0]] * 3), [0, 1, 1, 0] * 3
    for options in (
        {"parameters": tanager.ACLLParameters(n0=1.7e308)},
        {"score": tanager.ACLL(n0=1.7e308)},
        {"parameters": tanager.Dirichlet(n0=1.7e308)},
    ):
        with pytest.raises(tanager.DataError, match=r"n0 = 1\.7e308 is not allowed"):
            tanager.TANClassifier(**options).fit(X, y)
