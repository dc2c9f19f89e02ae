"""Small files take little memory and little time, or are refused by a limit that can be raised."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

from tanager import NaiveBayesClassifier, load_model, read_table, save_model
from tanager.cli import main
from tanager.document import _digest
from tanager.exceptions import DataError
from tanager.limits import limit, set_limit, unpacked_bytes
from tanager.motifs import read_sites

X, Y = [["a", "x"], ["b", "y"], ["b", "x"], ["a", "y"]], ["yes", "no", "no", "yes"]
MEGABYTE = 1 << 20


@pytest.fixture
def small_limits(monkeypatch):
    """The floor of what may be unpacked, a sixteenth of the real one."""
    monkeypatch.setattr("tanager.limits._ALWAYS_UNPACKED", MEGABYTE)


@pytest.fixture(autouse=True)
def default_limits():
    yield
    for name in ("unpacked_ratio", "sparse_cells", "label_bytes"):
        set_limit(name, None)


def peak(function) -> int:
    """Bytes that a call that is refused takes at most; numpy's arrays and zlib's output are counted."""
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match=r"TANAGER_[A-Z_]+ in the environment raises it"):
            function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


# -- the settings --------------------------------------------------------------------------------------------


def test_a_limit_comes_from_the_call_the_environment_or_the_default(monkeypatch):
    assert limit("unpacked_ratio") == 100
    monkeypatch.setenv("TANAGER_UNPACKED_RATIO", "7")
    assert limit("unpacked_ratio") == 7
    set_limit("unpacked_ratio", 1000)
    assert limit("unpacked_ratio") == 1000
    assert unpacked_bytes(10**6) == 10**9
    set_limit("unpacked_ratio", None)
    assert limit("unpacked_ratio") == 7


@pytest.mark.parametrize("text", ["", "many", "-1", "0", "1e3", "²", "9" * 30])
def test_an_environment_that_says_nonsense_is_refused(monkeypatch, text):
    monkeypatch.setenv("TANAGER_SPARSE_CELLS", text)
    with pytest.raises(DataError, match=r"TANAGER_SPARSE_CELLS is .* whole number from 1 on"):
        limit("sparse_cells")


@pytest.mark.parametrize("value", [0, -1, True, 1.5, "1"])
def test_a_limit_is_a_whole_number(value):
    with pytest.raises(DataError, match="whole number from 1 on"):
        set_limit("sparse_cells", value)
    with pytest.raises(DataError, match="there is no limit 'cells', limits are"):
        set_limit("cells", 1)


# -- compressed files ----------------------------------------------------------------------------------------


def bomb(path, text: bytes, megabytes: int) -> None:
    with gzip.open(path, "wb") as file:
        file.write(b"a,b\n")
        for _ in range(megabytes):
            file.write(text * (MEGABYTE // len(text)))


@pytest.mark.parametrize(
    ("name", "text", "read"),
    [
        ("data.csv.gz", b"0,0\n", read_table),
        ("data.arff.gz", b"{}  ", read_table),
        ("model.json.gz", b"[], ", load_model),
        ("sites.txt.gz", b"ACG\n", read_sites),
    ],
)
def test_a_file_that_unfolds_to_too_much_is_refused_before_it_does(tmp_path, small_limits, name, text, read):
    path = tmp_path / name
    bomb(path, text, 40)
    assert path.stat().st_size < MEGABYTE // 8
    assert peak(lambda: read(path)) < 20 * MEGABYTE


def test_the_limit_can_be_raised(tmp_path, small_limits, monkeypatch, capsys):
    path = tmp_path / "data.csv.gz"
    bomb(path, b"0," + b" " * 120 + b"0\n1," + b" " * 120 + b"1\n", 2)
    assert main(["fit", str(path), "-o", str(tmp_path / "model.json")]) == 2
    assert "raises it" in capsys.readouterr().err
    monkeypatch.setenv("TANAGER_UNPACKED_RATIO", "1030")
    assert main(["fit", str(path), "-o", str(tmp_path / "model.json")]) == 0
    assert len(read_table(path)) == 4 * (MEGABYTE // 248)


def test_several_members_and_a_ratio_of_all_of_them(tmp_path):
    path = tmp_path / "data.csv.gz"
    path.write_bytes(gzip.compress(b"a,class\n1,x\n") + gzip.compress(b"2,y\n") + b"\0" * 8)
    assert read_table(path).y.tolist() == ["x", "y"]


def test_a_repeated_value_of_parquet_is_refused(tmp_path, small_limits):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "data.parquet"
    parquet.write_table(arrow.table({"a": np.zeros(5 * MEGABYTE), "class": np.zeros(5 * MEGABYTE)}), path)
    assert path.stat().st_size < MEGABYTE // 16
    assert peak(lambda: read_table(path)) < 20 * MEGABYTE
    set_limit("unpacked_ratio", 10**6)
    assert len(read_table(path)) == 5 * MEGABYTE


def test_a_sparse_file_may_not_have_too_many_cells(tmp_path):
    path = tmp_path / "data.arff"
    names = "".join(f"@attribute a{i} real\n" for i in range(1000))
    path.write_text(f"@relation r\n{names}@data\n" + "{0 1}\n" * 2000)
    set_limit("sparse_cells", 10**6)
    assert peak(lambda: read_table(path)) < 20 * MEGABYTE
    set_limit("sparse_cells", None)
    assert read_table(path).X.shape == (2000, 999)


# -- model files ---------------------------------------------------------------------------------------------


def changed_model(path, change) -> None:
    """A model file whose content was changed, with the checksum that it then has."""
    save_model(NaiveBayesClassifier(class_prior=np.array([0.5, 0.5])).fit(X, Y), path)
    document = json.loads(path.read_text())
    change(document["content"])
    document["checksum"] = _digest(document["content"])
    path.write_text(json.dumps(document))


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.update(classes_dtype="<U500000000"),
        lambda content: content["parameters"].update(
            class_prior={"array": ["a"], "dtype": "<U400000000"}, categorical=None
        ),
    ],
    ids=["classes", "a parameter"],
)
def test_a_type_of_wide_text_is_refused(tmp_path, change):
    path = tmp_path / "model.json"
    changed_model(path, change)
    assert path.stat().st_size < 4096
    assert peak(lambda: load_model(path)) < 20 * MEGABYTE


def test_classes_keep_their_type_within_the_limit(tmp_path):
    path = tmp_path / "model.json"
    save_model(NaiveBayesClassifier().fit(X, np.array(Y, dtype="<U300")), path)
    assert load_model(path).classes_.dtype == np.dtype("<U300")
    set_limit("label_bytes", 100)
    with pytest.raises(DataError, match="2 values of type '<U300' take 2,400 bytes: the limit label_bytes"):
        load_model(path)


# -- time ----------------------------------------------------------------------------------------------------

LARGE = """
import sys
from tanager.data.formats import parse_arff, parse_csv

