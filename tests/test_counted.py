"""Schemas and statistics: the same bits for any division, bytes that are checked, estimators from counts."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.base import clone

from reference.statistics import counts as reference_counts
from tanager import (
    BCkGClassifier,
    DataError,
    DataWarning,
    FFSSClassifier,
    FSSClassifier,
    IndependentDensity,
    KDBClassifier,
    NaiveBayesClassifier,
    Schema,
    STANClassifier,
    Statistics,
    TANClassifier,
    TreeDensity,
)
from tanager.data import TableEncoder
from tanager.registry import LEARNERS

LEVELS = [["a", "b", "c"], ["x", "y"], ["p", "q", "r", "s"]]


@st.composite
def divided(draw, gaps=True):
    """Rows of text with gaps, labels, and places where they are divided."""
    cell = [st.sampled_from([*levels, None] if gaps else levels) for levels in LEVELS]
    rows = draw(st.lists(st.tuples(*cell, st.sampled_from(["no", "yes"])), min_size=4, max_size=60))
    rows = [*rows, ("a", "x", "p", "no"), ("b", "y", "q", "yes")]
    cuts = draw(st.lists(st.integers(0, len(rows)), max_size=4))
    ends = [0, *sorted(cuts), len(rows)]
    order = draw(st.permutations(range(len(ends) - 1)))
    parts = [rows[ends[k] : ends[k + 1]] for k in order]
    return rows, [part for part in parts if part]


def frame(rows):
    X = pd.DataFrame([row[:-1] for row in rows], columns=["one", "two", "three"], dtype=object)
    return X, [row[-1] for row in rows]


def mixed(n, seed=0):
    """Text, few and many integers, floats, gaps."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    X = pd.DataFrame(
        {
            "text": rng.choice(list("abc"), n),
            "few": rng.integers(0, 9, n),
            "many": rng.integers(0, 500, n) + 100 * y,
            "real": np.round(rng.normal(size=n) + y, 2),
        }
    )
    X.loc[5, "text"] = None
    X.loc[7, "real"] = np.nan
    return X, np.array(["r", "s", "t"])[y]


def parts_of(X, y, step):
    return [(X[k : k + step], y[k : k + step]) for k in range(0, len(X), step)]


@settings(max_examples=40, deadline=None)
@given(divided(), st.sampled_from(["category", "drop", "available"]))
def test_any_division_and_order_gives_the_same_bits(table, missing):
    rows, parts = table
    schema = Schema.scan([frame(rows)], missing=missing)
    assert Schema.scan([frame(part) for part in parts], missing=missing) == schema
    whole = Statistics(schema).update(*frame(rows))
    one_by_one, merged = Statistics(schema), Statistics(schema)
    for part in parts:
        one_by_one.update(*frame(part))
        merged = Statistics(schema).update(*frame(part)) + merged
    assert one_by_one.to_bytes() == merged.to_bytes() == whole.to_bytes()
    assert Statistics.from_bytes(whole.to_bytes()) == whole


@settings(max_examples=40, deadline=None)
@given(divided(), st.booleans())
def test_counts_are_those_of_dictionaries(table, weighted):
    rows, _ = table
    X, y = frame(rows)
    weights = [0.25 * (1 + k % 5) for k in range(len(rows))] if weighted else None
    schema = Schema.scan([(X, y)], missing="available")
    statistics = Statistics(schema).update(X, y, weights)
    expected = reference_counts([row[:-1] for row in rows], y, weights)
    levels = [column.levels for column in schema.columns]
    for c, label in enumerate(schema.classes):
        assert statistics.class_counts()[c] == expected[label,]
        for i in range(3):
            assert statistics.table(i)[c].tolist() == [expected[label, i, a] for a in levels[i]]
            for j in range(i + 1, 3):
                found = statistics.table(i, j)[c].tolist()
                assert found == [[expected[label, i, a, j, b] for b in levels[j]] for a in levels[i]]


