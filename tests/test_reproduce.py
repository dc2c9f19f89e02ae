"""Reproducing papers: the published numbers are the papers', and one rule judges every figure."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tanager.data.catalogue
from browser import probed
from tanager import TANClassifier, compare
from tanager.cli import main
from tanager.data import Frame, Table
from tanager.data.columns import Factor
from tanager.exceptions import DataError
from tanager.report.plots import figure_of_panels
from tanager.reproduce import Options, asb, ckg, papers, reproduce, tan
from tanager.reproduce._options import available
from tanager.reproduce._paper import published, with_causes
from tanager.reproduce._plots import html
from tanager.reproduce._tables import (
    Figure,
    Panel,
    Plot,
    ReproducedTable,
    Reproduction,
    difference_interval,
    published_plot,
)
from tanager.reproduce._text import markdown, plain

GOLDEN = Path(__file__).parent / "golden" / "asb_table3.csv"
PAPER = {name: published(name) for name in ("asb", "ckg")}
QUIET = Options(progress=False)


@pytest.fixture(autouse=True)
def offline(monkeypatch, tmp_path):
    """Nothing is fetched, whatever the machine could reach."""

    def nothing(name: str) -> None:
        raise DataError(f"no data set {name!r}")

    monkeypatch.setattr(tanager.data.catalogue, "_from_openml", nothing)
    monkeypatch.delenv("TANAGER_DATA", raising=False)
    monkeypatch.setenv("TANAGER_CACHE", str(tmp_path))


def test_the_published_table_is_the_transcribed_one():
    with GOLDEN.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["dataset"] for row in rows] == list(PAPER["asb"]["accuracy"])
    for row in rows:
        printed = [float(row[name].split("±")[0]) for name in PAPER["asb"]["learners"]]
        assert printed == PAPER["asb"]["accuracy"][row["dataset"]]


def test_the_hold_out_intervals_of_carvalho_2007_are_95_percent_and_those_of_cv_one_standard_error():
    for name, printed in [("letter", 1.20), ("chess", 1.93), ("waveform-21", 1.12)]:
        p, n = PAPER["ckg"]["accuracy"][name][0] / 100, PAPER["ckg"]["rows"][name][1]
        assert 196 * math.sqrt(p * (1 - p) / n) == pytest.approx(printed, abs=0.03)
    for name, rows, printed in [("vehicle", 846, 1.66), ("diabetes", 768, 1.52), ("iris", 150, 2.04)]:
        p = PAPER["ckg"]["accuracy"][name][0] / 100
        assert 100 * math.sqrt(p * (1 - p) / rows) == pytest.approx(printed, abs=0.01)


def test_the_accuracies_of_carvalho_2007_are_shares_of_other_numbers_of_rows():
    """Remainders of five folds are dropped, vote is its complete rows, and glass is not plainly segment."""

    def possible(printed: float, rows: int) -> bool:
        return any(round(100 * right / rows, 2) == printed for right in range(rows + 1))

    accuracy = PAPER["ckg"]["accuracy"]
    for name, rows in [("vote", 230), ("diabetes", 765), ("soybean-large", 560), ("lymphography", 145)]:
        assert all(possible(printed, rows) for printed in accuracy[name]), name
    assert not all(possible(printed, 435) for printed in accuracy["vote"])
    assert all(possible(printed, 210) for printed in accuracy["glass"])
    assert not possible(accuracy["glass"][2], 770)


def test_the_best_classifier_of_the_lung_cancer_network():
    positive, weighted = tan.bayes_optimal_f1()
    assert 100 * positive == pytest.approx(95.75, abs=0.005)
    assert 100 * weighted == pytest.approx(99.26, abs=0.005)


def test_a_figure_is_within_when_its_difference_is_no_larger_than_its_reach():
    figure = Figure("car", "nb", 85.0, 86.0, 1.0)
    assert figure.difference == 1.0
    assert figure.within is True
    assert replace(figure, ours=86.1).within is False
    assert replace(figure, paper=None).within is None
    assert replace(figure, reach=None).within is None


def test_the_interval_of_a_difference_covers_95_percent():
    rng = np.random.default_rng(0)
    first, second = rng.binomial(200, 0.9, 2000) / 200, rng.binomial(200, 0.9, 2000) / 200
    covered = [abs(a - b) <= difference_interval(a, b, 200, 200) for a, b in zip(first, second, strict=True)]
    assert 0.93 < np.mean(covered) < 0.98
    assert difference_interval(1.0, 1.0, 50, 50) > 0


def example() -> Reproduction:
    figures = (Figure("car", "nb", 85.0, 86.0, 2.0), Figure("car", "t|n", 90.0, 80.0, 2.0, "odd"))
    other = (Figure("asb", "rank", None, 3.1),)
    tables = (ReproducedTable("Table 1", figures), ReproducedTable("Table 2", other, "rank", 2))
    return Reproduction("x", "Someone (2000)", "By hand.", tables, ("A note.",), ("letter: somewhere",))


def test_every_form_of_a_reproduction_says_the_same():
    result = example()
    for text in (plain(result), markdown(result)):
        for part in ("Someone (2000)", "85.0", "86.0", "+1.0", "± 2.0", "yes", "no", "3.10", "A note."):
            assert part in text
        assert "letter: somewhere" in text
        assert "1 of 2 within the 95 % interval" in text
    assert "t\\|n" in markdown(result)
    plainly = json.loads(json.dumps(result.as_dict()))
    assert plainly["tables"][0]["figures"][1]["within"] is False
    assert plainly["tables"][1]["figures"][0]["paper"] is None


def test_columns_without_a_number_are_not_shown_and_ours_alone_make_a_matrix():
    ours = tuple(Figure(row, name, None, 1.5) for row in ("first", "second") for name in ("nb", "tan"))
    matrix = Reproduction("x", "Someone", "By hand.", (ReproducedTable("Figure 1", ours, "nats", 2),))
    lines = [line.split() for line in plain(matrix).splitlines() if line.startswith(("first", "second"))]
    assert lines == [["first", "1.50", "1.50"], ["second", "1.50", "1.50"]]
    assert "nb (nats)  tan (nats)" in plain(matrix)
    for text in (plain(matrix), markdown(matrix)):
        assert "paper" not in text
        assert "–" not in text
    noted = replace(
        matrix, tables=(ReproducedTable("Figure 1", (*ours, Figure("third", "nb", None, 1.0, note="n"))),)
    )
    assert len([line for line in plain(noted).splitlines() if "1.5" in line]) == 4


def test_no_line_is_wider_than_the_terminal():
    figures = (Figure("a", "b", 1.0, 2.0, note="why it is so, " * 9), Figure("a", "c", 1.0, 2.0))
    result = Reproduction("x", "Someone " * 30, "By hand. " * 30, (ReproducedTable("Table " * 30, figures),))
    assert max(len(line) for line in plain(result, 80).splitlines()) <= 80
    assert " ".join(plain(result, 80).split()).count("why it is so") == 9


def test_tan_on_small_samples(monkeypatch):
    monkeypatch.setattr(tan, "_TRAIN", 4000)
    monkeypatch.setattr(tan, "_TEST", 2000)
    monkeypatch.setattr(tan, "available", lambda names, options: available(["iris", "diabetes"], options))
    result = reproduce("tan", QUIET)
    lung, uci, published_network = result.tables
    found = {(figure.row, figure.column): figure for figure in lung.figures}
    tree = found["tan", "weighted F1"]
    assert tree.ours == pytest.approx(99.26, abs=0.8)
    assert found["nb, multinomial", "F1 of the positive class"].ours == pytest.approx(82.0, abs=6)
    assert {figure.row for figure in uci.figures} == {"iris"}
    assert {f"svm, {kernel}" for kernel in ("linear", "poly", "rbf", "sigmoid")} <= {
        figure.row for figure in lung.figures
    }
    assert found["tan", "precision"].ours > 90
    assert found["tan", "recall"].ours > 85
    # With the probabilities of the book nobody is ever called ill.
    told = {(figure.row, figure.column): figure.ours for figure in published_network.figures}
    assert told["tan", "F1 of the positive class"] == 0
    assert told["tan", "accuracy"] > 98
    ((title, network),) = result.networks
    assert "Figure 5" in title
    assert len(network.edges) == 3
    assert len(result.missing) == 1
    assert "diabetes" in result.missing[0]
    assert "--data-dir" in result.missing[0]


def test_asb_on_some_of_its_data(monkeypatch):
    some = ["wine", "tic-tac-toe", "promoters"]
    monkeypatch.setattr(asb, "available", lambda names, options: available(some, options))
    result = reproduce("asb", QUIET)
    accuracy, ranks, tests, against, gained, gained_against = result.tables
    assert {figure.row for figure in accuracy.figures} == {"wine", "tic-tac-toe"}
    assert accuracy.figures[0].paper_interval == 1.6
    assert all(figure.ours_interval > 0 for figure in accuracy.figures)
    noted = {figure.row: figure.note for figure in against.figures}
    assert noted["tic-tac-toe"].endswith("significant in the paper; not explained")
    assert "explained" not in noted["wine"]
    assert {figure.column for figure in gained.figures} == {"asb", "bsej"}
    assert all(figure.within for figure in gained.figures)  # of tic-tac-toe too, where any rise is a step
    noted = {figure.row: figure.note for figure in gained_against.figures}
    assert noted["tic-tac-toe"].endswith("*; significant in the paper")
    assert "one model on 1: tic-tac-toe." in result.notes[0]
    assert "one model on 0: none." in result.notes[1]
    assert result.notes[0].startswith("ASB against BSEJ, over 25 folds: significantly better on ")
    assert len(accuracy.figures) == 14
    assert sum(bool(figure.within) for figure in accuracy.figures) >= 12
    assert sum(figure.ours for figure in ranks.figures) == pytest.approx(28.0)
    for figures, total in ((ranks.figures, 28.0), (tests.figures, None)):
        replaced = [float(figure.note.split("ours with the paper's outside: ")[1]) for figure in figures]
        assert total is None or sum(replaced) == pytest.approx(total, abs=0.1)
    assert all(0 <= figure.ours <= 1 for figure in tests.figures)
    assert "promoters" in result.missing[0]


def test_ckg_on_some_of_its_data(monkeypatch):
    some = ["glass", "vote", "letter"]
    monkeypatch.setattr(ckg, "available", lambda names, options: available(some, options))
    result = reproduce("ckg", QUIET)
    printed, exchanged, degrees = result.tables
    assert printed.figures[0].paper_interval == 1.61
    assert sum(figure.ours for figure in degrees.figures if figure.row == "vote") == 16
    assert {figure.row for figure in printed.figures} == {"glass", "vote"}
    assert not any(figure.within for figure in printed.figures if figure.row == "glass")
    assert [figure.note for figure in exchanged.figures] == ["the paper's row of segment"] * 3
    assert all(figure.within for figure in exchanged.figures)
    assert "letter" in result.missing[0]


def test_bckg_on_made_up_sites(tmp_path):
    rng = np.random.default_rng(0)
    folder = tmp_path / "motifs"
    folder.mkdir()
    for name in ("one", "two"):
        first = rng.integers(0, 4, 60)
        codes = np.column_stack([first, first, rng.integers(0, 4, 60), (first + 1) % 4])
        text = "\n".join("".join("ACGT"[code] for code in row) for row in codes)
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    (folder / "few.txt").write_text("ACGT\n" * 5, encoding="utf-8")
    result = reproduce("bckg", replace(QUIET, data_dir=tmp_path))
    duels, sets = result.tables
    gains = {figure.row: figure.ours for figure in duels.figures}
    assert gains["TAN : NB"] > 1.0
    assert gains["BC2G : NB"] > 1.0
    assert {figure.row for figure in sets.figures} == {"one", "two"}
    assert "2 trees" in {figure.column for figure in sets.figures}
    (scatter,) = result.plots
    assert [panel.x_label for panel in scatter.panels] == ["−ln P, NB", "−ln P, NB", "−ln P, TAN"]
    assert reproduce("bckg", QUIET).missing[0].startswith("aligned binding sites")


def test_every_paper_of_the_command_line_is_known(capsys):
    assert {"asb", "ckg", "tan"} <= set(papers())
    with pytest.raises(ValueError, match="unknown paper 'nosuch'"):
        reproduce("nosuch")
    with pytest.raises(SystemExit):
        main(["reproduce", "--help"])
    text = capsys.readouterr().out
    assert all(f"  {paper} " in text for paper in papers())


def test_reproduce_on_the_command_line(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(tan, "reproduce", lambda options: example())
    assert main(["reproduce", "tan", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["citation"] == "Someone (2000)"
    assert main(["reproduce", "tan", "--markdown", str(tmp_path / "r.md")]) == 0
    assert (tmp_path / "r.md").read_text(encoding="utf-8") == markdown(example())


def test_figures_and_pages(monkeypatch, tmp_path):
    pytest.importorskip("matplotlib")
    network = TANClassifier().fit([["a", "x"], ["b", "y"], ["a", "y"]], [0, 1, 1]).network_
    lines = Panel(
        "set", "CLL", {"LL": ([1.0, 2.0], [-0.5, -0.4]), "aCLL": ([1.0, 2.0], [-0.4, -0.3])}, lines=True
    )
    more = replace(
        example(),
        plots=(Plot("x-lines", "Lines & <more>", (lines, lines)), published_plot(example().tables[0], "x-1")),
        networks=(("A <network>", network),),
    )
    monkeypatch.setattr(tan, "reproduce", lambda options: more)
    page = tmp_path / "page.html"
    assert main(["reproduce", "tan", "--plots", str(tmp_path / "plots"), "--html", str(page)]) == 0
    drawn = sorted(path.name for path in (tmp_path / "plots").iterdir())
    assert drawn == ["x-1.png", "x-lines.png", "x-network-1.svg"]
    text = page.read_text(encoding="utf-8")
    assert text.count("<svg") == 3
    assert "A &lt;network&gt;" in text
    assert "85.0" in text
    assert "A note." in text
    assert published_plot(example().tables[1], "x-2") is None
    assert "x0" in plain(more)


def test_long_titles_of_figures_are_not_cut():
    pytest.importorskip("matplotlib")
    title = (
        "Table 2: Wilcoxon's z of the CLL, 3 classes, 74 sets of binding sites; positive where it is higher"
    )
    with figure_of_panels(io.BytesIO(), 1, title) as (axes,):
        figure = axes.figure
    box = figure._suptitle.get_window_extent(figure.canvas.get_renderer())
    assert figure.get_suptitle().replace("\n", " ") == title
    assert box.x0 >= 0
    assert box.x1 <= figure.bbox.width


def test_numbers_are_shown_with_their_intervals():
    figure = Figure("car", "nb", 85.0, 86.0, 2.0, "", 1.5, 0.5)
    result = Reproduction("x", "Someone", "By hand.", (ReproducedTable("Table 1", (figure,)),))
    for text in (plain(result), markdown(result)):
        assert "85.0 ± 1.5" in text
        assert "86.0 ± 0.5" in text


@pytest.mark.filterwarnings("ignore:.*different values in.*")
def test_a_column_of_names_brings_a_tan_down_to_the_larger_class():
    """The cause of the paper's TAN at the level of guessing."""
    rng = np.random.default_rng(0)
    X = {
        f"x{i}": Factor(rng.integers(0, 4, 200).astype(np.int8), list("acgt"), declared=True)
        for i in range(6)
    }
    y = np.where(np.array([x < 2 for x in X["x3"].codes]), "a", "b").astype(object)
    table = Table("sequences", Frame(X), y, "class")
    learner = {"tan": "tan:parameters=laplace"}
    quiet = {"cv": 5, "repeats": 1, "progress": False}
    plainly = compare(learner, {"s": table}, **quiet).accuracy["s"]["tan"]
    named = compare(learner, {"s": asb._with_names(table)}, **quiet).accuracy["s"]["tan"]
    assert plainly > 0.9
    assert named < 0.7


