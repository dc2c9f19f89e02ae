"""Hierarchical smoothing equals the oracle's, wherever tables come from."""

import pickle
from math import log

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tanager
from bridge import dataset, fit, frame, present_classes, structure_of, table_of
from reference import hierarchical as reference
from reference import posterior
from reference.counts import as_tuple
from reference.parameters import Model, family_parents
from reference.table import CLASS, make_table
from strategies import tables
from tanager import _core


def family_objective(table, child, parents, c):
    """The oracle's objective at given concentrations."""
    order = reference.ordered_parents(table, child, parents)
    levels = reference.level_counts(table, child, order)
    return reference.objective(levels, [table.arity(parent) for parent in order], np.log(c))


def check_family(table, child, parents, c, theta):
    """The library's concentrations are an optimum, and its θ is theirs and the oracle's."""
    assert np.allclose(theta, reference.table_of(table, child, parents, c), rtol=1e-11, atol=0)
    best = reference.concentrations(table, child, parents)
    found, expected = (family_objective(table, child, parents, value) for value in (c, best))
    assert found >= expected - 1e-6
    # Differences leave the oracle's optimum a little off: from the library's it finds nothing better.
    closer = reference.concentrations(table, child, parents, np.log(c))
    assert np.allclose(theta, reference.table_of(table, child, parents, closer), rtol=0, atol=1e-6)
    if abs(found - expected) < 1e-9:
        assert np.allclose(theta, reference.table_of(table, child, parents, best), rtol=0, atol=1e-4)


def check_model(model, table):
    """Every node of a classifier, and the class."""
    of_class, *of_nodes = model.concentrations
    check_family(table, CLASS, [], of_class, np.exp(model.log_prior)[None])
    for i, (node, c) in enumerate(zip(structure_of(model), of_nodes, strict=True)):
        check_family(table, as_tuple(node.members), family_parents(table, node), c, table_of(model, i))


@pytest.mark.parametrize("learner", ["nb", "tan"])
@settings(max_examples=20)
@given(table=tables(max_attributes=3, max_rows=20, huge=False))
def test_classifiers_equal_the_oracle(learner, table):
    check_model(fit(table, learner, parameters="hierarchical")[0], table)


@settings(max_examples=15)
@given(table=tables(min_attributes=3, max_attributes=3, min_rows=4, max_rows=20, huge=False))
def test_two_parents_are_ordered_by_information(table):
    check_model(fit(table, "bckg", "ll", "hierarchical", k=2)[0], table)


@settings(max_examples=15)
@given(table=tables(max_attributes=3, max_rows=20, huge=False, missing=True))
def test_gaps_leave_their_rows_out_of_the_family(table):
    check_model(fit(table, "tan", parameters="hierarchical")[0], table)


@settings(max_examples=15)
@given(table=tables(max_attributes=3, max_rows=16, huge=False), data=st.data())
def test_weights_count_as_rows(table, data):
    weight = st.sampled_from([0.25, 0.5, 1.0, 2.0, 3.5])
    weights = data.draw(st.lists(weight, min_size=table.n_rows, max_size=table.n_rows))
    table = table._replace(weights=weights)
    check_model(fit(table, "tan", parameters="hierarchical")[0], table)


@settings(max_examples=15)
@given(table=tables(max_attributes=3, max_rows=20, huge=False, with_class=False))
def test_densities_equal_the_oracle(table):
    model, _ = _core.fit(dataset(table), "tan", {}, "ll", "hierarchical", 1)
    for i, ((members, parents), c) in enumerate(zip(model.nodes, model.concentrations, strict=True)):
        theta = np.exp(model.table(i)).reshape(-1, table.arities[members[0]])
        check_family(table, tuple(members), parents, c, theta)


def random_table(rows=400, columns=4, arity=3, seed=0, classes=2):
    """Columns that lean on the class and on the column before."""
    random = np.random.default_rng(seed)
    y = random.integers(0, classes, rows)
    codes = [y % arity]
    for _ in range(columns):
        mixed = np.where(random.random(rows) < 0.5, codes[-1], random.integers(0, arity, rows))
        codes.append(np.where(random.random(rows) < 0.2, y % arity, mixed))
    return make_table(np.column_stack(codes[1:]), [arity] * columns, y, classes)


def test_repeated_rows_are_whole_weights():
    table = random_table(60)
    weights = [row % 4 for row in range(table.n_rows)]
    repeated = table.rows([row for row, weight in enumerate(weights) for _ in range(weight)])
    one, _ = fit(table._replace(weights=[float(weight) for weight in weights]), "tan", "ll", "hierarchical")
    other, _ = fit(repeated, "tan", "ll", "hierarchical")
    assert one.nodes == other.nodes
    assert one.concentrations == other.concentrations
    assert all(np.array_equal(one.table(i), other.table(i)) for i in range(table.n_attributes))


