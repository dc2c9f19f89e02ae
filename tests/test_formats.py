"""Files: every feature, and a located error or a table for any text."""

import gzip
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tanager.data import Table, TableEncoder, read_table
from tanager.data.formats import parse_arff, parse_csv
from tanager.data.formats.csv import sniff_delimiter
from tanager.exceptions import DataError

ARFF = """% a comment
@RELATION 'two words'

@attribute plain {x, y , z}
@ATTRIBUTE 'quoted name' {'a b', "c,d", 'it\\'s', e}
@attribute "double" Numeric
@attribute size REAL
@attribute count integer % not a comment for every writer
@attribute text string
@attribute day date "yyyy-MM-dd"
@attribute class {yes,no}
@DATA
% another comment
x,'a b',1,2.5,3,hello,2020-01-01,yes
y , "c,d" , -1e3 , ?, 4 , 'two words' , '2020-01-02' , no
?,'it\\'s',?,.5,5,"?",?,yes
z,e,0,0,0,'100%',x,?

x,e,1,1,1,a,b,no, {2.5}
"""


def write(tmp_path, name, text):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_arff_with_every_feature(tmp_path) -> None:
    table = read_table(write(tmp_path, "all.arff", ARFF))
    assert table.name == "all"
    assert table.feature_names == ["plain", "quoted name", "double", "size", "count", "text", "day"]
    assert table.X.raw("plain").levels == ["x", "y", "z"]
    assert table.X.raw("quoted name").levels == ["a b", "c,d", "it's", "e"]
    assert table.X["plain"].tolist() == ["x", "y", None, "x"]  # the row without a label has left
    assert table.X["quoted name"].tolist() == ["a b", "c,d", "it's", "e"]
    np.testing.assert_array_equal(table.X["double"], [1, -1000, np.nan, 1])
    np.testing.assert_array_equal(table.X["size"], [2.5, np.nan, 0.5, 1])
    assert table.X["text"].tolist() == ["hello", "two words", "?", "a"]
    assert table.X["day"].tolist() == ["2020-01-01", "2020-01-02", None, "b"]
    assert table.y.tolist() == ["yes", "no", "yes", "no"]
    assert table.weights.tolist() == [1, 1, 1, 2.5]


def test_sparse_arff() -> None:
    text = "@relation s\n@attribute a numeric\n@attribute b {u,'v w'}\n@attribute c {no,yes}\n@data\n"
    rows = "{0 2.5, 2 yes}\n{}\n{1 'v w',2 no}, {3}\n{ 0 ? }\n"
    contents = parse_arff(text + rows, "s")
    np.testing.assert_array_equal(contents.frame["a"], [2.5, 0, 0, np.nan])
    assert contents.frame["b"].tolist() == ["u", "u", "v w", "u"]
    assert contents.frame["c"].tolist() == ["yes", "no", "no", "no"]
    assert contents.weights.tolist() == [1, 1, 3, 1]


HEAD = "@relation r\n@attribute a {x,y}\n@attribute n numeric\n@data\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + "z,1\n", "line 5: value 'z' is not declared for attribute 'a', allowed are 'x', 'y'"),
        (HEAD + "x,one\n", "line 5: 'one' is not a finite number, attribute 'n' is numeric"),
        (HEAD + "x,1\nx,1e999\n", "line 6: '1e999' is not a finite number, attribute 'n' is numeric"),
        (HEAD + "x,,1\n", "line 5: field 2 is empty"),
        (HEAD + "x 1 2\n", "line 5: 1 fields, expected 2"),
        (HEAD + "x, % 1\n", "line 5: field 2 is empty"),
        (HEAD + "x,1\nx\n", "line 6: 1 fields, expected 2"),
        (HEAD + "x,,\n", "line 5: field 2 is empty"),
        (HEAD + "'x,1\n", "line 5: expected a value"),
        (HEAD + "'x' 2,1\n", "line 5: expected a value"),
        (HEAD + "'x',\n", "line 5: the row ends with a comma"),
        (HEAD + "{0 x, 7 1}\n", "line 5: expected a position from 0 to 1"),
        (HEAD + "{0 x, 0 y}\n", "line 5: position 0 is given twice"),
        (HEAD + "{0 x\n", "line 5: a sparse row ends with a brace"),
        (HEAD + "x,1,{heavy}\n", "line 5: 'heavy' is not a weight"),
        (HEAD + "x,1,{-1}\n", "line 5: '-1' is not a weight"),
        (HEAD, "no row after @data"),
        ("@relation r\n@attribute a {x,x}\n", "line 2: attribute 'a' declares level 'x' twice"),
        ("@relation r\n@attribute a {x\n", "line 2: the levels of attribute 'a' are not closed"),
        (
            "@relation r\n@attribute a relational\n",
            "line 2: type 'relational' of attribute 'a' is not supported",
        ),
        ("@relation r\n@attribute a\n", "line 2: type '' of attribute 'a'"),
        ("@relation r\n@attribute\n", "line 2: an attribute needs a name"),
        ("@relation r\n@attribute a real\n@attribute a real\n", "line 3: attribute 'a' is declared twice"),
        ("@relation r\n@data\n", "line 2: @data stands before any @attribute"),
        ("@relation r\n@attribute a real\n", "there is no @data line"),
        ("@relation r\nnonsense\n", "line 2: expected @relation, @attribute or @data, found 'nonsense'"),
    ],
)
def test_arff_errors_name_the_line(text, message) -> None:
    with pytest.raises(DataError, match=re.escape(message)):
        parse_arff(text, "file.arff")


