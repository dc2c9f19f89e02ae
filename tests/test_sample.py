"""Classifiers as joint distributions: rows drawn from them follow them, and their parameters are counted."""

from itertools import product
from math import prod

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2
from sklearn.base import clone

from tanager import (
    ASBClassifier,
    BCkGClassifier,
    BSEJClassifier,
    DataError,
    FFSSClassifier,
    NaiveBayesClassifier,
    RefinedClassifier,
    TANClassifier,
    load_dataset,
)

ALL = [
    NaiveBayesClassifier(),
    TANClassifier(),
    BCkGClassifier(k=2, score="ll"),
    BSEJClassifier(),
    ASBClassifier(),
]


def training() -> tuple[list[list[str]], list[str]]:
    rng = np.random.default_rng(3)
    first, second = rng.choice(list("abc"), 400), rng.choice(list("pq"), 400)
    third = np.where(rng.random(400) < 0.8, first, rng.choice(list("abc"), 400))
    # Of the first two only together, so that a search by accuracy joins them.
    y = np.where((first == "a") ^ (second == "p") ^ (rng.random(400) < 0.1), "yes", "no")
    return np.column_stack([first, second, third]).tolist(), y.tolist()


@pytest.mark.parametrize("estimator", ALL, ids=lambda e: type(e).__name__)
def test_rows_and_labels_follow_the_joint_distribution(estimator):
    model = clone(estimator).fit(*training())
    n = 20_000
    rows, labels = model.sample(n, random_state=1)
    used = [i for i in range(3) if f"x{i}" in model.network_.nodes]
    domain = list(product("abc", "pq", "abc"))
    joint = np.exp(model.predict_joint_log_proba(domain))
    expected: dict[tuple, float] = {}
    for values, of_classes in zip(domain, joint, strict=True):
        for label, p in zip(model.classes_, of_classes, strict=True):
            # Columns that the network does not use leave P alone: each of their values counts it once.
            key = (*(values[i] for i in used), label)
            expected[key] = p
    assert sum(expected.values()) == pytest.approx(1.0)
    found = dict.fromkeys(expected, 0)
    for row, label in zip(rows.tolist(), labels.tolist(), strict=True):
        found[(*(row[i] for i in used), label)] += 1
        assert all(row[i] is None for i in range(3) if i not in used)
    kept = [key for key, p in expected.items() if p * n > 5]
    statistic = sum((found[key] - expected[key] * n) ** 2 / (expected[key] * n) for key in kept)
    assert statistic < chi2.ppf(0.9999, len(kept))
    again, labels_again = model.sample(50, random_state=1)
    assert (again == rows[:50]).all()
    assert (labels_again == labels[:50]).all()
    assert (model.sample(50, random_state=2)[0] != rows[:50]).any()


def test_what_is_joined_is_drawn_together():
    model = BSEJClassifier().fit(*training())
    assert ("x0", "x1") in model.network_.groups


def test_impossible_values_are_never_drawn():
    X, y = [["a", "p"], ["b", "q"], ["b", "r"]] * 30, [0, 1, 1] * 30
    rows, labels = TANClassifier(parameters="mle").fit(X, y).sample(5000, random_state=0)
    drawn = {(*row, label) for row, label in zip(rows.tolist(), labels.tolist(), strict=True)}
    assert drawn == {("a", "p", 0), ("b", "q", 1), ("b", "r", 1)}


def test_columns_are_drawn_as_densities_draw_them():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    frame = pd.DataFrame(
        {
            "size": y + rng.normal(0, 0.2, 300),
            "word": pd.Series(np.where(rng.random(300) < 0.3, None, "w"), dtype=object),
            "noise": rng.choice(["u", "v"], 300),
        }
    )
    model = FFSSClassifier().fit(frame, y)
    rows, labels = model.sample(500, random_state=0)
    cut = [model.encoder_.describe(0, code) for code in range(model.encoder_.columns[0].arity)]
    assert len(cut) > 1
    assert set(rows[:, 0]) <= set(cut)
    assert labels.dtype == model.classes_.dtype
    assert "noise" not in model.network_.nodes
    assert set(rows[:, 2]) == {None}
    full, _ = NaiveBayesClassifier().fit(frame, y).sample(500, random_state=0)
    assert set(full[:, 1]) == {"w", None}
    assert set(full[:, 2]) == {"u", "v"}


@pytest.mark.parametrize("n", [0, -1, 2.0, True])
def test_a_number_of_rows_is_whole_and_positive(n):
    with pytest.raises(DataError, match="n_samples"):
        NaiveBayesClassifier().fit(*training()).sample(n)


@pytest.mark.parametrize("estimator", ALL, ids=lambda e: type(e).__name__)
def test_parameters_are_the_free_entries_of_the_tables(estimator):
    model = clone(estimator).fit(*training())
    free = len(model.classes_) - 1
    for place, (members, _) in enumerate(model.model_.nodes):
        theta = model.model_.table(place)  # [parents, members, class]: one entry of each column is not free
        values = prod(model.encoder_.columns[member].arity for member in members)
        free += theta.size - theta.size // values
    assert model.n_parameters_ == free


def test_parameters_by_hand():
    car = load_dataset("car")
    # Values: 4, 4, 4, 3, 3, 3; classes: 4.
    assert NaiveBayesClassifier().fit(car.X, car.y).n_parameters_ == 3 + 4 * (3 * 3 + 3 * 2)
    # Buying; Maint and Safety given it; Persons and Lug_boot given Safety; Doors given Lug_boot.
    tan = TANClassifier().fit(car.X, car.y)
    assert tan.n_parameters_ == 3 + 4 * (3 + 4 * 3 + 4 * 2 + 3 * 2 + 3 * 2 + 3 * 3)


def test_a_refined_network_has_no_joint_distribution():
    model = RefinedClassifier("nb", ridge=1.0).fit(*training())
    assert not hasattr(model, "sample")
    assert not hasattr(model, "n_parameters_")


def test_a_random_root_is_a_column_by_its_seed():
    X, y = training()
    roots = []
    for seed in range(12):
        model = TANClassifier(root="random", random_state=seed).fit(X, y)
        (root,) = (name for name, degree in model.network_.in_degrees.items() if degree == 0)
        same = TANClassifier(root=root).fit(X, y)
        np.testing.assert_array_equal(model.predict_proba(X), same.predict_proba(X))
        again = TANClassifier(root="random", random_state=seed).fit(X, y)
        assert again.network_ == model.network_
        roots.append(root)
    assert set(roots) == {"x0", "x1", "x2"}


def test_a_column_that_is_called_random_is_that_root():
    X, y = training()
    frame = pd.DataFrame(X, columns=["a", "b", "random"])
    for seed in range(4):
        model = TANClassifier(root="random", random_state=seed).fit(frame, y)
        assert model.network_.in_degrees["random"] == 0
