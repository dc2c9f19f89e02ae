"""Densities: they sum to one, samples follow them, and their tables are those of the reference."""

import pickle
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2
from sklearn.base import clone

from reference import learners, parameters, scores, structure
from strategies import tables
from tanager import BCkGDensity, CkGDensity, Dataset, IndependentDensity, TreeDensity, _core
from tanager.estimators import DENSITIES
from tanager.exceptions import DataError

ALL = [IndependentDensity(), TreeDensity(), CkGDensity(), BCkGDensity(k=3, score="ll")]


def fit(table, learner: str, parameters_: str = "laplace", **settings):
    data = Dataset(table.codes, table.arities)
    return _core.fit(data, learner, settings, "bic", parameters_)[0]


def rows() -> list[list[str]]:
    rng = np.random.default_rng(5)
    first = rng.choice(list("abc"), 300)
    second = np.where(rng.random(300) < 0.8, first, rng.choice(list("abc"), 300))
    third = np.where(first == second, "x", "y")
    return np.column_stack([first, second, third]).tolist()


@pytest.mark.parametrize("learner", sorted(set(DENSITIES) - {"mixture"}))  # which test_mixture.py sums up
@given(table=tables(min_attributes=1, max_attributes=4, with_class=False, huge=False))
@settings(max_examples=25)
def test_a_density_sums_to_one_over_the_domain(learner, table):
    domain = list(product(*(range(arity) for arity in table.arities)))
    everything = Dataset(domain, table.arities)
    for estimate in ("laplace", "dirichlet", "mle"):
        values = fit(table, learner, estimate).log_density(everything)
        assert np.exp(values).sum() == pytest.approx(1.0, rel=1e-9)


@given(table=tables(min_attributes=1, max_attributes=4, with_class=False, huge=False), k=st.integers(0, 3))
@settings(max_examples=40)
def test_densities_are_products_of_the_reference_tables(table, k):
    model = fit(table, "bckg", "dirichlet", k=k, root=0)
    tree = [parents[0] if parents else -1 for _, parents in fit(table, "tan", root=0).nodes]
    expected = learners.bckg(table, k, scores.SCORES["bic"], tree)
    assert [list(parents) for _, parents in model.nodes] == structure.parent_lists(expected)
    values = model.log_density(Dataset(table.codes, table.arities))
    for row, value in zip(table.codes, values, strict=True):
        density = 0.0
        for child, parents in enumerate(structure.parent_lists(expected)):
            theta = parameters.dirichlet(table, child, parents)
            place = 0
            for parent in parents:
                place = place * table.arities[parent] + row[parent]
            density += np.log(theta[place, row[child]])
        assert value == pytest.approx(density, rel=1e-9)


@pytest.mark.parametrize("estimator", ALL, ids=lambda e: type(e).__name__)
def test_samples_reproduce_the_density(estimator):
    model = clone(estimator).fit(rows())
    n = 30_000
    sample = model.sample(n, random_state=1)
    domain = list(product("abc", "abc", "xy"))
    expected = np.exp(model.score_samples(domain)) * n
    place = {values: i for i, values in enumerate(domain)}
    found = np.bincount([place[tuple(row)] for row in sample.tolist()], minlength=len(domain))
    kept = expected > 5
    statistic = ((found - expected)[kept] ** 2 / expected[kept]).sum()
    assert statistic < chi2.ppf(0.9999, kept.sum())
    assert (model.sample(50, random_state=1) == sample[:50]).all()
    assert (model.sample(50, random_state=2) != sample[:50]).any()


@pytest.mark.parametrize("estimator", ALL, ids=lambda e: type(e).__name__)
def test_the_estimators_keep_their_contract(estimator):
    X = rows()
    model = clone(estimator)
    assert model.fit(X) is model
    values = model.score_samples(X)
    assert model.score(X) == pytest.approx(values.mean())
    assert model.n_features_in_ == 3
    assert model.network_.class_name is None
    again = pickle.loads(pickle.dumps(model))
    assert (again.score_samples(X) == values).all()
    weighted = clone(estimator).fit(X, sample_weight=np.full(len(X), 2.0))
    assert weighted.network_.nodes == model.network_.nodes


def test_richer_densities_fit_better():
    X = rows()
    found = [
        clone(estimator).set_params(parameters="mle").fit(X).score(X)
        for estimator in (IndependentDensity(), TreeDensity(), BCkGDensity(score="ll"))
    ]
    assert found[0] < found[1] < found[2]
    assert BCkGDensity(score="ll").fit(X).structure_score_ == pytest.approx(300 * found[2])


def test_bad_requests_are_named():
    with pytest.raises(DataError, match="n_samples = 0 is not allowed"):
        IndependentDensity().fit(rows()).sample(0)
    with pytest.raises(DataError, match="k = -1 is not allowed"):
        CkGDensity(k=-1).fit(rows())
    with pytest.raises(DataError, match="root = 'z' is not a column"):
        TreeDensity(root="z").fit(rows())
    classifier, _ = _core.fit(Dataset([[0], [1]], [4], [0, 1]), "nb", {}, "ll", "laplace")
    with pytest.raises(DataError, match="scored by a density, which has no class"):
        classifier.scan(np.zeros(1, dtype=np.uint8), [0.25] * 4, 0.0)
    with pytest.raises(DataError, match="a node's table has length 3, expected 2"):
        _core.Network.from_parts([2], None, [([0], [])], [np.zeros(3)])


def test_a_network_with_a_class_is_one_more_column_of_the_density():
    """P(x) = Σ_c P(c, x), and the class is drawn with the rows."""
    codes, classes = np.array([[0, 1], [1, 1], [1, 0], [0, 0], [1, 1]]), np.array([0, 1, 1, 0, 1])
    network, _ = _core.fit(Dataset(codes, [2, 2], classes, 2), "tan", {}, "ll", "laplace")
    data = Dataset(codes, [2, 2])
    expected = np.logaddexp.reduce(network.log_joint(data), axis=1)
    np.testing.assert_allclose(network.log_density(data), expected, rtol=1e-12)
    columns, drawn = network.sample(20000, 3)
    frequency = np.mean((columns[0] == 1) & (columns[1] == 1) & (drawn == 1))
    assert abs(frequency - np.exp(network.log_joint(data)[1, 1])) < 0.02
    assert _core.fit(data, "tan", {}, "ll", "laplace")[0].sample(2, 3)[1] is None
