"""What a fitted classifier says of itself: terms, what-ifs, tables, importances."""

import json
import math
import sys
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tanager import DataError, NaiveBayesClassifier, TANClassifier, list_datasets, load_dataset, save_model
from tanager.cli import main
from tanager.estimators import CLASSIFIERS
from tanager.evaluation.progress import Progress

BUNDLED = [info.name for info in list_datasets()]


def joint(model, row):
    """ln P(c, x) by summing over everything that a row (codes, None where unknown) could be."""
    nodes, s = model.model_.nodes, len(model.classes_)
    tables = [model.model_.table(place) for place in range(len(nodes))]
    free = [i for i, code in enumerate(row) if code is None]
    total = np.zeros(s)
    for values in product(*(range(model.encoder_.columns[i].arity) for i in free)):
        full = list(row)
        for i, value in zip(free, values, strict=True):
            full[i] = value
        log = np.array(model.model_.log_prior)
        for (members, parents), table in zip(nodes, tables, strict=True):
            log = log + table[tuple(full[i] for i in (*parents, *members))]
        total += np.exp(log)
    return np.log(total)


@pytest.mark.filterwarnings("ignore:The least populated class")
@pytest.mark.parametrize("learner", CLASSIFIERS)
@pytest.mark.parametrize("dataset", BUNDLED)
def test_terms_sum_to_the_posterior(learner, dataset):
    table = load_dataset(dataset)
    rows = np.random.default_rng(0).permutation(len(table.y))[:150]
    if np.unique(table.y[rows]).size < 2:
        pytest.fail("the sample has one class")
    model = CLASSIFIERS[learner]().fit(table.X[rows], table.y[rows])
    asked = table.X[np.arange(len(table.y))[:60]]
    explanation = model.explain(asked)
    assert np.abs(explanation.log_proba() - model.predict_log_proba(asked)).max() < 1e-9
    assert np.isfinite(explanation.contributions).all()


@pytest.mark.parametrize("missing", ["category", "available"])
@pytest.mark.parametrize("setting", ["nb:gaussian", "nb:kernel", "tan:gaussian"])
@pytest.mark.parametrize("dataset", BUNDLED)
def test_terms_of_numbers_that_are_not_cut_sum_to_the_posterior(setting, dataset, missing):
    name, density = setting.split(":")
    table = load_dataset(dataset)
    rows = np.random.default_rng(0).permutation(len(table.y))[:150]
    frame = table.X.to_pandas().astype(object)
    frame = frame.mask(np.random.default_rng(1).random(frame.shape) < 0.1, None)
    X = frame.iloc[rows].infer_objects()
    model = CLASSIFIERS[name](numeric=density, missing=missing).fit(X, table.y[rows])
    asked = frame.iloc[:40]
    explanation = model.explain(asked)
    # classes whose density is all but a point have logarithms of −1e10, of which 1e-9 is beyond the digits
    np.testing.assert_allclose(explanation.log_proba(), model.predict_log_proba(asked), rtol=1e-12, atol=1e-9)
    assert np.abs(np.exp(explanation.log_proba()) - model.predict_proba(asked)).max() < 1e-9


def test_a_number_is_shown_and_has_the_term_of_its_density():
    iris = load_dataset("iris")
    model = NaiveBayesClassifier(numeric="gaussian").fit(iris.X, iris.y)
    explanation = model.explain(iris.X[:1])
    assert explanation.values[0] == ("5.1", "3.5", "1.4", "0.2")
    made = model.continuous_
    gap = (5.1 - made.mean[0]) ** 2 / made.variance[0] + np.log(2 * np.pi * made.variance[0])
    assert np.allclose(explanation.contributions[0, 0], -0.5 * gap)


cell = st.sampled_from(["a", "b", "c", None])


