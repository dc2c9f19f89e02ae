"""k-dependence classifiers equal the oracle."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tanager
from bridge import dataset, fit, frame, structure_of
from reference import kdb as reference
from reference.table import make_table
from strategies import tables
from tanager import _core

SELECTIONS = ["log_loss", "rmse", "zero_one"]


@settings(max_examples=25)
@given(tables(max_attributes=5, max_rows=20), st.integers(0, 4), st.sampled_from(["conditional", "residual"]))
def test_structures_equal_the_oracle(table, k, information):
    model, score = fit(table, "kdb", k=k, information=information)
    assert structure_of(model) == reference.kdb(table, k, residual=information == "residual")
    assert score is None


@settings(max_examples=20)
@given(tables(max_attributes=4, max_rows=20, missing=True), st.integers(1, 3))
def test_gaps_count_where_both_are_known(table, k):
    assert structure_of(fit(table, "kdb", k=k)[0]) == reference.kdb(table, k)


@pytest.mark.parametrize("selection", SELECTIONS)
@settings(max_examples=10)
@given(table=tables(max_attributes=3, max_rows=8, huge=False), k=st.integers(0, 2))
def test_selections_equal_the_oracle(selection, table, k):
    model, _ = fit(table, "kdb", k=k, selective=True, selection=selection)
    assert structure_of(model) == reference.kdb(table, k, True, selection)


@pytest.mark.parametrize("selection", SELECTIONS)
@settings(max_examples=6)
@given(table=tables(max_attributes=3, max_rows=8, huge=False, missing=True), data=st.data())
def test_selections_with_gaps_and_weights_equal_the_oracle(selection, table, data):
    weight = st.sampled_from([0.5, 1.0, 2.0, 3.25])
    weights = data.draw(st.lists(weight, min_size=table.n_rows, max_size=table.n_rows))
    table = table._replace(weights=weights)
    model, _ = fit(table, "kdb", k=2, selective=True, selection=selection)
    assert structure_of(model) == reference.kdb(table, 2, True, selection)


def test_the_row_that_is_left_out_is_missing_from_the_number_of_rows_too():
    """By hand: P^{-t}(c) with N - 1 = 3 rows for every class. Nothing errs 4 times, x0 twice."""
    X, y = [["a"], ["b"], ["b"], ["a"]], [0, 1, 1, 2]
    model = tanager.KDBClassifier(k=0, selective=True, selection="zero_one").fit(X, y)
    assert model.network_.nodes == ("x0",)
    X = np.array([list("bbbabbbb")], dtype=object).T
    assert tanager.KDBClassifier(k=0, selective=True).fit(X, [0, 0, 1, 2, 0, 2, 1, 1]).network_.nodes == (
        "x0",
    )


def noisy_copies(rows=200, copies=3, noise=3, seed=0):
    """A class, attributes that copy it with errors, and attributes that say nothing."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, rows)
    told = [np.where(random.random(rows) < 0.2, 1 - y, y) for _ in range(copies)]
    silent = [random.integers(0, 3, rows) for _ in range(noise)]
    return make_table(np.column_stack([*silent, *told]), [3] * noise + [2] * copies, y, 2)


def test_what_says_nothing_is_left_out():
    table = noisy_copies()
    model, _ = fit(table, "kdb", k=2, selective=True)
    assert [node.members[0] for node in structure_of(model)] == [3, 4, 5]
    assert all(not node.parents for node in structure_of(model))


def test_many_attributes_stay_in_range():
    """Products of hundreds of ratios leave the range of numbers: sums of logarithms do not."""
    random = np.random.default_rng(1)
    y = np.arange(20) % 2
    columns = [np.where(random.random(20) < 0.05, 1 - y, y) * 60 for _ in range(300)]
    table = make_table(np.column_stack(columns), [64] * 300, y, 2)
    order, parents = reference.order_and_parents(table, 0)

    def joints(attributes):
        rows = range(table.n_rows)
        return [reference.leave_one_out_joint(table, row, order[:attributes], parents) for row in rows]

    everything = joints(300)
    assert max(abs(joint[0] - joint[1]) for joint in everything) > 800
    for selection in SELECTIONS:
        found = len(structure_of(fit(table, "kdb", k=0, selective=True, selection=selection)[0]))
        expected = {
            a: sum(map(reference.loss_of, joint, table.classes, [selection] * table.n_rows))
            for a, joint in ((found, joints(found)), (300, everything))
        }
        assert expected[found] <= expected[300] + 1e-9


