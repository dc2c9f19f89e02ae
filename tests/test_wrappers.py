"""The searches by cross-validated accuracy against an oracle that refits every candidate from scratch."""

from itertools import pairwise
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import learners, parameters, wrappers
from reference.hierarchical import hierarchical
from reference.posterior import posterior
from reference.structure import from_groups
from reference.table import make_table
from strategies import fold_assignments, tables
from tanager import (
    DataError,
    Dataset,
    FSSClassifier,
    TANHCClassifier,
    _core,
    load_dataset,
)

SEARCHES = {
    "fss": wrappers.forward_selection,
    "fssj": wrappers.forward_selection_and_joining,
    "bsej": wrappers.backward_elimination_and_joining,
}


def dataset(table, weights=None) -> Dataset:
    codes = np.array(table.codes).reshape(table.n_rows, table.n_attributes)
    return Dataset(codes, table.arities, table.classes, table.n_classes, weights=weights)


def fit(table, learner: str, folds, n_jobs: int = 2, settings=(), estimator="laplace", weights=None):
    """Groups and search of the core."""
    folds = np.asarray(folds, dtype=np.uint32)
    model, _ = _core.fit(
        dataset(table, weights),
        learner,
        dict(settings),
        "ll",
        estimator,
        n_jobs,
        None,
        (folds, int(folds.max()) + 1),
    )
    return model, model.search


def check_path(table, learner: str, folds) -> None:
    """The same path, operation by operation, and the same groups."""
    model, (total, start, steps, skipped) = fit(table, learner, folds)
    expected = SEARCHES[learner](table, folds)
    assert (total, start, skipped) == (table.n_rows, expected.start, 0)
    found = [(operation, flat(subject), correct) for operation, subject, correct in steps]
    assert found == [(step.operation, flat(as_lists(step)), step.correct) for step in expected.path]
    assert [tuple(members) for members, _ in model.nodes] == list(expected.groups)
    values = [start, *(correct for _, _, correct in found)]
    assert all(before < after for before, after in pairwise(values))


def as_lists(step) -> list:
    """An oracle's subject as the core writes it: a list of groups."""
    return [part if isinstance(part, tuple) else (part,) for part in step.subject]


def flat(groups) -> list[tuple[int, ...]]:
    return [tuple(group) for group in groups]


@pytest.mark.parametrize("learner", SEARCHES)
@given(st.data(), tables(max_attributes=4, min_rows=4, max_rows=20, huge=False))
@settings(max_examples=40)
def test_paths_equal_refitting(learner, data, table):
    check_path(table, learner, data.draw(fold_assignments(table.n_rows)))


@pytest.mark.parametrize("learner", [*SEARCHES, "tanhc"])
@given(st.data(), tables(max_attributes=4, min_rows=8, max_rows=20, huge=False))
@settings(max_examples=15)
def test_rises_below_epsilon_do_not_count(learner, data, table):
    folds = data.draw(fold_assignments(table.n_rows))
    epsilon = data.draw(st.sampled_from([0.05, 0.1, 2 / table.n_rows, 0.5]))
    _, (_, _, steps, _) = fit(table, learner, folds, settings={"epsilon": epsilon})
    oracle = wrappers.tan_by_hill_climbing if learner == "tanhc" else SEARCHES[learner]
    expected = oracle(table, folds, epsilon=epsilon)
    assert [correct for *_, correct in steps] == [step.correct for step in expected.path]


@pytest.mark.parametrize("superparent", [False, True])
@given(st.data(), tables(max_attributes=4, min_rows=4, max_rows=20, huge=False))
@settings(max_examples=40)
def test_trees_by_hill_climbing_equal_refitting(superparent, data, table):
    folds = data.draw(fold_assignments(table.n_rows))
    model, (total, start, steps, skipped) = fit(table, "tanhc", folds, settings={"superparent": superparent})
    expected = wrappers.tan_by_hill_climbing(table, folds, superparent)
    assert (total, start, skipped) == (table.n_rows, expected.start, 0)
    found = [(operation, flat(subject), correct) for operation, subject, correct in steps]
    assert found == [(step.operation, flat(as_lists(step)), step.correct) for step in expected.path]
    assert [(tuple(members), tuple(parents)) for members, parents in model.nodes] == [
        ((child,), () if parent < 0 else (parent,)) for child, parent in enumerate(expected.groups)
    ]


@pytest.mark.parametrize("superparent", [False, True])
@pytest.mark.parametrize("missing", ["category", "drop", "available"])
def test_trees_by_hill_climbing_with_gaps_and_weights(missing, superparent):
    random = np.random.default_rng(0)
    X = random.integers(0, 3, (200, 4)).astype(object)
    y = (X[:, 0] + X[:, 1]) % 2
    X[random.random(X.shape) < 0.1] = None
    weights = random.integers(0, 3, 200)
    model = TANHCClassifier(missing=missing, superparent=superparent)
    model.fit(X, y.astype(int), sample_weight=weights)
    assert ("x0", "x1") in model.network_.edges or ("x1", "x0") in model.network_.edges
    unseen = model.predict_proba([["new", 1, None, 2]])
    assert np.isfinite(unseen).all()
    assert abs(unseen.sum() - 1) < 1e-12


def test_epsilon_outside_its_range_is_refused():
    for epsilon in (-0.1, 1.0, float("nan")):
        with pytest.raises(DataError, match="epsilon"):
            FSSClassifier(epsilon=epsilon, cv=2).fit([["a"], ["b"]] * 4, [0, 1] * 4)


@given(st.data(), tables(max_attributes=3, min_rows=4, max_rows=12, max_classes=3))
@settings(max_examples=15)
def test_paths_equal_refitting_with_many_values(data, table):
    check_path(table, "fssj", data.draw(fold_assignments(table.n_rows)))


