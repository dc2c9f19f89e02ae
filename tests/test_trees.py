"""Trees by total weight against enumeration; orders and ancestors exactly."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tanager
from bridge import close
from reference import trees
from strategies import weight_matrices


def check_tree(tree, root=None):
    """One root (the given one), every other node below it."""
    assert np.count_nonzero(np.asarray(tree) < 0) == 1
    assert trees.is_forest(list(tree))
    assert root is None or tree[root] == -1


@given(weight_matrices(symmetric=True), st.data())
def test_spanning_trees_have_the_greatest_weight(w, data):
    root = data.draw(st.integers(0, len(w) - 1))
    tree = tanager.maximum_spanning_tree(np.array(w), root=root)
    check_tree(tree, root)
    assert close(trees.weight(tree, w), trees.weight(trees.maximum_spanning_tree(w, root), w))


@given(weight_matrices())
def test_branchings_have_the_greatest_weight(w):
    tree = tanager.maximum_branching(np.array(w))
    check_tree(tree)
    assert close(trees.weight(tree, w), trees.weight(trees.maximum_branching(w), w))


@given(weight_matrices(symmetric=True))
def test_branching_and_spanning_tree_agree_on_symmetric_weights(w):
    tree = tanager.maximum_spanning_tree(np.array(w))
    branching = tanager.maximum_branching(np.array(w))
    assert close(trees.weight(tree, w), trees.weight(branching, w))


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_weights_of_any_size_lose_no_digits(scale):
    random = np.random.default_rng(5)
    for _ in range(20):
        w = random.normal(size=(5, 5)) * scale
        np.fill_diagonal(w, 0)
        best = trees.weight(trees.maximum_branching(w.tolist()), w)
        assert np.isclose(trees.weight(tanager.maximum_branching(w), w), best, rtol=1e-12, atol=0)


def test_a_large_branching_is_never_below_any_rooted_tree():
    random = np.random.default_rng(6)
    w = random.normal(size=(60, 60))
    np.fill_diagonal(w, 0)
    branching = tanager.maximum_branching(w)
    check_tree(branching)
    symmetric = np.maximum(w, w.T)
    bound = trees.weight(tanager.maximum_spanning_tree(symmetric), symmetric)
    greedy = [trees.weight(tanager.maximum_spanning_tree((w + w.T) / 2, root=root), w) for root in range(60)]
    assert max(greedy) <= trees.weight(branching, w) <= bound


@st.composite
def forests(draw):
    """A random tree or forest as a list of parents, its nodes in any order."""
    n = draw(st.integers(1, 9))
    labels = draw(st.permutations(range(n)))
    tree = [-1] * n
    for place in range(1, n):
        parent = draw(st.integers(0, place - 1))
        tree[labels[place]] = labels[parent]
    return tree


@given(forests())
def test_orders_and_ancestors(tree):
    parents = np.array(tree)
    assert tanager.bfs_order(parents).tolist() == trees.bfs_order(tree)
    for node in range(len(tree)):
        assert sorted(tanager.ancestors(parents, node).tolist()) == trees.ancestors(tree, node)
