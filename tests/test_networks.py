"""Drawn networks: strengths by the model's own codes, and a class node that no attribute can be taken for."""

from __future__ import annotations

import json
import tracemalloc
import warnings
from pathlib import Path

import networkx
import numpy as np
import pytest
from hypothesis import assume, given, settings

from bridge import frame
from reference import chi2
from reference.table import MISSING
from strategies import tables
from tanager import Dataset, Network, TANClassifier, compare, edge_weights, load_dataset
from tanager.cli import main
from tanager.evaluation.networks import conditional_mutual_information, described_network


@given(tables(min_attributes=2))
@settings(max_examples=60, deadline=None)
def test_information_is_the_oracles(table):
    codes = np.array(table.codes)
    found = conditional_mutual_information(codes[:, 0], codes[:, 1], np.array(table.classes))
    assert found == pytest.approx(chi2.conditional_mutual_information(table, (0,), (1,)), abs=1e-12)


@given(tables(min_attributes=2, min_classes=2, missing=True))
@settings(max_examples=40, deadline=None)
def test_strengths_are_of_the_rows_where_both_values_are_known(table):
    assume(len(set(table.classes)) > 1)
    X, y = frame(table), np.array(table.classes)
    model = TANClassifier(missing="available").fit(X, y)
    table = table._replace(weights=np.where(y == y[0], 2.0, 0.5).tolist())
    network = described_network(model, X, y, table.weights)
    for (parent, child), strength in zip(network["edges"], network["strengths"], strict=True):
        i, j = int(parent[1:]), int(child[1:])
        known = table.rows(
            [r for r in range(table.n_rows) if MISSING not in (table.codes[r][i], table.codes[r][j])]
        )
        expected = chi2.conditional_mutual_information(known, (i,), (j,)) if known.n_rows else 0.0
        assert strength == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("weights", [None, {"Iris-versicolor": 9.0}])
@pytest.mark.parametrize("discretize", ["mdl", "none"])
def test_strengths_are_the_cores_gain_in_likelihood_by_row(weights, discretize):
    table = load_dataset("iris")
    model = TANClassifier(discretize=discretize, class_weight=weights).fit(table.X, table.y)
    encoded = model.encoder_.transform(table.X)
    codes = np.searchsorted(model.classes_, table.y).astype(np.uint32)
    heavy = np.array([(weights or {}).get(label, 1.0) for label in table.y.tolist()])
    data = Dataset.from_columns(encoded.columns, encoded.arities, codes, 3, weights=heavy)
    gains = edge_weights(data, "ll") / heavy.sum()
    place = {name: i for i, name in enumerate(table.X.columns)}
    network = described_network(model, table.X, table.y)
    expected = [gains[place[parent], place[child]] for parent, child in network["edges"]]
    assert len(expected) == 3
    assert network["strengths"] == pytest.approx(expected, rel=1e-9)


def test_columns_of_very_many_values_need_memory_by_the_row():
    ids = np.random.default_rng(0).permutation(20_000)
    tracemalloc.start()
    found = conditional_mutual_information(ids, ids[::-1], ids % 2)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found == pytest.approx(np.log(10_000))  # each names the other within its class
    assert peak < 20_000_000


def test_rare_classes_are_no_warnings_of_compare(tmp_path):
    X = np.array([[a, b] for a in "xyz" for b in "uvw"] * 6)
    y = np.array(["p", "q"] * 26 + ["rare", "p"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = compare("fss", {"t": (X, y)}, cv=2, repeats=1, networks=True, progress=False)
    assert result.networks[0]["learner"] == "fss"


def test_dot_calls_the_class_by_the_models_target(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lines = ["class,size,outcome", *(f"{a},{b},{a}{b}" for a in "xy" for b in "uv")] + ["x,u,xu"] * 4
    Path("data.csv").write_text("\n".join(lines), encoding="utf-8")
    assert main(["fit", "data.csv", "--target", "outcome", "-o", "model.json"]) == 0
    capsys.readouterr()
    assert main(["show", "model.json", "--format", "dot"]) == 0
    out = capsys.readouterr().out
    assert '"outcome" -> "class"' in out
    assert '"outcome" -> "size"' in out
    assert '"class" -> "class"' not in out
    assert main(["show", "model.json", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["target"] == "outcome"


def test_an_attribute_called_as_the_class_is_another_node():
    network = Network.build(["class", "class′", "a"], [((0,), ()), ((1,), (0,)), ((2,), (0,))], "class")
    dot = network.to_dot()
    assert '"class′′" [label="class", color=gray, fontcolor=gray];' in dot
    assert '"class′′" -> "class" [color=lightgray];' in dot
    assert '"class" -> "class"' not in dot
    graph = network.to_networkx()
    assert networkx.is_directed_acyclic_graph(graph)
    assert graph.number_of_nodes() == 4
    (own,) = (name for name, role in graph.nodes(data="role") if role == "class")
    assert set(graph.successors(own)) == {"class", "class′", "a"}


def test_in_degrees_count_the_parents_of_each_attribute():
    nodes = [((0, 1), ()), ((2,), (0, 1)), ((4,), (2,))]
    network = Network.build(["a", "b", "c", "dropped", "e"], nodes)
    assert network.in_degrees == {"a": 0, "b": 0, "c": 2, "e": 1}
    car = load_dataset("car")
    degrees = TANClassifier().fit(car.X, car.y).network_.in_degrees
    assert sorted(degrees.values()) == [0, 1, 1, 1, 1, 1]
    assert list(degrees) == list(car.X.columns)
