"""Names are data: whatever stands in them comes out as text, wherever they are shown."""

from __future__ import annotations

import csv
import io
import json
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tanager import Comparison, TANClassifier, compare, save_model
from tanager.cli import main
from tanager.drawing import network_svg
from tanager.escape import json_text, markdown_text, plot_text, printable, spreadsheet_field, xml_text
from tanager.exceptions import DataError
from tanager.motifs import Hit, Sites, compare_motifs, write_bed
from tanager.report.terminal import show

ESCAPE, BIDI, C1 = "\x1b[31m", "\u202e", "\x9b2J"
NASTY = f"{ESCAPE}a {BIDI}[final] $x_1$ $y <script>alert(1)</script> *b* `c` | \x00\x07{C1} =cmd & \\"
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
X = pd.DataFrame({f"{NASTY} 1": list("aabb") * 5, f"{NASTY}\n2": list("xyxy") * 5, "plain": list("pqqp") * 5})
Y = np.array([NASTY, "no"])[(X.iloc[:, 0] == "a").astype(int)]


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    learners = {f"nb {NASTY}": "nb", "tan [bold]$": "tan", "c": "nb"}
    data = {f"{NASTY} {number}": (X, Y) for number in range(5)}
    return compare(learners, data, cv=2, repeats=1, progress=False, networks=True, predictions=True)


@pytest.fixture
def data_file(tmp_path):
    path = tmp_path / "sales [final].csv"
    frame = X.rename(columns=lambda name: name.replace("\x00", "")).assign(
        label=[t.replace("\x00", "") for t in Y]
    )
    path.write_text(frame.to_csv(index=False))
    return path


# -- the functions -------------------------------------------------------------------------------------------


@given(st.text(st.characters(codec=None)))
def test_what_cannot_be_seen_is_spelled_out(text):
    shown = printable(text)
    assert not UNSEEN.search(shown)
    assert "\n" not in shown
    assert printable(shown) == shown
    lines = printable(text, lines=True)
    assert lines.count("\n") == text.count("\n")
    ElementTree.fromstring(f'<a b="{xml_text(text)}">{xml_text(text)}</a>')
    assert "".join(ElementTree.fromstring(f"<a>{xml_text(text)}</a>").itertext()) == shown
    spelled = json_text(json.dumps(text, ensure_ascii=False))
    assert not UNSEEN.search(spelled)
    assert json.loads(spelled) == text
    assert not re.search(r"<|(?<!\\)[`*\[]", markdown_text(text).replace("\\\\", ""))


def test_plain_names_stay_as_they_are():
    for name in (
        "age",
        "my_data",
        "bckg:k=2,score=mdl",
        "Größe (cm)",
        "naïve–Bayes",
        "日本",
        "a-b.c/d",
        "it's",
    ):
        assert (
            printable(name)
            == xml_text(name).replace("&#x27;", "'")
            == markdown_text(name)
            == plot_text(name)
            == name
        )


def test_formulas():
    for field in ("=1+1", "+1", "-1", "@x", "\tx", "\rx"):
        assert spreadsheet_field(field) == f"'{field}"
    assert spreadsheet_field("a=1") == "a=1"


# -- terminals -----------------------------------------------------------------------------------------------


def test_terminal_text_obeys_no_name(comparison):
    text = comparison.to_text()
    assert not UNSEEN.search(text)
    assert "[final]" in text
    assert "<script>" in text


def test_rich_shows_names_and_does_not_obey_them(comparison, monkeypatch):
    pytest.importorskip("rich")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "2000")
    file = io.StringIO()
    show(comparison, file=file, trees=True)
    text = file.getvalue()
    assert "[final]" in text
    assert "[bold]" in text
    without_style = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert not UNSEEN.search(without_style)
    assert r"\x1b[31ma" in without_style
    assert ESCAPE + "a" not in text


def test_rich_shows_the_name_of_a_single_data_set(monkeypatch):
    pytest.importorskip("rich")
    monkeypatch.setenv("FORCE_COLOR", "1")
    file = io.StringIO()
    show(compare("nb", {"sales [final].csv": (X, Y)}, cv=2, repeats=1, progress=False), file=file)
    assert "sales [final].csv" in re.sub(r"\x1b\[[0-9;]*m", "", file.getvalue())


def test_the_command_line_obeys_no_name(data_file, tmp_path, capsys):
    model = tmp_path / f"model {ESCAPE}.json"
    commands = [
        ["fit", str(data_file), "-o", str(model)],
        ["show", str(model)],
        ["show", str(model), "--format", "dot"],
        ["show", str(model), "--format", "svg"],
        ["show", str(model), "--strongest", "3"],
        ["show", str(model), "--table", "plain"],
        ["show", str(model), "--json"],
        ["explain", str(model), str(data_file)],
        ["compare", "nb", "tan", "--data", str(data_file), "--no-cache", "--repeats", "1", "--html",
         str(tmp_path / f"page {ESCAPE}.html")],
        ["compare", "nb", "--data", str(data_file), "--no-cache", "--repeats", "1", "--json"],
        ["datasets", "sales [final]", "--data-dir", str(tmp_path)],
        ["datasets", "--data-dir", str(tmp_path)],
    ]  # fmt: skip
    for command in commands:
        assert main(command) == 0, command
        captured = capsys.readouterr()
        assert not UNSEEN.search(captured.out), command
        assert not UNSEEN.search(captured.err), command
    for command in (["show", f"{ESCAPE}nowhere"], ["fit", f"{ESCAPE}x.csv", "-o", str(model)],
                    ["show", str(model), "--table", NASTY], ["compare", f"{ESCAPE}learner"]):  # fmt: skip
        assert main(command) == 2
        said = capsys.readouterr().err
        assert not UNSEEN.search(said)
        assert said.count("\n") == 1


