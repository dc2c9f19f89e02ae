"""Tables of every kind become codes and come back."""

from datetime import date, timedelta

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from tanager.data import EqualWidth, LabelCodes, TableEncoder
from tanager.data.encoding import FEW_INTEGERS
from tanager.exceptions import DataError, DataTypeError

pl = pytest.importorskip("polars")

MIXED = pd.DataFrame(
    {
        "text": ["b", "a", None, "b", "c"],
        "declared": pd.Categorical(["x", "y", "x", None, "x"], categories=["z", "y", "x"]),
        "flag": [True, False, True, True, False],
        "few": [3, 1, 2, 3, 1],
        "gaps": pd.array([7, None, 5, 7, 5], dtype="Int64"),
        "real": [1.5, np.nan, 2.0, 9.0, 9.5],
    }
)
CLASSES = np.array([0, 0, 0, 1, 1])

# From numpy 2 on.
STRING_DTYPES = [np.dtypes.StringDType] if hasattr(np.dtypes, "StringDType") else []
DATES = [date(2020, 5, 1), date(2021, 5, 1)]


def frames():
    enum = pl.from_pandas(MIXED.drop(columns="declared")).insert_column(
        1, pl.Series("declared", ["x", "y", "x", None, "x"], dtype=pl.Enum(["z", "y", "x"]))
    )
    return [
        pytest.param(MIXED, id="pandas"),
        pytest.param(MIXED.convert_dtypes(dtype_backend="pyarrow"), id="pandas-arrow"),
        pytest.param(MIXED.astype({"text": object, "flag": object}), id="pandas-object"),
        pytest.param(enum, id="polars"),
        pytest.param(pa.Table.from_pandas(MIXED), id="pyarrow"),
    ]


@pytest.mark.parametrize("frame", frames())
def test_every_frame_gives_the_same_codes(frame) -> None:
    encoder = TableEncoder()
    table = encoder.fit_transform(frame, CLASSES)
    assert encoder.names == list(MIXED.columns)
    kinds = {column.name: (column.kind, column.levels, column.missing_level) for column in encoder.columns}
    assert kinds == {
        "text": ("categorical", ("a", "b", "c"), True),
        "declared": ("categorical", ("z", "y", "x"), True),
        "flag": ("categorical", (False, True), False),
        "few": ("categorical", (1, 2, 3), False),
        "gaps": ("categorical", (5, 7), True),
        "real": ("numeric", None, True),
    }
    assert encoder.columns[5].cut_points.tolist() == [5.5]
    assert [column.tolist() for column in table.columns] == [
        [1, 0, 3, 1, 2],
        [2, 1, 2, 3, 2],
        [1, 0, 1, 1, 0],
        [2, 0, 1, 2, 0],
        [1, 2, 0, 1, 0],
        [0, 2, 0, 1, 1],
    ]
    assert table.arities == [4, 4, 2, 3, 3, 3]
    assert all(column.dtype == np.uint8 for column in table.columns)
    again = encoder.transform(frame)
    assert all(np.array_equal(a, b) for a, b in zip(table.columns, again.columns, strict=True))


@pytest.mark.parametrize("frame", frames())
def test_frame_to_codes_and_back(frame) -> None:
    encoder = TableEncoder(discretize="none")
    values = encoder.inverse_transform(encoder.fit_transform(frame))
    for name, column in values.items():
        expected = [None if pd.isna(v) else v for v in MIXED[name]]
        assert column.tolist() == expected


@given(
    st.lists(st.lists(st.sampled_from(["", "a", "b", "ä", "zz", None]), min_size=3, max_size=3), min_size=1)
)
def test_strings_round_trip_from_every_container(rows) -> None:
    expected = {f"x{i}": [row[i] for row in rows] for i in range(3)}
    array = np.array(rows, dtype=object)
    containers = [
        array,
        pd.DataFrame(expected),
        pl.DataFrame(expected, schema=dict.fromkeys(expected, pl.String)),
    ]
    containers.append(pa.table({name: pa.array(column, pa.string()) for name, column in expected.items()}))
    tables = []
    for X in containers:
        encoder = TableEncoder()
        tables.append(encoder.fit_transform(X))
        values = encoder.inverse_transform(tables[-1])
        assert {name: column.tolist() for name, column in values.items()} == expected
    for other in tables[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(tables[0].columns, other.columns, strict=True))


