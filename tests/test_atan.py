"""The average over all trees beside the average tree by tree, and what its users rely on."""

import re

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bridge
import strategies
from reference.atan import AveragedTan, log_joint
from reference.table import MISSING, Table
from tanager import AveragedTANClassifier, CapacityError, DataError, TANClassifier, _core, load_dataset


def tables(**options):
    return strategies.tables(max_attributes=5, max_rows=20, max_classes=3, huge=False, **options)


@settings(max_examples=60, deadline=None)
@given(tables(), st.booleans(), st.data())
def test_it_is_the_average_over_all_trees(table, weighted, data):
    if weighted:
        values = st.lists(st.sampled_from([0.25, 1.0, 3.5]), min_size=table.n_rows, max_size=table.n_rows)
        table = table._replace(weights=data.draw(values))
    model = _core.fit_averaged_tan(bridge.dataset(table), 1)
    oracle = AveragedTan(table)
    found = model.log_joint(bridge.dataset(table))
    expected = np.log([oracle.joint(row) for row in table.codes])
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)
    n = table.n_attributes
    edges = [[oracle.edge_probability(u, v) if u != v else 0.0 for v in range(n)] for u in range(n)]
    np.testing.assert_allclose(model.edge_probabilities(), np.reshape(edges, (n, n)), atol=1e-10)


def test_columns_of_many_values_are_averaged_too():
    rng = np.random.default_rng(0)
    arities, rows = [40, 3, 50], 60
    table = Table(
        codes=[[int(rng.integers(arity)) for arity in arities] for _ in range(rows)],
        arities=arities,
        classes=[int(value) for value in rng.integers(0, 2, rows)],
        n_classes=2,
    )
    oracle = AveragedTan(table)
    found = _core.fit_averaged_tan(bridge.dataset(table), 1).log_joint(bridge.dataset(table))
    expected = np.log([oracle.joint(row) for row in table.codes])
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


@settings(max_examples=30, deadline=None)
@given(tables(min_attributes=2), st.data())
def test_gaps_are_summed_over_or_left_out(table, data):
    model = _core.fit_averaged_tan(bridge.dataset(table), 1)
    gaps = data.draw(st.sets(st.integers(0, table.n_attributes - 1), min_size=1))
    row = [MISSING if i in gaps else value for i, value in enumerate(table.codes[0])]
    asked = bridge.dataset(table._replace(codes=[row], classes=None, n_classes=None, weights=None))
    np.testing.assert_allclose(model.log_joint(asked)[0], log_joint(table, row), rtol=1e-10, atol=1e-10)
    left_out = model.log_joint(asked, 1, True)[0]
    np.testing.assert_allclose(left_out, log_joint(table, row, exact=False), rtol=1e-10, atol=1e-10)
    for approximate in (False, True):
        terms = model.contributions(asked, 1, approximate)[0]
        joint = model.log_joint(asked, 1, approximate)[0]
        np.testing.assert_allclose(model.log_prior + terms.sum(axis=0), joint, rtol=1e-10, atol=1e-10)


@settings(max_examples=20, deadline=None)
@given(strategies.tables(max_attributes=4, max_rows=20, huge=False, missing=True))
def test_counts_with_gaps_give_probabilities(table):
    model = _core.fit_averaged_tan(bridge.dataset(table), 1)
    codes = [list(values) for values in np.ndindex(*table.arities)]
    every = bridge.dataset(table._replace(codes=codes, classes=None, n_classes=None, weights=None))
    assert np.isfinite(model.log_joint(every)).all()
    np.testing.assert_allclose(model.posterior(every).sum(axis=1), 1.0)


