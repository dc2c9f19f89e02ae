"""The command line, end to end in a temporary folder: every command, JSON, exit codes, model files."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from tanager.cli import commands, main
from tanager.data import load_dataset, read_table
from tanager.exceptions import NotThereError, RunError

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


def test_confusion_matrices_are_printed(capsys):
    arguments = ["compare", "nb", "--data", "iris", "--repeats", "1", "--no-cache", "--no-progress"]
    assert main([*arguments, "--confusion", "--metric", "recall_macro"]) == 0
    shown = capsys.readouterr().out
    assert "nb on iris, rows over all folds" in shown
    lines = [line.split() for line in shown.splitlines() if line.startswith("Iris-setosa")]
    assert ["Iris-setosa", "50", "0", "0"] in lines


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
        (["compare", "nb", "--data", "car.csv", "--target", "prize"], "'prize' is not a column"),
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
        (["datasets", "car", "--json", "--csv"], "--csv: not allowed with argument --json"),
        (
            ["explain", "m.json", "car", "--terms", "-1"],
            "'-1' is not allowed: it is a whole number from 1 on",
        ),
        (["explain", "m.json", "car", "--terms", "0"], "--terms: '0' is not allowed"),
        (["explain", "m.json", "car", "--terms", "few"], "--terms: 'few' is not allowed"),
        (["explain", "m.json", "car", "--terms", "3", "--what-if", "Safety"], "--what-if: not allowed with"),
        (["show", "m.json", "--strongest", "-1"], "--strongest: '-1' is not allowed: it is a whole number"),
        (["show", "m.json", "--json", "-o", "net.txt"], "-o/--output: not allowed with argument --json"),
        (["show", "m.json", "--json", "--format", "dot"], "--json does not go with --format dot"),
        (
            ["predict", "m.json", "car", "--json", "-o", "p.csv"],
            "-o/--output: not allowed with argument --json",
        ),
        (["fit", "car", "-o", "m.json", "--memory", "-1"], "--memory: '-1' is not allowed: it is a whole"),
        (
            ["compare", "nb", "--data", "car", "--jobs", "0"],
            "--jobs: '0' is not allowed: it is a whole number",
        ),
        (["compare", "nb", "--data", "car", "--seed", "-1"], "--seed: '-1' is not allowed: it is a whole"),
        (["compare", "nb", "--data", "car", "--repeats", "0"], "repeats is a whole number from 1 on, not 0"),
        (["compare", "nb", "--cv", "3", "--hold-out", "0.3"], "--hold-out: not allowed with argument --cv"),
        (["compare", "nb", "--cache", "c", "--no-cache"], "--no-cache: not allowed with argument --cache"),
        (
            ["reproduce", "acll", "--seed", "-1"],
            "--seed: '-1' is not allowed: it is a whole number from 0 on",
        ),
        (
            ["reproduce", "acll", "--jobs", "-1"],
            "--jobs: '-1' is not allowed: it is a whole number from 1 on",
        ),
        (
            ["motif", "compare", ".", "--seed", "-1"],
            "--seed: '-1' is not allowed: it is a whole number from 0",
        ),
        (
            ["motif", "compare", ".", "--folds", "1"],
            "folds = 1 is not allowed: it is a whole number from 2 on",
        ),
        (["motif", "show", "m.json", "--json", "--format", "meme"], "--json does not go with --format meme"),
        (
            ["motif", "show", "m.json", "--json", "-o", "m.meme"],
            "-o/--output: not allowed with argument --json",
        ),
        (["motif", "scan", "m.json", "g.fa", "--json", "-o", "h.bed"], "-o/--output: not allowed with"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(folder, capsys, arguments, said):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
    assert err.startswith("tanager")


@pytest.mark.parametrize("error", [RunError, NotThereError])
def test_every_error_of_tanager_is_one_line_and_exit_code_2(error, capsys, monkeypatch):
    def run_out(arguments):
        raise error("no thread was to be had,\nnot one of 4")

    monkeypatch.setattr("tanager.cli.datasets.run", run_out)
    found = run(capsys, "datasets")
    assert found == (2, "", "tanager datasets: error: no thread was to be had, not one of 4\n")


def test_show_refuses_what_is_not_there(folder, capsys):
    run(capsys, "fit", "car", "-o", "car.json")
    code, _, err = run(capsys, "show", "car.json", "--table", "colour")
    assert code == 2
    assert "'colour' is not an attribute: attributes are Buying" in err
    assert run(capsys, "show", "car.json", "--strongest", "0")[0] == 2
    code, _, err = run(capsys, "show", "car.json", "--format", "svg", "--focus", "colour")
    assert code == 2
    assert "'colour' is not an attribute of the network: those are Buying" in err
    code, _, err = run(capsys, "show", "car.json", "--focus", "Doors")
    assert code == 2
    assert "--focus goes with --format svg" in err


def test_show_focuses_on_an_attribute(folder, capsys):
    run(capsys, "fit", "car", "-o", "car.json")
    edges = json.loads(run(capsys, "show", "car.json", "--json")[1])["edges"]
    code, out, _ = run(capsys, "show", "car.json", "--format", "svg", "--focus", "Doors")
    assert code == 0
    assert out.count('class="node"') == 1 + sum("Doors" in edge for edge in edges)


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


def test_reading_back_a_csv_gives_the_same_table(folder):
    assert read_table("car.csv").checksum == load_dataset("car").checksum


def test_how_warnings_are_shown_is_left_as_it_was(capsys):
    before = warnings.showwarning
    run(capsys, "datasets")
    run(capsys, "fit", "nowhere.csv")
    assert warnings.showwarning is before