def test_arrays_of_every_type() -> None:
    for values, levels in [
        (["b", "a"], ("a", "b")),
        ([b"y", b"x"], (b"x", b"y")),
        ([2, -1], (-1, 2)),
        ([True, False], (False, True)),
        (np.array([3, 300], dtype=np.uint16), (3, 300)),
        (np.array(["b", "a"], dtype=object), ("a", "b")),
        *((np.array(["b", "a"], dtype=dtype()), ("a", "b")) for dtype in STRING_DTYPES),
        (np.array([2, True], dtype=object), None),
    ]:
        encoder = TableEncoder().fit(np.asarray(values).reshape(-1, 1))
        column = encoder.columns[0]
        assert column.levels == (levels if levels is not None else (True, 2))
        assert encoder.transform(np.asarray(values).reshape(-1, 1)).columns[0].tolist() in ([1, 0], [0, 1])


def test_kinds_can_be_declared() -> None:
    X = np.column_stack([np.arange(50) % 3, np.arange(50)])
    kinds = [column.kind for column in TableEncoder().fit(X, np.arange(50) % 2).columns]
    assert kinds == ["categorical", "numeric"]
    swapped = TableEncoder(categorical=[1], numeric=[0]).fit(X, np.arange(50) % 2)
    assert [column.kind for column in swapped.columns] == ["numeric", "categorical"]
    assert TableEncoder(categorical="all").fit(X).columns[1].arity == 50
    many = np.arange(FEW_INTEGERS + 1).reshape(-1, 1)
    assert TableEncoder().fit(many).columns[0].kind == "numeric"
    assert TableEncoder().fit(many[1:]).columns[0].kind == "categorical"
    with pytest.raises(DataError, match="declared both"):
        TableEncoder(categorical=[0], numeric=[0]).fit(X)
    with pytest.raises(DataError, match="'nope', which is not a column; columns are x0, x1"):
        TableEncoder(categorical=["nope"]).fit(X)


def test_codes_widen_with_the_domain() -> None:
    for n, dtype in [(255, np.uint8), (256, np.uint16), (65535, np.uint16), (65536, np.uint32)]:
        encoder = TableEncoder(categorical="all")
        table = encoder.fit_transform(np.arange(n).reshape(-1, 1))
        assert table.columns[0].dtype == dtype
        assert np.array_equal(table.columns[0], np.arange(n))
        unseen = encoder.transform(np.array([[n]]))
        assert unseen.columns[0][0] == np.iinfo(dtype).max
        text = pd.DataFrame(
            {"a": pd.Categorical.from_codes([n - 1, -1], categories=[f"v{i}" for i in range(n)])}
        )
        codes = TableEncoder(missing="available").fit_transform(text).columns[0]
        assert codes.tolist() == [n - 1, np.iinfo(dtype).max]


def test_levels_of_a_categorical_are_looked_at_once(monkeypatch) -> None:
    frame = pd.DataFrame({"a": pd.Categorical(["x", "y", "x"], categories=["y", "x", "z"])})
    encoder = TableEncoder().fit(frame)
    assert encoder.transform(frame).columns[0].tolist() == [1, 0, 1]
    monkeypatch.setattr(pd.Index, "tolist", None)
    for row in range(3):
        assert encoder.transform(frame[row : row + 1]).columns[0].tolist() == [[1, 0, 1][row]]


def test_missing_values_by_rule() -> None:
    X = pd.DataFrame({"a": ["x", None, "y"], "b": ["u", "u", "v"]})
    category = TableEncoder().fit(X)
    assert category.transform(X).columns[0].tolist() == [0, 2, 1]
    assert category.transform(pd.DataFrame({"a": ["x"], "b": [None]})).columns[1].tolist() == [255]
    available = TableEncoder(missing="available").fit(X)
    assert available.transform(X).columns[0].tolist() == [0, 255, 1]
    assert available.transform(X).complete_rows().tolist() == [True, False, True]
    assert available.transform(X).take(np.array([0, 2])).rows == 2
    dropped = TableEncoder(missing="drop").fit(pd.DataFrame({"a": ["x", None], "b": ["u", "only here"]}))
    assert dropped.columns[1].levels == ("u",)
    with pytest.raises(DataError, match="leaves no row"):
        TableEncoder(missing="drop").fit(pd.DataFrame({"a": ["x", None], "b": [None, "u"]}))


