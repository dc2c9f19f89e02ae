"""Reports: every form says the same numbers, and the HTML page works in a real browser without a network."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from html.parser import HTMLParser

import numpy as np
import pytest

from browser import browse
from tanager.drawing import network_svg
from tanager.evaluation.comparison import Comparison
from tanager.exceptions import MissingPackageError
from tanager.report import plots
from tanager.report.critical_difference import cliques
from tanager.report.network_text import text_tree
from tanager.report.terminal import show

needs_browser = pytest.mark.browser

NODES = ["buying", "maint", "doors", "persons", "lug_boot", "safety"]
NETWORKS = [
    {
        "dataset": "car",
        "learner": "tan",
        "nodes": NODES,
        "edges": [["buying", "maint"], ["maint", "safety"], ["safety", "persons"], ["maint", "doors"]],
        "strengths": [0.4, 0.2, 0.1, 0.3],
        "groups": [],
        "score": -1234.5,
    },
    {
        "dataset": "car",
        "learner": "<b&sej>",
        "nodes": NODES[:4],
        "edges": [["buying", "persons"], ["maint", "persons"], ["buying", "maint"]],
        "strengths": [0.4, 0.2, 0.3],
        "groups": [["buying", "maint"], ["doors"], ["persons"]],
        "score": None,
    },
]


def comparison(datasets: int = 6) -> Comparison:
    """Made-up results of three learners, one of them with a name that every format has to escape."""
    rng = np.random.default_rng(0)
    learners = ["nb", "tan", "<b&sej>"]
    names = ["car", "a_b & c|d", *(f"set {i}" for i in range(2, datasets))][:datasets]
    cells = []
    for index, dataset in enumerate(names):
        for place, learner in enumerate(learners):
            for repeat in range(2):
                for fold in range(3):
                    right = int(70 + 4 * place + index + rng.integers(0, 6))
                    share = right / 100
                    cells.append(
                        {
                            "dataset": dataset,
                            "learner": learner,
                            "repeat": repeat,
                            "fold": fold,
                            "n_train": 200,
                            "n_test": 100,
                            "correct": right,
                            "metrics": {
                                "accuracy": share,
                                "f1_macro": share,
                                "f1_weighted": share,
                                "f1_positive": None,
                                "log_loss": 1 - share,
                                "brier": 1 - share,
                                "cll": -100 * (1 - share),
                                "auc": share,
                            },
                            "fit_seconds": 0.001 * (place + 1) ** 3,
                            "predict_seconds": 0.0005,
                        }
                    )
    described = [
        {
            "name": name,
            "rows": 300,
            "attributes": 6,
            "numeric_attributes": 0,
            "classes": ["x", "y", "z"],
            "positive_class": None,
            "checksum": "0123456789abcdef" * 4,
            "origin": "made up",
            "notes": [],
        }
        for name in names
    ]
    setup = {
        "splits": "2 times 3-fold",
        "discretize": "fold",
        "random_state": 0,
        "learners": {"nb": "NB(a=1)"},
    }
    return Comparison(
        learners, described, cells, setup, {"python": "3", "versions": {"numpy": "2"}}, NETWORKS
    )


def test_every_form_shows_the_same_accuracies():
    result = comparison()
    expected = [f"{100 * value:.2f}" for value in result.accuracy.values.ravel()]
    for text in (result.to_text(), result.to_markdown(), result.to_latex(), result.to_html()):
        for number in expected:
            assert number in text


def test_names_are_escaped_in_every_form():
    result = comparison()
    assert "a_b & c\\|d" in result.to_markdown()
    assert r"a\_b \& c|d" in result.to_latex()
    assert "&lt;b&amp;sej&gt;" in result.to_html()
    assert "<b&sej>" not in result.to_html()


def test_csv_has_one_line_per_cell():
    result = comparison()
    lines = list(csv.DictReader(io.StringIO(result.to_csv())))
    assert len(lines) == len(result.cells)
    assert float(lines[0]["accuracy"]) == result.cells[0]["metrics"]["accuracy"]
    assert lines[0]["f1_positive"] == ""


@pytest.mark.parametrize(("package", "write"), [("jinja2", "page"), ("matplotlib", "plot")])
def test_a_package_that_is_missing_is_named(monkeypatch, tmp_path, package, write):
    monkeypatch.setitem(sys.modules, package, None)
    result = comparison()
    with pytest.raises(MissingPackageError, match=f"need {package}: pip install"):
        result.to_html() if write == "page" else result.plot_accuracy_time(tmp_path / "a.png")


def test_files_are_written_where_asked(tmp_path):
    result = comparison()
    for name, write in [
        ("a.md", result.to_markdown),
        ("a.tex", result.to_latex),
        ("a.csv", result.to_csv),
        ("a.html", result.to_html),
        ("a.json", result.to_json),
    ]:
        text = write(tmp_path / name)
        assert (tmp_path / name).read_text(encoding="utf-8") == text


def test_the_best_of_a_row_are_those_that_print_alike():
    result = comparison(1)
    for cell in result.cells:
        cell["correct"] = 80 if cell["learner"] != "nb" else 70
    line = next(line for line in result.to_markdown().splitlines() if line.startswith("| car"))
    assert line == "| car | 70.00 | **80.00** | **80.00** |"


def test_one_data_set_shows_intervals_and_the_tree():
    text = comparison(1).to_text()
    assert "95 % interval" in text
    assert "corrected resampled t-test" in text
    assert "├── buying" in text
    assert "Friedman" not in text


def test_terminal_without_rich_is_the_plain_text(monkeypatch, capsys):
    monkeypatch.setitem(__import__("sys").modules, "rich.console", None)
    result = comparison()
    show(result)
    assert capsys.readouterr().out == result.to_text() + "\n"


def test_terminal_with_rich_shows_the_table(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "160")
    show(comparison())
    shown = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)
    assert "average rank" in shown
    assert "Friedman" in shown


def test_text_tree_hangs_each_attribute_under_its_strongest_parent():
    assert text_tree(NETWORKS[0]).splitlines() == [
        "class",
        "├── buying",
        "│   └── maint  0.400",
        "│       ├── doors  0.300",
        "│       └── safety  0.200",
        "│           └── persons  0.100",
        "└── lug_boot",
    ]
    assert text_tree(NETWORKS[1]).splitlines() == [
        "class",
        "├── buying × maint",
        "│   └── persons  0.400",
        "└── doors",
    ]


def test_network_svg_draws_every_box_and_edge_once():
    text = network_svg(NETWORKS[0])
    assert text.count('class="edge"') == 4
    assert text.count('class="head"') == 4
    assert text.count('class="node"') == 6
    assert all(f">{name}</text>" in text for name in NODES)
    joined = network_svg(NETWORKS[1])
    assert "buying × maint" in joined
    assert joined.count('class="edge"') == 1  # two parents in one box are one edge
    widths = [float(w) for w in re.findall(r"stroke-width:([\d.]+)", text)]
    assert widths == sorted(widths, key=lambda w: -w) or max(widths) == widths[0]


def test_cliques_are_the_longest_runs_within_the_difference():
    assert cliques([1.0, 1.4, 1.8, 3.0, 3.2], 1.0) == [(1.0, 1.8), (3.0, 3.2)]
    assert cliques([1.0, 3.0], 1.0) == []


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_plots_are_files_of_their_kind(tmp_path, ending):
    result = comparison()
    first = result.plot_critical_difference(tmp_path / f"cd.{ending}")
    second = result.plot_scatter("nb", "tan", tmp_path / f"scatter.{ending}")
    third = result.plot_accuracy_time(tmp_path / f"time.{ending}")
    magic = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[ending]
    for path in (first, second, third):
        content = path.read_bytes()
        assert content.startswith(magic)
        assert len(content) > 2000


def test_plots_refuse_other_endings(tmp_path):
    with pytest.raises(ValueError, match=r"\.png, \.svg, \.pdf"):
        plots.scatter(comparison(), "nb", "tan", tmp_path / "a.bmp")


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [f"{tag} {name}" for name, _ in attrs if name in ("src", "href", "srcset", "data")]


def test_the_page_refers_to_nothing_outside_itself():
    page = comparison().to_html()
    links = _Links()
    links.feed(page)
    assert links.found == []
    assert "@import" not in page
    assert "url(" not in page
    assert "default-src 'none'" in page


_PROBE = """<script>
const failures = [];
window.addEventListener("error", event => failures.push(String(event.message)));
window.addEventListener("load", () => {
  const column = index => [...document.querySelectorAll("[data-metric=accuracy] tbody tr")]
    .map(row => row.cells[index].textContent);
  const headings = document.querySelectorAll("[data-metric=accuracy] th button");
  const before = column(0);
  headings[1].click();
  const down = column(1).map(parseFloat);
  headings[1].click();
  const up = column(1).map(parseFloat);
  headings[0].click();
  const names = column(0);
  const choice = document.getElementById("metric");
  choice.value = "log_loss"; choice.dispatchEvent(new Event("change"));
  const parts = [...document.querySelectorAll("[data-metric]")];
  const seen = parts.filter(e => !e.hidden).map(e => e.dataset.metric);
  choice.value = "accuracy"; choice.dispatchEvent(new Event("change"));
  document.getElementById("theme").click();
  const result = {failures, before, down, up, names, seen, theme: document.documentElement.dataset.theme};
  const place = document.createElement("pre");
  place.id = "probe"; place.textContent = JSON.stringify(result);
  document.body.append(place);
});
</script>"""


@needs_browser
def test_the_page_works_in_a_browser(tmp_path):
    page = tmp_path / "probe.html"
    page.write_text(comparison().to_html().replace("<head>", "<head>" + _PROBE, 1), encoding="utf-8")
    answer = browse(page, tmp_path / "profile", "--dump-dom")
    assert "CONSOLE" not in answer.stderr
    found = re.search(r'<pre id="probe">(.*?)</pre>', answer.stdout, re.DOTALL)
    assert found is not None
    probe = json.loads(found.group(1).replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">"))
    assert probe["failures"] == []
    assert probe["down"] == sorted(probe["down"], reverse=True)
    assert probe["up"] == sorted(probe["up"])
    assert sorted(probe["before"]) == sorted(probe["names"])
    assert probe["seen"] == ["log_loss"]
    assert probe["theme"] in ("light", "dark")


@needs_browser
def test_the_screenshot_is_not_blank(tmp_path):
    from PIL import Image

    page, picture = tmp_path / "page.html", tmp_path / "page.png"
    comparison().to_html(page)
    browse(page, tmp_path / "profile", f"--screenshot={picture}")
    with Image.open(picture) as image:
        colours = image.convert("RGB").getcolors(1 << 24)
    assert colours is not None
    assert len(colours) > 50
    total = sum(count for count, _ in colours)
    assert max(count for count, _ in colours) < 0.97 * total
