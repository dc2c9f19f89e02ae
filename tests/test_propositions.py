"""What the papers of k-graphs prove about them, by counting all graphs of small trees."""

from itertools import combinations, product
from math import comb

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge import fit, structure_of
from reference.structure import from_parents, is_acyclic, parent_lists
from reference.trees import all_trees
from strategies import tables
from tanager import BCkGClassifier, ancestors, bfs_order
from test_learners import tree_of

TREES = [(n, list(tree)) for n in (2, 3, 4) for tree in all_trees(n)]


def subsets(candidates, k: int) -> list[tuple[int, ...]]:
    """All sets of at most k."""
    return [chosen for size in range(k + 1) for chosen in combinations(sorted(candidates), size)]


def consistent(tree: list[int], k: int, breadth_first: bool) -> list[tuple[tuple[int, ...], ...]]:
    """Every k-graph whose parents are ancestors in the tree, or before in its breadth-first order."""
    n = len(tree)
    order = bfs_order(np.array(tree)).tolist()
    before = [
        order[: order.index(node)] if breadth_first else ancestors(np.array(tree), node).tolist()
        for node in range(n)
    ]
    return list(product(*(subsets(candidates, k) for candidates in before)))


def is_tree(parents) -> bool:
    """One root, every other node one parent."""
    return sorted(map(len, parents)) == [0] + [1] * (len(parents) - 1)


def is_polytree(parents) -> bool:
    """Without its directions it has no cycle."""
    edges = [(parent, child) for child, of in enumerate(parents) for parent in of]
    graph = networkx.Graph(edges)
    return not edges or networkx.is_forest(graph)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_proposition_2_counts_the_graphs_of_a_breadth_first_order(k):
    """Carvalho, Oliveira and Sagot: at least 2^(nk − k²/2 − k/2 − 1) of them are no trees, for n ≥ k."""
    for n, tree in TREES:
        if n >= k:
            graphs = consistent(tree, k, breadth_first=True)
            others = sum(not is_tree(graph) for graph in graphs)
            assert others >= 2 ** (n * k - k * k / 2 - k / 2 - 1), (tree, k)
            # Of each size there are as many sets as one can choose from those before.
            sizes = [sum(comb(place, size) for size in range(k + 1)) for place in range(n)]
            assert len(graphs) == np.prod(sizes)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_proposition_3_3_counts_the_graphs_consistent_with_a_tree(k):
    """Carvalho and Oliveira: at least 2^(n−1) − 1 of them are no trees."""
    for n, tree in TREES:
        graphs = consistent(tree, k, breadth_first=False)
        assert sum(not is_tree(graph) for graph in graphs) >= 2 ** (n - 1) - 1
        assert set(graphs) <= set(consistent(tree, k, breadth_first=True))
        assert all(is_acyclic(from_parents(graph)) for graph in graphs)


def test_figure_1_trees_polytrees_and_consistent_graphs():
    """Carvalho and Oliveira: polytrees include trees and meet the consistent graphs."""
    for n, tree in TREES:
        graphs = consistent(tree, 2, breadth_first=False)
        own = tuple((parent,) if parent >= 0 else () for parent in tree)
        assert own in graphs
        assert is_polytree(own)
        # Turned around, an arc of the tree is a polytree that is not consistent with it.
        child = next(node for node, parent in enumerate(tree) if parent >= 0)
        turned = [()] * n
        turned[tree[child]] = (child,)
        assert is_polytree(turned)
        assert tuple(turned) not in graphs
        deep = any(len(ancestors(np.array(tree), node)) >= 2 for node in range(n))
        # Two ancestors may both be parents: with the arc between them there is a cycle, without it none.
        assert any(not is_polytree(graph) for graph in graphs) == deep
        assert any(is_polytree(graph) and max(map(len, graph)) == 2 for graph in graphs) == deep


@settings(max_examples=25)
@given(tables(min_attributes=2, max_attributes=4, max_rows=16, huge=False), st.integers(1, 2))
def test_what_is_learned_is_one_of_them(table, k):
    tree = tree_of(fit(table, "tan", "bdeu")[0])
    for learner, breadth_first in (("ckg", False), ("bckg", True)):
        parents = parent_lists(structure_of(fit(table, learner, "bdeu", k=k)[0]))
        assert tuple(tuple(sorted(of)) for of in parents) in consistent(tree, k, breadth_first)


@pytest.mark.parametrize("k", [1, 2])
def test_theorem_2_bounds_the_families_that_are_scored(k):
    """O(n^(k+1)): beside the pairs of the tree at most every set of at most k before each attribute."""
    rng = np.random.default_rng(k)
    for n in (4, 6):
        X, y = rng.integers(0, 2, (60, n)).astype(str), rng.integers(0, 2, 60)
        calls = []

        def score(counts, calls=calls):
            calls.append(counts.shape)
            return -float(counts.shape[0])

        BCkGClassifier(k=k, score=score, n_jobs=1).fit(X, y)
        sets = sum(comb(place, size) for place in range(n) for size in range(k + 1))
        pairs, again = (
            n * n + n,
            2 * n + 1,
        )  # the tree's weights, and the chosen families and the class once more
        assert len(calls) <= sets + pairs + again
        assert sets <= n ** (k + 1)