def test_a_column_of_nothing() -> None:
    for X in [
        np.array([[None], [None]], dtype=object),
        np.array([[np.nan], [np.nan]]),
        pl.DataFrame({"a": [None, None]}),
        pa.table({"a": pa.nulls(2)}),
        pd.DataFrame({"a": [None, None]}),
    ]:
        for missing in ("category", "available"):
            table = TableEncoder(missing=missing).fit_transform(X)
            assert table.arities[0] in (1, 2)
            assert table.columns[0].tolist()[0] == table.columns[0].tolist()[1]


def test_unseen_values() -> None:
    X = pd.DataFrame({"colour": ["red", "green"], "n": [1, 2]})
    encoder = TableEncoder().fit(X)
    new = pd.DataFrame({"colour": ["blue", "red"], "n": [2, 9]})
    assert [c.tolist() for c in encoder.transform(new).columns] == [[255, 1], [1, 255]]
    strict = TableEncoder(handle_unknown="error").fit(X)
    with pytest.raises(
        DataError, match=r"column 'colour', row 0: value 'blue' .* allowed are 'green', 'red'"
    ):
        strict.transform(new)
    declared = pd.DataFrame({"colour": pd.Categorical(["red"], categories=["blue", "red"]), "n": [1]})
    assert strict.transform(declared).columns[0].tolist() == [1]
    gaps = TableEncoder().fit(pd.DataFrame({"a": ["x", None]}))
    assert gaps.transform(pd.DataFrame({"a": ["x", None, "new"]})).columns[0].tolist() == [0, 1, 255]
    other = pd.DataFrame({"colour": [1, 2], "n": [1, 2]})
    assert encoder.transform(other).columns[0].tolist() == [255, 255]
    with pytest.raises(DataError, match=r"column 'colour', row 0: value 1 was not seen at fit"):
        strict.transform(other)


@pytest.mark.parametrize("container", ["rows", "columns", "places"])
def test_many_rows_are_looked_up_as_one_is(container) -> None:
    """Blocks of known values take a shorter way than those with a missing or unseen one."""
    generator = np.random.default_rng(0)
    known = generator.integers(-2, 3, size=(5000, 9))
    new = known.copy()
    new[3000, 4] = 7
    tables: dict[str, tuple[object, object]] = {
        "rows": (known, new),
        "columns": (np.asfortranarray(known), np.asfortranarray(new)),
        "places": (pd.DataFrame(known).astype("category"), pd.DataFrame(new).astype("category")),
    }
    fitted, later = tables[container]
    encoder = TableEncoder().fit(fitted)
    table = encoder.transform(later)
    for place in range(9):
        codes = np.asarray(table.columns[place], dtype=np.int64)
        expected = np.where(new[:, place] == 7, np.iinfo(table.columns[place].dtype).max, new[:, place] + 2)
        assert np.array_equal(codes, expected)
    strict = TableEncoder(handle_unknown="error").fit(fitted)
    with pytest.raises(DataError, match="row 3000: value 7 was not seen"):
        strict.transform(later)


def test_a_number_and_its_text_are_one_value() -> None:
    X = pd.DataFrame({"doors": ["2", "3", "5more"], "size": [1, 2, 3], "x": [0.5, 1.5, 2.5]})
    y = np.array([0, 0, 1])
    encoder = TableEncoder(discretize=EqualWidth(2)).fit(X, y)
    part = pd.DataFrame({"doors": [3, 2], "size": ["2", "1"], "x": ["0.5", "2.5"]})
    assert [c.tolist() for c in encoder.transform(part).columns] == [[1, 0], [1, 0], [0, 1]]
    gaps = pd.DataFrame({"doors": [3.0, None, 7.0], "size": [None, "3", "many"], "x": ["many", None, "1"]})
    codes = [column.tolist() for column in encoder.transform(gaps).columns]
    assert codes == [[1, 255, 255], [255, 2, 255], [255, 255, 0]]
    strict = TableEncoder(discretize=EqualWidth(2), handle_unknown="error").fit(X, y)
    with pytest.raises(DataError, match=r"column 'x', row 0: value 'many' .* allowed are numbers"):
        strict.transform(pd.DataFrame({"doors": ["2"], "size": [1], "x": ["many"]}))
    with_level = TableEncoder().fit(pd.DataFrame({"x": [0.5, None, 2.5]}))
    codes = with_level.transform(pd.DataFrame({"x": ["0.5", None, "many"]})).columns[0].tolist()
    assert codes == [0, with_level.columns[0].missing_code, 255]