def test_csv_kinds_and_gaps(tmp_path) -> None:
    text = 'word,whole,real,"a, b",gaps,class\nu,1,.5,"x ""y""",?,p\nv, 2,1e3,"two\nlines",,q\nu,3,NA,z,w,p\n'
    table = read_table(write(tmp_path, "t.csv", text))
    assert table.feature_names == ["word", "whole", "real", "a, b", "gaps"]
    assert table.X["word"].tolist() == ["u", "v", "u"]
    assert table.X["whole"].tolist() == [1, 2, 3]
    assert table.X["whole"].dtype.kind == "i"
    np.testing.assert_array_equal(table.X["real"], [0.5, 1000, np.nan])
    assert table.X["a, b"].tolist() == ['x "y"', "two\nlines", "z"]
    assert table.X["gaps"].tolist() == [None, None, "w"]
    assert table.y.tolist() == ["p", "q", "p"]
    assert Table("t", table.X, table.y, "class").checksum == table.checksum
    again = read_table(write(tmp_path, "again.csv", table.to_csv()))
    assert again.to_csv() == table.to_csv()


def test_comments_and_blanks_in_arff_rows() -> None:
    head = "@relation r % what\n@attribute a {'p % q', \"x\", y} % } levels\n@attribute n numeric\n@data\n"
    rows = "'p % q',1 % hi\nx 2\n'y'\t3\ny , 4%\n\"x\"%no\t\n"
    with pytest.raises(DataError, match="line 8: '4%' is not a finite number"):  # part of the word
        parse_arff(head + rows, "r")
    rows = "'p % q',1 % hi\nx 2\n'y'\t3\n  y   4 % 'more\nx,5 {2}\n? 6\n'p % q' 7% not\n"
    with pytest.raises(DataError, match="line 11: the row ends with a comma"):
        parse_arff(head + rows.replace("'p % q' 7%", "'p % q',7,%"), "r")
    contents = parse_arff(head + rows.replace("7%", "7 %"), "r")
    assert contents.frame["a"].tolist() == ["p % q", "x", "y", "y", "x", None, "p % q"]
    assert contents.frame["n"].tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert contents.weights.tolist() == [1, 1, 1, 1, 2, 1, 1]
    sparse = parse_arff(head + "{1 2} % a } b\n{0 'p % q'}%c\n", "r").frame
    assert (sparse["a"].tolist(), sparse["n"].tolist()) == (["p % q", "p % q"], [2, 0])


def test_a_gap_does_not_change_the_kind_of_whole_numbers(tmp_path) -> None:
    pytest.importorskip("polars")
    lines = [f"{i % 2},{i / 2},{'pq'[i % 2]}" for i in range(40)]
    full = read_table(write(tmp_path, "full.csv", "\n".join(["a,b,class", *lines])))
    lines[3] = "?,?,q"
    gap = read_table(write(tmp_path, "gap.csv", "\n".join(["a,b,class", *lines])))
    for table in (full, gap):
        assert [column.kind for column in TableEncoder().fit(table.X).columns] == ["categorical", "numeric"]
    column = gap.X.raw("a")
    assert (column.integer, column.missing_mask().tolist()) == (True, [i == 3 for i in range(40)])
    for frame in (gap.X.to_pandas(), gap.X.to_polars(), gap.X.to_arrow(), gap.X[::1]):
        kinds = [column.kind for column in TableEncoder().fit(frame).columns]
        assert kinds == ["categorical", "numeric"]
    objects = np.array([[None if i == 3 else i % 2, "x"] for i in range(40)], dtype=object)
    assert TableEncoder().fit(objects).columns[0].kind == "categorical"
    floats = pd.DataFrame({"a": [0.0, 1.0, np.nan] * 10})
    assert TableEncoder().fit(floats).columns[0].kind == "numeric"
    labels = read_table(write(tmp_path, "labels.csv", "a,class\nx,0\ny,\nz,1\n"))
    assert labels.y.tolist() == [0, 1]


