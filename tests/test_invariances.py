"""What must not matter does not matter: the order of rows, the names of values, the number of threads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tanager
from bridge import close, dataset, fit
from reference import trees
from reference.scores import SCORES
from strategies import tables
from tanager import _core
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
