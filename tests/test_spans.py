"""Spans of time are the same values in every kind of frame, to the nanosecond."""

from __future__ import annotations

import warnings
from datetime import timedelta

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tanager import NaiveBayesClassifier, Schema, load_model, read_table, save_model
from tanager.data import TableEncoder
from tanager.data.spans import span_text

pl = pytest.importorskip("polars")

HOUR = 3_600_000_000_000
nanoseconds = st.one_of(
    st.integers(-60, 60).map(lambda hours: hours * HOUR),
    st.integers(-(10**14), 10**14).map(lambda microseconds: microseconds * 1000),
    st.integers(-(2**62), 2**62),
)
columns = st.lists(st.none() | nanoseconds, min_size=1, max_size=12).filter(
    lambda column: any(span is not None for span in column)
)


def frames(column):
    """The spans, which are whole nanoseconds, in every container that can hold them."""
    numbers = np.array(["NaT" if span is None else span for span in column], dtype="m8[ns]")
    arrow = pa.array(column, pa.duration("ns"))
    objects = [None if span is None else pd.Timedelta(span, "ns") for span in column]
    yield "pandas", pd.DataFrame({"d": numbers})
    yield "pandas, arrow", pd.DataFrame({"d": pd.Series(arrow, dtype=pd.ArrowDtype(arrow.type))})
    yield "pandas, objects", pd.DataFrame({"d": pd.Series(objects, dtype=object)})
    yield "polars", pl.DataFrame({"d": pl.Series(column, dtype=pl.Duration("ns"))})
    yield "arrow", pa.table({"d": arrow})
    yield "arrow, chunks", pa.table({"d": pa.chunked_array([arrow[:1], arrow[1:]])})
    yield "numpy", numbers[:, None]
    hidden = np.where(np.isnat(numbers), np.timedelta64(7, "ns"), numbers)
    yield "numpy, masked", np.ma.masked_array(hidden, np.isnat(numbers))[:, None]
    yield "objects", np.array(objects, dtype=object)[:, None]
    yield "lists", [[span] for span in objects]
    for unit, size in (("us", 1000), ("ms", 10**6), ("s", 10**9), ("m", 60 * 10**9), ("h", HOUR)):
        if any(span is not None and span % size for span in column):
            return
        less = [None if span is None else span // size for span in column]
        yield (
            f"numpy {unit}",
            np.array(["NaT" if span is None else span for span in less], f"m8[{unit}]")[:, None],
        )
        if unit in ("us", "ms"):
            yield f"polars {unit}", pl.DataFrame({"d": pl.Series(less, dtype=pl.Duration(unit))})
        if unit in ("us", "ms", "s"):
            yield f"arrow {unit}", pa.table({"d": pa.array(less, pa.duration(unit))})
            yield f"pandas {unit}", pd.DataFrame({"d": numbers.astype(f"m8[{unit}]")})
        if unit == "us":
            python = [None if span is None else timedelta(microseconds=span) for span in less]
            yield "python", pd.DataFrame({"d": pd.Series(python, dtype=object)})
            yield "python, numpy", np.array(python, dtype=object)[:, None]


@given(columns)
def test_every_frame_gives_the_same_levels_and_codes(column) -> None:
    y = np.arange(len(column)) % 2
    different = {span for span in column if span is not None}
    texts = tuple(sorted(span_text(np.timedelta64(span, "ns")) for span in different))
    assert len(set(texts)) == len(different)
    containers = list(frames(column))
    first = containers[0][1]
    codes = TableEncoder().fit_transform(first).columns[0]
    models = [NaiveBayesClassifier().fit(X, y) for _, X in containers] if len(y) > 1 else []
    for name, X in containers:
        encoder = TableEncoder()
        np.testing.assert_array_equal(encoder.fit_transform(X).columns[0], codes, err_msg=name)
        assert encoder.columns[0].levels == texts, name
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for model, (name, X) in zip(models, containers, strict=False):
            expected = models[0].predict_proba(first)
            np.testing.assert_array_equal(models[0].predict_proba(X), expected, err_msg=name)
            np.testing.assert_array_equal(model.predict_proba(X), expected, err_msg=name)


@given(st.timedeltas())
def test_the_text_is_that_of_python(span) -> None:
    assert span_text(span) == str(span)
    microseconds = span // timedelta(microseconds=1)
    if abs(microseconds) < 2**63:
        assert span_text(np.timedelta64(microseconds, "us")) == str(span)


def test_units_of_numpy() -> None:
    for size, unit, text in (
        (2, "W", "14 days, 0:00:00"),
        (-1, "D", "-1 day, 0:00:00"),
        (36, "h", "1 day, 12:00:00"),
        (90, "m", "1:30:00"),
        (1, "ns", "0:00:00.000000001"),
        (-1, "ns", "-1 day, 23:59:59.999999999"),
        (5, "as", "0:00:00.000000000000000005"),
        (2, "Y", "24 months"),
        (24, "M", "24 months"),
    ):
        assert span_text(np.timedelta64(size, unit)) == text
    assert TableEncoder().fit(np.array([[3], [6]], dtype="m8[30m]")).columns[0].levels == (
        "1:30:00",
        "3:00:00",
    )


def test_declared_spans_are_texts_too(tmp_path) -> None:
    spans = pd.to_timedelta([2 * HOUR, HOUR, 2 * HOUR, 1], unit="ns")
    declared = [
        pd.DataFrame({"d": pd.Categorical(spans)}),
        pa.table({"d": pa.array(spans.to_numpy()).dictionary_encode()}),
    ]
    model = NaiveBayesClassifier().fit(pd.DataFrame({"d": spans}), [0, 1, 0, 1])
    for X in declared:
        assert set(NaiveBayesClassifier().fit(X, [0, 1, 0, 1]).encoder_.columns[0].levels) == {
            "2:00:00",
            "1:00:00",
            "0:00:00.000000001",
        }
        assert model.predict(X).tolist() == [0, 1, 0, 1]
    save_model(model, tmp_path / "m.json", "class")
    assert load_model(tmp_path / "m.json").predict(declared[0]).tolist() == [0, 1, 0, 1]


def test_files_of_spans_are_known(tmp_path) -> None:
    frame = pd.DataFrame({"d": pd.to_timedelta([90, -30, 90, 1440], unit="m"), "class": [0, 1, 0, 1]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    levels = ("-1 day, 23:30:00", "1 day, 0:00:00", "1:30:00")
    for name in ("t.csv", "t.parquet"):
        assert tuple(sorted(set(read_table(tmp_path / name).X["d"]))) == levels
        assert Schema.scan(tmp_path / name, target="class").columns[0].levels == levels


def test_masked_dates_are_missing() -> None:
    dates = np.ma.masked_array(np.array([["2024-01-05"], ["2024-01-06"]], dtype="M8[D]"), [[False], [True]])
    assert TableEncoder().fit(dates).columns[0].levels == ("2024-01-05",)