def test_causes_are_of_rows_and_columns_that_the_paper_has():
    """A cause that no figure meets would be one of nothing."""
    for key in PAPER["asb"]["causes"]:
        row, column = key.split(", ")
        assert row in PAPER["asb"]["accuracy"]
        assert column in PAPER["asb"]["learners"]
    assert set(PAPER["ckg"]["causes"]) <= set(PAPER["ckg"]["interval"])


def test_every_deviation_beyond_chance_has_a_cause_or_says_that_it_has_none():
    figures = (
        Figure("a", "x", 1.0, 2.0, 0.5),
        Figure("a", "y", 1.0, 2.0, 0.5),
        Figure("b", "x", 1.0, 2.0, 0.5),
        Figure("b", "y", 1.0, 1.0, 0.5),
        Figure("c", "x", 1.0, 2.0, 0.5, note="exchanged"),
        Figure("d", "x", 1.0, 2.0),
    )
    causes = {"a, x": "one cell", "a": "a row", "*, x": "a column", "c": "never"}
    told = with_causes(ReproducedTable("t", figures), causes)
    notes = [figure.note for figure in told.figures]
    assert notes == ["one cell", "a row", "a column", "", "exchanged: not explained", ""]


@pytest.mark.browser
def test_a_page_of_a_paper_fits_a_phone(tmp_path):
    """Numbers keep to one line, and a table that is too wide scrolls by itself."""
    pytest.importorskip("matplotlib")
    figures = tuple(
        Figure("a long name of data", f"learner {i}", 90.5, 89.25, 0.5, "", 1.25, 2.5) for i in range(3)
    )
    panel = Panel("x", "y", {"a": ([1.0, 2.0], [1.0, 2.0])})
    page = html(
        Reproduction(
            "p",
            "A citation",
            "A method",
            (ReproducedTable("Table 1", figures),),
            plots=(Plot("p", "Three panels", (panel, panel, panel)),),
        )
    )
    script = """
      const cells = [...document.querySelectorAll("td:nth-child(4)")];
      const tallest = Math.max(...cells.map(cell => cell.getClientRects()[0].height));
      const drawing = document.querySelector("svg").getBoundingClientRect().width;
      return [document.documentElement.scrollWidth <= window.innerWidth, tallest, drawing];
    """
    fits, tallest, drawing = probed(page, script, tmp_path, width=500)
    assert drawing > 1200  # three panels of 4.6 inches: their words keep their size
    assert fits
    assert tallest < 40
    assert '<meta name="viewport"' in page
