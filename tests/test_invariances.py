"""What must not matter does not matter: the order of rows, the names of values, the number of threads."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tanager
from bridge import close, dataset, fit
from reference import trees
from reference.scores import SCORES
from strategies import tables
from tanager import _core
from tanager.estimators import CLASSIFIERS
from test_learners import tree_of

PLAIN = sorted(set(SCORES) - {"acll"})


@given(tables(with_class=None), st.sampled_from(PLAIN), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(table, name, random):
    order = list(range(table.n_rows))
    random.shuffle(order)
    there, back = dataset(table), dataset(table.rows(order))
    assert np.array_equal(tanager.edge_weights(there, name), tanager.edge_weights(back, name))


@given(tables(with_class=None, huge=False), st.sampled_from(PLAIN), st.data())
def test_the_names_of_values_do_not_matter(table, name, data):
    renamed = [data.draw(st.permutations(range(arity))) for arity in table.arities]
    codes = [[renamed[i][code] for i, code in enumerate(row)] for row in table.codes]
    classes = table.classes
    if classes is not None:
        new = data.draw(st.permutations(range(table.n_classes)))
        classes = [new[c] for c in classes]
    other = table._replace(codes=codes, classes=classes)
    assert close(tanager.edge_weights(dataset(table), name), tanager.edge_weights(dataset(other), name))


@given(tables(with_class=None, min_attributes=2), st.sampled_from(PLAIN), st.data())
def test_the_order_of_columns_does_not_matter(table, name, data):
    order = data.draw(st.permutations(range(table.n_attributes)))
    other = table._replace(
        codes=[[row[i] for i in order] for row in table.codes], arities=[table.arities[i] for i in order]
    )
    expected = tanager.edge_weights(dataset(table), name)[np.ix_(order, order)]
    assert close(tanager.edge_weights(dataset(other), name), expected)


@given(tables(max_attributes=5), st.sampled_from(PLAIN))
def test_the_branching_is_never_below_the_tree_of_any_root(table, name):
    w = tanager.edge_weights(dataset(table), name)
    best = trees.weight(tanager.maximum_branching(w), w)
    for root in range(table.n_attributes):
        tree = tree_of(fit(table, "tan", name, root=root)[0])
        assert trees.weight(tree, w) <= best + 1e-9 * max(1.0, abs(best))


def random_table(rows=3000, columns=12, values=3, classes=3, seed=0):
    """Codes and classes with some dependence between neighbouring columns."""
    random = np.random.default_rng(seed)
    y = random.integers(0, classes, rows)
    x = random.integers(0, values, (rows, columns))
    for i in range(1, columns):
        copy = random.random(rows) < 0.5
        x[copy, i] = (x[copy, i - 1] + y[copy]) % values
    return x, y


@pytest.mark.parametrize("name", PLAIN)
def test_the_number_of_threads_does_not_matter(name):
    x, y = random_table()
    data = tanager.Dataset(x, [3] * x.shape[1], y, 3)
    found = []
    for jobs in (1, 2, 7):
        model, score = _core.fit(data, "tan", {}, name, "dirichlet", jobs)
        weights = tanager.edge_weights(data, name, n_jobs=jobs)
        found.append((model.nodes, score, weights, model.log_posterior(data, jobs)))
    for nodes, score, weights, posterior in found[1:]:
        assert nodes == found[0][0]
        assert score == found[0][1]
        assert np.array_equal(weights, found[0][2])
        assert np.array_equal(posterior, found[0][3])


def test_the_order_of_rows_does_not_change_a_model():
    x, y = random_table()
    order = np.random.default_rng(1).permutation(len(y))
    there = tanager.Dataset(x, [3] * x.shape[1], y, 3)
    back = tanager.Dataset(x[order], [3] * x.shape[1], y[order], 3)
    models = [_core.fit(data, "tan", {}, "ll", "dirichlet")[0] for data in (there, back)]
    assert models[0].nodes == models[1].nodes
    assert np.array_equal(models[0].posterior(there), models[1].posterior(there))


def learnable(rows=90, seed=3):
    """Columns that are far from ties: no two arcs have the same weight."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 3, rows)
    x = np.column_stack(
        [
            (y + random.integers(0, 2, rows)) % 3,
            random.integers(0, 3, rows),
            np.where(random.random(rows) < 0.7, y, random.integers(0, 4, rows)),
            random.integers(0, 2, rows),
        ]
    )
    x[:, 1] = np.where(random.random(rows) < 0.6, (x[:, 0] + y) % 3, x[:, 1])
    return x.astype(np.int64), y


