"""Tables that are read in parts: every kind of source, the bits of memory, errors with file and column."""

from __future__ import annotations

import gzip
import json
import shutil
import threading
import warnings
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import tanager.data.sources as sources
from tanager import (
    BCkGClassifier,
    CkGDensity,
    DataError,
    FSSClassifier,
    KDBClassifier,
    NaiveBayesClassifier,
    RefinedClassifier,
    Schema,
    Statistics,
    TANClassifier,
    TreeDensity,
    load_model,
    read_table,
)
from tanager.cli import main
from tanager.exceptions import DataWarning

pl = pytest.importorskip("polars")


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    """Parts of a few hundred rows, so that there are several."""
    monkeypatch.setattr("tanager.data.arrow_parts.MOST", 300)
    monkeypatch.setattr("tanager.data.arrow_parts.LEAST", 100)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(5)
    n = 1200
    y = rng.integers(0, 2, n)
    few = rng.integers(0, 4, n)
    return pa.table(
        {
            "few": few,
            "text": np.where(rng.random(n) < 0.3, "a", np.where(y == 1, "b", "c")),
            "real": np.round(rng.normal(size=n) + y, 1),
            "more": (few + rng.integers(0, 2, n)) % 5,
            "class": np.where(y == 1, "yes", "no"),
        }
    )


@pytest.fixture(scope="module")
def whole(table):
    return TANClassifier().fit(table.drop(["class"]), table.column("class"))


