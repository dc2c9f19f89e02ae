"""Whole numbers of every width and container are one value each, in a batch, alone, and as labels."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tanager import NaiveBayesClassifier, TANClassifier
from tanager.data import LabelCodes, TableEncoder
from tanager.exceptions import DataError

pl = pytest.importorskip("polars")

# From polars 1.18 and 1.34 on.
WIDE_DTYPES = [getattr(pl, name) for name in ("Int128", "UInt128") if hasattr(pl, name)]
WIDTHS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


@st.composite
def columns(draw):
    """A type and values of it, near both of its ends, near zero and anywhere."""
    width = draw(st.sampled_from(WIDTHS))
    low, high = int(np.iinfo(width).min), int(np.iinfo(width).max)
    near = st.one_of(
        st.integers(low, low + 3),
        st.integers(high - 3, high),
        st.integers(max(low, -3), 3),
        st.integers(low, high),
    )
    return width, draw(st.lists(near, min_size=2, max_size=12)), draw(st.booleans())


def frames(values, width):
    """The values, None where missing, as one column of every container that can hold them."""
    nullable = width.replace("u", "U").replace("i", "I", 1) if width[0] == "i" else "UI" + width[2:]
    polars = getattr(pl, nullable)
    arrow = pa.array(values, pa.type_for_alias(width))
    yield pd.DataFrame({"x": pd.array(values, dtype=nullable)})
    yield pd.DataFrame({"x": pd.array(values, dtype=pd.ArrowDtype(arrow.type))})
    yield pl.DataFrame({"x": pl.Series(values, dtype=polars)})
    yield pa.table({"x": arrow})
    yield pa.table({"x": pa.chunked_array([arrow[:1], arrow[1:]])})
    levels = sorted({value for value in values if value is not None})
    places = pa.array([None if value is None else levels.index(value) for value in values], pa.int8())
    yield pa.table({"x": pa.DictionaryArray.from_arrays(places, pa.array(levels, arrow.type))})
    mask = np.array([value is None for value in values])
    filled = np.array([0 if value is None else value for value in values], dtype=width).reshape(-1, 1)
    yield np.ma.MaskedArray(filled, mask.reshape(-1, 1))
    if not mask.any():
        yield filled
        yield np.asfortranarray(np.repeat(filled, 2, axis=1))[::-1, :1][::-1]
        yield pd.DataFrame({"x": filled.ravel()})
        yield pd.DataFrame({"x": pd.Categorical(filled.ravel())})


@given(columns())
def test_every_width_and_container_gives_the_same_codes(column) -> None:
    width, numbers, gap = column
    values = [*numbers, None] if gap else numbers
    levels = sorted(set(numbers))
    expected = [len(levels) if value is None else levels.index(value) for value in values]
    for X in frames(values, width):
        encoder = TableEncoder(categorical="all")
        assert encoder.fit_transform(X).columns[0].tolist() == expected
        assert encoder.columns[0].levels == tuple(levels)
        assert encoder.transform(X).columns[0].tolist() == expected
        alone = [encoder.transform(X[row : row + 1]).columns[0].tolist()[0] for row in range(len(values))]
        assert alone == expected


@given(columns())
def test_labels_of_every_width_and_container(column) -> None:
    width, numbers, gap = column
    values = [*numbers, None] if gap else numbers
    levels = sorted(set(numbers))
    for X in frames(values, width):
        y = X[:, 0] if isinstance(X, np.ndarray) else X["x"]
        if gap:
            with pytest.raises(DataError, match=f"Input y contains NaN: row {len(numbers)} has no label"):
                LabelCodes().fit(y)
            continue
        labels = LabelCodes().fit(y)
        assert labels.classes_.tolist() == levels
        assert labels.codes_.tolist() == [levels.index(value) for value in values]
        assert [
            labels.encode(y[row : row + 1]).tolist()[0] for row in range(len(values))
        ] == labels.codes_.tolist()


@given(columns(), st.integers(0, 2**32 - 1))
def test_narrow_and_wide_types_learn_the_same_model(column, seed) -> None:
    width, numbers, _ = column
    random = np.random.default_rng(seed)
    X = random.choice(np.array(numbers, dtype=width), (40, 2))
    y = np.arange(40) % 2
    wide = X.astype(object)
    for learner in (NaiveBayesClassifier, TANClassifier):
        narrow = learner(n_jobs=1).fit(X, y)
        batch = narrow.predict_proba(X)
        if abs(int(np.max(wide))) < 2**63:
            assert np.array_equal(learner(n_jobs=1).fit(X.astype(np.int64), y).predict_proba(X), batch)
        alone = np.vstack([narrow.predict_proba(X[row : row + 1]) for row in range(len(X))])
        assert np.array_equal(alone, batch)


def test_the_ends_of_a_narrow_type_are_far_apart() -> None:
    X = np.array([[-100], [100]] * 10, dtype=np.int8)
    encoder = TableEncoder().fit(X)
    assert encoder.columns[0].levels == (-100, 100)
    assert encoder.transform(X[:2]).columns[0].tolist() == encoder.transform(X).columns[0].tolist()[:2]
    assert LabelCodes().fit(X.ravel()).classes_.tolist() == [-100, 100]


def test_integers_of_more_than_64_bits_are_refused() -> None:
    for dtype in WIDE_DTYPES:
        small = pl.DataFrame({"x": pl.Series([3, None, 1], dtype=dtype)})
        encoder = TableEncoder()
        assert encoder.fit_transform(small).columns[0].tolist() == [1, 2, 0]
        assert encoder.columns[0].levels == (1, 3)
        large = pl.DataFrame({"x": pl.Series([3, 2**100], dtype=dtype)})
        with pytest.raises(DataError, match=r"column 'x': an integer lies outside of 64 bits"):
            TableEncoder().fit(large)
        with pytest.raises(DataError, match=r"y: an integer lies outside of 64 bits"):
            LabelCodes().fit(large["x"])
    for X in ([[2**64], [1]], [[2**63], [-1]]):
        with pytest.raises(DataError, match=r"column 'x0': an integer lies outside of 64 bits"):
            TableEncoder().fit(X)
    assert TableEncoder().fit([[2**63], [1]]).columns[0].levels == (1, 2**63)
