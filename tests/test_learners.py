"""Naive Bayes and TAN: what is learned is what the oracle finds by trying all trees."""

from math import log
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge import close, fit, structure_of
from reference import trees
from reference.learners import best_tree, naive_bayes
from reference.scores import SCORE_EQUIVALENT, SCORES, edge_weights, network_score
from reference.structure import parent_lists
from reference.table import make_table
from strategies import tables

PLAIN = sorted(set(SCORES) - {"acll"})


def tree_of(model) -> list[int]:
    """The parents of a learned tree, −1 at roots."""
    parents = parent_lists(structure_of(model))
    assert all(len(pi) <= 1 for pi in parents)
    return [pi[0] if pi else -1 for pi in parents]


@given(tables())
def test_naive_bayes_has_no_attribute_parents(table):
    model, score = fit(table, "nb")
    assert structure_of(model) == naive_bayes(table)
    assert score is None


@pytest.mark.parametrize("name", PLAIN)
@settings(max_examples=25)
@given(table=tables(max_attributes=5, max_rows=16))
def test_tan_is_optimal_for_every_score(name, table):
    model, score = fit(table, "tan", name)
    tree = tree_of(model)
    assert tree.count(-1) == 1
    assert trees.is_forest(tree)
    w = edge_weights(table, SCORES[name])
    assert close(trees.weight(tree, w), trees.weight(best_tree(table, SCORES[name]), w))
    assert close(score, network_score(table, parent_lists(structure_of(model)), SCORES[name]))
    if name in SCORE_EQUIVALENT:
        assert tree[0] == -1


@given(tables(max_attributes=5, max_rows=16), st.sampled_from(PLAIN), st.data())
def test_a_given_root_is_kept_and_the_rest_is_optimal(table, name, data):
    root = data.draw(st.integers(0, table.n_attributes - 1))
    tree = tree_of(fit(table, "tan", name, root=root)[0])
    assert tree[root] == -1
    assert tree.count(-1) == 1
    w = edge_weights(table, SCORES[name])
    assert close(trees.weight(tree, w), trees.weight(best_tree(table, SCORES[name], root), w))


@given(tables(max_attributes=5, max_rows=16), st.sampled_from(PLAIN))
def test_a_forest_has_only_edges_that_gain(table, name):
    tree = tree_of(fit(table, "tan", name, forest=True)[0])
    assert trees.is_forest(tree)
    w = edge_weights(table, SCORES[name])
    assert all(w[parent][node] > -1e-9 for node, parent in enumerate(tree) if parent >= 0)
    if name in SCORE_EQUIVALENT:
        assert close(trees.weight(tree, w), trees.weight(best_tree(table, SCORES[name], forest=True), w))


def chain_table(rows=60, columns=4, seed=3):
    """Each column mostly copies the one before."""
    random = Random(seed)
    codes = []
    for _ in range(rows):
        row = [random.randrange(2)]
        while len(row) < columns:
            row.append(row[-1] if random.random() < 0.8 else random.randrange(2))
        codes.append(row)
    return make_table(codes, [2] * columns, [random.randrange(2) for _ in range(rows)], 2)


@pytest.mark.parametrize("equivalent", [True, False])
def test_a_callable_score_learns_what_the_named_one_learns(equivalent):
    table = chain_table()

    def bic(counts):
        ll = sum(n * log(n / sum(row)) for row in counts for n in row if n > 0)
        return ll - 0.5 * log(table.n_rows) * counts.shape[0] * (counts.shape[1] - 1)

    bic.score_equivalent = equivalent
    _, by_name = fit(table, "tan", "bic")
    model, by_call = fit(table, "tan", bic)
    assert close(by_call, by_name)
    assert not equivalent or tree_of(model) == [-1, 0, 1, 2]