def test_any_number_of_threads_gives_the_same():
    table = random_table()
    one, two = (fit(table, "tan", "ll", "hierarchical", n_jobs=jobs)[0] for jobs in (1, 2))
    assert one.concentrations == two.concentrations
    assert all(np.array_equal(one.table(i), two.table(i)) for i in range(table.n_attributes))


def test_folds_counted_once_equal_a_fit_of_the_training_rows():
    table = random_table()
    folds = np.arange(table.n_rows, dtype=np.uint32) % 3
    found = _core.cross_validate(dataset(table), folds, 3, "tan", {}, "ll", "hierarchical", 1)
    for fold in range(3):
        training = table.rows([row for row in range(table.n_rows) if row % 3 != fold])
        held_out = table.rows([row for row in range(table.n_rows) if row % 3 == fold])
        model, _ = fit(training, "tan", "ll", "hierarchical")
        assert np.array_equal(found[fold], model.posterior(dataset(held_out), 1))


@settings(max_examples=10)
@given(table=tables(min_attributes=2, max_attributes=3, min_rows=4, max_rows=16, huge=False, min_classes=2))
def test_unknown_values_are_summed_out_exactly(table):
    model, _ = fit(table, "tan", "ll", "hierarchical")
    nodes = range(len(model.nodes))
    tables_ = [table_of(model, i) for i in nodes]
    expected = Model(table.arities, structure_of(model), np.exp(model.log_prior), tables_)
    gaps = table._replace(codes=[[-1, *row[1:]] for row in table.codes])
    found = model.posterior(dataset(gaps), 1)
    for row, p in zip(gaps.codes, found, strict=True):
        assert np.allclose(p, posterior.posterior(expected, row), rtol=1e-10, atol=1e-12)


def labelled(table):
    return frame(table), [f"label {c}" for c in table.classes]


def test_fitted_models_tell_their_concentrations(tmp_path):
    table = random_table()
    X, y = labelled(present_classes(table))
    model = tanager.TANClassifier(parameters="hierarchical").fit(X, y)
    found = model.concentrations_
    assert set(found) == {"class", *X.columns}
    assert len(found["class"]) == 1
    assert all(len(found[name]) == 2 + len(model.network_.parents[name]) for name in X.columns)
    assert all(-5 - 1e-9 <= log(c) <= 9 + 1e-9 for levels in found.values() for c in levels)
    assert pickle.loads(pickle.dumps(model)).concentrations_ == found
    tanager.save_model(model, tmp_path / "model.json")
    loaded = tanager.load_model(tmp_path / "model.json")
    assert loaded.concentrations_ == found
    assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))
    plain = tanager.TANClassifier().fit(X, y)
    assert not hasattr(plain, "concentrations_")
    named = tanager.TANClassifier(parameters=tanager.Hierarchical()).fit(X.rename(columns={"x0": "class"}), y)
    assert set(named.concentrations_) == {"class", "class′", "x1", "x2", "x3"}
    assert len(named.concentrations_["class′"]) == 1


def test_damaged_concentrations_are_refused(tmp_path):
    X, y = labelled(random_table(40))
    model = tanager.NaiveBayesClassifier(parameters="hierarchical").fit(X, y)
    path = tmp_path / "model.json"
    tanager.save_model(model, path)
    text = path.read_text("utf-8")
    start = text.index('"concentrations"')
    one = text.index("[", text.index("[", start) + 1)
    path.write_text(text[: one + 1] + "-1.0, " + text[one + 1 :], "utf-8")
    with pytest.raises(tanager.DataError, match="concentrations"):
        tanager.load_model(path)


def test_joined_attributes_share_the_concentrations_of_their_node():
    random = np.random.default_rng(4)
    a, b = random.integers(0, 2, 300), random.integers(0, 2, 300)
    X = pd.DataFrame({"a": a, "b": b}).astype("category")
    model = tanager.BSEJClassifier(parameters="hierarchical").fit(X, a ^ b)
    assert model.network_.groups == (("a", "b"),)
    assert model.concentrations_["a"] == model.concentrations_["b"]
    assert (model.predict(X) == (a ^ b)).all()


def test_held_out_rows_are_more_probable_than_with_pseudo_rows():
    table = random_table(300, columns=6, arity=4, seed=1, classes=3)
    test = random_table(3000, columns=6, arity=4, seed=2, classes=3)
    likelihood = {}
    for parameters in ("dirichlet", "hierarchical"):
        model, _ = fit(table, "bckg", "ll", parameters, k=2)
        joint = model.log_joint(dataset(test), 1)
        likelihood[parameters] = joint[np.arange(len(joint)), test.classes].mean()
    assert likelihood["hierarchical"] > likelihood["dirichlet"]


def test_compare_takes_it():
    result = tanager.compare(
        [tanager.TANClassifier(parameters="hierarchical"), "tan:parameters=dirichlet"],
        ["iris"],
        cv=3,
        repeats=1,
        progress=False,
    )
    assert len(result.accuracy.columns) == 2
