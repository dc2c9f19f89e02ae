"""Values that a container would turn into others are read as they are, or refused in a sentence."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tanager import TANClassifier
from tanager.data import LabelCodes, TableEncoder, check_weights
from tanager.exceptions import DataError, DataTypeError

NAN = float("nan")


def test_lists_keep_numbers_beside_text() -> None:
    encoder = TableEncoder().fit([["a", 1.5], ["b", NAN], ["b", 2.5]])
    assert [column.kind for column in encoder.columns] == ["categorical", "numeric"]
    assert encoder.columns[1].missing_level
    encoder = TableEncoder().fit([("a", 1, True), (NAN, 2, False), ("b", None, True)])
    assert [column.levels for column in encoder.columns] == [("a", "b"), (1, 2), (False, True)]
    assert [column.missing_level for column in encoder.columns] == [True, True, False]
    assert TableEncoder().fit([["nan"], ["x"]]).columns[0].levels == ("nan", "x")
    assert TableEncoder(discretize="none").fit([[2**53 + 1, 0.5], [1, 1.5]]).columns[0].levels == (
        1,
        2**53 + 1,
    )
    with pytest.raises(DataTypeError, match=r"column 'x0': .* found int, str together"):
        TableEncoder().fit([["a"], [1]])


def test_labels_in_lists_are_not_made_text() -> None:
    with pytest.raises(DataError, match="Input y contains NaN: row 1 has no label"):
        LabelCodes().fit(["a", NAN])
    with pytest.raises(DataTypeError, match=r"y: .* found int, str together"):
        LabelCodes().fit(["a", 1])
    assert LabelCodes().fit(["nan", "a"]).classes_.tolist() == ["a", "nan"]


@pytest.mark.parametrize(
    ("values", "levels"),
    [
        (np.array([3, 1, 99]), (1, 3)),
        (np.array([3, 1, 99], dtype=np.uint8), (1, 3)),
        (np.array([1.5, 0.5, 99.0]), (0.5, 1.5)),
        (np.array(["b", "a", "zz"]), ("a", "b")),
        (np.array(["b", "a", "zz"], dtype=object), ("a", "b")),
        (np.array(["b", "a", {}], dtype=object), ("a", "b")),
        (np.array([True, False, True]), (False, True)),
    ],
)
def test_what_is_masked_is_missing(values, levels) -> None:
    X = np.ma.MaskedArray(values.reshape(-1, 1), mask=[[False], [False], [True]])
    encoder = TableEncoder(discretize="none")
    assert encoder.fit_transform(X).columns[0].tolist() == [1, 0, 2]
    assert encoder.columns[0].levels == levels
    assert encoder.transform(X[2:]).columns[0].tolist() == [2]
    assert TableEncoder(missing="drop", discretize="none").fit(X).columns[0].levels == levels
    with pytest.raises(ValueError, match="Input y contains NaN"):
        LabelCodes().fit(X.ravel())
    whole = np.ma.MaskedArray(values[:2].reshape(-1, 1))
    assert not TableEncoder(discretize="none").fit(whole).columns[0].missing_level


def test_masked_labels_and_weights() -> None:
    with pytest.raises(DataError, match="Input y contains NaN: row 0 has no label"):
        LabelCodes().fit(np.ma.MaskedArray(np.array(["2020", "2021"], dtype="M8[Y]"), mask=[True, False]))
    with pytest.raises(DataError, match="sample_weight, row 1: a masked weight is not allowed"):
        check_weights(np.ma.MaskedArray([1.0, 2.0], mask=[False, True]))
    X = np.ma.MaskedArray([[0], [1], [7]], mask=[[False], [False], [True]])
    model = TANClassifier().fit(X, [0, 1, 1])
    assert np.array_equal(model.predict_proba(X)[2:], model.predict_proba(X[2:]))


@pytest.mark.parametrize("indices", [pa.int8(), pa.uint8(), pa.uint64()])
def test_nulls_in_an_arrow_dictionary_are_missing(indices) -> None:
    places = pa.array([0, 1, None, 2, 3], indices)
    column = pa.DictionaryArray.from_arrays(places, pa.array(["b", None, "a", "b"]))
    for X in (
        pa.table({"x": column}),
        pa.table({"x": pa.chunked_array([column[:2], column[2:]])}),
        pd.DataFrame({"x": pd.array(column, dtype=pd.ArrowDtype(column.type))}),
    ):
        encoder = TableEncoder()
        assert encoder.fit_transform(X).columns[0].tolist() == [0, 2, 2, 1, 0]
        assert encoder.columns[0].levels == ("b", "a")
        with pytest.raises(DataError, match="Input y contains NaN: row 1 has no label"):
            LabelCodes().fit(X["x"])
    floats = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array([2.5, NAN]))
    assert TableEncoder().fit(pa.table({"x": floats})).columns[0].levels == (2.5,)


def test_decimals_that_are_no_number_are_missing() -> None:
    X = np.array([[Decimal("1.5")], [Decimal("NaN")], [Decimal(1)]], dtype=object)
    assert TableEncoder().fit(X).columns[0].levels == (Decimal(1), Decimal("1.5"))
