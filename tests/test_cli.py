"""The command line, end to end in a temporary folder: every command, JSON, exit codes, model files."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.preprocessing import KBinsDiscretizer

import tanager
from tanager.cli import commands, main
from tanager.data import EqualWidth, load_dataset, read_table
from tanager.estimators import CLASSIFIERS
from tanager.exceptions import DataError
from tanager.model_file import load_model, read_model_file, save_model

QUICK = ["--cv", "2", "--repeats", "1", "--no-progress"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with a file of data, and no cache outside it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TANAGER_CACHE", str(tmp_path / "cache"))
    (tmp_path / "car.csv").write_text(load_dataset("car").to_csv(), encoding="utf-8")
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    try:
        code = main(arguments)
    except SystemExit as stop:  # argparse
        code = int(stop.code or 0)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_every_command_has_help(capsys):
    names = [name for name, _ in commands()]
    assert {"compare", "reproduce", "fit", "predict", "show", "datasets"} <= set(names)
    for name in names:
        code, out, _ = run(capsys, name, "--help")
        assert code == 0
        assert "usage: tanager " + name in out
    code, out, _ = run(capsys, "--help")
    assert code == 0
    assert all(name in out for name in names)


def test_the_installed_module_runs(folder):
    done = subprocess.run(
        [sys.executable, "-m", "tanager", "datasets", "car", "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout)["rows"] == 1728
    assert done.stderr == ""


def test_compare_prints_accuracy_and_the_tree(folder, capsys):
    code, out, err = run(capsys, "compare", "nb", "tan", "--data", "car", *QUICK)
    assert (code, err) == (0, "")
    assert "tan on car" in out
    assert "Buying" in out
    assert "95 % interval" in out


def test_compare_as_json_and_from_the_cache(folder, capsys):
    arguments = ["compare", "nb", "tree", "--data", "car", "tic-tac-toe", *QUICK, "--json"]
    results = [json.loads(run(capsys, *arguments)[1]) for _ in range(2)]
    assert results[0]["cells"] == results[1]["cells"]  # times included: nothing was computed again
    assert results[0]["learners"] == ["nb", "tree"]
    assert 0.7 < results[0]["summary"]["accuracy"]["car"]["nb"] < 1.0


def test_compare_writes_every_report(folder, capsys):
    names = ["r.html", "r.md", "r.tex", "r.csv", "p.csv"]
    options = ["--html", "--markdown", "--latex", "--csv", "--predictions"]
    wanted = [part for pair in zip(options, names, strict=True) for part in pair]
    data = ["car.csv", "tic-tac-toe", "iris"]
    code, _, err = run(
        capsys, "compare", "nb", "tan", "majority", "--data", *data, *QUICK, *wanted, "--plots", "plots"
    )
    assert code == 0
    for name in names:
        assert f"wrote {name}" in err
        assert Path(name).stat().st_size > 100
    predictions = list(csv.DictReader(io.StringIO(Path("p.csv").read_text(encoding="utf-8"))))
    assert len(predictions) == 3 * (1728 + 958 + 150)
    kinds = {path.suffix for path in Path("plots").iterdir()}
    assert kinds == {".png", ".svg", ".pdf"}


def test_fit_show_predict(folder, capsys):
    code, out, _ = run(capsys, "fit", "car.csv", "-o", "car.json")
    assert code == 0
    assert "wrote car.json" in out
    code, out, _ = run(capsys, "show", "car.json")
    assert code == 0
    assert "TANClassifier" in out
    assert "└─" in out
    code, out, _ = run(capsys, "show", "car.json", "--format", "dot")
    assert out.startswith("digraph")
    code, out, _ = run(capsys, "show", "car.json", "--format", "svg", "-o", "car.svg")
    assert Path("car.svg").read_text(encoding="utf-8").startswith("<svg")
    code, out, _ = run(capsys, "show", "car.json", "--table", "Safety", "--json")
    table = json.loads(out)
    assert all(abs(sum(row["probabilities"]) - 1) < 1e-9 for row in table["rows"])
    code, out, _ = run(capsys, "show", "car.json", "--table", "Safety")
    assert out.startswith("P(Safety | class")
    code, out, _ = run(capsys, "show", "car.json", "--strongest", "2", "--json")
    strengths = [pair["strength"] for pair in json.loads(out)]
    assert strengths == sorted(strengths, reverse=True)
    assert len(strengths) == 2
    code, out, err = run(capsys, "predict", "car.json", "car.csv", "--probabilities", "-o", "out.csv")
    assert code == 0
    assert "accuracy: 9" in err
    lines = list(csv.reader(io.StringIO(Path("out.csv").read_text(encoding="utf-8"))))
    assert len(lines) == 1729
    assert lines[0][0] == "class"
    assert sum(map(float, lines[1][1:])) == pytest.approx(1, abs=1e-4)
    # One row, where doors look like numbers; and a label that is not known.
    head = Path("car.csv").read_text(encoding="utf-8").splitlines()[:2]
    Path("one.csv").write_text("\n".join(head) + "\n", encoding="utf-8")
    code, out, err = run(capsys, "predict", "car.json", "one.csv")
    assert (code, err) == (0, "accuracy: 100.00 % of 1 rows\n")


def test_predict_counts_only_rows_whose_class_is_known(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [("x", "1"), ("y", "0")] * 10
    Path("train.csv").write_text("a,class\n" + "".join(f"{a},{c}\n" for a, c in rows), encoding="utf-8")
    Path("new.csv").write_text("a,class\nx,1\ny,0\nx,\n", encoding="utf-8")
    assert run(capsys, "fit", "train.csv", "-o", "model.json")[0] == 0
    code, out, err = run(capsys, "predict", "model.json", "new.csv")
    assert (code, out, err) == (0, "class\n1\n0\n1\n", "accuracy: 100.00 % of 2 rows\n")


@pytest.mark.filterwarnings("default:The least populated class")
def test_a_warning_is_one_line_without_a_path(folder, capsys):
    rows = [
        "a,b,class",
        *(f"{'pq'[i % 2]},{'rs'[i // 2 % 2]},{'one' if i < 2 else 'xy'[i % 2]}" for i in range(60)),
    ]
    Path("rare.csv").write_text("\n".join(rows), encoding="utf-8")
    code, _, err = run(capsys, "fit", "rare.csv", "--learner", "fss", "-o", "rare.json")
    assert code == 0
    (line,) = err.splitlines()
    assert line.startswith("tanager fit: warning: The least populated class in y has only 2 members")
    code, _, err = run(capsys, "compare", "fss", "--data", "rare.csv", "--html", "rare.html", *QUICK)
    assert (code, err) == (0, "wrote rare.html\n")


def test_predict_without_the_class_column_and_with_columns_in_another_order(folder, capsys):
    run(capsys, "fit", "car.csv", "-o", "car.json")
    lines = [line.split(",") for line in Path("car.csv").read_text(encoding="utf-8").splitlines()]
    Path("new.csv").write_text("\n".join(",".join(reversed(line[:-1])) for line in lines), encoding="utf-8")
    code, out, err = run(capsys, "predict", "car.json", "new.csv", "--json")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    known = json.loads(run(capsys, "predict", "car.json", "car.csv", "--json")[1])
    assert answer["predicted"] == known["predicted"]
    assert answer["accuracy"] is None
    assert known["accuracy"] > 0.9


def test_datasets(folder, capsys):
    code, out, _ = run(capsys, "datasets")
    assert code == 0
    assert "tic-tac-toe" in out
    assert {entry["name"] for entry in json.loads(run(capsys, "datasets", "--json")[1])} >= {"car", "iris"}
    assert "car" in [line.split()[0] for line in run(capsys, "datasets", "--data-dir", ".")[1].splitlines()]
    assert run(capsys, "datasets", "car", "--csv")[1] == Path("car.csv").read_text(encoding="utf-8")
    assert "1728" in run(capsys, "datasets", "car")[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nonsense"], "invalid choice: 'nonsense'"),
        ([], "required: COMMAND"),
        (["compare", "nosuch", "--data", "car"], "unknown learner 'nosuch'"),
        (["compare", "tan:k=2", "--data", "car"], "no parameter 'k'"),
        (["compare", "tan:score=nosuch", "--data", "car", *QUICK], "nosuch"),
        (["compare", "nb", "--data", "missing.csv"], "missing.csv: No such file"),
        (["compare", "nb", "--data", "car", "--cv", "1"], "at least 2 folds"),
        (["compare", "nb", "--data", "car", "--cv", "many"], "invalid int value"),
        (["compare", "nb", "--data", "car.csv", "--target", "prize"], "'prize' is no column"),
        (["compare", "nb", "nb", "--data", "car"], "given twice"),
        (["compare", "nb", "--data", "car", "car.csv"], "same name"),
        (["fit", "car", "--learner", "forest", "-o", "m.json"], "only tanager's own learners"),
        (["fit", "car", "-o", "no/such/folder/m.json"], "No such file or directory"),
        (["predict", "car.csv", "car.csv"], "not a tanager-model file"),
        (["show", "nowhere.json"], "nowhere.json: No such file"),
        (["fit", "car", "--learner", "tan:forest=maybe", "-o", "m.json"], "forest = 'maybe' is not allowed"),
        (["fit", "car", "--learner", "tan:n_jobs=two", "-o", "m.json"], "n_jobs = 'two' is not allowed"),
        (["reproduce", "nosuch"], "invalid choice: 'nosuch'"),
        (["datasets", "--csv"], "--csv needs the name"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(folder, capsys, arguments, said):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
    assert err.startswith("tanager")


def test_show_refuses_what_is_not_there(folder, capsys):
    run(capsys, "fit", "car", "-o", "car.json")
    code, _, err = run(capsys, "show", "car.json", "--table", "colour")
    assert code == 2
    assert "'colour' is not an attribute: attributes are Buying" in err
    assert run(capsys, "show", "car.json", "--strongest", "0")[0] == 2


@pytest.mark.skipif(sys.platform == "win32", reason="pipes close differently there")
def test_a_closed_pipe_is_no_error(folder):
    first = subprocess.Popen(
        [sys.executable, "-m", "tanager", "datasets", "chess", "--csv"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert first.stdout is not None
    assert first.stderr is not None
    first.stdout.readline()
    first.stdout.close()
    assert first.wait(timeout=60) == 0
    assert first.stderr.read() == b""
    first.stderr.close()


@pytest.mark.filterwarnings("ignore:The least populated class:UserWarning")  # two of the classes are rare
@pytest.mark.parametrize("name", sorted(CLASSIFIERS))
@pytest.mark.parametrize("ending", ["json", "json.gz"])
def test_a_saved_model_predicts_as_before(name, ending, tmp_path):
    table = load_dataset("lymphography")
    model = CLASSIFIERS[name]().fit(table.X, table.y)
    path = tmp_path / f"model.{ending}"
    save_model(model, path, target="diagnosis", notes={"rows": 148})
    again = read_model_file(path)
    assert again.target == "diagnosis"
    assert again.notes == {"rows": 148}
    assert type(again.model) is type(model)
    np.testing.assert_array_equal(again.model.predict_proba(table.X), model.predict_proba(table.X))
    np.testing.assert_array_equal(again.model.classes_, model.classes_)
    assert again.model.network_ == model.network_
    assert again.model.get_params() == model.get_params()
    assert getattr(again.model, "structure_score_", None) == getattr(model, "structure_score_", None)


def test_numbers_gaps_labels_and_zero_probabilities_survive(tmp_path):
    rng = np.random.default_rng(0)
    X = np.empty((60, 3), dtype=object)
    X[:, 0] = rng.normal(size=60)
    X[:, 1] = rng.choice([True, False], 60)
    X[:, 2] = rng.choice(["a", "b", None], 60)
    y = (X[:, 0].astype(float) > 0).astype(int) + 5
    model = CLASSIFIERS["tan"](parameters="mle").fit(X, y)
    save_model(model, tmp_path / "m.json")
    again = load_model(tmp_path / "m.json")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.predict(X).dtype == model.predict(X).dtype


NOT_DEFAULT = {
    "k": 1,
    "score": tanager.BDeu(3.0),
    "parameters": tanager.Laplace(0.25),
    "root": "x1",
    "forest": True,
    "level_order": "random",
    "random_state": 7,
    "cv": 3,
    "roots": "random",
    "alpha": 0.2,
    "min_cell": 1.0,
    "discretize": EqualWidth(3),
    "categorical": ["x0", 1],
    "numeric": ("x2",),
    "missing": "available",
    "handle_unknown": "error",
    "class_weight": {"no": 1.0, "yes": 2.0},
    "class_prior": np.array([0.25, 0.75]),
}


@pytest.mark.parametrize("name", sorted(CLASSIFIERS))
def test_every_parameter_survives(name, tmp_path):
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.integers(0, 2, (90, 2)), rng.normal(size=90)])
    y = np.where(X[:, 0] + X[:, 2] > 0.5, "yes", "no").astype(object)
    known = CLASSIFIERS[name]().get_params()
    chosen = {setting: value for setting, value in NOT_DEFAULT.items() if setting in known}
    model = CLASSIFIERS[name](**chosen).fit(X, y)
    save_model(model, tmp_path / "m.json")
    again = load_model(tmp_path / "m.json")
    assert set(known) - set(chosen) <= {"n_jobs", "progress"}, "give every parameter a value"
    assert repr(again.get_params()) == repr(model.get_params())
    assert again.classes_.dtype == model.classes_.dtype == object
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    refitted = again.fit(X, y)
    np.testing.assert_array_equal(refitted.predict_proba(X), model.predict_proba(X))


def test_what_cannot_be_saved_is_named_and_never_replaced(tmp_path):
    X, y = [["a", "x"], ["b", "y"], ["b", "x"], ["a", "y"]], [1, 2, 2, 1]
    model = CLASSIFIERS["tan"](score=lambda counts: -float(counts.sum()), n_jobs=1).fit(X, y)
    with pytest.warns(
        UserWarning, match="score = <function .* cannot be saved: the loaded model will"
    ) as warned:
        save_model(model, tmp_path / "m.json")
    assert warned[0].filename == __file__, "the warning shows who saves"
    again = load_model(tmp_path / "m.json")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    with pytest.raises(TypeError, match=r"score = <not saved: <function .* is not allowed"):
        again.fit(X, y)
    assert again.set_params(score="ll").fit(X, y).network_ is not None
    foreign = CLASSIFIERS["nb"](discretize=KBinsDiscretizer(2)).fit(X, y)
    with pytest.warns(UserWarning, match="discretize = KBinsDiscretizer"):
        save_model(foreign, tmp_path / "m.json")
    with pytest.raises(DataError, match=r"discretize = <not saved: KBins.* is not allowed"):
        load_model(tmp_path / "m.json").fit(X, y)


def _edited(path: Path, change) -> Path:
    document = json.loads(path.read_text(encoding="utf-8"))
    change(document)
    target = path.with_name("edited.json")
    target.write_text(json.dumps(document), encoding="utf-8")
    return target


def test_model_files_are_checked_on_load(tmp_path):
    import hashlib

    table = load_dataset("tic-tac-toe")
    path = tmp_path / "model.json"
    save_model(CLASSIFIERS["tan"]().fit(table.X, table.y), path)

    def sealed(change):
        def edit(document):
            change(document["content"])
            text = json.dumps(document["content"], sort_keys=True, separators=(",", ":"))
            document["checksum"] = hashlib.sha256(text.encode()).hexdigest()

        return edit

    for change, message in [
        (lambda d: d.update(version=99), "version 99"),
        (lambda d: d.update(format="other"), "not a tanager-model file"),
        (lambda d: d["content"].update(target="x"), "damaged"),
        (sealed(lambda c: c.update(learner="nosuch")), "unknown learner 'nosuch'"),
        (sealed(lambda c: c["arities"].append(2)), "other sizes"),
        (sealed(lambda c: c["tables"].pop()), "tables"),
        (sealed(lambda c: c["tables"][0].pop()), "fit together"),
        (sealed(lambda c: c["nodes"][0]["parents"].append(77)), "fit together"),
        (sealed(lambda c: c["tables"][0].__setitem__(0, 3.0)), "above 0"),
        (sealed(lambda c: c["classes"].pop()), "classes"),
        (sealed(lambda c: c["encoder"]["columns"][0].update(arity=9)), "fit together"),
        (sealed(lambda c: c.pop("encoder")), "fit together: there is no 'encoder'"),
        (sealed(lambda c: c["classes"].__setitem__(0, c["classes"][1])), "class 'positive' occurs twice"),
        (
            sealed(lambda c: c["encoder"]["columns"][0]["levels"].__setitem__(0, ["str", "x"])),
            "level 'x' occurs twice",
        ),
        (sealed(lambda c: c["tables"][0].__setitem__(0, -3.0)), "probabilities of node 0 do not sum to 1"),
        (sealed(lambda c: c["log_prior"].__setitem__(0, -3.0)), "classes' probabilities do not sum to 1"),
        (sealed(lambda c: c["nodes"][0]["members"].__setitem__(0, -1)), "a node names column -1"),
        (sealed(lambda c: c["nodes"][0]["members"].__setitem__(0, 2**70)), f"a node names column {2**70}"),
        (sealed(lambda c: c["tables"][0].__setitem__(0, float("nan"))), "NaN is no number in JSON"),
        (sealed(lambda c: c.update(classes_dtype="M8[s]")), "classes of type 'M8"),
        (sealed(lambda c: c["encoder"].update(missing="guess")), "missing = 'guess' is not allowed"),
        (sealed(lambda c: c["parameters"].update(score={"odd": 1})), "a parameter has the unknown form"),
        (sealed(lambda c: c["parameters"].update(score={"name": "x", "settings": {}})), "unknown score"),
    ]:
        with pytest.raises(DataError, match=message) as raised:
            load_model(_edited(path, change))
        assert "edited.json: " in str(raised.value)
    kept = load_model(_edited(path, sealed(lambda c: c["parameters"].update(n_jobs="x", progress=1))))
    assert kept.get_params()["n_jobs"] is None
    (tmp_path / "half.json").write_text(path.read_text(encoding="utf-8")[:500], encoding="utf-8")
    with pytest.raises(DataError, match="not a tanager-model file"):
        load_model(tmp_path / "half.json")
    packed = gzip.compress(path.read_bytes())
    (tmp_path / "half.json.gz").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(DataError, match="damaged"):
        load_model(tmp_path / "half.json.gz")


def test_only_fitted_models_of_known_kinds_are_saved(tmp_path):
    with pytest.raises(DataError, match="not fitted"):
        save_model(CLASSIFIERS["nb"](), tmp_path / "m.json")
    assert os.listdir(tmp_path) == []


def test_reading_back_a_csv_gives_the_same_table(folder):
    assert read_table("car.csv").checksum == load_dataset("car").checksum
