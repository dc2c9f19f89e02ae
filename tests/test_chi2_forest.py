"""Forests of significant dependences, and the learners made of them, against the oracle and scipy."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from reference import chi2, learners
from reference.table import make_table
from strategies import tables
from tanager import (
    ColumnError,
    DataError,
    Dataset,
    FFSSClassifier,
    STANClassifier,
    _core,
    chi2_forest,
    edge_weights,
    maximum_spanning_tree,
)


def dataset(table) -> Dataset:
    codes = np.array(table.codes).reshape(table.n_rows, table.n_attributes)
    return Dataset(codes, table.arities, table.classes, table.n_classes)


def roots(tree) -> list[int]:
    """The root of each node's tree."""

    def root(node: int) -> int:
        return node if tree[node] < 0 else root(int(tree[node]))

    return [root(node) for node in range(len(tree))]


def check_forest(table, tree, groups, alpha: float, min_cell: float) -> None:
    """As heavy as the oracle's, over edges that pass, joining the same groups, rooted at the lowest."""
    expected = chi2.forest(table, groups, alpha, min_cell)
    assert roots(tree) == roots(expected)

    def weight(forest) -> float:
        pairs = [(groups[parent], groups[i]) for i, parent in enumerate(forest) if parent >= 0]
        return sum(chi2.conditional_mutual_information(table, *pair) for pair in pairs)

    assert weight(tree) == pytest.approx(weight(expected), abs=1e-9)
    for i, parent in enumerate(tree):
        if parent >= 0:
            assert chi2.groups_given_class(table, groups[parent], groups[i], min_cell).dependent(alpha)


levels = st.sampled_from([0.01, 0.2, 0.7, 1.0])
cells = st.sampled_from([0.0, 0.5, 2.0])


@given(tables(max_attributes=5, max_rows=40, with_class=None, huge=False), levels, cells)
def test_forest_of_attributes(table, alpha, min_cell):
    groups = [(i,) for i in range(table.n_attributes)]
    check_forest(table, chi2_forest(dataset(table), alpha=alpha, min_cell=min_cell), groups, alpha, min_cell)


@given(st.data(), tables(min_attributes=3, max_attributes=5, max_rows=30, huge=False), levels, cells)
def test_forest_of_groups(data, table, alpha, min_cell):
    # each attribute in one of three groups, or in none
    homes = data.draw(st.lists(st.integers(0, 3), min_size=table.n_attributes, max_size=table.n_attributes))
    groups = [tuple(i for i, home in enumerate(homes) if home == number) for number in range(3)]
    groups = [group for group in groups if group]
    tree = chi2_forest(dataset(table), groups, alpha, min_cell)
    check_forest(table, tree, groups, alpha, min_cell)


@given(tables(max_attributes=5, min_rows=4, max_rows=40, huge=False), levels, cells)
def test_selected_attributes_are_those_of_the_filter(table, alpha, min_cell):
    settings = {"alpha": alpha, "min_cell": min_cell, "select": True}
    model, _ = _core.fit(dataset(table), "stan", settings, "ll", "laplace", 1)
    expected = learners.stan(table, alpha, min_cell, select=True)
    assert [tuple(members) for members, _ in model.nodes] == [node.members for node in expected]
    groups = [tuple(members) for members, _ in model.nodes]
    assume(groups)
    tree = [groups.index(tuple(parents)) if parents else -1 for _, parents in model.nodes]
    check_forest(table, tree, groups, alpha, min_cell)


def test_p_values_are_scipys():
    random = np.random.default_rng(1)
    for rows, strength in ((60, 0.1), (300, 0.3), (800, 0.4), (900, 0.6)):
        classes = random.integers(0, 3, rows)
        first = random.integers(0, 4, rows)
        second = np.where(random.random(rows) < strength, first % 3, random.integers(0, 3, rows))
        table = make_table(np.column_stack([first, second]), [4, 3], classes, 3)
        p = chi2.groups_given_class(table, (0,), (1,), 0.0).p_value
        assert 0 < p < 1
        for factor, parent in ((1 - 1e-10, -1), (1 + 1e-10, 0)):
            assert chi2_forest(dataset(table), alpha=p * factor, min_cell=0.0).tolist() == [-1, parent]