def test_half_surrogates_do_not_end_a_command(tmp_path, capsys):
    model = tmp_path / "model.json"
    save_model(TANClassifier().fit(X, Y), model, target="\ud800", notes={"data": "\ud800", "rows": 1})
    assert main(["show", str(model)]) == 0
    assert r"\ud800" in capsys.readouterr().out


def test_half_surrogates_are_no_names_of_columns():
    frame = pd.DataFrame(np.array([["u", "v"], ["v", "u"]], dtype=object))
    frame.columns = pd.Index(["\ud800", "b"], dtype=object)
    with pytest.raises(DataError, match=r"^'\\ud800' is not the name of a column$"):
        TANClassifier().fit(frame, ["no", "yes"])


# -- pictures and documents ----------------------------------------------------------------------------------


def test_svg_can_be_read(comparison):
    for network in comparison.networks:
        root = ElementTree.fromstring(network_svg(network, NASTY))
        shown = ["".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}title")]
        assert printable(f"{NASTY}\n2") in shown
        assert printable(NASTY) in shown


def test_dot_is_one_statement_a_line(comparison):
    dot = TANClassifier().fit(X, Y).network_.to_dot()
    assert not UNSEEN.search(dot)
    assert all(line.endswith((";", "{", "}")) for line in dot.splitlines())


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_plots_show_dollars(comparison, tmp_path, ending):
    pytest.importorskip("matplotlib")
    for name, plot in {
        "cd": comparison.plot_critical_difference,
        "time": comparison.plot_accuracy_time,
        "scatter": lambda path: comparison.plot_scatter(comparison.learners[0], comparison.learners[1], path),
    }.items():
        path = tmp_path / f"{name}.{ending}"
        plot(path)
        if ending == "svg":
            shown = "".join(ElementTree.parse(path).getroot().itertext())
            assert "$x_1$ $y" in shown
            assert not UNSEEN.search(shown)


def test_markdown_holds_no_markup_of_names(comparison):
    for text in (
        comparison.to_markdown(),
        compare_motifs([Sites(NASTY, SITES)], ["pssm", "tree"]).to_markdown(),
    ):
        assert "<script" not in text
        assert not UNSEEN.search(text)
        assert "&lt;script&gt;" in text
        for line in text.splitlines():
            if line.startswith("|"):
                bars = len(re.findall(r"(?<!\\)\|", line))
                assert bars in (4, 5, 6), line


SITES = np.random.default_rng(0).integers(0, 4, (20, 4)).astype(np.uint8)


def test_latex_holds_no_commands_of_names(comparison):
    text = comparison.to_latex()
    assert not UNSEEN.search(text)
    assert r"\textbackslash{}x1b" in text
    assert r"\$x\_1\$" in text


def test_html_holds_no_markup_of_names(comparison):
    page = comparison.to_html()
    assert not UNSEEN.search(page)
    assert not UNSEEN.search(repr(comparison))
    assert "<script>alert" not in page
    assert page.count("<script>") == 1


def test_bed_has_its_columns():
    file = io.StringIO()
    write_bed([Hit(f"chr{ESCAPE}\x85x", 1, 5, "+", 2.0)], file, f"{NASTY}\t\n")
    (line,) = file.getvalue().splitlines()
    assert len(line.split("\t")) == 7
    assert not UNSEEN.search(line.replace("\t", ""))


# -- spreadsheets --------------------------------------------------------------------------------------------


def rows_of(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def test_predictions_for_a_spreadsheet_hold_no_formula(tmp_path, capsys):
    path = tmp_path / "data.csv"
    path.write_text("a,=label\nx,=1+1\ny,@b\nx,=1+1\ny,@b\n")
    model = tmp_path / "model.json"
    assert main(["fit", str(path), "--target", "=label", "-o", str(model)]) == 0
    capsys.readouterr()
    for switch, begins in (([], "=@"), (["--spreadsheet"], "'")):
        out = tmp_path / "predicted.csv"
        assert main(["predict", str(model), str(path), "--probabilities", *switch, "-o", str(out)]) == 0
        found = rows_of(out.read_text())
        assert {row[0][0] for row in found} <= set(begins)
        assert {row[0].lstrip("'") for row in found} == {"=label", "=1+1", "@b"}
        assert found[1][1].replace(".", "").isdigit()


def test_tables_of_a_comparison_for_a_spreadsheet_hold_no_formula():
    labels = np.array(["=cmd", "-x"])[(X.iloc[:, 0] == "a").astype(int)]
    result = compare({"=nb": "nb"}, {"@data": (X, labels)}, cv=2, repeats=1, progress=False, predictions=True)
    assert rows_of(result.to_csv())[1][:2] == ["@data", "=nb"]
    assert rows_of(result.to_csv(spreadsheet=True))[1][:2] == ["'@data", "'=nb"]
    given, safe = (rows_of(result.predictions_to_csv(spreadsheet=switch)) for switch in (False, True))
    assert {row[5] for row in given[1:]} == {"=cmd", "-x"}
    assert {row[5] for row in safe[1:]} == {"'=cmd", "'-x"}
    assert [row[2:5] for row in given] == [row[2:5] for row in safe]


def test_exported_networks_hold_nothing_that_a_terminal_obeys():
    model = TANClassifier().fit(X, Y)
    for text in (model.to_bif(), model.to_xmlbif()):
        assert UNSEEN.search(text) is None
        assert text.count("\\x1b[31ma") >= 3
    outcomes = {one.text for one in ElementTree.fromstring(model.to_xmlbif()).iter("OUTCOME")}
    assert printable(NASTY) in outcomes
