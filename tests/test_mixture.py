"""Mixtures of trees: as the oracle fits them, step by step."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge import dataset, structure_of
from reference.mixture import em
from reference.table import make_table
from tanager import MixtureOfTreesDensity, TreeDensity, _core
from tanager.exceptions import DataError


def drawn_table(seed: int, rows: int, columns: int):
    """A table without ties, which the first responsibilities, being random, do not make either."""
    rng = np.random.default_rng(seed)
    arities = rng.integers(2, 4, columns)
    codes = [[int(rng.integers(arity)) for arity in arities] for _ in range(rows)]
    return make_table(codes, [int(arity) for arity in arities])


def library_tree(table):
    """The tree of a weighted table; that it is the best is tested with the trees."""
    return structure_of(_core.fit(dataset(table), "tan", {}, "ll", "laplace", 1)[0])


@pytest.mark.parametrize("estimator", ["laplace", "dirichlet", "mle"])
@settings(max_examples=12)
@given(st.integers(0, 500), st.integers(6, 24), st.integers(1, 3), st.integers(1, 3), st.integers(0, 3))
def test_every_step_is_the_oracle_s(estimator, seed, rows, columns, m, steps):
    table = drawn_table(seed, rows, columns)
    wanted = {"n_components": m, "random_state": seed, "max_iter": steps + 1, "tol": 0.0}
    found = _core.fit_mixture(dataset(table), wanted, estimator, 1)
    expected = [mean for _, mean in em(table, m, seed, steps + 1, estimator, library_tree)]
    path = found.path
    np.testing.assert_allclose(path, expected[: len(path)], rtol=1e-9, atol=1e-9)
    best = max(range(len(path)), key=lambda i: path[i])
    assert np.mean(found.log_density(dataset(table))) == pytest.approx(path[best], rel=1e-12)
    assert np.exp(found.log_weights).sum() == pytest.approx(1.0)
    assert (np.diff(found.log_weights) <= 0).all()


def rows(n=400):
    """Two kinds of rows: in one all columns copy the first, in the other they contradict it."""
    rng = np.random.default_rng(2)
    first, kind = rng.integers(0, 2, n), rng.random(n) < 0.6
    other = np.where(kind, first, 1 - first)
    third = np.where(kind, first, rng.integers(0, 2, n))
    return np.column_stack([first, other, other, third, third]).astype(str)


def test_two_trees_describe_what_one_does_not():
    X = rows()
    one = MixtureOfTreesDensity(1).fit(X)
    two = MixtureOfTreesDensity(2, n_init=3).fit(X)
    np.testing.assert_allclose(one.score_samples(X), TreeDensity().fit(X).score_samples(X), rtol=1e-9)
    assert two.score(X) > one.score(X)
    assert two.networks_[0] == two.network_
    assert two.log_likelihoods_[-1] >= two.log_likelihoods_[0]


def test_it_is_a_density_with_a_seed_and_a_pickle():
    X = rows()
    model = MixtureOfTreesDensity(2, random_state=5).fit(X)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.score_samples(X), model.score_samples(X))
    domain = np.array(np.meshgrid(*[["0", "1"]] * 5)).reshape(5, -1).T
    assert np.exp(model.score_samples(domain)).sum() == pytest.approx(1.0)
    drawn = model.sample(20000, random_state=1)
    for column in range(1, 5):
        agree = np.mean(drawn[:, 0] == drawn[:, column])
        expected = np.exp(model.score_samples(domain[domain[:, 0] == domain[:, column]])).sum()
        assert agree == pytest.approx(expected, abs=0.015)
    for jobs in (1, 2):
        other = MixtureOfTreesDensity(2, random_state=5, n_jobs=jobs).fit(X)
        np.testing.assert_array_equal(other.score_samples(X), model.score_samples(X))


def test_rows_may_be_missing_and_weigh():
    X = rows(120).astype(object)
    X[::7, 2] = None
    model = MixtureOfTreesDensity(2, missing="available").fit(X)
    assert np.isfinite(model.score_samples(X)).all()
    weights = np.r_[np.ones(60), np.zeros(60)]
    weighted = MixtureOfTreesDensity(1).fit(X, sample_weight=weights)
    alone = TreeDensity().fit(X, sample_weight=weights)
    np.testing.assert_allclose(weighted.score_samples(X), alone.score_samples(X), rtol=1e-9)


@pytest.mark.parametrize(
    "wrong", [{"n_components": 0}, {"n_init": 0}, {"max_iter": 0}, {"tol": -1.0}, {"random_state": -1}]
)
def test_bad_requests_are_named(wrong):
    with pytest.raises(DataError, match=next(iter(wrong))):
        MixtureOfTreesDensity(**wrong).fit(rows(10))