@given(tables(min_attributes=2, max_attributes=5, min_rows=5, max_rows=40, huge=False))
def test_without_a_threshold_it_is_the_tree_of_tan(table):
    data = dataset(table)
    weights = edge_weights(data, "ll")
    tree = chi2_forest(data, alpha=1.0, min_cell=0.0)
    expected = maximum_spanning_tree(weights)
    assert (tree < 0).sum() == 1

    def total(parents) -> float:
        return sum(weights[parent, i] for i, parent in enumerate(parents) if parent >= 0)

    assert total(tree) == pytest.approx(total(expected), abs=1e-9)
    chosen = [weights[i, j] for i, j in combinations(range(len(tree)), 2)]
    if all(abs(a - b) > 1e-9 for a, b in combinations(chosen, 2)):
        assert tree.tolist() == expected.tolist()


def test_forest_is_the_same_for_any_number_of_threads():
    random = np.random.default_rng(2)
    data = Dataset(random.integers(0, 3, (200, 12)), [3] * 12, random.integers(0, 2, 200), 2)
    one, two = (chi2_forest(data, alpha=0.5, n_jobs=jobs).tolist() for jobs in (1, 2))
    assert one == two


def test_impossible_forests_are_refused():
    data = Dataset([[0, 1], [1, 0]], [2, 2])
    for alpha in (0.0, -0.1, 1.5, float("nan")):
        with pytest.raises(DataError, match="alpha"):
            chi2_forest(data, alpha=alpha)
    with pytest.raises(DataError, match="min_cell"):
        chi2_forest(data, min_cell=-1.0)
    with pytest.raises(ColumnError, match="no column"):
        chi2_forest(data, [[0], [2]])
    with pytest.raises(ColumnError, match="no column"):
        chi2_forest(data, [[0], [-1]])
    with pytest.raises(DataError, match="two groups"):
        chi2_forest(data, [[0], [1, 0]])
    with pytest.raises(DataError, match="no members"):
        chi2_forest(data, [[0], []])


def frame(table) -> list[list[str]]:
    return [[f"v{code}" for code in row] for row in table.codes]


def seen_table(table):
    """The table with the domains that an estimator learns from its rows."""
    codes = np.array(table.codes).reshape(table.n_rows, table.n_attributes)
    columns = [np.unique(column, return_inverse=True) for column in codes.T]
    values, classes = np.unique(table.classes, return_inverse=True)
    recoded = np.column_stack([inverse for _, inverse in columns])
    return make_table(recoded, [len(levels) for levels, _ in columns], classes, len(values))


@given(tables(max_attributes=5, min_rows=8, max_rows=40, min_classes=2, huge=False), levels, cells)
def test_estimators_agree_with_the_oracle(table, alpha, min_cell):
    table = seen_table(table)
    assume(table.n_classes > 1)
    kept = FFSSClassifier(alpha, min_cell=min_cell).fit(frame(table), table.classes)
    expected = learners.ffss(table, alpha, min_cell)
    assert kept.network_.groups == tuple((f"x{node.members[0]}",) for node in expected)
    assert kept.predict(frame(table)).shape == (table.n_rows,)
    model = STANClassifier(alpha, min_cell=min_cell).fit(frame(table), table.classes)
    tree = [int(parents[0][1:]) if parents else -1 for parents in model.network_.parents.values()]
    check_forest(table, tree, [(i,) for i in range(table.n_attributes)], alpha, min_cell)


def test_random_roots_turn_the_same_forest():
    rows = [[a, a, b, b] for a in "xy" for b in "pq"] * 20
    y = [index // 4 % 2 for index in range(len(rows))]
    lowest = STANClassifier().fit(rows, y)
    assert lowest.network_.edges == [("x0", "x1"), ("x2", "x3")]
    seen = set()
    for seed in range(12):
        model = STANClassifier(roots="random", random_state=seed).fit(rows, y)
        assert {frozenset(edge) for edge in model.network_.edges} == {
            frozenset(edge) for edge in lowest.network_.edges
        }
        assert np.allclose(model.predict_proba(rows), lowest.predict_proba(rows), atol=0.02)
        seen.add(tuple(model.network_.edges))
    assert len(seen) == 4


@pytest.mark.parametrize("classifier", [STANClassifier, FFSSClassifier])
def test_bad_levels_are_refused(classifier):
    for alpha in (0.0, 1.01):
        with pytest.raises(DataError, match="alpha"):
            classifier(alpha=alpha).fit([["a"], ["b"]], [0, 1])