def test_codes_with_leading_zeros_stay_apart(tmp_path) -> None:
    text = "postcode,half,zero,class\n01234,0.5,0,p\n1234,.5,-0,q\n1234,0,10,q\n"
    frame = read_table(write(tmp_path, "codes.csv", text)).X
    assert frame["postcode"].tolist() == ["01234", "1234", "1234"]
    assert frame["half"].tolist() == [0.5, 0.5, 0]
    assert frame["zero"].tolist() == [0, 0, 10]


@pytest.mark.parametrize("delimiter", list(",;\t|"))
@pytest.mark.parametrize("packed", [False, True])
def test_delimiter_and_compression_are_sniffed(tmp_path, delimiter, packed) -> None:
    lines = [["a", "b", "class"], ["1", '"x,;|\ty"', "p"], ["2", "z", "q"]]
    text = "\ufeff" + "\r\n".join(delimiter.join(line) for line in lines)
    path = write(tmp_path, "any.name", gzip.compress(text.encode()) if packed else text)
    table = read_table(path)
    assert table.feature_names == ["a", "b"]
    assert table.X["b"].tolist() == ["x,;|\ty", "z"]
    assert sniff_delimiter(text) == delimiter
    assert read_table(path, delimiter=delimiter).checksum == table.checksum


def test_the_target_can_be_chosen(tmp_path) -> None:
    path = write(tmp_path, "t.csv", "a,b\nx,1\ny,2\n")
    assert read_table(path).target == "b"
    assert read_table(path, target="a").y.tolist() == ["x", "y"]
    assert read_table(path, target=0).target == "a"
    assert read_table(path, target=np.int64(-1)).target == "b"
    nothing = read_table(path, target=None)
    assert (nothing.y, nothing.X.shape) == (None, (2, 2))
    assert read_table(path, header=False).feature_names == ["x1"]
    for target in ("c", 5, -3):
        with pytest.raises(DataError, match="is not a column; columns are a, b"):
            read_table(path, target=target)
    with pytest.raises(DataError, match="no column beside the class"):
        read_table(write(tmp_path, "one.csv", "a\n1\n"))
    with pytest.raises(DataError, match="no row has a label"):
        read_table(write(tmp_path, "none.csv", "a,b\n1,\n"))
    floats = read_table(write(tmp_path, "floats.csv", "a,class\nx,1.0\ny,\nz,0.0\n"))
    assert floats.y.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n3\n", "t.csv, line 3: 1 fields, expected 2"),
        ("a,a\n1,2\n", "t.csv, line 1: column name 'a' occurs twice"),
        ("a,\n1,2\n", "t.csv, line 1: column 2 has no name"),
        ('a,b\n1,"2\n', "t.csv, line 2: unexpected end of data"),
        ('a,b\n1,"2"3\n', "t.csv, line 2: "),
        ("a,b\n1,x\n\n1e999,y\n", "t.csv, line 4: '1e999' is too large for a number of 64 bits"),
        ("", "t.csv: the file is empty"),
        ("a,b\n", "t.csv, line 1: there is no row after the header"),
        (b"a,b\n1,\xff\n", "t.csv, line 2: byte 0xff is not UTF-8 text"),
        (b"a,b\n1,\x00\n", "t.csv, line 2: a NUL byte is not text"),
        (b"\x1f\x8bnonsense", "t.csv: the gzip file is damaged"),
        (b"PAR1nonsense", "t.csv: the Parquet file cannot be read"),
    ],
)
def test_csv_errors_name_the_line(tmp_path, text, message) -> None:
    with pytest.raises(DataError, match=re.escape(message)):
        read_table(write(tmp_path, "t.csv", text))


def test_other_bad_input(tmp_path) -> None:
    with pytest.raises(FileNotFoundError):
        read_table(tmp_path / "nothing.csv")
    with pytest.raises(DataError, match="delimiter = '::' is not allowed"):
        parse_csv("a::b", "t", delimiter="::")
    for mark in '\r\n"':
        with pytest.raises(DataError, match="neither a line break nor a quotation mark"):
            parse_csv("a,b\n1,2\n", "t", delimiter=mark)
    for mark in "nr\\":
        assert parse_csv(f"a{mark}b\n1{mark}2\n", "t", delimiter=mark).frame.columns == ["a", "b"]


