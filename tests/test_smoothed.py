"""Trees by mutual information of smoothed probabilities, against loops over all values."""

from itertools import product
from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge import close, fit, structure_of
from reference import trees
from reference.counts import family_counts
from reference.learners import ckg
from reference.scores import SCORES, network_score
from reference.structure import parent_lists
from reference.table import CLASS
from strategies import tables
from tanager import CkGClassifier, TANClassifier, TreeDensity
from tanager.exceptions import DataError
from test_learners import tree_of


def smoothed_information(table, i: int, j: int, alpha: float) -> float:
    """Σ P(x, y | c) P(c) ln [P(x, y | c) / (P(x | c) P(y | c))], every probability smoothed on its own."""
    s, r_i, r_j = table.n_classes, table.arities[i], table.arities[j]
    counts = family_counts(table, j, [CLASS, i]).reshape(s, r_i, r_j)
    total = 0.0
    for c, x, y in product(range(s), range(r_i), range(r_j)):
        n_c = counts[c].sum()
        p_xy = (counts[c, x, y] + alpha) / (n_c + alpha * r_i * r_j)
        p_x = (counts[c, x].sum() + alpha) / (n_c + alpha * r_i)
        p_y = (counts[c, :, y].sum() + alpha) / (n_c + alpha * r_j)
        p_c = (n_c + alpha) / (counts.sum() + alpha * s)
        total += p_xy * p_c * log(p_xy / (p_x * p_y))
    return total


@settings(max_examples=30)
@given(tables(max_attributes=5, max_rows=20, huge=False), st.sampled_from([0.5, 1.0, 3.0]), st.data())
def test_the_tree_has_the_most_smoothed_information(table, alpha, data):
    n = table.n_attributes
    root = data.draw(st.one_of(st.none(), st.integers(0, n - 1)))
    w = [[0.0 if i == j else smoothed_information(table, i, j, alpha) for j in range(n)] for i in range(n)]
    model, score = fit(table, "tan", "k2", smoothed=alpha, root=root)
    tree = tree_of(model)
    assert tree[root or 0] == -1
    best = trees.maximum_branching(w, root or 0)
    assert close(trees.weight(tree, w), trees.weight(best, w))
    assert close(score, network_score(table, parent_lists(structure_of(model)), SCORES["k2"]))
    graph, _ = fit(table, "ckg", "bic", smoothed=alpha, root=root, k=2)
    assert structure_of(graph) == ckg(table, 2, SCORES["bic"], tree=tree)


def test_it_is_a_setting_of_trees_and_k_graphs():
    X = [["a", "a", "x"], ["b", "b", "y"], ["a", "a", "y"], ["b", "b", "x"]] * 5
    y = [0, 0, 1, 1] * 5
    assert TANClassifier(smoothed=1.0).fit(X, y).network_.parents["x1"] == ("x0",)
    assert TreeDensity(smoothed=1.0).fit(X).network_.parents["x1"] == ("x0",)
    for kind in (TANClassifier, CkGClassifier):
        with pytest.raises(DataError, match="smoothed = -1"):
            kind(smoothed=-1.0).fit(X, y)
