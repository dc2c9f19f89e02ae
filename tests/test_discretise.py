"""Cut points against the oracle, and the transformers around them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import KBinsDiscretizer

from reference.discretise import mdl_cut_points as reference_cut_points
from tanager.data import EqualFrequency, EqualWidth, MDLDiscretizer, TableEncoder, mdl_cut_points
from tanager.exceptions import DataError


@st.composite
def labelled_numbers(draw):
    """Numbers on a coarse grid, with labels that follow them most of the time."""
    rows = draw(st.lists(st.tuples(st.integers(0, 24), st.integers(0, 2), st.integers(0, 6)), min_size=2))
    x = [value / 3 for value, _, _ in rows]
    y = [label if noise == 0 else value // 9 for value, label, noise in rows]
    return x, y


@given(labelled_numbers())
def test_cut_points_equal_the_oracle(data) -> None:
    x, y = data
    assert mdl_cut_points(x, y).tolist() == pytest.approx(reference_cut_points(x, y), abs=1e-12)


@given(labelled_numbers(), st.randoms(use_true_random=False))
def test_rows_and_labels_in_any_order(data, random) -> None:
    x, y = data
    rows = list(range(len(x)))
    random.shuffle(rows)
    names = {0: "z", 1: "y", 2: "x"}
    shuffled = mdl_cut_points([x[i] for i in rows], [names[y[i]] for i in rows])
    assert shuffled.tolist() == mdl_cut_points(x, y).tolist()


@given(labelled_numbers(), st.data())
def test_weight_two_is_the_row_twice(data, more) -> None:
    x, y = map(np.array, data)
    weights = np.array(more.draw(st.lists(st.integers(0, 3), min_size=len(x), max_size=len(x))))
    if not weights.any():
        weights[0] = 1
    twice = mdl_cut_points(np.repeat(x, weights), np.repeat(y, weights))
    assert mdl_cut_points(x, y, sample_weight=weights).tolist() == twice.tolist()


def test_hand_computed() -> None:
    # Two pure halves of four: gain 1 bit, threshold (log2 7 + log2 7 − 2)/8 = 0.45.
    assert mdl_cut_points(range(8), [0] * 4 + [1] * 4).tolist() == [3.5]
    # Alternating labels: the best gain, 0.14, stays below 0.49.
    assert mdl_cut_points(range(8), [0, 1] * 4).tolist() == []
    # Missing values take no part.
    assert mdl_cut_points([0, 1, 2, 3, np.nan, 4, 5, 6, 7], [0] * 5 + [1] * 4).tolist() == [3.5]
    with pytest.raises(DataError, match="2 dimensions"):
        mdl_cut_points([[1.0]], [0])


def test_transformers_keep_names_and_pass_missing_values() -> None:
    X = pd.DataFrame({"a": [1.0, 2, 3, 10, 11, 12, np.nan], "b": [5.0] * 7})
    y = ["n", "n", "n", "p", "p", "p", "p"]
    for discretizer in (MDLDiscretizer(), EqualWidth(bins=2), EqualFrequency(bins=2)):
        codes = discretizer.fit(X, y).transform(X)
        assert [len(cuts) for cuts in discretizer.cut_points_] == [1, 0]
        np.testing.assert_array_equal(codes[:, 0], [0, 0, 0, 1, 1, 1, np.nan])
        np.testing.assert_array_equal(codes[:, 1], np.zeros(7))
        assert discretizer.get_feature_names_out().tolist() == ["a", "b"]


@given(st.lists(st.integers(0, 30), min_size=1), st.integers(1, 6))
def test_equal_frequency_is_as_equal_as_ties_allow(values, bins) -> None:
    x = np.array(values, dtype=float)
    cuts = EqualFrequency(bins=bins).fit(x.reshape(-1, 1)).cut_points_[0]
    assert len(cuts) < bins
    below = np.array([(x <= cut).sum() for cut in cuts])
    possible = np.array([(x <= value).sum() for value in np.unique(x)[:-1]])
    wanted = len(x) * np.arange(1, bins) / bins
    # Every wanted quantile has the best possible cut among the cuts.
    for quantile in wanted if len(possible) else []:
        assert np.abs(below - quantile).min() == pytest.approx(np.abs(possible - quantile).min())
    doubled = (
        EqualFrequency(bins=bins).fit(x.reshape(-1, 1), sample_weight=np.full(len(x), 2.0)).cut_points_[0]
    )
    assert doubled.tolist() == cuts.tolist()


def test_equal_width() -> None:
    discretizer = EqualWidth(bins=4).fit([[0.0], [8.0]])
    assert discretizer.cut_points_[0].tolist() == [2.0, 4.0, 6.0]
    assert discretizer.transform([[-1.0], [2.0], [2.1], [9.0]]).ravel().tolist() == [0, 0, 1, 3]
    for bins in (0, 2.5, True, "many"):
        with pytest.raises(DataError, match="bins = "):
            EqualWidth(bins=bins).fit([[0.0]])


def test_encoder_takes_transformers() -> None:
    X = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]).reshape(-1, 1)
    bins = KBinsDiscretizer(n_bins=4, encode="ordinal", strategy="uniform")
    codes = TableEncoder(discretize=bins).fit_transform(X).columns[0]
    assert codes.tolist() == bins.fit_transform(X).ravel().tolist()
    assert (
        TableEncoder(discretize=EqualWidth(bins=2)).fit_transform(X).columns[0].tolist() == [0] * 4 + [1] * 4
    )
    assert TableEncoder(discretize=MDLDiscretizer()).fit_transform(X, [0] * 4 + [1] * 4).arities == [2]
    assert TableEncoder(discretize="none").fit_transform(X).arities == [8]
    for bad in (object(), 3):
        with pytest.raises(DataError, match="a transformer"):
            TableEncoder(discretize=bad).fit(X)


def test_weights_reach_the_transformer() -> None:
    X = np.arange(8.0).reshape(-1, 1)
    weights = np.array([9.0, 9.0, 9.0, 9.0, 1.0, 1.0, 1.0, 1.0])
    bins = KBinsDiscretizer(n_bins=2, encode="ordinal", strategy="quantile")
    if "quantile_method" in bins.get_params():  # scikit-learn 1.7 asks for it
        bins.set_params(quantile_method="averaged_inverted_cdf")
    encoder = TableEncoder(discretize=bins).fit(X, sample_weight=weights)
    expected = bins.fit(X, sample_weight=weights).bin_edges_[0][1:-1]
    assert encoder.columns[0].cut_points == pytest.approx(expected)
    assert TableEncoder(discretize=bins).fit(X).columns[0].cut_points[0] > expected[0]


def test_the_largest_numbers() -> None:
    cuts = EqualWidth(3).fit([[-1.5e308], [0.0], [1.5e308]]).cut_points_[0]
    np.testing.assert_allclose(cuts, [-5e307, 5e307])
    assert np.isfinite(mdl_cut_points([-1.7e308] * 9 + [1.7e308] * 9, [0] * 9 + [1] * 9)).all()
    with pytest.raises(DataError, match="x, row 1: inf is not allowed, numbers are finite or missing"):
        mdl_cut_points([1.0, np.inf], [0, 1])