@pytest.mark.parametrize("library", ["pyarrow", "polars"])
def test_parquet(tmp_path, library, monkeypatch) -> None:
    frame = pd.DataFrame({"a": pd.Categorical(["x", None, "y"], categories=["y", "x"]), "n": [1.5, 2, np.nan],
                          "class": ["p", "q", "p"]})  # fmt: skip
    path = tmp_path / "t.parquet"
    frame.to_parquet(path)
    if library == "polars":
        pytest.importorskip("polars").from_pandas(frame).write_parquet(path)
        monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    table = read_table(path)
    assert table.X["a"].tolist() == ["x", None, "y"]
    np.testing.assert_array_equal(table.X["n"], [1.5, 2, np.nan])
    assert table.y.tolist() == ["p", "q", "p"]
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    monkeypatch.setitem(__import__("sys").modules, "polars", None)
    with pytest.raises(DataError, match="needs pyarrow or polars"):
        read_table(path)


def test_text_of_parquet_that_is_no_text_is_refused(tmp_path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    places, text = np.arange(3, dtype=np.int32), b"a\xf0"
    plain = pa.Array.from_buffers(pa.string(), 2, [None, pa.py_buffer(places.tobytes()), pa.py_buffer(text)])
    path = tmp_path / "t.parquet"
    for column in (plain, plain.dictionary_encode()):
        table = pa.table({"a": column, "class": ["p", "q"]})
        with pytest.raises(DataError, match=r"^b'\\xf0' in a column of text is not UTF-8$"):
            TableEncoder().fit(table)
        parquet.write_table(table, path)
        # Whoever asks for the levels of a dictionary, which may be later, does not know the file any more.
        with pytest.raises(DataError, match=r"^(t.parquet: )?b'\\xf0' in a column of text is not UTF-8$"):
            _ = read_table(path).X["a"]


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [("1 2 1", [1, 2, 1]), ("-3 1e15 2", [-3, 10**15, 2]), ("1e300 2 -2e300", [1e300, 2.0, -2e300])],
)
def test_labels_are_whole_numbers_as_long_as_these_can_tell_them_apart(tmp_path, numbers, expected) -> None:
    rows = "".join(f"x,{number}\n" for number in numbers.split())
    labels = read_table(write(tmp_path, "t.csv", f"a,class\n{rows}")).y
    assert labels.tolist() == expected
    assert labels.dtype.kind == ("f" if isinstance(expected[0], float) else "i")


def table_or_located_error(parse, text) -> None:
    message = None
    try:
        contents = parse(text, "file")
    except DataError as error:
        message = str(error)
    if message is None:
        assert contents.frame.shape[0] >= 1
    else:
        assert re.match(r"file, line \d+: |file: (the file is empty|there is no)", message)


MARKS = st.text(st.sampled_from(list("ab1.,;\"'\n\r\t{}%?\\| -")), max_size=60)


@given(st.one_of(st.text(max_size=60), MARKS))
@example("a,b\r1,2\r")
@example('"')
def test_any_text_as_csv(text) -> None:
    table_or_located_error(parse_csv, text.replace("\0", ""))


@given(st.one_of(MARKS, st.text(max_size=40)), st.one_of(MARKS, st.text(max_size=40)))
def test_any_text_as_arff(declaration, rows) -> None:
    table_or_located_error(parse_arff, declaration)
    table_or_located_error(
        parse_arff, f"@relation r\n@attribute {declaration}\n@attribute b {{x,y}}\n@data\n{rows}"
    )
    table_or_located_error(
        parse_arff, f"@attribute a numeric\n@attribute b {{x,'y z'}}\n@attribute s string\n@data\n{rows}"
    )


@given(st.lists(st.tuples(st.text(min_size=1), st.none() | st.text(min_size=1)), min_size=1))
def test_arff_strings_round_trip(rows) -> None:
    def quote(text):
        if text is None:
            return "?"
        for plain, escaped in (("\\", "\\\\"), ("'", "\\'"), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")):
            text = text.replace(plain, escaped)
        return f"'{text}'"

    text = "@relation r\n@attribute a string\n@attribute b string\n@data\n"
    lines = "\n".join(f"{quote(a)},{quote(b)}" for a, b in rows)
    frame = parse_arff(text + lines, "r").frame
    assert list(zip(frame["a"].tolist(), frame["b"].tolist(), strict=True)) == rows
