"""Gaps and unseen values, at fit and at predict, for every classifier."""

from collections import Counter
from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from bridge import close, dataset
from reference import scores
from reference.table import MISSING
from strategies import tables
from tanager import (
    BCkGClassifier,
    Dataset,
    NaiveBayesClassifier,
    TANClassifier,
    best_parents,
    edge_weights,
    network_score,
)
from tanager.estimators import CLASSIFIERS, DENSITIES
from tanager.exceptions import DataError

LEVELS = {"a": ["x", "y"], "b": ["u", "v", "w"], "c": ["0", "1"], "d": ["p", "q", "r"]}


def frame(rows: int, seed: int, gaps: float = 0.0) -> tuple[pd.DataFrame, np.ndarray]:
    """Columns that depend on the class and on each other, so that every learner finds arcs."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    codes, last = {}, y
    for name, levels in LEVELS.items():
        keep = rng.random(rows) < 0.6
        last = np.where(keep, (last + y) % len(levels), rng.integers(0, len(levels), rows))
        codes[name] = last
    X = pd.DataFrame(
        {name: pd.Categorical.from_codes(c, categories=LEVELS[name]) for name, c in codes.items()}
    )
    for name in LEVELS if gaps else ():
        X[name] = X[name].where(rng.random(rows) >= gaps)
    return X, np.array(["no", "yes"])[y]


@pytest.fixture(params=sorted(CLASSIFIERS), scope="module")
def model(request):
    X, y = frame(400, 0)
    return CLASSIFIERS[request.param]().fit(X, y)


@pytest.fixture(
    params=sorted(name for name in CLASSIFIERS if hasattr(CLASSIFIERS[name](), "predict_joint_log_proba")),
    scope="module",
)
def joint_model(request):
    X, y = frame(400, 0)
    return CLASSIFIERS[request.param]().fit(X, y)


def with_levels(values: dict[str, list]) -> pd.DataFrame:
    return pd.DataFrame({name: pd.Categorical(values[name], categories=LEVELS[name]) for name in LEVELS})


@settings(max_examples=25)
@given(
    row=st.fixed_dictionaries({name: st.none() | st.sampled_from(levels) for name, levels in LEVELS.items()})
)
def test_missing_values_are_summed_over_all_completions(joint_model, row) -> None:
    model = joint_model
    dropped = {name for name in LEVELS if name not in model.network_.nodes}
    choices = [
        [v] if v is not None else LEVELS[n][: 1 if n in dropped else None]
        for n, v in ((n, row[n]) for n in LEVELS)
    ]
    completions = list(product(*choices))
    columns = dict(zip(LEVELS, map(list, zip(*completions, strict=True)), strict=True))
    joint = model.predict_joint_log_proba(with_levels(columns))
    found = model.predict_joint_log_proba(with_levels({name: [value] for name, value in row.items()}))
    np.testing.assert_allclose(found[0], logsumexp(joint, axis=0), rtol=1e-10)


def test_a_row_of_nothing_has_the_prior(joint_model) -> None:
    model = joint_model
    nothing = with_levels({name: [None] for name in LEVELS})
    np.testing.assert_allclose(model.predict_joint_log_proba(nothing)[0], model.model_.log_prior, atol=1e-12)


def test_rows_do_not_depend_on_their_neighbours(model) -> None:
    X, _ = frame(60, 1, gaps=0.3)
    together = model.predict_proba(X)
    alone = np.vstack([model.predict_proba(X.iloc[[i]]) for i in range(len(X))])
    np.testing.assert_allclose(together, alone, rtol=1e-12)
    np.testing.assert_allclose(together.sum(axis=1), 1)


def test_an_unseen_value_is_as_a_missing_one(model) -> None:
    seen, _ = frame(20, 2)
    unseen = seen.astype(str).assign(b="never seen")
    gaps = seen.assign(b=None)
    np.testing.assert_array_equal(model.predict_proba(unseen), model.predict_proba(gaps))


def test_unseen_values_can_be_refused(model) -> None:
    X, y = frame(50, 3)
    strict = type(model)(handle_unknown="error").fit(X, y)
    message = "column 'b', row 7: value 'new' was not seen at fit, allowed are 'u', 'v', 'w'"
    text = X.astype(str)
    text.loc[7, "b"] = "new"
    with pytest.raises(DataError, match=message):
        strict.predict(text)
    assert len(strict.predict(X)) == 50


def test_dropping_incomplete_rows(model) -> None:
    X, y = frame(300, 4, gaps=0.1)
    complete = X.notna().all(axis=1).to_numpy()
    assert 0 < complete.sum() < 300
    dropped = type(model)(missing="drop").fit(X, y)
    alone = type(model)().fit(X[complete], y[complete])
    assert dropped.network_.parents == alone.network_.parents
    np.testing.assert_array_equal(dropped.predict_proba(X), alone.predict_proba(X))


def test_missing_as_a_category(model) -> None:
    X, y = frame(300, 5, gaps=0.2)
    named = X.astype(object).where(X.notna(), "missing")
    levels = {name: [*LEVELS[name], "missing"] for name in LEVELS}
    named = pd.DataFrame({n: pd.Categorical(named[n], categories=levels[n]) for n in LEVELS})
    category, renamed = type(model)().fit(X, y), type(model)().fit(named, y)
    assert category.network_.parents == renamed.network_.parents
    np.testing.assert_array_equal(category.predict_proba(X), renamed.predict_proba(named))
    assert category.encoder_.describe(0, 2) == "missing"


def test_available_rows(model) -> None:
    X, y = frame(300, 6, gaps=0.2)
    available = type(model)(missing="available").fit(X, y)
    proba = available.predict_proba(X)
    assert np.isfinite(proba).all()
    assert (available.classes_[proba.argmax(axis=1)] == y).mean() > 0.6
    complete, labels = frame(300, 6)
    a, b = type(model)(missing="available").fit(complete, labels), type(model)().fit(complete, labels)
    assert a.network_.parents == b.network_.parents
    np.testing.assert_array_equal(a.predict_proba(X), b.predict_proba(X))


def log_likelihood(columns: list[np.ndarray], known: np.ndarray, total: int) -> float:
    """Σ N_ijk ln(N_ijk / N_ij) of the first column given the others: known rows, counts scaled to `total`."""
    rows = list(zip(*(column[known].tolist() for column in columns), strict=True))
    joint, given = Counter(rows), Counter(row[1:] for row in rows)
    return total / len(rows) * sum(n * np.log(n / given[row[1:]]) for row, n in joint.items())


def trees(n: int):
    """The parents of every directed tree over n columns."""
    for parents in product(range(-1, n), repeat=n):
        if parents.count(-1) != 1:
            continue
        for node in range(n):
            walk = node
            for _ in range(n):
                walk = parents[walk] if walk >= 0 else -1
            if walk >= 0:
                break
        else:
            yield parents


def test_scores_of_available_rows_are_scaled_to_the_same_number() -> None:
    X, y = frame(200, 3, gaps=0.3)
    codes = np.column_stack([X[name].cat.codes for name in X])
    classes = (y == "yes").astype(int)
    data = Dataset(codes, [2, 3, 2, 3], classes, 2, missing=-1)
    alone = [log_likelihood([codes[:, i], classes], codes[:, i] >= 0, 200) for i in range(4)]
    gain = np.zeros((4, 4))
    for i, j in permutations(range(4), 2):
        known = (codes[:, i] >= 0) & (codes[:, j] >= 0)
        gain[i, j] = log_likelihood([codes[:, j], codes[:, i], classes], known, 200)
        gain[i, j] -= log_likelihood([codes[:, j], classes], known, 200)
    np.testing.assert_allclose(edge_weights(data, "ll"), gain, atol=1e-9)

    base = log_likelihood([classes], np.ones(200, dtype=bool), 200) + sum(alone)
    best = max(sum(gain[p, j] for j, p in enumerate(tree) if p >= 0) for tree in trees(4))
    model = TANClassifier(score="ll", missing="available").fit(X, y)
    assert model.structure_score_ == pytest.approx(base + best, abs=1e-9)
    parents = [[list(X).index(p) for p in model.network_.parents[name]] for name in X]
    assert network_score(data, parents, "ll") == pytest.approx(model.structure_score_, abs=1e-9)
    # More parents never fit worse, whatever rows they miss.
    assert base == pytest.approx(network_score(data, [[]] * 4, "ll"), abs=1e-9)
    scores = [
        BCkGClassifier(k=k, score="ll", missing="available").fit(X, y).structure_score_ for k in (1, 2, 3)
    ]
    assert base <= scores[0] <= scores[1] <= scores[2]
    found, value = best_parents(data, 1, [0], 1, "ll")
    assert (found, value) == ((0,), pytest.approx(gain[0, 1], abs=1e-9))


@given(tables(min_attributes=2, max_attributes=4, missing=True, huge=False))
@settings(max_examples=60, deadline=None)
def test_edge_weights_with_gaps_equal_the_reference(table) -> None:
    assume(any(MISSING in row for row in table.codes))
    n = table.n_attributes
    for name, gain in (("ll", scores.ll_gain), ("bic", scores.bic_gain)):
        expected = np.zeros((n, n))
        for i, j in permutations(range(n), 2):
            expected[i, j] = gain(table, j, [*table.class_parent(), i])
        assert close(edge_weights(dataset(table), name), expected)


def test_naive_bayes_forgets_a_missing_attribute() -> None:
    X, y = frame(200, 7)
    whole = NaiveBayesClassifier().fit(X, y)
    for name in X:
        part = NaiveBayesClassifier().fit(X.drop(columns=name), y)
        np.testing.assert_array_equal(
            whole.predict_proba(X.assign(**{name: None})), part.predict_proba(X.drop(columns=name))
        )


def test_naive_bayes_counts_the_available_rows() -> None:
    X, y = frame(200, 8, gaps=0.3)
    model = NaiveBayesClassifier(missing="available").fit(X, y)
    for i, name in enumerate(X):
        table = np.exp(model.model_.table(i)).reshape(-1)
        known = X[name].notna().to_numpy()
        for c, label in enumerate(model.classes_):
            rows = X[name][known & (y == label)]
            for k, level in enumerate(LEVELS[name]):
                expected = ((rows == level).sum() + 1) / (len(rows) + len(LEVELS[name]))
                assert np.isclose(table, expected, rtol=1e-12).any(), (name, c, k)


def test_numeric_gaps() -> None:
    rng = np.random.default_rng(9)
    y = rng.integers(0, 2, 400)
    X = rng.normal(size=(400, 3)) + 2 * y[:, None]
    model = TANClassifier().fit(X, y)
    gaps = X.copy()
    gaps[:, 0] = np.nan
    assert (model.predict(gaps) == y).mean() > 0.85
    learned = TANClassifier().fit(np.where(rng.random(X.shape) < 0.2, np.nan, X), y)
    assert all(column.missing_level for column in learned.encoder_.columns)
    assert (learned.predict(X) == y).mean() > 0.85


def test_all_rows_incomplete() -> None:
    with pytest.raises(DataError, match="leaves no row"):
        NaiveBayesClassifier(missing="drop").fit([["x", None], [None, "y"]], [0, 1])
    X = pd.DataFrame({"a": ["x", "y", None], "b": ["u", "v", "u"]})
    with pytest.raises(DataError, match="rows of one class only"):
        NaiveBayesClassifier(missing="drop").fit(X, [0, 0, 1])


@pytest.mark.parametrize("name", sorted(DENSITIES))
def test_densities_sum_over_all_completions(name) -> None:
    X, _ = frame(300, 10)
    model = DENSITIES[name]().fit(X)
    assert model.score_samples(with_levels({column: [None] for column in LEVELS}))[0] == pytest.approx(
        0, abs=1e-9
    )
    gaps = with_levels({"a": ["x"], "b": [None], "c": ["1"], "d": [None]})
    completions = list(product(["x"], LEVELS["b"], ["1"], LEVELS["d"]))
    columns = dict(zip(LEVELS, map(list, zip(*completions, strict=True)), strict=True))
    expected = logsumexp(model.score_samples(with_levels(columns)))
    assert model.score_samples(gaps)[0] == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("name", sorted(DENSITIES))
def test_densities_learn_from_gaps(name) -> None:
    X, _ = frame(300, 11, gaps=0.2)
    available = DENSITIES[name](missing="available").fit(X)
    assert np.isfinite(available.score_samples(X)).all()
    dropped = DENSITIES[name](missing="drop").fit(X)
    np.testing.assert_array_equal(
        dropped.score_samples(X), DENSITIES[name]().fit(X.dropna()).score_samples(X)
    )
    twice = DENSITIES[name]().fit(X, sample_weight=np.full(300, 2.0))
    repeated = DENSITIES[name]().fit(pd.concat([X, X]))
    np.testing.assert_allclose(twice.score_samples(X), repeated.score_samples(X), rtol=1e-9)
