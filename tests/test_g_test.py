"""`g_test` is the reference's test, of columns and of groups, given the class or not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

from bridge import dataset
from reference import chi2
from strategies import tables
from tanager import Dataset, GTest, g_test
from tanager.exceptions import DataError, TanagerError


def assert_same(found: GTest, expected: chi2.Test) -> None:
    assert found.g == pytest.approx(expected.statistic, rel=1e-9, abs=1e-9)
    assert (found.df, found.reliable) == (expected.degrees, expected.reliable)
    # Near G = 0 the tail with one degree of freedom falls as the square root does.
    assert found.p_value == pytest.approx(expected.p_value, rel=1e-6, abs=1e-4)


@given(table=tables(min_attributes=2, max_attributes=4, huge=False), draw=st.data())
@settings(max_examples=80, deadline=None)
def test_groups_given_the_class_are_the_oracles(table, draw):
    order = draw.draw(st.permutations(range(table.n_attributes)))
    cut = draw.draw(st.integers(1, table.n_attributes - 1))
    left, right = tuple(order[:cut]), tuple(order[cut:])
    min_cell = draw.draw(st.sampled_from([0.5, 5.0]))
    data = dataset(table)
    expected = chi2.groups_given_class(table, left, right, min_cell)
    assert_same(g_test(data, left, right, min_cell=min_cell), expected)
    unconditional = chi2.groups_given_class(table._replace(classes=None), left, right, min_cell)
    assert_same(g_test(data, left, right, given=None, min_cell=min_cell), unconditional)
    of_class = chi2.attribute_and_class(table, order[0], min_cell)
    assert_same(g_test(data, "class", order[0], given=None, min_cell=min_cell), of_class)


def test_it_is_scipys_and_leaves_out_what_is_missing():
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 3, (200, 2))
    counts = np.zeros((3, 3))
    np.add.at(counts, (codes[:, 0], codes[:, 1]), 1)
    theirs = chi2_contingency(counts, lambda_="log-likelihood", correction=False)
    more = np.vstack([codes, [[-1, 2], [0, -1]]])
    test = g_test(Dataset(more, [3, 3], missing=-1), 0, 1, given=None)
    assert (test.g, test.df) == (pytest.approx(theirs.statistic), theirs.dof)
    assert test.p_value == pytest.approx(theirs.pvalue)


def test_what_is_independent_has_exactly_no_g():
    data = Dataset([[a, b] for a in range(3) for b in range(3)] * 7, [3, 3])
    assert g_test(data, 0, 1, given=None) == GTest(0.0, 4, 1.0, True)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"a": 0, "b": 0}, "0 stands twice"),
        ({"a": "class", "b": 0}, "'class' stands twice"),
        ({"a": [], "b": 0}, "a = \\[\\] is not allowed"),
        ({"a": 0, "b": "x"}, "b = 'x' is not allowed"),
        ({"a": 0, "b": 1, "given": 2}, "given = 2 is not allowed"),
        ({"a": 0, "b": 7}, "7"),
        ({"a": -1, "b": 0}, "a = -1 is not allowed"),
    ],
)
def test_what_cannot_be_tested_is_refused(arguments, sentence):
    data = Dataset([[0, 1], [1, 0]], [2, 2], class_codes=[0, 1])
    with pytest.raises(TanagerError, match=sentence):
        g_test(data, **arguments)


def test_given_the_class_there_has_to_be_one():
    with pytest.raises(DataError, match="class"):
        g_test(Dataset([[0, 1], [1, 0]], [2, 2]), 0, 1)
