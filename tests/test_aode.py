"""Averaged dependence estimators beside their loops, and what their users rely on."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bridge
import strategies
from reference.aode import Aode
from reference.table import MISSING
from tanager import (
    AODEClassifier,
    CapacityError,
    DataError,
    NaiveBayesClassifier,
    Schema,
    Statistics,
    _core,
    load_dataset,
)

SETTINGS = st.fixed_dictionaries(
    {
        "order": st.sampled_from([1, 2]),
        "weights": st.sampled_from([None, "mi"]),
        "subsumption": st.booleans(),
        "min_count": st.sampled_from([0, 1, 3]),
    }
)


def oracle(table, chosen) -> Aode:
    return Aode(table, chosen["order"], chosen["weights"] == "mi", chosen["subsumption"], chosen["min_count"])


def asked(table, rows):
    return bridge.dataset(table._replace(codes=rows, classes=None, n_classes=None, weights=None))


@settings(max_examples=150, deadline=None)
@given(
    strategies.tables(max_attributes=4, max_rows=14, max_classes=3, huge=False, missing=True),
    SETTINGS,
    st.booleans(),
    st.data(),
)
def test_it_is_the_sum_over_super_parents(table, chosen, weighted, data):
    if weighted:
        values = st.lists(st.sampled_from([0.25, 1.0, 60.0]), min_size=table.n_rows, max_size=table.n_rows)
        table = table._replace(weights=data.draw(values))
    row = [data.draw(st.integers(MISSING, arity - 1)) for arity in table.arities]
    rows = [*table.codes[:4], row]
    model = _core.fit_aode(bridge.dataset(table), chosen, 1)
    expected = [oracle(table, chosen).log_joint(one) for one in rows]
    np.testing.assert_allclose(model.log_joint(asked(table, rows)), expected, rtol=1e-10, atol=1e-10)
    posterior = [oracle(table, chosen).posterior(one) for one in rows]
    np.testing.assert_allclose(model.posterior(asked(table, rows)), posterior, atol=1e-10)
    terms = model.contributions(asked(table, rows)).sum(axis=1)
    np.testing.assert_allclose(model.log_prior + terms, expected, rtol=1e-9, atol=1e-9)
    again = _core.Aode.from_parts(*model.parts())
    np.testing.assert_array_equal(again.log_joint(asked(table, rows)), model.log_joint(asked(table, rows)))


def test_a_value_that_another_implies_is_left_out():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 600)
    sex = rng.choice(["f", "m"], 600)
    pregnant = np.where((sex == "f") & (rng.random(600) < 0.5), "yes", "no")
    other = rng.choice(["p", "q"], 600)
    X = np.column_stack([sex, pregnant, other])
    resolved = AODEClassifier(subsumption=True).fit(X, y)
    row = np.array([["f", "yes", "p"]], dtype=object)
    without = np.array([[None, "yes", "p"]], dtype=object)
    np.testing.assert_array_equal(resolved.predict_proba(row), resolved.predict_proba(without))
    plain = AODEClassifier().fit(X, y)
    assert np.abs(plain.predict_proba(row) - resolved.predict_proba(row)).max() > 1e-4


def test_where_nothing_occurs_often_enough_it_is_naive_bayes():
    X = [["a", "p"], ["b", "q"], ["a", "q"]] * 3
    y = [0, 1, 1] * 3
    model = AODEClassifier(min_count=100).fit(X, y)
    base = np.asarray(model.model_.log_prior)[:, None]
    expected = base + model.model_.table(0)[0][:, None] + model.model_.table(1)[1][:, None]
    expected -= np.logaddexp.reduce(expected)
    np.testing.assert_allclose(model.predict_log_proba([["a", "q"]]), expected.T)


def test_pairs_of_many_values_are_refused_before_any_table_is_made():
    X = np.random.default_rng(1).integers(0, 300, (2000, 60))
    # Every column has about 300 values: 1770 pairs of them with 18,000 values.
    message = r"each of the 1770 pairs of 60 columns .* values of parents × \d+"
    with pytest.raises(CapacityError, match=message):
        AODEClassifier(order=2, categorical="all").fit(X, X[:, 0] % 2)


def test_threads_do_not_change_a_bit():
    car = load_dataset("car")
    for order in (1, 2):
        one, two = (AODEClassifier(order=order, n_jobs=jobs).fit(car.X, car.y) for jobs in (1, 2))
        np.testing.assert_array_equal(one.predict_log_proba(car.X), two.predict_log_proba(car.X))


def test_counts_of_parts_give_the_same_bits():
    car = load_dataset("car")
    frame, y = car.to_pandas().drop(columns="class"), car.y
    schema = Schema.scan([(frame, y)])
    parts = [Statistics(schema).update(frame[start::3], y[start::3]) for start in range(3)]
    whole = AODEClassifier(weights="mi").fit(frame, y)
    counted = AODEClassifier(weights="mi").fit_statistics(parts[0] + parts[1] + parts[2])
    np.testing.assert_array_equal(counted.predict_proba(frame), whole.predict_proba(frame))
    with pytest.raises(DataError, match="needs more than the counts of pairs"):
        AODEClassifier(order=2).fit_statistics(parts[0])


def test_triples_are_counted_in_a_further_pass(tmp_path):
    car = load_dataset("car")
    frame = car.to_pandas()
    frame.to_csv(tmp_path / "car.csv", index=False)
    read = AODEClassifier(order=2, categorical="all").fit(tmp_path / "car.csv", target="class")
    X = frame.drop(columns="class")
    whole = AODEClassifier(order=2, categorical="all").fit(X, frame["class"])
    np.testing.assert_array_equal(read.predict_proba(X), whole.predict_proba(X))


def test_two_parents_see_what_one_does_not():
    """The class is the parity of three columns: no pair of them tells anything about it."""
    X = np.random.default_rng(2).integers(0, 2, (3000, 4))
    y = X[:, :3].sum(axis=1) % 2
    accuracy = {
        order: (AODEClassifier(order=order, categorical="all").fit(X, y).predict(X) == y).mean()
        for order in (1, 2)
    }
    assert accuracy[2] == 1.0
    assert accuracy[1] < 0.6
    assert (NaiveBayesClassifier(categorical="all").fit(X, y).predict(X) == y).mean() < 0.6


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"order": 3}, "order = 3 is not allowed: it is 1 or 2"),
        ({"weights": "gain"}, "weights = 'gain' is not allowed"),
        ({"min_count": -1}, "min_count = -1 is not allowed"),
        ({"subsumption": "yes"}, "subsumption = 'yes' is not allowed"),
    ],
)
def test_settings_are_checked(chosen, message):
    with pytest.raises((DataError, TypeError), match=message):
        AODEClassifier(**chosen).fit([["a"], ["b"]], [0, 1])


@pytest.mark.parametrize(("name", "theirs"), [("car", (0.9479, 0.9427)), ("tic-tac-toe", (0.7526, 0.7526))])
def test_training_accuracies_are_those_of_bnclassify(name, theirs):
    """bnclassify 0.4.8, `lp(aode("class", d), d, smooth)` with smooth = 1/4 and 1/3.

    Its smooth is added to every cell; here each distribution has one pseudo-count, 1/4 or 1/3 in a cell.
    """
    table = load_dataset(name)
    ours = AODEClassifier().fit(table.X, table.y).score(table.X, table.y)
    assert all(abs(ours - accuracy) < 0.004 for accuracy in theirs)


def test_there_is_no_one_network():
    model = AODEClassifier().fit([["a", "p"], ["b", "q"]] * 4, [0, 1] * 4)
    assert not hasattr(model, "predict_joint_log_proba")
    assert not hasattr(model, "sample")
    with pytest.raises(DataError, match="not one network"):
        model.to_bif()


def test_blocks_of_rows_are_predicted_as_the_rows_alone():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (1000, 40)), rng.integers(0, 5, 1000)
    model = AODEClassifier().fit(X[:200], y[:200])
    together = model.predict_log_proba(X)
    for start in range(0, 1000, 50):
        part = slice(start, start + 50)
        np.testing.assert_array_equal(model.predict_log_proba(X[part]), together[part])
