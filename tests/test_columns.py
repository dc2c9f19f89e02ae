"""Strings of every container become the same codes."""

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tanager import _core
from tanager.data.columns import Factor, from_array
from tanager.data.series import from_series
from tanager.exceptions import DataError

pl = pytest.importorskip("polars")

# Lengths around those at which strings are compared and hashed differently, and more than one byte a letter.
texts = st.one_of(st.text("ab", max_size=4), st.text("abé✓", max_size=24), st.none())


def levels_of(column: Factor) -> list[object]:
    return [column.levels[code] if code >= 0 else None for code in column.codes]


def as_column(native: object) -> Factor:
    column = from_series(nw.from_native(native, series_only=True), "x")
    assert isinstance(column, Factor)
    assert len(set(column.levels)) == len(column.levels)
    return column


@given(st.lists(texts, min_size=1, max_size=60).filter(any), st.integers(0, 60), st.booleans())
def test_strings_survive_in_every_container(values, cut, wide) -> None:
    dtype = pa.large_string() if wide else pa.string()
    whole = pa.array(values, dtype)
    containers = [
        pd.Series(values, dtype=object),
        pd.Series([np.nan if value is None else value for value in values], dtype=object),
        pd.Series(values, dtype="str"),
        pd.Series(values, dtype=pd.ArrowDtype(dtype)),
        pl.Series(values, dtype=pl.String),
        pl.Series(["zz", "a string of more than twelve bytes", *values], dtype=pl.String)[2:],
        pl.Series(values[:cut], dtype=pl.String).append(pl.Series(values[cut:], dtype=pl.String)),
        pl.Series(values, dtype=pl.Categorical),
        pa.chunked_array([whole]),
        # In two chunks that are slices: neither begins with its first byte.
        pa.chunked_array([whole[:cut], whole[cut:]], dtype),
        pa.chunked_array([pa.concat_arrays([pa.array(["zz", None], dtype), whole])[2:]]),
    ]
    for container in containers:
        assert levels_of(as_column(container)) == values
    assert levels_of(from_array(np.array(values, dtype=object), "x")) == values


def test_empty_arrow_arrays_have_no_levels() -> None:
    for chunks in ([], [pa.array([], pa.string())]):
        column = as_column(pa.chunked_array(chunks, pa.string()))
        assert (len(column.codes), list(column.levels)) == (0, [])


def test_views_that_lead_nowhere_are_refused() -> None:
    view = np.frombuffer(np.array([13, 0, 0, 5], dtype=np.uint32).tobytes(), dtype=np.uint8).reshape(1, 16)
    long = np.frombuffer(b"01234thirteen byte", dtype=np.uint8)
    codes, first = _core.factorize_views(view, [long], None)
    assert (codes.tolist(), first.tolist()) == ([0], [0])
    for buffers, missing in (([], None), ([long[:-1]], None), ([long], np.array([True, False]))):
        with pytest.raises(DataError, match="outside of their bytes"):
            _core.factorize_views(view, buffers, missing)
    assert _core.factorize_views(view, [], np.array([True]))[0].tolist() == [-1]


def test_other_objects_are_not_taken_for_strings() -> None:
    assert _core.factorize_strings(np.array(["a", 1.5], dtype=object)) is None
    codes, first = _core.factorize_strings(np.array(["a", float("nan"), None, "a"], dtype=object))
    assert (codes.tolist(), first.tolist()) == ([0, -1, -1, 0], [0])


def test_strings_outside_of_their_bytes_are_refused() -> None:
    data = np.frombuffer(b"abc", dtype=np.uint8)
    for offsets in ([0, 4], [2, 1], [-1, 1]):
        with pytest.raises(DataError, match="outside of their bytes"):
            _core.factorize_arrow(data, np.array(offsets, dtype=np.int32), None)
    with pytest.raises(DataError, match="outside of their bytes"):
        _core.factorize_arrow(data, np.array([0, 1], dtype=np.int64), np.zeros(3, dtype=np.bool_))