def as_sources(table, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    for k in range(3):
        pq.write_table(table.slice(400 * k, 400), folder / f"part{k}.parquet")
    pq.write_table(table, tmp_path / "t.parquet")
    pc.write_csv(table, tmp_path / "t.csv")
    with open(tmp_path / "t.csv", "rb") as file, gzip.open(tmp_path / "t.csv.gz", "wb") as packed:
        shutil.copyfileobj(file, packed)
    duckdb = pytest.importorskip("duckdb")
    yield "parquet", tmp_path / "t.parquet"
    yield "folder", str(folder)
    yield "csv", tmp_path / "t.csv"
    yield "gzip", tmp_path / "t.csv.gz"
    yield "dataset", ds.dataset(folder)
    if hasattr(pl.LazyFrame, "collect_batches"):  # from polars 1.34 on
        yield "lazy", pl.scan_parquet(tmp_path / "t.parquet")
    yield "duckdb", duckdb.sql(f"select * from '{tmp_path / 't.parquet'}'")
    yield "function", lambda: (table.slice(k, 500) for k in range(0, 1200, 500))
    yield "batches", lambda: iter(table.to_batches(max_chunksize=500))
    yield "polars", lambda: (pl.from_arrow(table.slice(k, 500)) for k in range(0, 1200, 500))
    yield "pandas", lambda: (table.slice(k, 500).to_pandas() for k in range(0, 1200, 500))


def test_every_source_gives_the_bits_of_memory(table, whole, tmp_path):
    X = table.drop(["class"])
    for name, source in as_sources(table, tmp_path):
        fitted = TANClassifier().fit(source, target="class")
        assert fitted.rows_ == 1200, name
        assert fitted.network_.parents == whole.network_.parents, name
        assert_array_equal(fitted.predict_proba(X), whole.predict_proba(X), err_msg=name)
    for frame in (table, table.to_pandas(), pl.from_arrow(table)):
        assert_array_equal(
            TANClassifier().fit(frame, target="class").predict_proba(X), whole.predict_proba(X)
        )


def test_densities_read_in_parts(table, tmp_path):
    X = table.drop(["class"])
    pq.write_table(X, tmp_path / "x.parquet")
    expected = TreeDensity().fit(X).score_samples(X)
    assert_array_equal(TreeDensity().fit(tmp_path / "x.parquet").score_samples(X), expected)
    expected = CkGDensity().fit(X).score_samples(X)
    assert_array_equal(CkGDensity().fit(tmp_path / "x.parquet").score_samples(X), expected)


@pytest.mark.parametrize(
    "estimator",
    [
        BCkGClassifier(),
        BCkGClassifier(k=3, score="k2"),
        KDBClassifier(),
        BCkGClassifier(class_weight={"yes": 2.0}),
    ],
    ids=["bckg", "bckg3", "kdb", "weighed"],
)
def test_larger_tables_are_counted_in_further_passes(estimator, table, tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(table, path)
    X = table.drop(["class", "real"])
    categorical = table.drop(["real"])
    pq.write_table(categorical, path)
    expected = estimator.fit(X, table.column("class")).predict_proba(X)
    counted = {}
    for memory in (None, 4000):
        passes = []

        def progress(what, done, total, passes=passes):
            if done == total and "larger tables" in what:
                passes.append(what)

        fitted = estimator.fit(path, target="class", memory=memory, progress=progress)
        assert_array_equal(fitted.predict_proba(X), expected)
        counted[memory] = len(passes)
    assert 1 <= counted[None] <= 2  # the search, and the tables of what it found
    assert counted[4000] >= counted[None]


def test_a_reader_is_read_once(table, whole):
    X = table.drop(["class"])
    with pytest.raises(DataError, match="the reader can be read only once, but finding the schema"):
        TANClassifier().fit(table.to_reader(), target="class")
    schema = Schema.scan([table], target="class")
    fitted = TANClassifier().fit(table.to_reader(100), target="class", schema=schema)
    assert_array_equal(fitted.predict_proba(X), whole.predict_proba(X))
    with pytest.raises(DataError, match=r"needs tables of more than two columns.*can be read only once"):
        KDBClassifier().fit(table.to_reader(), target="class", schema=schema)


@pytest.mark.parametrize("estimator", [FSSClassifier(), RefinedClassifier()])
def test_who_needs_the_rows_says_who_does_not(estimator, table, tmp_path):
    pq.write_table(table, tmp_path / "t.parquet")
    with pytest.raises(DataError, match=r"looks at the rows one by one.*in parts learn nb, tan"):
        estimator.fit(tmp_path / "t.parquet", target="class")


def test_selective_kdb_says_what_learns_from_counts(table, tmp_path):
    pq.write_table(table, tmp_path / "t.parquet")
    said = r"selective=True looks at the rows one by one.*it learns without selective=True$"
    estimator = KDBClassifier(selective=True)
    with pytest.raises(DataError, match=said):
        estimator.fit(tmp_path / "t.parquet", target="class")
    schema = Schema.scan([table], target="class")
    with pytest.raises(DataError, match=said):
        estimator.fit_statistics(Statistics(schema), passes=lambda families: np.zeros(0))
    estimator.set_params(selective=False).fit(tmp_path / "t.parquet", target="class")


def with_gaps(table, every):
    """The table, in which some rows have no class."""
    y = table.column("class").to_pylist()
    gone = [None if i % every == 5 or 500 <= i < 1000 else label for i, label in enumerate(y)]
    return table.set_column(4, "class", pa.array(gone))


def told(warned):
    """The warnings of rows that were left out."""
    return [str(one.message) for one in warned if "left out" in str(one.message)]


def test_rows_without_a_class_are_left_out_of_parts(table, tmp_path):
    """Some of a part, and all of one; with a warning for all parts together, which points here."""
    gaps = with_gaps(table, 7)
    known = gaps.filter(gaps.column("class").is_valid())
    gone = len(gaps) - len(known)
    X = known.drop(["class"])
    expected = [learner.fit(X, known.column("class")) for learner in (TANClassifier(), BCkGClassifier())]
    in_memory = [("frame", gaps), ("pandas frame", gaps.to_pandas()), ("polars frame", pl.from_arrow(gaps))]
    for name, source in [*as_sources(gaps, tmp_path), *in_memory]:
        for model in expected:
            with pytest.warns(DataWarning) as warned:
                fitted = type(model)().fit(source, target="class")
            (said,) = told(warned)
            assert f": {gone} of 1200 rows are left out, they have no value of the class 'class'" in said, (
                name
            )
            assert warned[0].filename == __file__
            assert fitted.network_.parents == model.network_.parents
            assert_array_equal(fitted.predict_proba(X), model.predict_proba(X), err_msg=name)
            assert fitted.classes_.dtype == model.classes_.dtype
        if not name.endswith("frame"):
            with pytest.warns(DataWarning) as warned:
                schema = Schema.scan(source, target="class")
            assert len(told(warned)) == 1
            assert warned[0].filename == __file__
            assert schema == Schema.scan([known], target="class")
            with pytest.warns(DataWarning, match=f"{gone} of 1200 rows are left out"):
                fitted = TANClassifier().fit(source, target="class", schema=schema)
            assert_array_equal(fitted.predict_proba(X), expected[0].predict_proba(X), err_msg=name)


def test_labels_that_are_given_are_not_left_out(table):
    gaps = with_gaps(table, 7)
    X, y = gaps.drop(["class"]), gaps.column("class")
    for refused in (
        lambda: TANClassifier().fit(X, y),
        lambda: TANClassifier().fit(lambda: [(X, y)]),
        lambda: Statistics(Schema.scan([table], target="class")).update(X, y),
    ):
        with pytest.raises(DataError, match="Input y contains NaN: row 5 has no label"):
            refused()


def test_nothing_is_learned_where_no_row_has_a_class(table, tmp_path):
    empty = table.set_column(4, "class", pa.nulls(1200, pa.string()))
    pq.write_table(empty, tmp_path / "t.parquet")
    schema = Schema.scan([table], target="class")
    for source in (tmp_path / "t.parquet", lambda: iter(empty.to_batches(300)), empty):
        for options in ({}, {"schema": schema}) if source is not empty else ({},):
            with pytest.raises(DataError, match="no row has a label, column 'class' is empty"):
                TANClassifier().fit(source, target="class", **options)
    with pytest.raises(DataError, match="no row has a label, column 'class' is empty"):
        Schema.scan(tmp_path / "t.parquet", target="class")


LABELS = {
    "text": ["a", "b"],
    "integers": [0, 1],
    "floats": [0.0, 1.0],
    "flags": [False, True],
}


@given(
    st.sampled_from(sorted(LABELS)),
    st.lists(st.tuples(st.sampled_from("xyz"), st.integers(-1, 1)), max_size=30),
    st.data(),
)
def test_any_labels_in_any_parts_are_those_of_memory(kind, rows, data):
    rows = [("x", 0), ("y", 1), *rows]
    labels = [None if place < 0 else LABELS[kind][place] for _, place in rows]
    gaps = pa.table({"a": [a for a, _ in rows], "w": np.arange(len(rows)) % 3 + 1, "class": labels})
    weight = data.draw(st.sampled_from([None, "w"]))
    known = gaps.filter(pa.array([label is not None for label in labels]))
    used = None if weight is None else known.column("w").to_numpy()
    X = known.select(["a"])
    expected = NaiveBayesClassifier().fit(X, known.column("class"), used)
    cuts = sorted({0, *data.draw(st.lists(st.integers(0, len(rows)), max_size=4)), len(rows)})
    parts = [gaps.slice(a, b - a) for a, b in pairwise(cuts)]
    if weight is None:
        gaps, parts = gaps.drop(["w"]), [part.drop(["w"]) for part in parts]
    make = data.draw(st.sampled_from([lambda part: part, pa.Table.to_pandas, pl.from_arrow]))
    left = len(rows) - len(known)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        fitted = NaiveBayesClassifier().fit(lambda: map(make, parts), target="class", weight=weight)
        whole = NaiveBayesClassifier().fit(make(gaps), target="class", weight=weight)
    assert len(told(warned)) == (2 if left else 0)
    assert all(f"{left} of {len(rows)} rows" in said for said in told(warned))
    for model in (fitted, whole):
        assert model.classes_.tolist() == expected.classes_.tolist()
        assert_array_equal(model.predict_proba(X), expected.predict_proba(X))


def test_batches_are_parts_like_tables(table):
    batches = table.to_batches(max_chunksize=500)
    X = table.drop(["class"])
    assert Schema.scan(batches, target="class") == Schema.scan([table], target="class")
    of_rows = TreeDensity().fit(lambda: iter(X.to_batches(max_chunksize=500)))
    assert of_rows.feature_names_in_.tolist() == X.column_names
    pairs = [(batch.select(X.column_names), batch.column("class")) for batch in batches]
    schema = Schema.scan(pairs)
    assert schema == Schema.scan([table], target="class")
    counted, expected = Statistics(schema), Statistics(schema).update(X, table.column("class"))
    for batch, y in pairs:
        counted.update(batch, y)
    assert counted == expected
    assert_array_equal(of_rows.score_samples(pairs[0][0]), of_rows.score_samples(X.slice(0, 500)))
    with pytest.raises(DataError, match="there is no column 'label'; columns are few, text"):
        NaiveBayesClassifier().fit(lambda: iter(batches), target="label")


def test_weights_are_a_column(table, tmp_path):
    weights = np.arange(1200) % 3 + 0.0
    pq.write_table(table.append_column("w", pa.array(weights)), tmp_path / "t.parquet")
    X = table.drop(["class"])
    expected = NaiveBayesClassifier().fit(X, table.column("class"), weights).predict_proba(X)
    fitted = NaiveBayesClassifier().fit(tmp_path / "t.parquet", target="class", weight="w")
    assert_array_equal(fitted.predict_proba(X), expected)


def refused(path, match, **options):
    with pytest.raises(DataError, match=match) as raised:
        TANClassifier().fit(path, **{"target": "class", **options})
    assert "\n" not in str(raised.value)


def test_what_is_wrong_with_a_file_is_said_with_its_name(table, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    refused(folder, "folder: the folder holds no files")
    pq.write_table(table, folder / "a.parquet")
    refused(folder, r"a.parquet: there is no column 'label'; columns are few, text", target="label")
    pq.write_table(table.drop(["text"]), folder / "b.parquet")
    refused(folder, r"b.parquet: there is no column 'text', which .*a.parquet has")
    pq.write_table(table.set_column(0, "few", table.column("text")), folder / "b.parquet")
    refused(folder, r"b.parquet: column 'few' is of type string, but in .*a.parquet of type int64")
    whole = (folder / "a.parquet").read_bytes()
    (folder / "b.parquet").write_bytes(whole[: len(whole) // 2])
    refused(folder, r"b.parquet: the file cannot be read: ")
    with pytest.raises(FileNotFoundError):
        TANClassifier().fit(tmp_path / "nowhere.parquet", target="class")


def test_what_is_wrong_with_text_is_said_with_its_name(table, tmp_path, monkeypatch):
    monkeypatch.setattr("tanager.data.arrow_parts.PART_BYTES", 1 << 13)
    pc.write_csv(table, tmp_path / "t.csv")
    text = (tmp_path / "t.csv").read_text()
    lines = text.splitlines()
    changed = ",".join(["many", *lines[-1].split(",")[1:]])
    (tmp_path / "bad.csv").write_text("\n".join([*lines, changed]))
    refused(tmp_path / "bad.csv", r"bad.csv: the file cannot be read: .*column 'few'.*many")
    refused(tmp_path / "t.csv", r"t.csv: there is no column 'label'", target="label")
    packed = gzip.compress(text.encode())
    (tmp_path / "cut.csv.gz").write_bytes(packed[: len(packed) // 2])
    refused(tmp_path / "cut.csv.gz", r"cut.csv.gz: the file cannot be read: ")


def test_text_after_numbers_is_a_mistake_unless_they_are_categories(table, tmp_path):
    pc.write_csv(table, tmp_path / "t.csv")
    lines = (tmp_path / "t.csv").read_text().splitlines()
    lines[700] = ",".join(["many", *lines[700].split(",")[1:]])
    (tmp_path / "bad.csv").write_text("\n".join(lines))
    refused(tmp_path / "bad.csv", r"bad.csv: the file cannot be read: .*column 'few'.*many.*in categorical")
    with pytest.raises(DataError, match="column 'few'"):
        Schema.scan(tmp_path / "bad.csv", target="class")
    arguments = ["fit", str(tmp_path / "bad.csv"), "--stream", "-o", str(tmp_path / "m.json")]
    assert main(arguments) == 2
    assert not (tmp_path / "m.json").exists()
    model = TANClassifier(categorical=["few"]).fit(tmp_path / "bad.csv", target="class")
    read = read_table(tmp_path / "bad.csv")
    in_memory = TANClassifier(categorical=["few"]).fit(read.X, read.y)
    assert_array_equal(model.predict_proba(read.X), in_memory.predict_proba(read.X))
    assert main([*arguments, "--categorical", "few"]) in (0, None)
    predict = ["predict", str(tmp_path / "m.json"), str(tmp_path / "bad.csv"), "--stream"]
    assert main([*predict, "-o", str(tmp_path / "out.csv")]) in (0, None)
    assert (tmp_path / "out.csv").read_text().splitlines()[1:] == model.predict(read.X).tolist()


def test_codes_with_zeros_in_front_are_text_in_parts_too(table, tmp_path):
    codes = pa.array([f"{value:03d}" for value in table.column("more").to_pylist()])
    late = pa.array([None] * 200 + table.column("few").to_pylist()[200:])  # numbers, unknown at first
    coded = table.append_column("code", codes).append_column("late", late)
    pc.write_csv(coded, tmp_path / "t.csv")
    streamed = TANClassifier().fit(tmp_path / "t.csv", target="class")
    read = read_table(tmp_path / "t.csv")
    whole = TANClassifier().fit(read.X, read.y)
    assert_array_equal(streamed.predict_proba(read.X), whole.predict_proba(read.X))


def test_commands_read_in_parts(table, whole, tmp_path, capsys):
    pq.write_table(table, tmp_path / "t.parquet")
    model, out = tmp_path / "m.json", tmp_path / "out.parquet"
    assert main(["fit", str(tmp_path / "t.parquet"), "--stream", "-o", str(model)]) in (0, None)
    assert "1200 rows, 4 attributes, class 'class'" in capsys.readouterr().out
    X = table.drop(["class"])
    assert_array_equal(load_model(model).predict_proba(X), whole.predict_proba(X))
    main(["predict", str(model), str(tmp_path / "t.parquet"), "-o", str(out), "--probabilities"])
    assert "of 1200 rows" in capsys.readouterr().err
    predicted = pq.read_table(out)
    assert predicted.column_names == ["class", "P(no)", "P(yes)"]
    assert_array_equal(predicted.column("P(yes)").to_numpy(), whole.predict_proba(X)[:, 1])
    assert predicted.column("class").to_pylist() == whole.predict(X).tolist()
    csv = tmp_path / "out.csv"
    main(["predict", str(model), str(tmp_path / "t.parquet"), "-o", str(csv), "--stream"])
    assert csv.read_text().splitlines() == ["class", *whole.predict(X).tolist()]


def test_commands_leave_rows_without_a_class_out(table, tmp_path, capsys):
    gaps = with_gaps(table, 7)
    known = int(gaps.column("class").is_valid().to_numpy().sum())
    pq.write_table(gaps, tmp_path / "t.parquet")
    pc.write_csv(gaps, tmp_path / "t.csv")
    for name in ("t.parquet", "t.csv"):
        models = []
        for options in ([], ["--stream"]):
            out = tmp_path / f"m{len(options)}.json"
            assert main(["fit", str(tmp_path / name), "-o", str(out), "--json", "--force", *options]) in (
                0,
                None,
            )
            said, warned = capsys.readouterr()
            assert json.loads(said)["rows"] == known
            assert warned.count(f"{1200 - known} of 1200 rows are left out") == warned.count("\n") == 1
            models.append(load_model(out))
        X = table.drop(["class"])
        assert_array_equal(models[0].predict_proba(X), models[1].predict_proba(X))


def test_nothing_half_written_is_left_behind(table, tmp_path, capsys):
    folder = tmp_path / "folder"
    folder.mkdir()
    pq.write_table(table, folder / "a.parquet")
    model, out = tmp_path / "m.json", tmp_path / "out.parquet"
    main(["fit", str(folder), "-o", str(model)])
    whole = (folder / "a.parquet").read_bytes()
    # Cut in the middle of the rows, with the end that names them all in its place.
    broken = bytearray(whole)
    broken[200:1200] = bytes(1000)
    (folder / "b.parquet").write_bytes(broken)
    assert main(["predict", str(model), str(folder), "-o", str(out)]) == 2
    assert "b.parquet" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "m.json"]


def test_text_of_parquet_is_what_it_is_in_memory(tmp_path):
    """Read as dictionaries, which differ from row group to row group, with missing values and dates."""
    rng = np.random.default_rng(8)
    n = 900
    y = rng.integers(0, 2, n)
    text = np.where(rng.random(n) < 0.2, None, rng.choice(list("zyxab"), n)).astype(object)
    text[:350] = np.where(y[:350] == 1, "only here", None)
    text[600:] = None
    days = rng.choice(["2024-01-01", "2024-03-05", "2025-07-09"], n)
    columns = {"text": pa.array(text, pa.string()), "day": days, "few": rng.integers(0, 3, n)}
    table = pa.table({**columns, "class": np.where(y == 1, "yes", "no")})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=150)
    declared = table.set_column(0, "text", table.column("text").dictionary_encode())
    pq.write_table(declared, tmp_path / "declared.parquet")
    for rows, path in ((table, "t.parquet"), (declared, "declared.parquet")):
        X = rows.drop(["class"])
        for missing in ("category", "drop", "available"):
            expected = TANClassifier(missing=missing).fit(X, rows.column("class"))
            fitted = TANClassifier(missing=missing).fit(tmp_path / path, target="class")
            assert fitted.encoder_.columns[0].levels == expected.encoder_.columns[0].levels
            assert_array_equal(fitted.predict_proba(X), expected.predict_proba(X))


def test_a_large_file_is_not_kept_in_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("tanager.data.arrow_parts.MOST", 1 << 17)
    rng = np.random.default_rng(9)
    rows = pa.table({"x": rng.normal(size=1 << 17), "class": rng.integers(0, 2, 1 << 17)})
    path = tmp_path / "t.parquet"
    with pq.ParquetWriter(path, rows.schema) as writer:
        for _ in range(40):
            writer.write_table(rows)
    assert path.stat().st_size > 40e6
    before = pa.total_allocated_bytes()
    for source in (path, ds.dataset(path)):
        most = max(pa.total_allocated_bytes() - before for _ in sources.open_source(source, "class").parts())
        assert most < 20e6


@pytest.mark.parametrize("missing", ["category", "drop", "available"])
def test_cuts_of_many_numbers_are_those_of_a_scan(missing, tmp_path, monkeypatch):
    """Only the columns that are still to be cut are read again."""
    monkeypatch.setattr("tanager.data.arrow_parts.MOST", 3000)
    rng = np.random.default_rng(10)
    n = 9000
    y = rng.integers(0, 2, n)
    real = [np.where(rng.random(n) < 0.01, np.nan, rng.normal(size=n) + k * y) for k in range(2)]
    columns = {
        "few": rng.integers(0, 3, n),
        "one": real[0],
        "text": rng.choice(list("ab"), n),
        "two": real[1],
    }
    table = pa.table({**columns, "class": np.where(y == 1, "yes", "no")})
    pq.write_table(table, tmp_path / "t.parquet")
    schema = Schema.scan([table], target="class", missing=missing)
    for source in (tmp_path / "t.parquet", ds.dataset(tmp_path / "t.parquet"), lambda: iter([table])):
        fitted = TANClassifier(missing=missing).fit(source, target="class")
        assert schema.difference(Schema.of(fitted.encoder_, fitted.classes_)) is None
        assert len(fitted.encoder_.columns[3].cut_points) > 0


def test_a_dataset_lacks_no_column_in_any_file(table, tmp_path):
    folder = tmp_path / "year=2024"
    folder.mkdir()
    pq.write_table(table, folder / "a.parquet")
    hive = ds.dataset(tmp_path, partitioning="hive")
    assert set(TANClassifier().fit(hive, target="class").network_.nodes) >= {"year", "few"}
    pq.write_table(table.drop(["text"]), folder / "b.parquet")
    with pytest.raises(DataError, match=r"b.parquet: there is no column 'text', which the dataset has"):
        TANClassifier().fit(ds.dataset(tmp_path, partitioning="hive"), target="class")
    pq.write_table(table, folder / "b.parquet")
    cut = (folder / "b.parquet").read_bytes()
    whole = ds.dataset(tmp_path, partitioning="hive")
    (folder / "b.parquet").write_bytes(cut[: len(cut) // 2])
    with pytest.raises(DataError, match=r"the dataset: the file cannot be read: .*b.parquet"):
        TANClassifier().fit(whole, target="class")


def test_parts_are_read_ahead_by_one(table):
    """By a thread that gives its errors to whoever asks for parts, and ends with him."""
    seen, closed = [], []

    def parts():
        try:
            for k in range(5):
                seen.append((k, threading.current_thread().name))
                if k == 3:
                    raise DataError("the fourth part is broken")
                yield sources.Part(table, None, None, str(k))
        finally:
            closed.append(True)

    reading = sources.ahead(parts())
    assert [next(reading).where for _ in range(3)] == ["0", "1", "2"]
    with pytest.raises(DataError, match="the fourth part is broken"):
        next(reading)
    assert closed == [True]
    assert all(name.startswith("tanager-read") for _, name in seen)
    reading = sources.ahead(parts())
    assert next(reading).where == "0"
    reading.close()
    assert closed == [True, True]
    assert [k for k, _ in seen[4:]] in ([0], [0, 1])
    assert not [t for t in threading.enumerate() if t.name.startswith("tanager-read")]


def test_numbers_of_any_type_are_cut_alike(tmp_path):
    """As they lie in memory, of another type, with missing values marked or NaN: the same cuts."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 3, 9000)
    whole = rng.integers(-20_000, 20_000, 9000) + 4000 * y
    gone = rng.random(9000) < 0.1
    floats = np.where(gone, np.nan, whole.astype(np.float64))
    columns = {
        "float64": pa.array(floats),
        "float32": pa.array(floats.astype(np.float32)),
        "marked": pa.array(floats, mask=gone),
        "int32": pa.array(whole.astype(np.int32), mask=gone),
        "int64": pa.array(whole, mask=gone),
    }
    pq.write_table(pa.table({**columns, "class": y}), tmp_path / "numbers.parquet")
    schema = Schema.scan(tmp_path / "numbers.parquet", target="class")
    assert [column.missing_level for column in schema.columns] == [True] * 5
    first = schema.columns[0].cut_points
    assert len(first) > 2
    for column in schema.columns[1:]:
        assert_array_equal(column.cut_points, first)
    matrix = np.column_stack([floats, floats])[:, 1]  # not side by side
    assert not matrix.flags.c_contiguous
    assert_array_equal(Schema.scan([(matrix[:, None], y)]).columns[0].cut_points, first)
    columns["int64"] = pa.array(np.where(np.arange(9000) == 4321, np.inf, floats))
    pq.write_table(pa.table({**columns, "class": y}), tmp_path / "numbers.parquet")
    with pytest.raises(
        DataError, match=r"numbers\.parquet, from row 4200 on: column 'int64', row 121: inf is"
    ):
        Schema.scan(tmp_path / "numbers.parquet", target="class")


@pytest.mark.parametrize("missing", ["category", "available"])
def test_columns_that_tell_nothing_are_not_read_again(missing, tmp_path, monkeypatch):
    """One value, or numbers without a cut: the bits of memory, and a given schema still reads them."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 2000)
    holes = np.where(rng.random(2000) < 0.1, None, "same")
    table = pa.table(
        {
            "noise": np.round(rng.normal(size=2000), 2),
            "shifted": np.round(rng.normal(size=2000) + 2 * y, 2),
            "constant": ["same"] * 2000,
            "holes": holes.tolist(),
            "letter": np.array(["a", "b", "c"])[rng.integers(0, 2, 2000) + y].tolist(),
            "class": y,
        }
    )
    X = table.drop(["class"])
    path = tmp_path / "table.parquet"
    pq.write_table(table, path)
    read: list[set[str]] = []
    marked = sources._marked

    def seen(batch, text):
        read.append(set(batch.schema.names))
        return marked(batch, text)

    monkeypatch.setattr(sources, "_marked", seen)
    for estimator in (TANClassifier(missing=missing), BCkGClassifier(k=2, missing=missing)):
        read.clear()
        streamed = estimator.fit(path, target="class").predict_proba(X)
        assert_array_equal(streamed, estimator.fit(X, table.column("class")).predict_proba(X))
        unread = [names for names in read if "noise" not in names]
        assert bool(unread) == (missing == "category")
        assert all(names == {"shifted", "holes", "letter", "class"} for names in unread)
    schema = Schema.scan([(X, y)], missing=missing)
    other = table.set_column(2, "constant", [["other"] * 2000])
    pq.write_table(other, path)
    with pytest.raises(DataError, match=r"column 'constant', row 0: value 'other' was not seen"):
        TANClassifier(missing=missing).fit(path, target="class", schema=schema)
