"""The statistics of comparisons, against scipy, published tables and direct definitions."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from tanager.evaluation import statistics as ts

GOLDEN = Path(__file__).parent / "golden" / "asb_table3.csv"

score_tables = st.tuples(st.integers(2, 9), st.integers(3, 6)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.integers(0, 6).map(lambda v: v / 6))
)


def paper_table() -> tuple[list[str], np.ndarray]:
    with GOLDEN.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    names = [name for name in rows[0] if name != "dataset"]
    return names, np.array([[float(row[name].split("±")[0]) for name in names] for row in rows])


def test_ranks_of_mihaljevic_2013_from_their_rounded_accuracies():
    names, table = paper_table()
    expected = {"asb": 3.11, "stan": 3.89, "fss": 5.29, "bsej": 3.64, "ffss": 4.25, "nb": 3.50, "tan": 4.32}
    assert dict(zip(names, np.round(ts.average_ranks(table), 2), strict=True)) == pytest.approx(expected)


def test_friedman_of_mihaljevic_2013_from_their_rounded_accuracies():
    result = ts.friedman(paper_table()[1])
    assert (result.n_datasets, result.n_learners) == (14, 7)
    assert result.chi2 == pytest.approx(9.015, abs=5e-4)
    assert result.p_value == pytest.approx(0.173, abs=5e-4)
    assert result.chi2_ties == pytest.approx(9.762, abs=5e-4)
    assert result.p_value_ties == pytest.approx(0.135, abs=5e-4)
    assert result.iman_davenport == pytest.approx(1.563, abs=5e-4)
    assert result.iman_davenport_p_value == pytest.approx(0.169, abs=5e-4)
    assert result.iman_davenport_ties == pytest.approx(1.710, abs=5e-4)
    assert result.iman_davenport_ties_p_value == pytest.approx(0.130, abs=5e-4)


@given(score_tables)
@settings(max_examples=60, deadline=None)
def test_tie_corrected_friedman_is_scipys(table):
    result = ts.friedman(table)
    if all(len(set(row)) == 1 for row in table):
        assert (result.chi2_ties, result.p_value_ties) == (0.0, 1.0)
        return
    expected = stats.friedmanchisquare(*table.T)
    assert result.chi2_ties == pytest.approx(expected.statistic, abs=1e-9)
    assert result.p_value_ties == pytest.approx(expected.pvalue, abs=1e-9)
    assert result.chi2 <= result.chi2_ties + 1e-12
    assert sum(result.average_ranks) == pytest.approx(table.shape[1] * (table.shape[1] + 1) / 2)


def test_friedman_without_ties_equals_its_corrected_form():
    table = np.random.default_rng(0).random((12, 5))
    result = ts.friedman(table)
    assert result.chi2 == pytest.approx(result.chi2_ties)
    assert result.iman_davenport == pytest.approx(11 * result.chi2 / (12 * 4 - result.chi2))


def test_learners_that_always_rank_alike_are_certain():
    result = ts.friedman([[3, 2, 1]] * 4)
    assert result.iman_davenport == math.inf
    assert result.iman_davenport_p_value == 0.0


@pytest.mark.parametrize(
    ("k", "q"), [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (6, 2.850), (7, 2.949), (10, 3.164)]
)
def test_critical_difference_uses_demsars_table_of_quantiles(k, q):
    assert ts.nemenyi_critical_difference(k, 14) == pytest.approx(q * math.sqrt(k * (k + 1) / 84), rel=5e-4)


@pytest.mark.filterwarnings("ignore:Sample size too small")  # what old releases of scipy say
@given(arrays(np.float64, 12, elements=st.integers(-4, 4).map(float)))
@settings(max_examples=60, deadline=None)
def test_wilcoxon_is_scipys(difference):
    ours = ts.wilcoxon(difference, np.zeros(12))
    assert ours.n_nonzero == np.count_nonzero(difference)
    if not difference.any():
        assert ours.p_value == 1.0
        return
    theirs = stats.wilcoxon(
        difference[difference != 0],
        method="exact" if len(set(np.abs(difference[difference != 0]))) == ours.n_nonzero else "approx",
    )
    assert ours.p_value == pytest.approx(theirs.pvalue)


def test_wilcoxon_without_ties_is_the_exact_enumeration():
    difference = np.array([0.1, -0.2, 0.3, 0.4, 0.5, -0.6])
    signed = np.array(np.meshgrid(*[[-1, 1]] * 6)).reshape(6, -1).T
    sums = ((signed > 0) * np.arange(1, 7)).sum(axis=1)
    observed = 1 + 3 + 4 + 5
    expected = 2 * min((sums >= observed).mean(), (sums <= observed).mean())
    assert ts.wilcoxon(difference, np.zeros(6)).p_value == pytest.approx(min(1.0, expected))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
@settings(max_examples=60, deadline=None)
def test_holm_is_the_textbook_step_down(p_values):
    adjusted = ts.holm(p_values)
    m = len(p_values)
    for i, p in enumerate(p_values):
        smaller = sorted(p_values)
        expected = max(min(1.0, (m - j) * smaller[j]) for j in range(m) if smaller[j] <= p)
        assert adjusted[i] == pytest.approx(expected)


def test_pairwise_wilcoxon_names_and_adjusts_every_pair():
    names, table = paper_table()
    tests = ts.pairwise_wilcoxon(table, names)
    assert len(tests) == 21
    assert [t.p_holm for t in tests] == ts.holm([t.p_value for t in tests])
    assert {(t.first, t.second) for t in tests} == {
        (a, b) for i, a in enumerate(names) for b in names[i + 1 :]
    }
    with pytest.raises(ValueError, match="2 names for 7 learners"):
        ts.pairwise_wilcoxon(table, ["a", "b"])


def test_win_draw_loss_counts_every_data_set_once():
    names, table = paper_table()
    asb, bsej = table[:, names.index("asb")], table[:, names.index("bsej")]
    assert str(ts.win_draw_loss(asb, bsej)) == "7/4/3"  # "degrades on only three", "identical on four"


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
@settings(max_examples=60, deadline=None)
def test_wilson_interval_is_scipys(proportion):
    successes, trials = proportion
    low, high = ts.wilson_interval(successes, trials)
    expected = stats.binomtest(successes, trials).proportion_ci(0.95, method="wilson")
    assert (low, high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_corrected_t_widens_the_plain_paired_test():
    d = np.random.default_rng(3).normal(0.01, 0.02, 25)
    corrected = ts.corrected_resampled_t(d, 80, 20)
    plain = stats.ttest_1samp(d, 0.0)
    shrink = math.sqrt((1 / 25) / (1 / 25 + 20 / 80))
    assert corrected.statistic == pytest.approx(plain.statistic * shrink)
    assert corrected.p_value == pytest.approx(2 * stats.t.sf(abs(corrected.statistic), 24))
    assert corrected.low < corrected.mean < corrected.high
    assert ts.corrected_resampled_t([0.0, 0.0, 0.0], 80, 20).p_value == 1.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ts.friedman([[1.0], [2.0]]), "at least 2 learners"),
        (lambda: ts.friedman([[1.0, math.nan]]), "learner 1 on data set 0"),
        (lambda: ts.nemenyi_critical_difference(3, 5, alpha=1.5), "alpha"),
        (lambda: ts.wilson_interval(3, 2), "3 successes of 2 trials"),
        (lambda: ts.wilcoxon([1, 2], [1]), "one length"),
        (lambda: ts.corrected_resampled_t([0.1], 8, 2), "at least 2"),
    ],
)
def test_bad_input_gets_one_clear_sentence(call, message):
    with pytest.raises(ValueError, match=message):
        call()
