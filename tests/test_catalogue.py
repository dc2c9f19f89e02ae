"""The catalogue says what it holds, and holds what it says."""

import csv
import gzip
import hashlib
import re
import sys
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils import Bunch

import tanager.data.catalogue as catalogue
from more_data import ABSENT, data_folder
from tanager.data import TableEncoder, list_datasets, load_dataset
from tanager.data.generated import GENERATORS
from tanager.exceptions import DataError, MissingPackageError

ROOT = Path(__file__).resolve().parents[1]
SHARED = data_folder()
NAMES = [info.name for info in list_datasets()]
# What the carrier lacks: rows with gaps.
COMPLETE_ONLY = {"dermatology"}


@pytest.mark.parametrize("name", NAMES)
def test_every_set_is_what_its_entry_says(name) -> None:
    table = load_dataset(name)
    info = table.info
    assert info == next(entry for entry in list_datasets() if entry.name == name)
    assert (info.rows, info.attributes) == table.X.shape
    assert info.rows == len(table.y)
    assert info.classes == len(set(table.y.tolist())) >= 2
    assert info.checksum == table.checksum
    assert info.source
    assert info.licence
    encoded = TableEncoder().fit_transform(table.X)
    assert encoded.rows == info.rows


def test_other_names() -> None:
    assert load_dataset("heart").checksum == load_dataset("heart-statlog").checksum


def test_the_bundle_is_small() -> None:
    folder = Path(catalogue.__file__).parent / "tables"
    assert sum(path.stat().st_size for path in folder.iterdir()) <= 1_000_000


def normal(value: object) -> str:
    if value is None or value != value or value == "":
        return ""
    try:
        return f"{float(value):.4g}"
    except (TypeError, ValueError):
        return str(value)


@pytest.mark.skipif(not SHARED.is_dir(), reason=ABSENT)
@pytest.mark.parametrize("name", [name for name in NAMES if (SHARED / f"{name}.csv").exists()
                                  or (SHARED / f"{name}.csv.gz").exists()])  # fmt: skip
def test_bundled_rows_equal_the_verified_copies(name) -> None:
    path = next(path for path in (SHARED / f"{name}.csv", SHARED / f"{name}.csv.gz") if path.exists())
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    rows = [[normal(v) for v in row] for row in csv.reader(text.decode().splitlines()[1:])]
    table = load_dataset(name)
    columns = [table.X[column].tolist() for column in table.X.columns]
    ours = [[normal(v) for v in row] for row in zip(*columns, table.y.tolist(), strict=True)]
    if name in COMPLETE_ONLY:
        rows = [row for row in rows if "" not in row]
    if name == "hepatitis":  # words there, codes here: the same rows up to names of levels
        shape = [
            [Counter(column).most_common() for column in zip(*table_rows, strict=True)]
            for table_rows in (ours, rows)
        ]
        assert [[n for _, n in column] for column in shape[0]] == [
            [n for _, n in column] for column in shape[1]
        ]
    elif name == "waveform-21":  # a sample there, another one here
        assert np.asarray(table.X).shape == (len(rows), len(rows[0]) - 1)
    else:
        assert Counter(map(tuple, ours)) == Counter(map(tuple, rows))


def test_sampled_sets_follow_their_model() -> None:
    table = load_dataset("lung-cancer", rows=200_000, random_state=1)
    cancer = table.y.astype(bool)
    assert cancer.mean() == pytest.approx(0.0872, abs=0.003)  # .1·.2·.5 + .1·.8·.2 + .9·.2·.3 + .9·.8·.01
    assert (table.X["Xray"][cancer] == "pos").mean() == pytest.approx(0.95, abs=0.01)
    assert (table.X["Dyspnoea"][~cancer] == "T").mean() == pytest.approx(0.02, abs=0.003)
    both = (table.X["Pollution"] == "H") & (table.X["Smoker"] == "T")
    assert cancer[both].mean() == pytest.approx(0.5, abs=0.03)
    wave = load_dataset("waveform-21", rows=3000, random_state=2)
    means = np.array([np.asarray(wave.X)[wave.y == c].mean(axis=0) for c in range(3)])
    i = np.arange(1, 22)
    waves = np.maximum(6 - np.abs(i - np.array([[11], [15], [7]])), 0)
    expected = np.array([waves[[0, 1]].mean(0), waves[[0, 2]].mean(0), waves[[1, 2]].mean(0)])
    assert np.abs(means - expected).max() < 0.25
    led = load_dataset("led-24", rows=20_000, random_state=3)
    eights = np.asarray(led.X)[led.y == 8].astype(float).mean(axis=0)
    assert eights[:7] == pytest.approx(np.full(7, 0.9), abs=0.03)
    assert eights[7:] == pytest.approx(np.full(17, 0.5), abs=0.05)


def test_seeds_are_passed_in() -> None:
    for name, generator in GENERATORS.items():
        if generator.sampled:
            a, b = (load_dataset(name, rows=50, random_state=seed) for seed in (0, 1))
            assert a.checksum == load_dataset(name, rows=50).checksum != b.checksum
            assert len(a) == 50
    with pytest.raises(DataError, match="complete, it has 958 rows"):
        load_dataset("tic-tac-toe", rows=3)
    with pytest.raises(DataError, match="its size is fixed"):
        load_dataset("iris", rows=3)
    with pytest.raises(DataError, match="rows = 0"):
        load_dataset("led-7", rows=0)