def test_a_scan_finds_what_fit_finds():
    X, y = mixed(3000)
    scanned = Schema.scan(parts_of(X, y, 700))
    encoder = TableEncoder().fit(X, np.unique(y, return_inverse=True)[1])
    assert scanned.difference(Schema.of(encoder, np.unique(y))) is None
    unsupervised = Schema.scan([part for part, _ in parts_of(X, y, 700)])
    assert unsupervised == Schema.of(TableEncoder().fit(X))
    declared = {"categorical": ["many"], "numeric": ["few"], "missing": "drop"}
    encoder = TableEncoder(**declared).fit(X, np.unique(y, return_inverse=True)[1])
    assert Schema.scan(parts_of(X, y, 700), **declared) == Schema.of(encoder, np.unique(y))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 400), st.booleans())
def test_cuts_of_few_numbers_are_exact(seed, values, weighted):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, 600)
    x = np.round((rng.normal(size=600) + y) * values / 4) / 7
    weights = rng.integers(0, 4, 600).astype(float) if weighted else None
    encoder = TableEncoder().fit(x[:, None], y.astype(np.uint32), weights)
    part = slice(0, 250), slice(250, 600)
    parts = [(x[s, None], y[s], None if weights is None else weights[s]) for s in part]
    assert_array_equal(Schema.scan(parts).columns[0].cut_points, encoder.columns[0].cut_points)


def test_cuts_of_many_numbers_tell_as_much_as_exact_ones_whatever_the_division():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 30_000)
    X = np.c_[rng.normal(size=30_000) + 3 * y, rng.normal(size=30_000)]
    one = Schema.scan([(X, y)])
    assert one == Schema.scan(parts_of(X, y, 4321)) == Schema.scan(parts_of(X, y, 9999)[::-1])
    exact = TableEncoder().fit(X, y.astype(np.uint32)).columns
    assert len(one.columns[1].cut_points) == len(exact[1].cut_points) == 0

    def information(cuts):
        joint = np.histogram2d(np.searchsorted(cuts, X[:, 0]), y, bins=(len(cuts) + 1, 2))[0] / len(y)
        apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
        return (joint[joint > 0] * np.log(joint[joint > 0] / apart[joint > 0])).sum()

    assert information(one.columns[0].cut_points) > 0.995 * information(exact[0].cut_points)


@pytest.mark.parametrize(
    "estimator",
    [
        NaiveBayesClassifier(),
        TANClassifier(),
        TANClassifier(score="k2", forest=True),
        STANClassifier(),
        FFSSClassifier(),
        TANClassifier(parameters="hierarchical"),
        TANClassifier(missing="available", score="bic"),
        TANClassifier(missing="drop", class_weight={"r": 2.0}),
    ],
    ids=lambda estimator: f"{estimator.learner}-{estimator.missing}",
)
def test_learning_from_statistics_is_learning_from_rows(estimator):
    X, y = mixed(2000)
    in_memory = clone(estimator).set_params(class_weight=None).fit(X, y)
    schema = Schema.scan(parts_of(X, y, 300), missing=estimator.missing)
    statistics = Statistics(schema)
    for part in parts_of(X, y, 450):
        statistics.update(*part)
    weight = estimator.class_weight
    fitted = estimator.set_params(class_weight=None).fit_statistics(
        Statistics.from_bytes(statistics.to_bytes())
    )
    assert fitted.network_.parents == in_memory.network_.parents
    assert_array_equal(fitted.predict_proba(X), in_memory.predict_proba(X))
    assert getattr(fitted, "structure_score_", None) == getattr(in_memory, "structure_score_", None)
    if weight is not None:
        weighed = estimator.set_params(class_weight=weight).fit_statistics(statistics)
        cuts = schema.encoder()
        rows = pd.DataFrame({c.name: k for c, k in zip(cuts.columns, cuts.transform(X).columns, strict=True)})
        kept = cuts.transform(X).complete_rows()
        plain = TANClassifier(categorical="all", class_weight=weight).fit(rows[kept], y[kept])
        assert_array_equal(weighed.predict_proba(X[kept]), plain.predict_proba(rows[kept]))


@pytest.mark.parametrize("density", [TreeDensity(), IndependentDensity()], ids=lambda one: one.learner)
def test_densities_learn_from_statistics(density):
    X, _ = mixed(1500)
    statistics = Statistics(Schema.scan([X[:800], X[800:]])).update(X[:1]).update(X[1:])
    expected = type(density)().fit(X).score_samples(X)
    assert_array_equal(density.fit_statistics(statistics).score_samples(X), expected)
    batches = type(density)().partial_fit(X[:1000]).partial_fit(X[1000:])
    assert batches.statistics_.rows == 1500


