"""The page, notebooks and the terminal as people see them: counts behind plots, phones, narrow terminals."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from sklearn.metrics import auc, confusion_matrix, roc_auc_score

from browser import probed
from tanager import Comparison, TANClassifier, compare, load_dataset
from tanager.evaluation.diagnostics import calibration_error, diagnose, pooled, roc_points
from tanager.exceptions import DataError, UnknownNameError
from tanager.report import plots
from tanager.report.figures import inline_svg, label_points
from tanager.report.terminal import plain, show


@pytest.fixture(scope="module")
def result() -> Comparison:
    return compare(
        ["nb", "tan", "svm"],
        ["iris", "vote", "tic-tac-toe"],
        cv=2,
        repeats=1,
        networks=True,
        predictions=True,
        progress=False,
    )


# -- counts --------------------------------------------------------------------------------------------------


def test_counts_are_those_of_the_predictions(result):
    for found in result.diagnostics:
        kept = result.predictions(found["dataset"], found["learner"])
        true = [label for part in kept for label in part["true"]]
        predicted = [label for part in kept for label in part["predicted"]]
        classes = next(data["classes"] for data in result.datasets if data["name"] == found["dataset"])
        counted = result.confusion(found["dataset"], found["learner"])
        assert counted.tolist() == confusion_matrix(true, predicted, labels=classes).tolist()
        if found["learner"] == "svm":
            assert found["roc"] is None
            assert found["reliability"] is None
            continue
        chances = np.array([row for part in kept for row in part["probabilities"]])
        assert sum(found["reliability"]["rows"]) == len(true)
        assert sum(found["reliability"]["right"]) == sum(a == b for a, b in zip(true, predicted, strict=True))
        assert sum(found["reliability"]["sure"]) == pytest.approx(chances.max(axis=1).sum())
        own = np.array([[name == label for name in classes] for label in true])
        pairs = (own[:, 1], chances[:, 1]) if len(classes) == 2 else (own.ravel(), chances.ravel())
        x, y = roc_points(found["roc"])
        # A step of the odds is narrow: the area differs by little from that of all thresholds.
        assert auc(x, y) == pytest.approx(roc_auc_score(*pairs), abs=0.01)
        assert (x[0], y[0], x[-1], y[-1]) == (0.0, 0.0, 1.0, 1.0)


def test_the_calibration_error_is_the_mean_distance():
    y = np.array([0, 0, 1, 1])
    chances = np.array([[0.9, 0.1], [0.9, 0.1], [0.9, 0.1], [0.35, 0.65]])
    counts = diagnose(y, chances, True, None)["reliability"]
    assert calibration_error(counts) == pytest.approx((3 * abs(2 / 3 - 0.9) + abs(1 - 0.65)) / 4)
    both = pooled([diagnose(y, chances, True, None), diagnose(y, chances, False, None)])
    assert both == {"roc": None, "reliability": None}


def test_counts_go_through_json(result):
    text = result.to_json()
    again = Comparison.from_json(text)
    assert again.diagnostics == result.diagnostics
    assert again.networks == result.networks
    plain_json = json.loads(text)
    for change in (
        lambda d: d[0].update(learner="other"),
        lambda d: d[0]["roc"].update(out=[1]),
        lambda d: d[0]["reliability"].update(rows=[-1] * 10),
        lambda d: d[0].pop("roc"),
    ):
        changed = json.loads(text)
        change(changed["diagnostics"])
        with pytest.raises(DataError, match="does not fit together"):
            Comparison.from_json(json.dumps(changed))
    changed = json.loads(text)
    changed["networks"][0]["tables"] = [{"names": ["a"], "header": ["a"], "rows": [["1", "2"]]}]
    with pytest.raises(DataError, match="rows of different lengths"):
        Comparison.from_json(json.dumps(changed))
    del plain_json["diagnostics"]  # as older files are
    old = Comparison.from_json(json.dumps(plain_json))
    assert "ROC curves on" not in old.to_html()
    with pytest.raises(UnknownNameError, match="no results of 'nb' on 'nowhere'"):
        old.diagnostics_of("nowhere", "nb")


# -- plots and notebooks -------------------------------------------------------------------------------------


def test_every_plot_without_a_path_is_a_figure(result, tmp_path):
    plots = {
        "critical_difference": (),
        "scatter": ("nb", "tan"),
        "accuracy_time": (),
        "confusion": ("iris", "tan"),
        "roc": ("vote",),
        "reliability": ("vote",),
    }
    assert {name for name in dir(result) if name.startswith("plot_")} == {f"plot_{name}" for name in plots}
    for name, arguments in plots.items():
        plot = getattr(result, f"plot_{name}")
        figure = plot(*arguments)
        assert type(figure).__name__ == "Figure"
        assert figure.axes
        saved = plot(*arguments, path=tmp_path / f"{name}.png")
        assert saved == tmp_path / f"{name}.png"
        assert saved.read_bytes().startswith(b"\x89PNG")
    assert "log-loss" in result.plot_accuracy_time(metric="log_loss").axes[0].get_ylabel()


def test_every_point_is_labelled_and_no_label_covers_another(result):
    axes = result.plot_scatter("nb", "tan").axes[0]
    labels = [text for text in axes.texts if text.get_text() in result.dataset_names]
    assert len(labels) == 3
    from matplotlib.figure import Figure

    crowded = Figure(figsize=(4, 4)).add_axes((0.1, 0.1, 0.8, 0.8))
    rng = np.random.default_rng(0)
    x, y = rng.random(14), rng.random(14)
    crowded.scatter(x, y)
    crowded.set(xlim=(0, 1), ylim=(0, 1))
    label_points(crowded, x.tolist(), y.tolist(), [f"name {i}" for i in range(14)])
    crowded.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in crowded.texts]
    assert len(boxes) == 14
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_a_figure_in_a_page_has_its_own_ids_and_the_pages_colours(result):
    first, second = (inline_svg(result.plot_roc("vote"), "ROC <1>", number) for number in (1, 2))
    assert 'aria-label="ROC &lt;1&gt;"' in first
    ids = [set(re.findall(r'\bid="([^"]+)"', text)) for text in (first, second)]
    assert ids[0]
    assert not ids[0] & ids[1]
    assert set(re.findall(r'href="#([^"]+)"', first)) <= ids[0]
    assert "var(--ink)" in first
    assert "#1f2733" not in first
    assert "url(" not in first


def test_notebooks_show_a_table_and_the_repr_is_short(result):
    assert (
        repr(result)
        == "Comparison of nb, tan, svm on iris, vote, tic-tac-toe; 2-fold stratified cross-validation, seed 0"
    )
    many = Comparison(["a", "b", "c", "d"], result.datasets, [], result.setup)
    assert "a, b, c, … (4)" in repr(many)
    text = result._repr_html_()
    best = max(result.accuracy["vote"].values())
    assert f"<b>{100 * best:.2f}</b>" in text
    assert text.count("<tr>") == 4
    assert "Average ranks by accuracy" in text
    assert "<script" not in text


# -- the page ------------------------------------------------------------------------------------------------


@pytest.mark.browser
def test_plots_and_tests_follow_the_measure(result, tmp_path):
    script = """
      const choice = document.getElementById("metric");
      const seen = () => [...document.querySelectorAll("[data-follows]:not([hidden])")]
        .map(e => e.innerText).join(" ");
      const accuracy = seen();
      choice.value = "log_loss"; choice.dispatchEvent(new Event("change"));
      const loss = seen();
      const charts = document.querySelectorAll("[data-follows]:not([hidden]) svg.chart").length;
      return {accuracy, loss, charts};
    """
    found = probed(result.to_html(), script, tmp_path)
    assert "Average ranks by accuracy" in found["accuracy"]
    assert "log-loss" not in found["accuracy"].lower()
    assert "Log-loss and time" in found["loss"]
    assert "accuracy" not in found["loss"].lower()
    assert found["charts"] >= 1


@pytest.mark.browser
def test_the_page_has_confusions_curves_and_collapsed_networks(result, tmp_path):
    script = """
      return {
        matrices: document.querySelectorAll("table.confusion").length,
        charts: document.querySelectorAll("details svg.chart").length,
        cell: document.querySelector("table.confusion td").textContent,
        open: [...document.querySelectorAll("details")].filter(d => d.querySelector("svg.network"))
          .map(d => [d.querySelectorAll(".edge").length, d.open]),
      };
    """
    found = probed(result.to_html(), script, tmp_path)
    assert found["matrices"] == 9
    assert found["charts"] == 6
    assert int(found["cell"].replace(",", "")) == result.confusion("iris", "nb")[0][0]
    assert any(edges for edges, _ in found["open"])
    for edges, is_open in found["open"]:
        assert edges or not is_open
    assert sum(is_open for _, is_open in found["open"]) == 2


@pytest.mark.browser
def test_nothing_is_too_small_or_too_wide_on_a_phone(result, tmp_path):
    script = """
      for (const details of document.querySelectorAll("details")) details.open = true;
      await new Promise(done => setTimeout(done, 200));
      const sizes = [];
      for (const text of document.querySelectorAll("svg text, p, td, th, summary, button")) {
        if (!text.getClientRects().length || !text.textContent.trim()) continue;
        const style = parseFloat(getComputedStyle(text).fontSize);
        const matrix = text.getScreenCTM ? text.getScreenCTM() : null;
        sizes.push([style * (matrix ? Math.hypot(matrix.a, matrix.b) : 1), text.textContent.slice(0, 20)]);
      }
      sizes.sort((a, b) => a[0] - b[0]);
      return {small: sizes.slice(0, 3), wide: document.documentElement.scrollWidth, seen: window.innerWidth};
    """
    found = probed(result.to_html(), script, tmp_path, width=500)  # chromium is never narrower
    assert found["wide"] <= found["seen"]
    assert found["small"][0][0] >= 9.5, found["small"]
    found = probed(
        result.to_html().replace("<body>", '<body style="width:390px">', 1), script, tmp_path, width=500
    )
    assert found["small"][0][0] >= 9.5, found["small"]


@pytest.mark.browser
def test_the_diagram_of_ranks_is_seen_whole_on_a_phone(result, tmp_path):
    script = """
      const seen = [...document.querySelectorAll(".panel.wide svg, .panel.narrow svg")].map(svg => svg
        .getBoundingClientRect()).filter(box => box.width);
      return seen.map(box => [box.left, box.right]);
    """
    page = result.to_html().replace("<body>", '<body style="width:390px">', 1)
    (left, right), *others = probed(page, script, tmp_path, width=500)
    assert (others, left >= 0, right <= 390) == ([], True, True)
    (left, right), *others = probed(result.to_html(), script, tmp_path, width=1100)
    assert (others, right - left > 500) == ([], True)


def test_every_learner_of_a_narrow_diagram_has_its_line(result):
    wide, narrow = (plots.critical_difference(result, narrow=narrow) for narrow in (False, True))
    texts = {text.get_text().strip() for text in narrow.axes[0].texts}
    for learner, rank in result.ranks.items():
        assert f"{learner}  {rank:.2f}" in texts
    assert narrow.get_figwidth() < wide.get_figwidth() / 2
    renderer = FigureCanvasAgg(narrow).get_renderer()
    boxes = [text.get_window_extent(renderer) for text in narrow.axes[0].texts]
    assert all(box.x0 >= 0 and box.x1 <= narrow.bbox.width for box in boxes)


def test_times_that_are_near_each_other_have_ticks():
    learners = ["nb", "tan"]
    figure = compare(learners, ["iris", "vote"], cv=2, repeats=1, progress=False).plot_accuracy_time()
    low, high = figure.axes[0].get_xlim()
    assert sum(low <= tick <= high for tick in figure.axes[0].get_xticks()) >= 2


@pytest.mark.browser
def test_networks_can_be_moved_zoomed_asked_and_focused(result, tmp_path):
    script = """
      const frames = [...document.querySelectorAll(".viewport")];
      const frame = frames.find(f => f.querySelectorAll(".edge").length > 2);
      const svg = frame.querySelector("svg.network"), tip = frame.querySelector(".tip");
      const box = () => svg.getAttribute("viewBox").split(" ").map(Number);
      const start = box();
      frame.querySelector("[data-zoom='1.3']").click();
      const larger = box();
      const at = (type, x, y) =>
        new PointerEvent(type, {bubbles: true, clientX: x, clientY: y, pointerId: 1});
      svg.dispatchEvent(at("pointerdown", 100, 100));
      svg.dispatchEvent(at("pointermove", 60, 90));
      svg.dispatchEvent(at("pointerup", 60, 90));
      const moved = box();
      const turn = {deltaY: -1, bubbles: true, cancelable: true};
      svg.dispatchEvent(new WheelEvent("wheel", {...turn, ctrlKey: true}));
      const wheeled = box();
      svg.dispatchEvent(new WheelEvent("wheel", turn));
      const scrolled = box();
      frame.querySelector("[data-zoom='0']").click();
      const whole = box();
      const arc = frame.querySelector(".edge");
      const node = [...frame.querySelectorAll(".node")].find(n => n.dataset.name === arc.dataset.to);
      node.dispatchEvent(at("pointerenter", 1, 1));
      const hovered = {hidden: tip.hidden, text: tip.innerText, cells: tip.querySelectorAll("td").length};
      node.dispatchEvent(at("pointerleave", 1, 1));
      const gone = tip.hidden;
      svg.dispatchEvent(at("pointerdown", 1, 1)); svg.dispatchEvent(at("pointerup", 1, 1));
      node.dispatchEvent(new MouseEvent("click", {bubbles: true}));
      const near = [...frame.querySelectorAll(".node.near")].map(n => n.dataset.name);
      const faint = [...frame.querySelectorAll(".node:not(.near)")].map(n => getComputedStyle(n).opacity);
      node.dispatchEvent(new MouseEvent("click", {bubbles: true}));
      const again = frame.classList.contains("focused");
      node.focus();
      const tabbed = !tip.hidden;
      node.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true, cancelable: true}));
      const entered = frame.classList.contains("focused");
      node.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape", bubbles: true}));
      const escaped = frame.classList.contains("focused");
      const edges = [...frame.querySelectorAll(".edge")].map(e => [e.dataset.from, e.dataset.to]);
      return {start, larger, moved, wheeled, scrolled, whole, hovered, gone, near, faint, again, tabbed,
              entered, escaped, edges, name: node.dataset.name};
    """
    found = probed(result.to_html(), script, tmp_path)
    assert found["larger"][2] == pytest.approx(found["start"][2] / 1.3, rel=0.01)
    assert found["moved"][0] > found["larger"][0]
    assert found["moved"][1] > found["larger"][1]
    assert found["wheeled"][2] < found["moved"][2]
    assert found["scrolled"] == found["wheeled"]  # the wheel alone scrolls the page
    assert found["whole"][:2] == [min(found["whole"][0], 0), 0]
    assert found["hovered"]["hidden"] is False
    assert found["name"] in found["hovered"]["text"]
    assert found["hovered"]["cells"] > 4
    assert found["gone"] is True
    neighbours = {name for edge in found["edges"] if found["name"] in edge for name in edge}
    assert set(found["near"]) == neighbours | {found["name"]}
    assert all(float(opacity) < 0.5 for opacity in found["faint"])
    assert [found[key] for key in ("again", "tabbed", "entered", "escaped")] == [False, True, True, False]


def test_the_tables_of_a_page_are_those_of_the_model(result):
    network = next(n for n in result.networks if (n["learner"], n["dataset"]) == ("tan", "vote"))
    table = load_dataset("vote")
    model = TANClassifier().fit(table.X, table.y)
    name = network["nodes"][1]
    shown = next(table for table in network["tables"] if table["names"] == [name])
    expected = model.table(name)
    assert shown["header"] == [*expected.parents, *expected.members, *map(str, expected.classes)]
    assert shown["rows"] == [[*key, *(f"{p:.3f}" for p in values)] for key, values in expected.records()]


# -- the terminal --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("datasets", [["iris"], ["iris", "vote", "tic-tac-toe"]])
def test_no_number_is_cut_in_a_narrow_terminal(width, datasets, monkeypatch, capsys):
    learners = ["nb", "tan", "bckg:k=2,score=mdl", "tree", "svm", "majority"]
    found = compare(learners, datasets, cv=2, repeats=1, progress=False)
    numbers = set(re.findall(r"\d+\.\d+", plain(found)))
    text = plain(found, width=width)
    assert numbers <= set(re.findall(r"\d+\.\d+", text))
    assert max(map(len, text.splitlines())) <= width
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("LINES", "40")
    show(found)
    shown = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)
    assert "…" not in shown
    assert numbers <= set(re.findall(r"\d+\.\d+", shown))
    assert max(map(len, shown.splitlines())) <= width


def run_in(folder, *arguments: str, columns: int | None = None, **environment: str) -> str:
    """What a command prints: into a pipe, or on a terminal of so many columns."""
    command = [sys.executable, "-m", "tanager", *arguments]
    variables = {**os.environ, "TANAGER_CACHE": str(folder), "COLUMNS": str(columns or 80), **environment}
    if columns is None:
        done = subprocess.run(command, capture_output=True, cwd=folder, env=variables, check=True)
        assert b"Traceback" not in done.stderr
        return done.stdout.decode(environment.get("PYTHONIOENCODING", "utf-8"))
    import pty

    ours, theirs = pty.openpty()
    with subprocess.Popen(
        command, stdout=theirs, stderr=subprocess.DEVNULL, cwd=folder, env=variables
    ) as run:
        os.close(theirs)
        parts = []
        with contextlib.suppress(OSError):  # how Linux says that the other end has gone
            while part := os.read(ours, 4096):
                parts.append(part)
        os.close(ours)
    assert run.returncode == 0
    text = b"".join(parts).decode().replace("\r\n", "\n")
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_tables_of_commands_stay_within_the_terminal(tmp_path):
    run_in(tmp_path, "fit", "car", "-o", "m.json")
    shown = ["compare", "nb", "tan", "tree", "--data", "car", "--cv", "2", "--repeats", "1", "--no-progress"]
    for arguments in (
        ["show", "m.json", "--table", "Safety"],
        ["explain", "m.json", "car"],
        ["explain", "m.json", "car", "--what-if", "Safety"],
        ["datasets"],
        shown,
    ):
        wide = run_in(tmp_path, *arguments)
        narrow = run_in(tmp_path, *arguments, columns=60)
        assert max(map(len, narrow.splitlines())) <= 60
        assert set(re.findall(r"\d+\.\d+", wide)) <= set(re.findall(r"\d+\.\d+", narrow))


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_smaller_alphabets_get_the_nearest_letters(tmp_path, encoding):
    options = ["--data", "car", "--cv", "2", "--repeats", "1"]
    text = run_in(tmp_path, "compare", "nb", "tan", *options, PYTHONIOENCODING=encoding)
    assert "\\u" not in text
    assert "-------" in text
    assert "`-- Buying" in text
    assert "|-- " in text
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="tanager-nearest")
    stream.write("χ² ≤ 5 → 文")
    stream.flush()
    shown = stream.buffer.getvalue().decode(encoding)
    assert shown == ("chi^2 <= 5 -> \\u6587" if encoding == "ascii" else "chi\xb2 <= 5 -> \\u6587")
