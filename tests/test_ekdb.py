"""Ensembles of KDBs beside what their members should draw, and what their users rely on."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bridge
import strategies
from reference.ekdb import coarser, members
from reference.table import make_table
from tanager import DataError, KDBClassifier, KDBEnsembleClassifier, _core, load_dataset


def check(table, ladders, chosen):
    """Orders, cuts and structures are the oracle's; the posterior is the mean of the members'."""
    handed = [(table.arities[i], ladders[i]) if i in ladders else None for i in range(table.n_attributes)]
    model = _core.fit_kdb_ensemble(bridge.dataset(table), handed, chosen, 2)
    expected = members(
        table, chosen["n_estimators"], chosen["k"], chosen["random_state"], ladders, chosen["selective"]
    )
    _, intervals, networks = model.parts()
    mean = 0.0
    for (cuts, structure), of_member, network in zip(expected, intervals, networks, strict=True):
        for i, places in enumerate(of_member):
            if places is None:
                assert i not in cuts
            else:
                assert [t for t in range(len(places) - 1) if places[t + 1] > places[t]] == cuts[i]
        assert bridge.structure_of(network) == structure
        coarse = bridge.dataset(coarser(table, cuts))
        parents = [[] for _ in table.arities]
        for (node,), of_node in network.nodes:
            parents[node] = list(of_node)
        given_structure = {"parents": parents}
        if len(network.nodes) == table.n_attributes:
            fitted, _ = _core.fit(coarse, "network", given_structure, "ll", "hierarchical", 1)
            np.testing.assert_allclose(network.posterior(coarse), fitted.posterior(coarse), atol=1e-10)
        mean = mean + network.posterior(coarse) / len(networks)
    np.testing.assert_allclose(model.posterior(bridge.dataset(table)), mean, atol=1e-12)
    return expected


@settings(max_examples=25, deadline=None)
@given(
    strategies.tables(max_attributes=4, max_rows=14, max_classes=3, huge=False),
    st.integers(0, 2),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_orders_are_drawn_and_the_rest_follows(table, k, selective, seed):
    check(table, {}, {"n_estimators": 3, "k": k, "selective": selective, "random_state": seed})


@pytest.mark.parametrize("seed", range(6))
def test_cuts_are_drawn_by_how_far_they_exceed_the_threshold(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, 60)
    steps = np.column_stack([rng.integers(0, 4, 60) + 4 * y, rng.integers(0, 12, 60)])
    codes = np.column_stack([steps, rng.integers(0, 2, 60)])
    table = make_table(codes, [12, 12, 2], y, 3)
    chosen = {"n_estimators": 4, "k": 1, "selective": False, "random_state": seed}
    found = check(table, {0: [3, 7], 1: []}, chosen)
    assert found[0][0] == {0: [3, 7], 1: []}
    assert any(cuts[0] for cuts, _ in found[1:])


def test_members_read_tables_and_their_mean_is_the_ensemble():
    glass = load_dataset("glass")
    model = KDBEnsembleClassifier(n_estimators=6, k=2).fit(glass.X, glass.y)
    members_ = model.estimators_
    assert all(isinstance(member, KDBClassifier) for member in members_)
    mean = np.mean([member.predict_proba(glass.X) for member in members_], axis=0)
    np.testing.assert_allclose(model.predict_proba(glass.X), mean, atol=1e-12)
    cuts = [[column.cut_points.tolist() for column in one.encoder_.columns] for one in members_]
    assert cuts[0] == [
        column.cut_points.tolist() for column in KDBClassifier().fit(glass.X, glass.y).encoder_.columns
    ]
    assert any(other != cuts[0] for other in cuts[1:])


def test_explanations_add_up_with_missing_values_too():
    table = load_dataset("hepatitis")
    model = KDBEnsembleClassifier(n_estimators=4, k=2).fit(table.X, table.y)
    rows = table.X[:12]
    explanation = model.explain(rows)
    np.testing.assert_allclose(explanation.log_proba(), model.predict_log_proba(rows), atol=1e-9)
    assert explanation.terms[-1] == "averaging"
    one = KDBEnsembleClassifier(n_estimators=1, k=2).fit(table.X, table.y).explain(rows)
    np.testing.assert_allclose(np.ptp(one.contributions[:, -1], axis=1), 0, atol=1e-9)
    importances = model.importances()
    assert set(importances) == set(table.feature_names)
    assert len(str(model.table(model.network_.nodes[0]))) > 10


def test_threads_and_pickles_do_not_change_a_bit_and_seeds_do():
    wine = load_dataset("wine")
    one, two = (KDBEnsembleClassifier(5, 2, n_jobs=jobs).fit(wine.X, wine.y) for jobs in (1, 2))
    np.testing.assert_array_equal(one.predict_proba(wine.X), two.predict_proba(wine.X))
    again = pickle.loads(pickle.dumps(one))
    np.testing.assert_array_equal(one.predict_proba(wine.X), again.predict_proba(wine.X))
    other = KDBEnsembleClassifier(5, 2, random_state=1).fit(wine.X, wine.y)
    assert (other.predict_proba(wine.X) != one.predict_proba(wine.X)).any()


def test_many_values_leave_fewer_parents_instead_of_too_large_tables():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 20, 3000)
    X = (y[:, None] + rng.integers(0, 20, (3000, 8))) % 40
    model = KDBEnsembleClassifier(2, 5, selective=False, categorical="all").fit(X, y)
    for member in model.estimators_:
        for parents in member.network_.parents.values():
            assert 20 * 40 ** (len(parents) + 1) <= 2**18


def test_settings_are_checked():
    X, y = [["a"], ["b"]], [0, 1]
    for chosen, message in (
        ({"n_estimators": 0}, "n_estimators = 0 is not allowed"),
        ({"n_estimators": 2**33}, "n_estimators = 8589934592 is not allowed: it is at most 4294967295"),
        ({"selection": "gain"}, "selection = 'gain' is not allowed"),
        ({"k": -1}, "k = -1 is not allowed"),
    ):
        with pytest.raises(DataError, match=message):
            KDBEnsembleClassifier(**chosen).fit(X, y)