def made(name, **settings):
    """A learner as it is by default, with fewer of what takes long."""
    fewer = {"refined": {"structure": "kdb", "ridge": 1.0}}.get(name, {})
    return CLASSIFIERS[name](**(fewer | settings))


@pytest.fixture(params=CLASSIFIERS)
def learner(request):
    return request.param


#: These deal the rows out to folds by their position, so that the order of rows changes what is chosen.
BY_FOLDS = {"fss", "fssj", "bsej", "asb", "tanhc"}
#: These see columns in their order: a greedy search takes the first of equal ones, an order search
#: begins from random orders, and levels of a tree are searched one after another.
BY_POSITION = {"fssj", "bsej", "asb", "order", "bckg"}


def test_the_order_of_rows_changes_no_learner(learner):
    x, y = learnable()
    order = np.random.default_rng(0).permutation(len(y))
    there, back = made(learner).fit(x, y), made(learner).fit(x[order], y[order])
    if learner not in BY_FOLDS:
        assert there.network_.parents == back.network_.parents
        np.testing.assert_allclose(back.predict_proba(x), there.predict_proba(x), rtol=1e-6, atol=1e-9)
    np.testing.assert_array_equal(there.predict_proba(x)[order], there.predict_proba(x[order]))


def test_the_order_of_columns_changes_no_learner(learner):
    x, y = learnable()
    frame = pd.DataFrame(x, columns=list("abcd"))
    order = list("cadb")
    there = made(learner).fit(frame, y)
    # By name, whatever the order in which they come.
    np.testing.assert_array_equal(there.predict_proba(frame[order]), there.predict_proba(frame))
    if learner not in BY_POSITION | BY_FOLDS:
        root = {"root": "a"} if "root" in there.get_params() else {}
        there, back = made(learner, **root).fit(frame, y), made(learner, **root).fit(frame[order], y)
        np.testing.assert_allclose(
            back.predict_proba(frame), there.predict_proba(frame), rtol=1e-6, atol=1e-9
        )


def test_a_weight_of_two_is_a_row_twice(learner):
    x, y = learnable()
    weights = np.where(np.arange(len(y)) % 3 == 0, 2.0, 1.0)
    twice = np.repeat(np.arange(len(y)), weights.astype(int))
    # Where folds are chosen by rows, both copies of a row are given to the same fold.
    folds = np.arange(len(y)) % 3
    splits = [(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in range(3)]
    copied = [(np.flatnonzero(folds[twice] != k), np.flatnonzero(folds[twice] == k)) for k in range(3)]
    parameters = made(learner).get_params()
    by_cv = "cv" in parameters and learner != "refined"
    weighted = made(learner, **({"cv": splits} if by_cv else {})).fit(x, y, sample_weight=weights)
    doubled = made(learner, **({"cv": copied} if by_cv else {})).fit(x[twice], y[twice])
    assert weighted.network_.parents == doubled.network_.parents
    np.testing.assert_allclose(weighted.predict_proba(x), doubled.predict_proba(x), rtol=1e-6, atol=1e-8)


def test_a_row_alone_is_as_in_its_table(learner):
    x, y = learnable()
    model = made(learner).fit(x, y)
    table = np.vstack([x, x + 100]).astype(object)
    table[::5, 1] = None
    whole = model.predict_proba(table)
    for row in range(0, len(table), 9):
        np.testing.assert_array_equal(model.predict_proba(table[row : row + 1])[0], whole[row])


def test_threads_change_no_bit_of_any_learner(learner):
    x, y = learnable(400)
    one, two, eight = (made(learner, n_jobs=jobs).fit(x, y).predict_proba(x) for jobs in (1, 2, 8))
    assert one.tobytes() == two.tobytes() == eight.tobytes()


def test_a_saved_model_is_the_same(learner, tmp_path):
    x, y = learnable()
    model = made(learner).fit(x, y)
    tanager.save_model(model, tmp_path / "model.json")
    read = tanager.load_model(tmp_path / "model.json")
    assert read.network_.parents == model.network_.parents
    assert read.predict_proba(x).tobytes() == model.predict_proba(x).tobytes()


def test_narrow_and_wide_integers_are_the_same(learner):
    x, y = learnable()
    x = np.choose(x, [-128, -1, 0, 127])
    wide = made(learner).fit(x, y).predict_proba(x)
    for kind in (np.int8, np.int16, np.int32):
        model = made(learner).fit(x.astype(kind), y.astype(kind))
        assert model.predict_proba(x.astype(kind)).tobytes() == wide.tobytes()
        assert model.predict_proba(x).tobytes() == wide.tobytes()
