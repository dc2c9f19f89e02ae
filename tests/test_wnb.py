"""Weighted naive Bayes beside its loops and a general solver, and what its users rely on."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bridge
import strategies
from reference.table import MISSING
from reference.wnb import WeightedNaiveBayes
from tanager import DataError, NaiveBayesClassifier, WeightedNaiveBayesClassifier, _core, load_dataset


def drawn(table, data):
    """The table with or without weights, and some rows to ask about."""
    if data.draw(st.booleans()):
        values = st.lists(st.sampled_from([0.25, 1.0, 3.5]), min_size=table.n_rows, max_size=table.n_rows)
        table = table._replace(weights=data.draw(values))
    row = [data.draw(st.integers(MISSING, arity - 1)) for arity in table.arities]
    rows = [*table.codes[:4], row]
    return table, rows, bridge.dataset(table._replace(codes=rows, classes=None, n_classes=None, weights=None))


def tables():
    return strategies.tables(max_attributes=4, max_rows=16, max_classes=3, huge=False, missing=True)


ALPHA = st.sampled_from([None, 0.5, 1.0])


@settings(max_examples=60, deadline=None)
@given(tables(), ALPHA, st.data())
def test_tables_are_mixed_by_the_probability_of_an_arc(table, alpha, data):
    table, rows, asked = drawn(table, data)
    model = _core.fit_weighted_nb(bridge.dataset(table), {"weights": "manb", "alpha": alpha}, 1)
    oracle = WeightedNaiveBayes(table, alpha)
    np.testing.assert_allclose(model.weights, oracle.manb(), atol=1e-10)
    expected = [oracle.mixed(row, oracle.manb()) for row in rows]
    np.testing.assert_allclose(model.posterior(asked), expected, atol=1e-10)


@settings(max_examples=60, deadline=None)
@given(tables(), st.integers(0, 2**32 - 1), st.data())
def test_weights_are_depths_in_trees(table, seed, data):
    table, rows, asked = drawn(table, data)
    chosen = {"weights": "awnb", "n_trees": 4, "random_state": seed}
    model = _core.fit_weighted_nb(bridge.dataset(table), chosen, 2)
    oracle = WeightedNaiveBayes(table)
    weights = oracle.awnb(4, seed)
    np.testing.assert_allclose(model.weights, weights, atol=1e-12)
    np.testing.assert_allclose(
        model.posterior(asked), [oracle.powered(row, weights) for row in rows], atol=1e-10
    )


@settings(max_examples=60, deadline=None)
@given(tables(), ALPHA, st.data())
def test_weights_are_of_the_largest_likelihood_in_the_box(table, alpha, data):
    table, rows, asked = drawn(table, data)
    model = _core.fit_weighted_nb(bridge.dataset(table), {"alpha": alpha}, 1)
    oracle = WeightedNaiveBayes(table, alpha)
    weights = model.weights
    assert ((weights >= 0) & (weights <= 1)).all()
    assert oracle.loss(weights) <= oracle.wanbia() + 1e-10
    slope = oracle.slope(weights)
    inside = (weights > 0) & (weights < 1)
    # What no step within the box can better: flat inside, pushed outwards at a bound.
    np.testing.assert_allclose(slope[inside], 0, atol=1e-8)
    assert (slope[weights == 0] >= -1e-8).all()
    assert (slope[weights == 1] <= 1e-8).all()
    expected = [oracle.powered(row, weights) for row in rows]
    np.testing.assert_allclose(model.posterior(asked), expected, atol=1e-10)
    terms = model.contributions(asked).sum(axis=1)
    np.testing.assert_allclose(model.log_prior + terms, model.log_joint(asked), atol=1e-10)


def test_copies_of_a_column_share_its_weight():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, (2, 400))
    y = np.where(rng.random(400) < 0.8, a, b)
    X = np.column_stack([a, a, a, b])
    model = WeightedNaiveBayesClassifier(categorical="all").fit(X, y)
    twice = WeightedNaiveBayesClassifier(categorical="all").fit(X[:, 1:], y)
    # One column may weigh 1 at most; several together do what is best without that bound.
    assert model.weights_[:3].sum() == pytest.approx(twice.weights_[:2].sum(), abs=1e-6)
    np.testing.assert_allclose(model.predict_proba(X), twice.predict_proba(X[:, 1:]), atol=1e-8)
    plain = NaiveBayesClassifier(categorical="all").fit(X, y)
    rows = range(len(y))
    loss = [-m.predict_log_proba(X)[rows, y].mean() for m in (model, plain)]
    assert loss[0] < loss[1]


def test_an_attribute_of_noise_does_not_count():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 2000)
    X = np.column_stack([np.where(rng.random(2000) < 0.9, y, 1 - y), rng.integers(0, 5, 2000)])
    found = {
        name: WeightedNaiveBayesClassifier(name, categorical="all").fit(X, y).weights_
        for name in ("wanbia", "awnb", "manb")
    }
    assert found["manb"][0] > 0.999
    assert found["manb"][1] < 0.01
    assert found["awnb"][0] == 1.0
    assert found["awnb"][1] < 0.71
    assert found["wanbia"][0] > 0.9


@pytest.mark.parametrize("weights", ["wanbia", "awnb", "manb"])
def test_threads_do_not_change_a_bit(weights):
    vote = load_dataset("vote")
    one, two = (WeightedNaiveBayesClassifier(weights, n_jobs=jobs).fit(vote.X, vote.y) for jobs in (1, 2))
    np.testing.assert_array_equal(one.weights_, two.weights_)
    np.testing.assert_array_equal(one.predict_proba(vote.X), two.predict_proba(vote.X))


def test_seeds_change_the_trees_only():
    glass = load_dataset("glass")
    found = [
        [
            WeightedNaiveBayesClassifier(name, random_state=seed).fit(glass.X, glass.y).weights_
            for seed in (0, 1)
        ]
        for name in ("awnb", "wanbia")
    ]
    assert (found[0][0] != found[0][1]).any()
    np.testing.assert_array_equal(*found[1])


@pytest.mark.parametrize("weights", ["wanbia", "awnb", "manb"])
def test_what_is_added_to_counts_has_a_finite_sum(weights):
    X, y = np.array([[0, 1], [1, 0], [1, 1], [0, 0]]), np.array([0, 1, 1, 0])
    for alpha in (5e-324, 1e300):
        model = WeightedNaiveBayesClassifier(weights=weights, alpha=alpha).fit(X, y)
        assert np.isfinite(model.predict_proba(X)).all()
    with pytest.raises(DataError, match="added to every count, it must give a finite sum"):
        WeightedNaiveBayesClassifier(weights=weights, alpha=1e308).fit(X, y)


def test_settings_are_checked():
    X, y = [["a"], ["b"]], [0, 1]
    for chosen, message in (
        ({"weights": "best"}, 'weights = \'best\' is not allowed: it is "wanbia" or "awnb" or "manb"'),
        ({"n_trees": 0}, "n_trees = 0 is not allowed"),
        ({"alpha": -1.0}, "alpha"),
        ({"random_state": -1}, "a seed lies between"),
    ):
        with pytest.raises(DataError, match=message):
            WeightedNaiveBayesClassifier(**chosen).fit(X, y)
    assert not hasattr(WeightedNaiveBayesClassifier().fit(X, y), "predict_joint_log_proba")