def test_naive_bayes_needs_no_pairs():
    X, y = mixed(500)
    schema = Schema.scan([(X, y)])
    small = Statistics(schema, pairs=False).update(X, y)
    assert small.nbytes < Statistics(schema).nbytes
    assert_array_equal(
        NaiveBayesClassifier().fit_statistics(small).predict_proba(X),
        NaiveBayesClassifier().fit(X, y).predict_proba(X),
    )
    with pytest.raises(DataError, match="pairs of columns was not counted"):
        TANClassifier().fit_statistics(small)


@pytest.mark.parametrize("estimator", [BCkGClassifier(), KDBClassifier(), FSSClassifier()])
def test_who_needs_more_than_pairs_says_who_does_not(estimator):
    X, y = mixed(300)
    able = ", ".join(name for name, learner in LEARNERS.items() if learner.pairs_suffice)
    with pytest.raises(DataError, match=f"needs more than the counts of pairs; from statistics learn {able}"):
        estimator.fit_statistics(Statistics(Schema.scan([(X, y)])).update(X, y))
    assert not hasattr(estimator, "partial_fit")


def test_a_scan_refuses_words_as_a_fit_does():
    X, y = mixed(30)
    for wrong in ({"missing": "nonsense"}, {"discretize": "nonsense"}):
        with pytest.raises(DataError) as of_fit:
            TANClassifier(**wrong).fit(X, y)
        with pytest.raises(DataError) as of_scan:
            Schema.scan([(X, y)], **wrong)
        assert str(of_scan.value) == str(of_fit.value)


def test_different_schemas_do_not_merge():
    X, y = mixed(300)
    base = Schema.scan([(X, y)])
    others = [
        (
            Schema.scan([(X.rename(columns={"few": "other"}), y)]),
            "the columns are 'text', 'few', 'many', 'real' and",
        ),
        (Schema.scan([(X.assign(text="a"), y)]), "column 'text' has levels 'a', 'b', 'c' and 'a'"),
        (Schema.scan([(X.assign(real="a"), y)]), "column 'real' is numeric and categorical"),
        (Schema.scan([(X.assign(many=X["many"] * 2), y)]), "column 'many' is cut at"),
        (Schema.scan([(X.fillna({"text": "a"}), y)]), "column 'text' has missing values in only one"),
        (Schema.scan([(X, np.where(y == "t", "u", y))]), "the classes are 'r', 's', 't' and 'r', 's', 'u'"),
        (Schema.scan([(X, y)], missing="drop"), "column 'text' has missing values in only one"),
        (replace(base, classes=None), "only one of them has classes"),
    ]
    for other, said in others:
        with pytest.raises(DataError, match="the statistics have different schemas: ") as raised:
            Statistics(base).merge(Statistics(other))
        assert said in str(raised.value)


def test_bytes_are_checked():
    X, y = mixed(200)
    data = Statistics(Schema.scan([(X, y)])).update(X, y).to_bytes()
    for hostile in (b"", b"tanager", data[:-1], data[:50], data + b"x", pickle.dumps(1), b"\0" * 100):
        with pytest.raises(DataError, match="the statistics do not fit"):
            Statistics.from_bytes(hostile)
    newer = data[:8] + (2).to_bytes(4, "little") + data[12:]
    with pytest.raises(DataError, match="they were written by a later release: they have version 2"):
        Statistics.from_bytes(newer)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_hostile_bytes_with_a_good_checksum_are_refused_or_add_up(data):
    import zlib

    X, y = mixed(60)
    whole = bytearray(Statistics(Schema.scan([(X, y)])).update(X, y).to_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(8, len(whole) - 5))] = data.draw(st.integers(0, 255))
    whole[-4:] = zlib.crc32(whole[:-4]).to_bytes(4, "little")
    try:
        believed = Statistics.from_bytes(bytes(whole))
    except (DataError, MemoryError):
        return
    assert (believed + believed).rows == 2 * believed.rows