def test_a_folder_of_files(tmp_path, monkeypatch) -> None:
    (tmp_path / "mine.csv").write_text("a,class\nx,1\ny,0\n")
    (tmp_path / "packed.csv.gz").write_bytes(gzip.compress(b"a;b\n1;u\n2;v\n"))
    (tmp_path / "notes.txt").write_text("nothing")
    assert load_dataset("mine", data_dir=tmp_path).y.tolist() == [1, 0]
    monkeypatch.setenv("TANAGER_DATA", str(tmp_path))
    table = load_dataset("packed")
    assert (table.target, table.info.origin, table.info.rows) == ("b", "folder", 2)
    assert {"mine", "packed"} <= {info.name for info in list_datasets()}
    monkeypatch.setenv("TANAGER_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(DataError, match="does not exist"):
        list_datasets()


def test_openml_by_name(monkeypatch) -> None:
    def fetch(name, **options):
        asked.append(name)
        if name in ("nothing", "vots"):
            warnings.warn("a try failed", UserWarning, stacklevel=1)
            raise ValueError("no such data set")
        return Bunch(
            data=np.array([[0.0, 1.5], [np.nan, 2.5], [1.0, np.nan]]),
            target=np.array(["p", "n", "p"], dtype=object),
            feature_names=["colour", "size"],
            target_names=["outcome"],
            categories={"colour": ["red", "blue"]},
            details={"licence": "Public"},
            url="https://www.openml.org/d/1",
        )

    asked: list[str] = []
    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch)
    table = load_dataset("colours")
    assert table.X["colour"].tolist() == ["red", None, "blue"]
    assert table.target == "outcome"
    assert (table.info.origin, table.info.licence, table.info.missing) == ("openml", "Public", True)
    with pytest.raises(DataError, match=r"no data set 'nothing' here.*known are balance-scale, "):
        load_dataset("nothing")
    with pytest.raises(DataError, match="did you mean 'vote'"):
        load_dataset("vots")
    for never in (".", "", "a/b", "*"):
        with pytest.raises(DataError, match="is not the name of a data set; known are balance-scale, "):
            load_dataset(never)
    assert asked == ["colours", "nothing", "vots"]


@pytest.mark.parametrize(
    ("method", "package"), [("pandas", "pandas"), ("polars", "polars"), ("arrow", "pyarrow")]
)
def test_a_frame_of_an_absent_library_says_what_to_install(method, package, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingPackageError, match=f"^to_{method} needs {package}: pip install {package}$"):
        getattr(load_dataset("car").X, f"to_{method}")()


def test_frames_serve_every_library() -> None:
    pytest.importorskip("polars")
    table = load_dataset("hepatitis")
    pandas, polars, arrow = table.X.to_pandas(), table.X.to_polars(), table.X.to_arrow()
    expected = TableEncoder().fit(table.X, None)
    for frame in (pandas, polars, arrow):
        encoder = TableEncoder().fit(frame)
        assert [c.levels for c in encoder.columns] == [c.levels for c in expected.columns]
        codes = [c.tolist() for c in encoder.transform(frame).columns]
        assert codes == [c.tolist() for c in expected.transform(table.X).columns]
    assert table.to_pandas().shape == (155, 20)
    assert repr(table) == "Table('hepatitis', 155 rows, 19 attributes, class 'class')"
    assert repr(table.X).startswith("Frame(155 rows: AGE, SEX")
    with pytest.raises(KeyError, match="'nope' is not a column"):
        table.X["nope"]
    with pytest.raises(TypeError, match="not iterable"):
        list(table.X)
    with pytest.raises(TypeError, match="by name"):
        table.X[:, 0]


def test_rows_are_taken_as_from_an_array() -> None:
    table = load_dataset("iris")
    some = table.take(table.y == "Iris-setosa")
    assert len(some) == 50
    assert some.X[-1:].shape == (1, 4)
    scores = cross_val_score(KNeighborsClassifier(), table.X, table.y)
    assert scores.mean() > 0.9


def measured() -> dict[str, dict[str, str]]:
    """The tables of the documents that are not bundled, by name, as docs/tables.csv has them."""
    with (ROOT / "docs" / "tables.csv").open(encoding="utf-8", newline="") as file:
        return {row["name"]: row for row in csv.DictReader(file)}


def test_the_list_has_every_table_of_the_readme_that_is_not_bundled() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (told,) = set(re.findall(r"^Mean ranks over \d+ tables \(.*?\): (.*)\.$", text, re.MULTILINE))
    assert list(measured()) == sorted({*told.split(", "), "motifs"} - set(NAMES))


@pytest.mark.parametrize("name", sorted(measured().keys() - {"motifs"}))
def test_a_measured_table_is_what_the_list_says(name: str) -> None:
    packed, plain = SHARED / f"{name}.csv.gz", SHARED / f"{name}.csv"
    if not (packed.is_file() or plain.is_file()):
        pytest.skip(f"{name}: {ABSENT}")
    content = gzip.decompress(packed.read_bytes()) if packed.is_file() else plain.read_bytes()
    row, info = measured()[name], load_dataset(name, data_dir=SHARED).info
    assert hashlib.sha256(content).hexdigest() == row["sha256"]
    sizes = [str(size) for size in (info.rows, info.attributes, info.classes)]
    assert sizes == [row["rows"], row["attributes"], row["classes"]]


@pytest.mark.skipif(not (SHARED / "motifs").is_dir(), reason=ABSENT)
def test_the_measured_binding_sites_are_what_the_list_says() -> None:
    files, row = sorted((SHARED / "motifs").glob("*.txt")), measured()["motifs"]
    content = b"".join(file.read_bytes() for file in files)
    assert hashlib.sha256(content).hexdigest() == row["sha256"]
    matrix = r"MA\d+\.\d"
    assert re.findall(matrix, " ".join(file.name for file in files)) == re.findall(matrix, row["source"])
    lengths = [len(site) for site in content.split()]
    assert [str(len(lengths)), f"{min(lengths)}-{max(lengths)}"] == [row["rows"], row["attributes"]]