def test_columns_are_matched_by_name() -> None:
    X = pd.DataFrame({"a": ["x", "y"], "b": ["u", "v"]})
    encoder = TableEncoder().fit(X)
    turned = encoder.transform(pl.DataFrame({"b": ["v"], "a": ["x"]}))
    assert [c.tolist() for c in turned.columns] == [[0], [1]]
    with pytest.raises(DataError, match="yet now missing:\n- b\n"):
        encoder.transform(X[["a"]])
    with pytest.raises(DataError, match="unseen at fit time:\n- z\n"):
        encoder.transform(X.assign(z=1))
    assert encoder.transform(X.to_numpy()).rows == 2
    with pytest.raises(DataError, match="X has 1 features, but tanager is expecting 2 features"):
        encoder.transform(X.to_numpy()[:, :1])


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.empty((0, 2)), "0 sample"),
        (pd.DataFrame({"a": []}), r"0 sample\(s\) \(shape=\(0, 1\)\)"),
        (pd.DataFrame(index=[0, 1]), r"0 feature\(s\) \(shape=\(2, 0\)\)"),
        (np.zeros(3), "Expected 2D array"),
        (pd.Series([1, 2]), "Expected a 2-dimensional container"),
        (np.zeros((2, 2), dtype=complex), "Complex data not supported"),
        (np.array([[1j], ["a"]], dtype=object), "Complex data not supported"),
        (np.array([[np.inf], [1.0]]), "column 'x0', row 0: inf is not allowed"),
        (np.array([[2**70], [1]], dtype=object), "outside of 64 bits"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "'a'"),
    ],
)
def test_bad_tables_are_refused_in_one_sentence(X, message) -> None:
    with pytest.raises(ValueError, match=message):
        TableEncoder().fit(X, None)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.array([[{"foo": "bar"}], [1.0]], dtype=object), "argument must be a string or a number.*dict"),
        (np.array([["a"], [1.0]], dtype=object), "uniformly strings or numbers, found float, str"),
        (pl.DataFrame({"a": [[1, 2]]}), "column 'a': type List.* is not supported"),
        (pl.DataFrame({"a": [1]}).lazy(), "call .collect"),
        (pd.DataFrame([[1, 2]], columns=["a", 1]), "string names"),
    ],
)
def test_bad_types_are_refused_in_one_sentence(X, message) -> None:
    with pytest.raises(DataTypeError, match=message):
        TableEncoder().fit(X)


def test_sparse_matrices_are_refused() -> None:
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        TableEncoder().fit(sparse.csr_array(np.eye(3)))


@pytest.mark.parametrize("name", ["missing", "handle_unknown", "discretize"])
def test_unknown_choices_list_the_known_ones(name) -> None:
    with pytest.raises(DataError, match=f"{name} = 'what' is not allowed, allowed are '"):
        TableEncoder(**{name: "what"}).fit([[1.5]])


def test_descriptions() -> None:
    X = pd.DataFrame({"colour": ["red", None, "blue", "red"] * 5, "x": np.repeat([1.0, 2.0, 3.0, 4.0], 5)})
    encoder = TableEncoder().fit(X, np.repeat([0, 1, 2, 3], 5))
    assert [encoder.describe(0, k) for k in range(3)] == ["blue", "red", "missing"]
    assert [encoder.describe(1, k) for k in range(4)] == ["≤ 1.5", "(1.5, 2.5]", "(2.5, 3.5]", "> 3.5"]
    with pytest.raises(DataError, match="allowed are 0 to 2"):
        encoder.describe(0, 3)