def test_statistics_are_pickled_and_told():
    X, y = mixed(100)
    statistics = Statistics(Schema.scan([(X, y)])).update(X, y)
    assert pickle.loads(pickle.dumps(statistics)) == statistics
    assert repr(statistics) == "Statistics(100 rows, 4 columns, 3 classes)"
    assert statistics.table("text", "few").shape == (3, 4, 9)
    with pytest.raises(DataError, match="'none' is not a column"):
        statistics.table("none")


def test_a_fixed_schema_refuses_what_it_has_no_place_for():
    X, y = mixed(100)
    statistics = Statistics(Schema.scan([(X[10:], y[10:])])).update(X[10:], y[10:])
    before = statistics.to_bytes()
    with pytest.raises(
        DataError, match="column 'text', row 5: the value is missing, but the schema has no place"
    ):
        statistics.update(X, y)
    with pytest.raises(DataError, match="column 'text', row 0: value 'z' was not seen"):
        statistics.update(X[10:].assign(text="z"), y[10:])
    with pytest.raises(DataError, match="label 'other' was not seen"):
        statistics.update(X[10:], np.full(90, "other"))
    with pytest.raises(DataError, match="y is not given"):
        statistics.update(X[10:])
    assert statistics.to_bytes() == before


def test_batches_are_counted_and_levels_that_come_later_taken_in():
    X, y = mixed(900)
    X = X[["text", "few"]]
    early = (X["text"] != "b") & (X["few"] != 0) & X["text"].notna()
    clf = TANClassifier().partial_fit(X[early][:50], y[early][:50], classes=["r", "s", "t"])
    rest = pd.concat([X[early][50:], X[~early]])
    labels = np.concatenate([y[early][50:], y[~early]])
    for k in range(0, len(rest), 100):
        clf.partial_fit(rest[k : k + 100], labels[k : k + 100])
        assert "model_" not in clf.__dict__
    whole = TANClassifier().fit(X, y)
    assert_array_equal(clf.predict_proba(X), whole.predict_proba(X))
    assert clf.network_.parents == whole.network_.parents
    assert clf.structure_score_ == whole.structure_score_
    again = pickle.loads(pickle.dumps(clf)).partial_fit(X[:10], y[:10])
    assert again.statistics_.rows == 910
    assert clf.statistics_.rows == 900


def test_partial_fit_keeps_to_the_contract():
    X, y = mixed(200)
    with pytest.raises(ValueError, match="classes must be passed on the first call to partial_fit"):
        TANClassifier().partial_fit(X, y)
    clf = TANClassifier().partial_fit(X, y, classes=["r", "s", "t"])
    with pytest.raises(ValueError, match="is not the same as on last call to partial_fit"):
        clf.partial_fit(X, y, classes=["r", "s"])
    with pytest.raises(ValueError, match="was not seen"):
        clf.partial_fit(X, np.full(200, "u"))
    assert clf.statistics_.rows == 200
    given_schema = NaiveBayesClassifier().partial_fit(X[:100], y[:100], schema=Schema.scan([(X, y)]))
    given_schema.partial_fit(X[100:], y[100:])
    assert_array_equal(given_schema.predict_proba(X), NaiveBayesClassifier().fit(X, y).predict_proba(X))
    clf.fit(X, y)
    assert "statistics_" not in clf.__dict__
    with pytest.warns(DataWarning, match="partial_fit begins anew"):
        clf.partial_fit(X, y)
    assert clf.statistics_.rows == 200


def test_numbers_that_are_not_cut_need_the_rows():
    X, y = mixed(200)
    clf = NaiveBayesClassifier(numeric="gaussian")
    statistics = Statistics(Schema.scan([(X, y)])).update(X, y)
    for learn in (
        lambda: clf.fit_statistics(statistics),
        lambda: clf.fit(lambda: iter([(X, y)])),
    ):
        with pytest.raises(DataError, match="numeric='gaussian' looks at the numbers themselves"):
            learn()
    assert not hasattr(clf, "partial_fit")
    clf.fit(X, y).set_params(numeric=None).fit_statistics(statistics)
    assert_array_equal(clf.predict_proba(X), NaiveBayesClassifier().fit(X, y).predict_proba(X))
