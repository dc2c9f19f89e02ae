"""Columns are read alike by any number of threads, from any memory layout, in one pass or in chunks."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tanager import NaiveBayesClassifier, TANClassifier, _core
from tanager.data import LabelCodes, TableEncoder, mdl_cut_points
from tanager.exceptions import DataError

pl = pytest.importorskip("polars")

# More rows than one chunk, whose last one meets values that the first has not.
ROWS = 140_000
LATE = 139_000


def tables():
    random = np.random.default_rng(7)
    few = random.integers(0, 5, (ROWS, 3))
    few[LATE:] += random.integers(0, 9, (ROWS - LATE, 3))
    yield "bytes by row", few.astype(np.uint8)
    yield "bytes by column", np.asfortranarray(few.astype(np.int8) - 7)
    yield "wide integers", few * 10**15 - 10**15
    yield "every other row", np.repeat(few, 2, axis=0)[::2]
    yield "backwards", few[::-1, ::-1]
    yield "many integers", random.integers(0, 70_000, (ROWS, 2))
    yield "whole floats", np.where(few == 3, np.nan, few.astype(np.float64))
    yield "measurements", random.normal(size=(ROWS, 2)).astype(np.float32)


@pytest.mark.parametrize(("name", "X"), [pytest.param(*table, id=table[0]) for table in tables()])
def test_any_number_of_threads_reads_the_same(name, X) -> None:
    y = (np.nan_to_num(X[:, 0].astype(np.float64)) > 1).astype(np.uint32)
    kinds = [{}] if X.dtype.kind == "f" else [{}, {"categorical": "all"}]
    for kind in kinds:
        encoders = [TableEncoder(n_jobs=jobs, **kind) for jobs in (1, 2, 8)]
        read = [encoder.fit_transform(X, y) for encoder in encoders]
        for encoder, table in zip(encoders, read, strict=True):
            looked_up = encoder.transform(X)
            for i, codes in enumerate(read[0].columns):
                assert np.array_equal(table.columns[i], codes)
                assert np.array_equal(looked_up.columns[i], codes)
        for i, encoding in enumerate(encoders[0].columns):
            codes, values = read[0].columns[i], X[:, i].astype(np.float64)
            known = ~np.isnan(values)
            if encoding.levels is not None:
                levels, places = np.unique(X[:, i], return_inverse=True)
                assert encoding.levels == tuple(levels.tolist())
                assert np.array_equal(codes, places)
            else:
                cuts = mdl_cut_points(values, y)
                assert np.array_equal(encoding.cut_points, cuts)
                assert np.array_equal(codes[known], np.searchsorted(cuts, values[known]))
                assert (codes[~known] == encoding.missing_code).all()


def test_every_container_reads_the_same_rows() -> None:
    random = np.random.default_rng(3)
    codes = random.integers(-1, 4, (ROWS, 2))
    text = np.array(["b", "a", "d", "c", None], dtype=object)[codes]
    names = ["u", "v"]
    frame = pd.DataFrame(text, columns=names)
    containers = [
        frame,
        frame.astype("category"),
        frame.astype("string"),
        *([frame.astype("str")] if pd.__version__ >= "3" else []),  # before, missing is the text None
        pl.DataFrame(dict(zip(names, text.T.tolist(), strict=True))),
        pl.DataFrame(dict(zip(names, text.T.tolist(), strict=True))).cast(pl.Categorical),
        pl.DataFrame(dict(zip(names, text.T.tolist(), strict=True))).cast(pl.Enum(["a", "b", "c", "d"])),
        pa.table({name: pa.array(column) for name, column in zip(names, text.T, strict=True)}),
    ]
    expected = np.array([1, 0, 3, 2, 4], dtype=np.uint8)[codes]
    for X in containers:
        encoder = TableEncoder(n_jobs=2)
        for table in (encoder.fit_transform(X), encoder.transform(X), encoder.transform(frame)):
            assert np.array_equal(np.column_stack(table.columns), expected)
        assert encoder.transform(X[5:6]).columns[0][0] == expected[5, 0]
    labels = LabelCodes().fit(frame["u"].fillna("e"))
    assert np.array_equal(labels.codes_, expected[:, 0])


@given(st.data())
def test_a_header_in_any_order_is_matched(data) -> None:
    X = pd.DataFrame({name: [name + "0", name + "1"] for name in "abcd"})
    encoder = TableEncoder().fit(X)
    expected = [column.tolist() for column in encoder.transform(X).columns]
    for _ in range(3):
        order = data.draw(st.permutations(list("abcd")))
        for turned in (X[order], pl.from_pandas(X[order]), pa.Table.from_pandas(X[order])):
            assert [column.tolist() for column in encoder.transform(turned).columns] == expected
        with pytest.raises(DataError, match="yet now missing"):
            encoder.transform(X[order[1:]])


def test_one_row_is_a_batch_for_every_container() -> None:
    random = np.random.default_rng(1)
    codes = random.integers(0, 3, (80, 4))
    y = codes.sum(axis=1) % 2
    text = np.array(["p", "q", "r"])[codes]
    frame = pd.DataFrame(text, columns=list("abcd"))
    for X in (
        codes,
        text.astype(object),
        frame,
        frame.astype("category"),
        pl.from_pandas(frame),
        pl.from_pandas(frame).cast(pl.Categorical),
        pl.from_pandas(frame).cast(pl.Enum(["p", "q", "r"])),
        pa.Table.from_pandas(frame),
        pa.Table.from_pandas(frame.astype("category")),
    ):
        for learner in (NaiveBayesClassifier, TANClassifier):
            model = learner().fit(X, y)
            batch = model.predict_proba(X)
            alone = [model.predict_proba(X[row : row + 1]) for row in range(80)]
            assert np.array_equal(np.vstack(alone), batch)


@pytest.mark.parametrize("kind", ["integers", "measurements"])
def test_wide_tables_are_the_columns_one_by_one(kind) -> None:
    """More columns than are held at a time: levels, cut points and codes are those of each column alone."""
    random = np.random.default_rng(3)
    X = (
        random.integers(-1, 3, (12, 2100))
        if kind == "integers"
        else np.arange(40)[:, None] % 2 + random.normal(size=(40, 2100))
    )
    y = np.arange(len(X)) % 2
    other = X[::-1].copy()
    encoder = TableEncoder()
    encoder.fit(X, y)
    wide = encoder.transform(other)
    for column in (0, 1023, 1024, 2047, 2048, 2099):
        alone = TableEncoder()
        alone.fit(X[:, [column]], y)
        assert np.array_equal(wide.columns[column], alone.transform(other[:, [column]]).columns[0])


def test_what_the_core_refuses() -> None:
    values = np.arange(3)
    with pytest.raises(DataError, match="1-D arrays of one length"):
        _core.Reading([(values, None, False), (values[:2], None, False)], [9, 9])
    with pytest.raises(DataError, match="limits: one for each column"):
        _core.Reading([(values, None, False)], [])
    with pytest.raises(DataError, match="cannot be read"):
        _core.Reading([(values.astype(np.complex128), None, False)], [9])
    reading = _core.Reading([(values, None, False)], [2])
    assert reading.levels() == [None]
    with pytest.raises(DataError, match="too many values"):
        reading.places(0)
    with pytest.raises(DataError, match="there is no row 3"):
        TableEncoder().fit_transform([[0], [1]]).data.select(np.array([3], dtype=np.uint32))


def test_odd_memory_is_copied() -> None:
    packed = np.zeros(300, dtype=[("a", "i4", (2,)), ("b", "i2")])
    packed["a"] = np.arange(600).reshape(300, 2) % 7
    swapped = packed["a"].astype(">i8")
    for X in (packed["a"], swapped, packed["a"].astype(np.float16), packed["a"].astype(np.longdouble)):
        encoder = TableEncoder(discretize="none")
        table = encoder.fit_transform(X)
        assert np.array_equal(np.column_stack(table.columns), packed["a"])
        assert np.array_equal(np.column_stack(encoder.transform(X).columns), packed["a"])


#: The same array, laid otherwise.
LAYOUTS = {
    "by row": np.ascontiguousarray,
    "by column": np.asfortranarray,
    "every other row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "every other column": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "backwards": lambda X: np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
    "read only": lambda X: np.frombuffer(X.tobytes(), X.dtype).reshape(X.shape),
    "the other order of bytes": lambda X: X.astype(X.dtype.newbyteorder()),
}


@given(
    dtype=st.sampled_from([*"bhilqBHILQ", "f4", "f8", "?"]),
    layout=st.sampled_from(sorted(LAYOUTS)),
    kind=st.sampled_from([{}, {"categorical": "all"}, {"discretize": "none"}]),
    learned=st.lists(st.tuples(*[st.integers(0, 90)] * 3), min_size=3, max_size=40),
    asked=st.lists(st.tuples(*[st.integers(0, 99) | st.none()] * 3), min_size=1, max_size=9),
)
def test_a_matrix_is_looked_up_as_its_columns_are(dtype, layout, kind, learned, asked) -> None:
    gap = np.nan if dtype.startswith("f") else 0
    fitted = np.array(learned).astype(dtype)
    X = np.array([[gap if value is None else value for value in row] for row in asked]).astype(dtype)
    y = (fitted[:, 0] > fitted[:, 0].mean()).astype(np.uint32)
    for handle in ("marginalize", "error"):
        encoder = TableEncoder(handle_unknown=handle, **kind).fit(fitted, y)
        answers = []
        # A frame of polars gives column after column, whatever their types are.
        for table in (LAYOUTS[layout](X), pl.DataFrame({f"x{i}": column for i, column in enumerate(X.T)})):
            try:
                answers.append([codes.tolist() for codes in encoder.transform(table).columns])
            except DataError as error:
                answers.append(str(error))
        assert answers[0] == answers[1]


def test_a_matrix_with_an_infinite_number_is_refused_as_its_columns_are() -> None:
    random = np.random.default_rng(5)
    X = random.normal(size=(80, 3))
    encoder = TableEncoder().fit(X, (X[:, 1] > 0).astype(np.uint32))
    X[7, 1] = -np.inf
    with pytest.raises(DataError, match="column 'x1', row 7: -inf is not allowed"):
        encoder.transform(X)
    with pytest.raises(DataError, match="a matrix of 1 columns is expected"):
        _core.MatrixRules([np.zeros(1)], ["a"], [2], [1]).encode(X)
    with pytest.raises(DataError, match="a matrix of type complex128 cannot be read"):
        _core.MatrixRules([np.zeros(1)], ["a"], [2], [1]).encode(X[:, :1].astype(complex))