def chain(rows: int, columns: int, seed: int):
    """Columns in a chain, each a noisy copy of the one before it: one tree is nearly certain."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    X = np.empty((rows, columns), dtype=np.int64)
    X[:, 0] = rng.integers(0, 3, rows)
    for j in range(1, columns):
        noise = rng.random(rows) < 0.15 + 0.2 * y
        X[:, j] = np.where(noise, rng.integers(0, 3, rows), X[:, j - 1])
    return X, y


def test_where_one_tree_dominates_it_is_that_tree():
    X, y = chain(100_000, 60, seed=0)
    model = AveragedTANClassifier(categorical="all").fit(X, y)
    probabilities = model.edge_probabilities_
    nodes = range(59)
    np.testing.assert_allclose([probabilities[i, i + 1] for i in nodes], 1.0, atol=1e-12)
    np.testing.assert_allclose(probabilities.sum(), 2 * 59)
    rows = np.vstack([X[:300], 2 - X[:300], np.random.default_rng(1).integers(0, 3, (300, 60))])
    found = model.predict_log_proba(rows)
    assert np.isfinite(found).all()
    best = TANClassifier(categorical="all", score="bdeu").fit(X, y)
    assert model.network_.parents == best.network_.parents
    # The tree's own tables, with the same pseudo-counts.
    alone = np.tile(np.asarray(model.model_.log_prior), (len(rows), 1))
    for place, ((node,), parents) in enumerate(model.model_.nodes):
        alone += model.model_.table(place)[tuple(rows[:, i] for i in (*parents, node))]
    alone -= np.logaddexp.reduce(alone, axis=1, keepdims=True)
    np.testing.assert_allclose(found, alone, atol=1e-6)


def test_weights_of_any_size_are_averaged_in_log_space():
    X, y = chain(60, 5, seed=2)
    heavy = AveragedTANClassifier(categorical="all").fit(X, y, sample_weight=np.full(60, 1e60))
    light = AveragedTANClassifier(categorical="all").fit(X, y, sample_weight=np.full(60, 1e-60))
    assert np.isfinite(heavy.predict_log_proba(2 - X)).all()
    np.testing.assert_allclose(light.predict_proba(X), 0.5)


class ExactTan(AveragedTan):
    """Likelihoods of trees by 200 digits: lnΓ(1e60) leaves nothing of a float for the rows beside it."""

    def _log_likelihood(self, child, parent):
        with mpmath.workdps(200):
            counts, pseudo = self._counts(child, parent)
            total = mpmath.mpf(0)
            for row in counts:
                of_row = mpmath.mpf(pseudo) * len(row)
                total += mpmath.loggamma(of_row) - mpmath.loggamma(of_row + mpmath.fsum(row))
                total += mpmath.fsum(mpmath.loggamma(pseudo + mpmath.mpf(count)) for count in row)
                total -= len(row) * mpmath.loggamma(pseudo)
            return total


def assert_exact(table):
    found = _core.fit_averaged_tan(bridge.dataset(table), 1).log_joint(bridge.dataset(table))
    with mpmath.workdps(200):
        oracle = ExactTan(table)
    expected = np.log([oracle.joint(row) for row in table.codes])
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@settings(max_examples=25, deadline=None)
@given(
    strategies.tables(min_attributes=3, max_attributes=4, max_rows=8, max_classes=2, huge=False), st.data()
)
def test_a_row_may_weigh_a_great_deal_more_than_the_others(table, data):
    light = st.sampled_from([1e-60, 1e-3, 1.0])
    weights = data.draw(st.lists(light, min_size=table.n_rows, max_size=table.n_rows))
    weights[data.draw(st.integers(0, table.n_rows - 1))] = data.draw(st.sampled_from([1e12, 1e60]))
    assert_exact(table._replace(weights=weights))


@pytest.mark.parametrize("weight", [1e9, 1e15, 1e60])
def test_where_all_rows_weigh_much_one_tree_is_left(weight):
    """ln P of trees has the scale of the weights: what tells rows apart is not to be lost in it."""
    X, y = chain(60, 4, seed=2)
    table = Table(codes=X.tolist(), arities=[3] * 4, classes=y.tolist(), n_classes=2, weights=[weight] * 60)
    assert_exact(table)


def test_threads_do_not_change_a_bit():
    car = load_dataset("car")
    one, two = (AveragedTANClassifier(n_jobs=jobs).fit(car.X, car.y) for jobs in (1, 2))
    np.testing.assert_array_equal(one.predict_log_proba(car.X), two.predict_log_proba(car.X))
    np.testing.assert_array_equal(one.edge_probabilities_, two.edge_probabilities_)


def test_explanations_add_up_and_name_the_best_trees_terms():
    X, y = chain(4000, 6, seed=3)
    model = AveragedTANClassifier(categorical="all").fit(X, y)
    explanation = model.explain(X[:50])
    np.testing.assert_allclose(explanation.log_proba(), model.predict_log_proba(X[:50]), atol=1e-12)
    (node,), parents = model.model_.nodes[3]
    table = model.model_.table(3)[tuple(X[:50, i] for i in (*parents, node))]
    np.testing.assert_allclose(explanation.contributions[:, 3], table, atol=1e-8)


def test_too_many_gaps_are_refused_by_row_or_left_out():
    X, y = chain(200, 30, seed=4)
    gaps = X[:4].astype(object)
    gaps[2, 5:] = None
    model = AveragedTANClassifier(categorical="all").fit(X, y)
    with pytest.raises(CapacityError, match=r"row 2: .* 25 missing values .*approximate"):
        model.predict(gaps)
    assert len(model.set_params(missing_at_predict="approximate").predict(gaps)) == 4


def test_edges_are_drawn_as_thick_as_they_are_probable():
    X, y = chain(300, 5, seed=5)
    model = AveragedTANClassifier(categorical="all").fit(X, y)
    probabilities = model.edge_probabilities_
    svg = model.edges_svg(least=0.02)
    drawn = re.findall(r"stroke-width:([0-9.]+).*?<title>x(\d) → x(\d): ([0-9.]+) probability</title>", svg)
    assert len(drawn) == max(4, int((np.triu(probabilities, 1) >= 0.02).sum()))
    for width, a, b, shown in drawn:
        p = probabilities[int(a), int(b)]
        assert float(shown) == pytest.approx(p, abs=1e-4)
        assert float(width) == pytest.approx(1.0 + (5.0 if len(drawn) == 4 else 2.0) * p, abs=0.01)
    assert model.plot_edges(least=0.02) is not None


def test_there_is_no_one_network():
    X, y = chain(50, 4, seed=6)
    model = AveragedTANClassifier(categorical="all").fit(X, y)
    with pytest.raises(DataError, match="not one network"):
        model.to_bif()
    assert not hasattr(model, "sample")
    assert not hasattr(model, "n_parameters_")