def refused(read, text):
    try:
        read(text, "t")
    except ValueError as error:
        return str(error)
    return "read"

n = 30_000
blank = " " * n
head = "@relation r\\n@attribute a string\\n@attribute b string\\n@data\\n"
many = ",".join(f"v{i}" for i in range(n))
columns = "".join(f"@attribute a{i} real\\n" for i in range(n))
print(parse_csv(many + "\\n" + ",".join("1" * n), "t").frame.shape)
print(refused(parse_csv, many + ",v3\\n1"))
print(parse_arff(head + f"'q',a{blank}b\\na{blank},b {{2}}\\n", "t").frame.shape)
print(refused(parse_arff, head + f"a{blank}b"))
print(refused(parse_arff, f"@attribute {blank}"))
print(refused(parse_arff, f"@attribute a {{'q',x{blank}y}}\\n@data\\nq"))
print(len(parse_arff(f"@attribute a {{'q',{many}}}\\n@data\\nq", "t").frame.raw("a").levels))
print(refused(parse_arff, f"@attribute a {{'q',{many},v3}}\\n@data\\nq"))
print(parse_arff(columns + "@data\\n'1'," + ",".join("1" * (n - 1)), "t").frame.shape)
print(parse_arff(columns + "@data\\n{" + ",".join(f"{i} 1" for i in range(n)) + "}", "t").frame.shape)
print(refused(parse_arff, columns.replace("a9 ", "a8 ")))
print(refused(parse_arff, head + "'" + "\\\\'% " * n)[:34])
print(refused(parse_arff, head + "{" * n))
# Not ru_maxrss, which begins with what the parent had.
status = open("/proc/self/status").read() if sys.platform == "linux" else "VmHWM: 0"
print(int(status.split("VmHWM:")[1].split()[0]) < 1 << 20)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="memory is not told like this on Windows")
def test_readers_are_linear():
    """Each of these is a file of a megabyte or so; squared, they would take many minutes."""
    found = subprocess.run(
        [sys.executable, "-c", LARGE], capture_output=True, text=True, timeout=300, check=False
    )
    assert found.stdout.splitlines() == [
        "(1, 30000)",
        "t, line 1: column name 'v3' occurs twice; header=False where there are none",
        "(2, 2)",
        "read",
        "t, line 1: an attribute needs a name",
        "read",
        "30001",
        "t, line 1: attribute 'a' declares level 'v3' twice",
        "(1, 30000)",
        "(1, 30000)",
        "t, line 10: attribute 'a8' is declared twice",
        "t, line 5: expected a value, found",
        "t, line 5: a sparse row ends with a brace",
        "True",
    ], found.stderr


def test_blocks_of_rows_make_the_same_columns(tmp_path, monkeypatch):
    rows = [f"{i % 7},{'?' if i % 5 == 0 else i / 4},{'abc'[i % 3]}" for i in range(50)]
    path = tmp_path / "t.csv"
    path.write_text("a,b,class\n" + "\n".join(rows))
    arff = tmp_path / "t.arff"
    declared = "@relation r\n@attribute a real\n@attribute b real\n@attribute class {a,b,c}\n@data\n"
    mixed = [row if i % 3 else "{0 1, 2 c}" for i, row in enumerate(rows)]
    arff.write_text(declared + "\n".join(mixed))
    whole = [read_table(path).checksum, read_table(arff).checksum]
    for block in (1, 3, 50):
        monkeypatch.setattr("tanager.data.formats.csv._BLOCK", block)
        monkeypatch.setattr("tanager.data.formats.arff._BLOCK", block)
        assert [read_table(path).checksum, read_table(arff).checksum] == whole