@given(
    rows=st.lists(st.tuples(cell, cell, cell, st.integers(0, 2)), min_size=8, max_size=30).filter(
        lambda rows: len({row[3] for row in rows}) > 1
    ),
    missing=st.sampled_from(["category", "available"]),
    learner=st.sampled_from(["nb", "tan", "bckg"]),
    prior=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_terms_are_those_of_the_chain_rule(rows, missing, learner, prior):
    X = np.array([row[:3] for row in rows], dtype=object)
    y = [row[3] for row in rows]
    classes = sorted(set(y))
    wanted = {c: 1 + i for i, c in enumerate(classes)}
    shares = {c: wanted[c] / sum(wanted.values()) for c in classes} if prior else None
    model = CLASSIFIERS[learner](missing=missing, class_prior=shares).fit(X, y)
    asked = np.array([["a", None, "c"], ["new", "b", None], [None, None, None], ["a", "b", "a"]], object)
    explanation = model.explain(asked)
    assert np.abs(explanation.log_proba() - model.predict_log_proba(asked)).max() < 1e-9
    codes = model.encoder_.transform(asked)
    for t in range(len(asked)):
        row = [int(c[t]) if c[t] < a else None for c, a in zip(codes.columns, codes.arities, strict=True)]
        total = joint(model, row) - np.array(model.model_.log_prior)
        assert np.allclose(explanation.contributions[t].sum(axis=0), total, atol=1e-9)
        for place, (members, _) in enumerate(model.model_.nodes):
            if all(row[member] is None for member in members):
                assert np.allclose(explanation.contributions[t, place], 0, atol=1e-12)


def test_impossible_rows_get_the_prior():
    model = NaiveBayesClassifier(parameters="mle").fit([["a", "x"], ["b", "y"], ["b", "x"]], [0, 1, 1])
    asked = [["a", "y"], ["a", "x"]]
    assert np.allclose(np.exp(model.explain(asked).log_proba()), model.predict_proba(asked))


def test_what_if_is_prediction_with_one_value_changed():
    car = load_dataset("car")
    model = TANClassifier().fit(car.X, car.y)
    frame = car.X.to_pandas()
    row = frame.iloc[[100]]
    found = model.what_if(row, "Safety")
    for value, probabilities in zip(found.values, found.probabilities, strict=True):
        changed = row.assign(Safety=value)
        assert np.allclose(model.predict_proba(changed)[0], probabilities)
    assert found.values[found.current] == row["Safety"].iloc[0]
    same = [model.what_if(form, "Safety") for form in (row.iloc[0].tolist(), dict(row.iloc[0]))]
    assert all(np.array_equal(other.probabilities, found.probabilities) for other in same)
    assert list(found.to_frame().columns) == ["Safety", *(f"P({label})" for label in model.classes_)]
    with pytest.raises(DataError, match="takes one row, found 2"):
        model.what_if(frame.iloc[:2], "Safety")
    with pytest.raises(DataError, match="'colour' is not an attribute"):
        model.what_if(row, "colour")
    with pytest.raises(DataError, match="no value of 'Maint'"):
        model.what_if({"Buying": "low"}, "Safety")


def test_tables_are_by_names_and_sum_to_one():
    car = load_dataset("car")
    model = TANClassifier(root="Buying").fit(car.X, car.y)
    table = model.table("Maint")
    assert table.parents == model.network_.parents["Maint"]
    assert np.allclose(table.probabilities.sum(axis=-2), 1)
    frame = table.to_frame()
    assert list(frame.columns)[: len(table.parents) + 1] == [*table.parents, "Maint"]
    assert len(frame) == math.prod(table.probabilities.shape[:-1])
    assert (
        "<script>"
        not in TANClassifier()
        .fit(pd.DataFrame({"<script>": ["a", "b"] * 4, "b": ["x", "x", "y", "y"] * 2}), [0, 1] * 4)
        .table(0)
        ._repr_html_()
    )


def test_importances_are_exact_expectations():
    """By brute force over the joint distribution of a small network."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 200)
    a = (y + rng.integers(0, 2, 200)) % 3
    X = np.column_stack([a, (a + rng.integers(0, 2, 200)) % 2, rng.integers(0, 2, 200)])
    model = TANClassifier(discretize="none").fit(X, y)
    found = model.importances()
    arities = [column.arity for column in model.encoder_.columns]
    cells = {row: np.exp(joint(model, list(row))) for row in product(*map(range, arities))}
    assert math.isclose(sum(p.sum() for p in cells.values()), 1, abs_tol=1e-12)
    for i in range(3):
        both = np.zeros((arities[i], 2))
        for row, p in cells.items():
            both[row[i]] += p
        outer = both.sum(1, keepdims=True) * both.sum(0, keepdims=True)
        assert math.isclose(found.information[f"x{i}"], (both * np.log(both / outer)).sum(), abs_tol=1e-12)
    for place, (members, parents) in enumerate(model.model_.nodes):
        t, axes = model.model_.table(place), (*parents, *members)
        family = np.zeros(t.shape)
        for row, p in cells.items():
            family[tuple(row[i] for i in axes)] += p
        expected = 0.0
        for index in np.ndindex(t.shape[:-1]):
            posterior = family[index] / family[index].sum()
            mean = (posterior * t[index]).sum()
            expected += (family[index] * np.abs(t[index] - mean)).sum()
        assert math.isclose(found[f"x{members[0]}"], expected, abs_tol=1e-12)
    assert list(found) == sorted(found, key=lambda name: -found[name])
    assert "contribution" in repr(found)


def test_dropped_attributes_matter_nothing():
    y = [0, 1] * 30
    X = np.column_stack([y, [0, 0, 1, 1] * 15])
    model = CLASSIFIERS["ffss"]().fit(X, y)
    assert model.importances()["x1"] == 0.0
    with pytest.raises(DataError, match="left 'x1' out"):
        model.table("x1")


def test_plots_frames_and_notebooks():
    pytest.importorskip("matplotlib")
    vote = load_dataset("vote")
    model = TANClassifier().fit(vote.X, vote.y)
    explanation = model.explain(vote.X[:8])
    assert len(explanation.plot(0, most=5).patches) == 7  # base, five terms, the rest
    assert explanation._repr_html_().count("<table>") == 5
    assert "and 3 more rows" in explanation._repr_html_()
    frame = explanation.to_frame(2)
    assert np.allclose(frame["democrat"].sum(), (explanation.base + explanation.contributions[2].sum(0))[0])
    assert model.importances().plot(most=3).patches[0].get_width() >= 0
    chart = model.what_if(vote.X[:1], 0).plot()
    assert chart.get_ylabel() == "probability"
    assert [label.get_text() for label in chart.get_xticklabels()] == ["n\n(now)", "y", "missing"]
    assert len(explanation.plot(0, most=15).patches) == 17  # all 16: no line says "1 more"
    assert "more" not in explanation.text(0, most=15)
    assert explanation.text(0).splitlines()[-1].split() == ["P", "0.000", "1.000"]
    with pytest.raises(IndexError, match="there is no row 8"):
        explanation.text(8)


@pytest.fixture
def saved(tmp_path):
    car = load_dataset("car")
    model = TANClassifier().fit(car.X, car.y)
    save_model(model, tmp_path / "model.json")
    return model, tmp_path


def test_the_command_explains_a_row(saved, capsys):
    model, folder = saved
    assert main(["explain", str(folder / "model.json"), "car", "--row", "3", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    expected = model.explain(load_dataset("car").X[[3]])
    assert np.allclose(answer["contributions"], expected.contributions[0])
    assert main(["explain", str(folder / "model.json"), "car", "--row", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("term")
    assert max(map(len, lines)) <= 80
    assert main(["explain", str(folder / "model.json"), "car", "--what-if", "Safety"]) == 0
    assert "(now)" in capsys.readouterr().out
    plot = folder / "why.png"
    assert main(["explain", str(folder / "model.json"), "car", "--plot", str(plot)]) == 0
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert main(["explain", str(folder / "model.json"), "car", "--row", "99999"]) == 2
    assert "rows are 0 to 1727" in capsys.readouterr().err


@pytest.mark.parametrize(
    "learner", [*CLASSIFIERS, "nb:numeric=gaussian", "nb:numeric=kernel", "tan:numeric=gaussian"]
)
def test_commands_read_every_learner(learner, tmp_path, capsys, monkeypatch):
    """A file of each learner is shown with a table, explained and varied, within 60 columns."""
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    model = str(tmp_path / "m.json")
    assert main(["fit", "iris", "--learner", learner, "-o", model]) == 0
    capsys.readouterr()
    commands = [
        ["show", model],
        ["explain", model, "iris"],
        ["explain", model, "iris", "--what-if", "petalwidth"],
    ]
    commands.append(["show", model, "--table", "petalwidth"])
    for command in commands:
        assert main([*command, "--json"]) == 0
        json.loads(capsys.readouterr().out)
        assert main(command) == 0
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) > 2
        assert max(map(len, lines)) <= 60, command


def test_a_bar_of_progress_keeps_to_one_line(monkeypatch, capsys):
    """At 60 columns the time left is dropped, at 120 it is there."""
    for columns, whole in ((60, False), (120, True)):
        monkeypatch.setenv("COLUMNS", str(columns))
        Progress(10, True).update(10, 10, "tan on vote")
        line = capsys.readouterr().err.replace("\r\x1b[K", "")
        assert "10 of 10 tan on vote" in line
        assert len(line) < columns
        assert line.endswith("s left") == whole