@pytest.mark.parametrize("selective", [False, True])
def test_folds_counted_once_equal_a_fit_of_the_training_rows(selective):
    table = noisy_copies(150, 3, 2)
    chosen = {"k": 2, "selective": selective}
    folds = np.arange(table.n_rows, dtype=np.uint32) % 3
    found = _core.cross_validate(dataset(table), folds, 3, "kdb", chosen, "ll", "hierarchical", 1)
    for fold in range(3):
        training = table.rows([row for row in range(table.n_rows) if row % 3 != fold])
        held_out = table.rows([row for row in range(table.n_rows) if row % 3 == fold])
        model, _ = fit(training, "kdb", "ll", "hierarchical", **chosen)
        assert np.array_equal(found[fold], model.posterior(dataset(held_out), 1))


def test_any_number_of_threads_gives_the_same():
    table = noisy_copies(3000)
    for settings_ in ({"selective": True}, {"information": "residual"}):
        one, two = (fit(table, "kdb", "ll", "hierarchical", n_jobs=jobs, **settings_)[0] for jobs in (1, 2))
        assert one.nodes == two.nodes
        assert one.concentrations == two.concentrations


def test_repeated_rows_are_whole_weights():
    table = noisy_copies(80)
    weights = [row % 3 for row in range(table.n_rows)]
    repeated = table.rows([row for row, weight in enumerate(weights) for _ in range(weight)])
    weighted = table._replace(weights=[float(weight) for weight in weights])
    assert fit(weighted, "kdb", k=2)[0].nodes == fit(repeated, "kdb", k=2)[0].nodes


def test_the_residual_finds_what_the_class_explains_away():
    random = np.random.default_rng(3)
    a, b = random.integers(0, 2, 500), random.integers(0, 2, 500)
    y = np.where(random.random(500) < 0.3, 1 - (a ^ b), a ^ b)
    copy = np.where(random.random(500) < 0.1, 1 - a, a)
    X = pd.DataFrame({"a": a, "b": b, "copy": copy}).astype("category")
    for information, partner in (("conditional", {"a", "copy"}), ("residual", {"a", "b"})):
        model = tanager.KDBClassifier(k=1, information=information).fit(X, y)
        assert partner in [set(edge) for edge in model.network_.edges]


def test_settings_are_checked():
    X, y = frame(noisy_copies(40)), noisy_copies(40).classes
    with pytest.raises(tanager.DataError, match="selection"):
        tanager.KDBClassifier(selective=True, selection="accuracy").fit(X, y)
    with pytest.raises(tanager.DataTypeError, match="selective"):
        tanager.KDBClassifier(selective="yes").fit(X, y)
    with pytest.raises(tanager.DataError, match="k = -1"):
        tanager.KDBClassifier(k=-1).fit(X, y)


def test_tables_that_do_not_fit_are_refused_with_their_sizes():
    random = np.random.default_rng(0)
    table = make_table(random.integers(0, 50, (60, 8)), [50] * 8, random.integers(0, 2, 60), 2)
    limit = _core.memory_limit()
    _core.set_memory_limit(1 << 21)
    try:
        with pytest.raises(tanager.CapacityError, match=r"given .* cells"):
            fit(table, "kdb", k=4)
        with pytest.raises(tanager.CapacityError, match="selection among 8 columns with up to 4 parents"):
            fit(table, "kdb", k=4, selective=True)
    finally:
        _core.set_memory_limit(limit)


def test_models_are_saved_and_compared(tmp_path):
    table = noisy_copies(120)
    X, y = frame(table), table.classes
    model = tanager.KDBClassifier(selective=True, selection="rmse", information="residual").fit(X, y)
    tanager.save_model(model, tmp_path / "model.json")
    loaded = tanager.load_model(tmp_path / "model.json")
    assert loaded.get_params() == model.get_params()
    assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))
    unseen = X.copy()
    unseen.iloc[0, 3] = None
    assert np.isfinite(model.predict_log_proba(unseen)).all()
    result = tanager.compare(
        ["kdb", "kdb:k=1,selective=true"], ["iris", "car"], cv=2, repeats=1, progress=False
    )
    assert len(result.accuracy.columns) == 2