def test_rows_of_weight_zero_teach_nothing() -> None:
    X = pd.DataFrame({"a": ["x", "y", None], "f": [1.0, np.nan, 3.0]})
    weighted = TableEncoder().fit(X, [0, 1, 1], sample_weight=[1, 0, 0])
    alone = TableEncoder().fit(X[:1], [0])
    assert [(c.levels, c.arity) for c in weighted.columns] == [(c.levels, c.arity) for c in alone.columns]


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (["b", "a", "b"], ["a", "b"]),
        ([3, 1, 3], [1, 3]),
        ([True, False, True], [False, True]),
        (np.array([True, False, True], dtype=object), [False, True]),
        (np.array([2.0, -1.0, 2.0]), [-1.0, 2.0]),
        (pd.Series(["b", "a", "b"]), ["a", "b"]),
        (pd.Categorical(["b", "a", "b"]), ["a", "b"]),
        (pd.Series(["b", "a", "b"], dtype=pd.CategoricalDtype(["c", "b", "a"])), ["a", "b"]),
        (pl.Series(["b", "a", "b"]), ["a", "b"]),
        (pa.chunked_array([["b"], ["a", "b"]]), ["a", "b"]),
        (np.array([(1, 2), (0, 1), None], dtype=object)[[0, 1, 0]], [(0, 1), (1, 2)]),
        (np.array(["2021-05-01", "2020-05-01", "2021-05-01"], dtype="M8[D]"), DATES),
        (pl.Series([DATES[1], DATES[0], DATES[1]]), DATES),
        (pd.Series(pd.to_timedelta([2, 1, 2], unit="D").as_unit("s")), [timedelta(1), timedelta(2)]),
    ],
)
def test_labels_of_any_type(y, classes) -> None:
    labels = LabelCodes().fit(y)
    assert labels.classes_.tolist() == classes
    assert labels.codes_.tolist() == [1, 0, 1]
    assert labels.encode(y).tolist() == [1, 0, 1]
    assert labels.classes_[labels.codes_].tolist() == [classes[1], classes[0], classes[1]]


def test_bad_labels_are_refused_in_one_sentence() -> None:
    for y, message in [
        ([0.5, 1.5], "Unknown label type"),
        ([np.nan, 1.0], "Input y contains NaN"),
        ([np.inf, 1.0], "Input y contains infinity"),
        (["a", None], "Input y contains NaN: row 1"),
        ([], "0 sample"),
        (pd.Series([1, None], dtype="Int64"), "Input y contains NaN: row 1"),
    ]:
        with pytest.raises(ValueError, match=message):
            LabelCodes().fit(np.array(y, dtype=object) if None in list(y) and isinstance(y, list) else y)
    with pytest.raises(DataError, match="y, row 1: label 'c' was not seen at fit, allowed are 'a', 'b'"):
        LabelCodes().fit(["a", "b"]).encode(["a", "c"])


def test_polars_needs_no_pyarrow(monkeypatch) -> None:
    frame = pl.DataFrame(
        {"text": ["b", "a", None, "b"], "shared": pl.Series(["v", None, "u", "v"], dtype=pl.Categorical)}
    )
    expected = [column.tolist() for column in TableEncoder().fit_transform(frame).columns]
    monkeypatch.setattr("tanager.data.polars_columns.find_spec", lambda name: None)
    encoder = TableEncoder()
    assert [column.tolist() for column in encoder.fit_transform(frame).columns] == expected
    assert [column.levels for column in encoder.columns] == [("a", "b"), ("u", "v")]


def test_text_of_no_width_and_strings_among_other_objects() -> None:
    assert TableEncoder().fit(np.array([[""], [""]])).columns[0].levels == ("",)
    mixed = np.array([["a"], [None], [float("nan")], ["b"]], dtype=object)
    assert TableEncoder().fit_transform(mixed).columns[0].tolist() == [0, 2, 2, 1]
    lone = np.array([["\ud800"], ["a"]], dtype=object)
    assert TableEncoder().fit(lone).columns[0].levels == ("a", "\ud800")
