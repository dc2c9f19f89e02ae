"""Nothing is lost and nobody misled: outputs, standard streams, warnings, dates, chosen columns."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
import warnings
from datetime import date, datetime

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import KBinsDiscretizer

from tanager import (
    BDeu,
    NaiveBayesClassifier,
    TANClassifier,
    TreeDensity,
    load_dataset,
    load_model,
    read_table,
)
from tanager.cli import main
from tanager.exceptions import DataError, DataWarning

QUICK = ["--cv", "2", "--repeats", "1", "--no-progress"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TANAGER_CACHE", str(tmp_path / "cache"))
    (tmp_path / "car.csv").write_text(load_dataset("car").to_csv(), encoding="utf-8")
    return tmp_path


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    try:
        code = main(arguments)
    except SystemExit as stop:
        code = int(stop.code or 0)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def feed(monkeypatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


# -- outputs -------------------------------------------------------------------------------------------------


def test_output_never_replaces_its_input(folder, capsys):
    assert run(capsys, "fit", "car.csv", "-o", "m.json")[0] == 0
    before = (folder / "car.csv").read_bytes()
    (folder / "link.csv").symlink_to("car.csv")
    for arguments in (
        ["fit", "car.csv", "-o", "car.csv", "--force"],
        ["fit", "car.csv", "-o", "link.csv", "--force"],
        ["predict", "m.json", "car.csv", "-o", "car.csv"],
        ["predict", "m.json", "car.csv", "-o", "m.json"],
        ["compare", "nb", "--data", "car.csv", "--html", "car.csv", *QUICK],
        ["show", "m.json", "--format", "svg", "-o", "m.json"],
    ):
        code, _, err = run(capsys, *arguments)
        assert code == 2
        assert "is read: it would be replaced" in err
    assert (folder / "car.csv").read_bytes() == before
    load_model(folder / "m.json")


def test_a_model_replaces_models_only(folder, capsys):
    (folder / "notes.txt").write_text("three years of work")
    (folder / "other.json").write_text('{"format": "tanager-motif"}')
    for name in ("notes.txt", "other.json"):
        code, _, err = run(capsys, "fit", "car.csv", "-o", name)
        assert (code, "is not a model of tanager" in err, "--force" in err) == (2, True, True)
    assert (folder / "notes.txt").read_text() == "three years of work"
    (folder / "empty").touch()
    for name in ("m.json", "m.json", "empty", "m.json.gz", "m.json.gz"):
        assert run(capsys, "fit", "car.csv", "-o", name)[0] == 0
    assert run(capsys, "fit", "car.csv", "-o", "notes.txt", "--force")[0] == 0
    load_model(folder / "notes.txt")
    (folder / "sites.txt").write_text("ACGT\nACGA\n")
    code, _, err = run(capsys, "motif", "fit", "sites.txt", "-o", "m.json")
    assert (code, "is not a motif of tanager" in err) == (2, True)
    assert run(capsys, "motif", "fit", "sites.txt", "-o", "sites.json")[0] == 0
    assert run(capsys, "motif", "fit", "sites.txt", "-o", "sites.json")[0] == 0


def test_what_cannot_be_written_is_said_before_the_work(folder, capsys, monkeypatch):
    def no_work(*arguments, **more):
        raise AssertionError("work was done")

    monkeypatch.setattr("tanager.cli.compare.compare", no_work)
    monkeypatch.setattr("tanager.cli.fit.open_table", no_work)
    (folder / "file").touch()
    os.chmod(folder / "file", 0o400)
    monkeypatch.setattr(os, "access", lambda path, mode: not str(path).endswith("file"))  # root may write it
    for arguments, said in (
        (["compare", "nb", "--html", "nowhere/r.html"], "nowhere/r.html: No such file or directory"),
        (["compare", "nb", "--csv", "."], "Is a directory"),
        (["compare", "nb", "--markdown", "file"], "Permission denied"),
        (["compare", "nb", "--plots", "file/plots"], "Not a directory"),
        (["compare", "nb", "--html", "r", "--csv", "./r"], ""),
        (["compare", "nb", "--html", "-", "--csv", "-"], "standard output is asked for twice"),
        (["compare", "nb", "--html", "-", "--json"], "standard output is asked for twice"),
        (["fit", "car.csv", "-o", "nowhere/m.json"], "nowhere/m.json: No such file or directory"),
    ):
        if not said:
            (folder / "r").touch()
            said = "is to be written twice"
        code, _, err = run(capsys, *arguments)
        assert (code, said in err) == (2, True), err
    monkeypatch.setattr("tanager.cli._outputs.find_spec", lambda name: None)
    assert "pages need jinja2" in run(capsys, "compare", "nb", "--html", "r.html")[2]
    assert "plots need matplotlib" in run(capsys, "compare", "nb", "--plots", "plots")[2]


def test_a_hyphen_is_standard_input_and_output(folder, capsys, monkeypatch):
    text = (folder / "car.csv").read_bytes()
    feed(monkeypatch, text)
    code, out, err = run(capsys, "fit", "-", "-o", "-")
    assert (code, "learned from stdin: 1728 rows" in err) == (0, True)
    (folder / "m.json").write_text(out)
    assert load_model(folder / "m.json").predict(load_dataset("car").X[:3]).shape == (3,)
    feed(monkeypatch, text)
    code, out, err = run(capsys, "predict", "m.json", "-", "-o", "-")
    assert (code, len(list(csv.reader(io.StringIO(out))))) == (0, 1729)
    feed(monkeypatch, text)
    code, out, err = run(capsys, "compare", "nb", "--data", "-", "--markdown", "-", *QUICK)
    assert code == 0
    assert out.startswith("**accuracy (%)**")
    assert "stdin: 1728 rows, 6 attributes, class 'class'" in err
    assert not (folder / "-").exists()
    code, _, err = run(capsys, "predict", "-", "-")
    assert (code, "standard input is asked for twice" in err) == (2, True)


# -- warnings ------------------------------------------------------------------------------------------------


def test_values_not_seen_at_fit_are_counted_once():
    X = pd.DataFrame({"smoker": ["yes", "no"] * 10, "size": [1, 2] * 10})
    model = NaiveBayesClassifier().fit(X, [0, 1] * 10)
    new = pd.DataFrame({"smoker": [True, False, True, None, True, False], "size": [1, 2, 7, 7, 9, 1]})
    with pytest.warns(DataWarning) as said:
        model.predict(new)
    (text,) = [str(one.message) for one in said]
    assert "smoker: 5 of 5 values not seen at fit (2 different ones, such as True)" in text
    assert "size: 3 of 6 values not seen at fit (2 different ones, such as 7)" in text
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(new)  # once
        model.predict(X)


def test_columns_that_are_nearly_unique_are_told(folder, capsys):
    rng = np.random.default_rng(0)
    days = pd.date_range("2020-01-01", periods=200).strftime("%Y-%m-%d")
    frame = pd.DataFrame({"day": days, "weight": rng.normal(size=200), "kind": rng.integers(0, 3, 200)})
    frame["class"] = rng.choice(["a", "b"], 200)
    said = "column 'day' has 200 different values in 200 rows"
    with pytest.warns(DataWarning, match=said) as found:
        TANClassifier().fit(frame.drop(columns="class"), frame["class"])
    assert len(found) == 1
    assert "weight" not in str(found[0].message)
    frame.to_csv("days.csv", index=False)
    assert said in run(capsys, "fit", "days.csv", "-o", "m.json")[2]
    assert said not in run(capsys, "fit", "days.csv", "-o", "m.json", "--drop", "day")[2]
    err = run(capsys, "compare", "nb", "tan", "--data", "days.csv", *QUICK)[2]
    assert err.count("different values") == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        NaiveBayesClassifier().fit(frame[["day"]][:15], frame["class"][:15])  # too few to say


def test_rows_without_a_class_are_counted(folder, capsys):
    (folder / "gaps.csv").write_text("a,class\nx,1\ny,\nx,0\ny,?\n")
    with pytest.warns(DataWarning, match="gaps: 2 of 4 rows are left out, they have no value of the class"):
        read_table("gaps.csv")
    assert "2 of 4 rows are left out" in run(capsys, "fit", "gaps.csv", "-o", "m.json")[2]


# -- dates ---------------------------------------------------------------------------------------------------


def test_dates_are_alike_from_every_file_and_frame(folder):
    pl = pytest.importorskip("polars")
    times = [datetime(2024, 1, 5), datetime(2024, 1, 5, 10, 30), None, datetime(2024, 2, 1)]
    texts = ["2024-01-05", "2024-01-05 10:30:00", None, "2024-02-01"]
    frame = pd.DataFrame({"when": pd.to_datetime(times), "class": ["a", "b", "a", "b"]})
    isoed = ["2024-01-05T00:00:00", "2024-01-05T10:30:00", "", "2024-02-01T00:00"]
    (folder / "t.csv").write_text(
        "when,class\n" + "".join(f"{when},{label}\n" for when, label in zip(isoed, "abab", strict=True))
    )
    (folder / "t.arff").write_text(
        "@relation r\n@attribute when date 'yyyy-MM-dd HH:mm:ss'\n@attribute class {a,b}\n@data\n"
        "'2024-01-05 00:00:00',a\n'2024-01-05 10:30:00',b\n?,a\n'2024-02-01 00:00:00',b\n"
    )
    pq.write_table(pa.Table.from_pandas(frame), "t.parquet")
    for name in ("t.csv", "t.arff", "t.parquet"):
        assert read_table(name).X["when"].tolist() == texts
    fitted = NaiveBayesClassifier().fit(read_table("t.csv").X, [0, 1, 0, 1])
    expected = fitted.predict_proba(read_table("t.csv").X)
    objects = np.array([[time] for time in times], dtype=object)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for X in (
            frame[["when"]],
            pl.DataFrame({"when": times}),
            pa.table({"when": times}),
            objects,
            frame[["when"]].to_numpy(dtype="datetime64[s]"),
        ):
            np.testing.assert_allclose(fitted.predict_proba(X), expected)
    days = NaiveBayesClassifier().fit(pd.DataFrame({"d": [date(2024, 1, 5), date(2024, 2, 1)]}), [0, 1])
    assert days.encoder_.columns[0].levels == ("2024-01-05", "2024-02-01")
    assert NaiveBayesClassifier().fit(pd.DataFrame({"d": pd.to_timedelta([1, 2], "h")}), [0, 1])


# -- columns -------------------------------------------------------------------------------------------------


def test_columns_are_dropped_and_declared(folder, capsys):
    rows = "".join(f"{i},{i % 30},{'5' if i % 2 else '7'},{i % 2}\n" for i in range(60))
    (folder / "t.csv").write_text("id,many,few,class\n" + rows)
    options = ["--drop", "id", "--categorical", "many", "--numeric", "few"]
    assert run(capsys, "fit", "t.csv", "-o", "m.json", "--learner", "nb", *options)[0] == 0
    kinds = {column.name: column.kind for column in load_model("m.json").encoder_.columns}
    assert kinds == {"many": "categorical", "few": "numeric"}
    code, _, err = run(capsys, "predict", "m.json", "t.csv")
    assert (code, err) == (0, "accuracy: 100.00 % of 60 rows\n")
    code, out, _ = run(capsys, "compare", "nb", "--data", "t.csv", *options, *QUICK, "--json")
    assert json.loads(out)["datasets"][0]["attributes"] == 2
    assert json.loads(out)["datasets"][0]["numeric_attributes"] == 1
    for wrong, said in (
        (["--drop", "nothing"], "drop: t has no column 'nothing'"),
        (["--categorical", "few", "--numeric", "few"], "both categorical and numeric"),
        (["--drop", "id", "many", "few"], "no column is left"),
    ):
        code, _, err = run(capsys, "fit", "t.csv", "-o", "n.json", *wrong)
        assert (code, said in err) == (2, True)


def test_a_file_without_a_header(folder, capsys):
    (folder / "t.csv").write_text("a,x,1\nb,y,0\na,x,1\nb,x,0\n")
    assert run(capsys, "fit", "t.csv", "-o", "m.json", "--no-header")[0] == 0
    assert load_model("m.json").feature_names_in_.tolist() == ["x1", "x2"]
    code, out, _ = run(capsys, "predict", "m.json", "t.csv", "--no-header")
    assert (code, out) == (0, "x3\n1\n0\n1\n0\n")
    assert run(capsys, "explain", "m.json", "t.csv", "--no-header", "--row", "3")[0] == 0


# -- settings within settings --------------------------------------------------------------------------------


def test_a_grid_over_the_settings_of_a_score():
    table = load_dataset("tic-tac-toe")
    X, y = table.to_pandas().drop(columns=table.target), table.y
    grid = {"score__ess": [1.0, 50.0], "parameters__n0": [1.0, 5.0]}
    search = GridSearchCV(TANClassifier(score="bdeu"), grid, cv=2, error_score="raise").fit(X, y)
    assert len(search.cv_results_["params"]) == 4
    best = search.best_estimator_
    assert best.get_params()["score"] == BDeu(ess=search.best_params_["score__ess"])
    assert best.get_params()["parameters"].n0 == search.best_params_["parameters__n0"]
    changed = TANClassifier().set_params(score="bdeu", score__ess=3)
    assert changed.get_params()["score"] == BDeu(ess=3)
    assert changed.get_params(deep=False).keys() == TANClassifier().get_params(deep=False).keys()
    assert TreeDensity(score=BDeu()).set_params(score__ess=2.0).get_params()["score__ess"] == 2.0
    with pytest.raises(
        DataError, match=r"score = 'bic' of TANClassifier has no setting 'ess'; it has no settings"
    ):
        TANClassifier(score="bic").set_params(score__ess=1)
    with pytest.raises(DataError, match="has no setting 'es'; it has ess"):
        TANClassifier(score="bdeu").set_params(score__es=1)


def test_bins_of_scikit_learn_with_gaps():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    y = (X[:, 0] > 0).astype(int)
    X[rng.random(X.shape) < 0.2] = np.nan
    X[:, 2] = np.nan
    for bins in (4, [4, 3, 2]):
        cut = KBinsDiscretizer(n_bins=bins, encode="ordinal", strategy="uniform")
        model = NaiveBayesClassifier(discretize=cut).fit(X, y)
        found = [column.cut_points for column in model.encoder_.columns]
        wanted = [4, 4] if bins == 4 else [4, 3]
        assert [len(cuts) for cuts in found] == [wanted[0] - 1, wanted[1] - 1, 0]
        known = X[~np.isnan(X[:, 0]), 0]
        edges = np.linspace(known.min(), known.max(), wanted[0] + 1)[1:-1]
        np.testing.assert_allclose(found[0], edges)
        assert model.predict(X).shape == (100,)
