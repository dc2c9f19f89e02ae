"""Family counts equal the oracle's exactly."""

import numpy as np
import pytest
from hypothesis import given, settings

import tanager
from bridge import dataset
from reference.counts import family_counts
from strategies import families


@given(families(with_class=None))
def test_counts_equal_the_oracle(family):
    table, child, parents = family
    counts = tanager.family_counts(dataset(table), child, parents)
    expected = family_counts(table, child, parents)
    assert counts.shape == expected.shape
    assert np.issubdtype(counts.dtype, np.integer)
    assert np.array_equal(counts, expected)


@given(families(with_class=None, missing=True, max_rows=40))
def test_rows_with_gaps_in_the_family_are_not_counted(family):
    table, child, parents = family
    assert np.array_equal(
        tanager.family_counts(dataset(table), child, parents), family_counts(table, child, parents)
    )


@settings(max_examples=20)
@given(families(min_rows=150, max_rows=300, max_attributes=5, max_parents=4, huge=False))
def test_counts_of_more_rows_than_one_machine_word(family):
    table, child, parents = family
    assert np.array_equal(
        tanager.family_counts(dataset(table), child, parents), family_counts(table, child, parents)
    )


@pytest.mark.parametrize(
    "dtype", [np.uint8, np.int8, np.uint16, np.int16, np.int32, np.uint32, np.int64, np.uint64]
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_every_integer_type_and_layout(dtype, order):
    codes = np.array([[0, 1], [1, 0], [1, 1]], dtype=dtype, order=order)
    data = tanager.Dataset(codes, [2, 2])
    assert tanager.family_counts(data, 0, [1]).tolist() == [[0, 1], [1, 1]]


def test_strided_views_are_read_as_they_look():
    codes = np.arange(24, dtype=np.int32).reshape(6, 4) % 3
    view = codes[::2, ::-1]
    data = tanager.Dataset(view, [3, 3, 3, 3])
    assert tanager.family_counts(data, 0, []).tolist() == [np.bincount(view[:, 0], minlength=3).tolist()]


def test_the_data_is_copied():
    codes = np.array([[0], [1]])
    data = tanager.Dataset(codes, [2])
    codes[:] = 0
    assert tanager.family_counts(data, 0, []).tolist() == [[1, 1]]