@given(st.data(), tables(max_attributes=3, min_rows=4, max_rows=16, huge=False))
@settings(max_examples=40)
def test_augmented_groups_equal_refitting(data, table):
    folds = data.draw(fold_assignments(table.n_rows))
    stage = data.draw(st.sampled_from(["bsej", "bsej", "fss", "fssj", "ffss", "given"]))
    groups = [(i,) for i in range(0, table.n_attributes, 2)] if stage == "given" else stage
    told = [list(group) for group in groups] if stage == "given" else groups
    model, _ = fit(table, "asb", folds, settings={"alpha": 0.7, "min_cell": 0.5, "groups": told})
    expected = learners.asb(table, folds, 0.7, 0.5, groups=groups)
    assert [tuple(members) for members, _ in model.nodes] == [node.members for node in expected]
    # trees of equal weight may differ by a tie; the trees have the same groups
    found = [bool(parents) for _, parents in model.nodes]
    assert sum(found) == sum(bool(node.parents) for node in expected)
    groups = [tuple(members) for members, _ in model.nodes]
    assert all(tuple(parents) in groups for _, parents in model.nodes if parents)


@pytest.mark.parametrize("name", ["mle", "laplace", "dirichlet", "hierarchical"])
@given(tables(min_attributes=3, max_attributes=4, min_rows=2, max_rows=7, min_classes=2, huge=False))
@settings(max_examples=40)
def test_a_join_of_more_values_than_rows_equals_its_whole_table(name, table):
    """Only the values that occur are kept; the oracle has them all."""
    everything = list(range(table.n_attributes))
    data = dataset(table)
    model, _ = _core.fit(data, "asb", {"groups": [everything]}, "ll", name, 2, None, None)
    kept = model.parts()[3][0]
    assert isinstance(kept, tuple) == (prod(table.arities) > table.n_rows)
    estimate = hierarchical if name == "hierarchical" else getattr(parameters, name)
    expected = parameters.fit(table, from_groups([tuple(everything)]), estimate)
    # Rows that occurred, and one more, which mostly did not.
    rows = [*table.codes, [arity - 1 for arity in table.arities]]
    asked = Dataset(np.array(rows), table.arities)
    found = model.posterior(asked, 1)
    np.testing.assert_allclose(found, [posterior(expected, row) for row in rows], atol=1e-6)
    if name != "hierarchical":  # whose concentrations are found by another optimiser there
        np.testing.assert_allclose(found, [posterior(expected, row) for row in rows], atol=1e-12)


def bundled(name: str, rows: int, columns: int):
    """Some rows and the first columns of a categorical data set."""
    table = load_dataset(name)
    chosen = np.random.default_rng(0).permutation(len(table.y))[:rows]
    X = np.asarray(table.X)[chosen, :columns].astype(str)
    coded = [np.unique(column, return_inverse=True) for column in X.T]
    classes, y = np.unique(np.asarray(table.y)[chosen], return_inverse=True)
    codes = np.column_stack([codes for _, codes in coded])
    return make_table(codes, [len(levels) for levels, _ in coded], y, len(classes))


@pytest.mark.parametrize(
    ("learner", "name", "rows", "columns"),
    [
        ("bsej", "tic-tac-toe", 120, 5),
        ("bsej", "vote", 90, 6),
        ("fssj", "car", 150, 6),
        ("fss", "lymphography", 100, 10),
        ("bsej", "zoo", 60, 5),
    ],
)
def test_paths_on_bundled_data_equal_refitting(learner, name, rows, columns):
    table = bundled(name, rows, columns)
    check_path(table, learner, [row % 5 for row in range(table.n_rows)])


@given(st.data(), tables(max_attributes=3, min_rows=4, max_rows=16, huge=False), st.booleans())
@settings(max_examples=30)
def test_other_parameters_and_weights_equal_refitting(data, table, weighted):
    folds = data.draw(fold_assignments(table.n_rows))
    weights = None
    if weighted:
        drawn = st.lists(st.sampled_from([1.0, 2.0]), min_size=table.n_rows, max_size=table.n_rows)
        weights = np.array(data.draw(drawn))
        # a row of weight 2 is two rows
        chosen = [row for row in range(table.n_rows) for _ in range(int(weights[row]))]
        repeated, folds_repeated = table.rows(chosen), [folds[row] for row in chosen]
    else:
        repeated, folds_repeated = table, folds
    for name, estimate in (("mle", parameters.mle), ("dirichlet", parameters.dirichlet)):
        _, (total, start, steps, _) = fit(table, "fss", folds, estimator=name, weights=weights)
        expected = forward_selection(repeated, folds_repeated, estimate)
        assert total == repeated.n_rows
        assert [start, *(correct for _, _, correct in steps)] == expected


def forward_selection(table, folds, estimate) -> list[int]:
    """The numbers of correct rows along the way of FSS with any estimator."""
    from reference.posterior import predict
    from reference.structure import from_groups

    def correct(groups) -> int:
        count = 0
        for fold in sorted(set(folds)):
            train = [row for row in range(table.n_rows) if folds[row] != fold]
            model = parameters.fit(table.rows(train), from_groups(groups), estimate)
            test = [row for row in range(table.n_rows) if folds[row] == fold]
            count += sum(predict(model, table.codes[row]) == table.classes[row] for row in test)
        return count

    groups, path = (), [correct(())]
    while True:
        unused = [i for i in range(table.n_attributes) if (i,) not in groups]
        values = [correct(wrappers.ordered([*groups, (i,)])) for i in unused]
        if not values or max(values) <= path[-1]:
            return path
        groups = wrappers.ordered([*groups, (unused[values.index(max(values))],)])
        path.append(max(values))
