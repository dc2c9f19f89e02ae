"""Numbers that are not cut: against scikit-learn, scipy, and trees by trying all of them."""

from itertools import product
from math import log

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from reference.trees import all_trees
from tanager import NaiveBayesClassifier, TANClassifier, compare, load_dataset, save_model
from tanager.estimators.continuous import silverman
from tanager.exceptions import DataError


def numbers(seed: int, rows: int = 60, columns: int = 3, classes: int = 2):
    """Columns that depend on the class and on the one before."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(classes), rng.integers(0, classes, rows - classes)])
    X = rng.normal(size=(rows, columns)) + y[:, None] * rng.normal(size=columns)
    for j in range(1, columns):
        X[:, j] += rng.normal() * X[:, j - 1]
    return X, y


@settings(max_examples=20)
@given(st.integers(0, 10_000), st.integers(2, 4), st.integers(1, 4))
def test_gaussian_naive_bayes_is_scikit_learns(seed, classes, columns):
    X, y = numbers(seed, 40, columns, classes)
    weights = np.random.default_rng(seed).random(40) + 0.1
    for sample_weight in (None, weights):
        found = NaiveBayesClassifier("mle", numeric="gaussian").fit(X, y, sample_weight)
        expected = GaussianNB(var_smoothing=0).fit(X, y, sample_weight)
        np.testing.assert_allclose(
            found.predict_joint_log_proba(X), expected.predict_joint_log_proba(X), rtol=1e-6, atol=1e-6
        )
        assert (found.predict(X) == expected.predict(X)).all()


@settings(max_examples=15)
@given(st.integers(0, 10_000))
def test_kernels_are_scipys(seed):
    X, y = numbers(seed, 50, 2)
    model = NaiveBayesClassifier("mle", numeric="kernel").fit(X, y)
    joint = np.tile(np.log(np.bincount(y) / 50), (50, 1))
    for j, c in product(range(2), range(2)):
        own = X[y == c, j]
        h = silverman(own, np.ones(own.size), 0.0)
        density = stats.gaussian_kde(own, bw_method=h / own.std(ddof=1))
        joint[:, c] += density.logpdf(X[:, j])
    np.testing.assert_allclose(model.predict_joint_log_proba(X), joint, rtol=1e-6, atol=1e-6)


def information(X, y, i, j) -> float:
    """−½ Σ_c P(c) ln(1 − ρ²_c)."""
    return sum(
        -0.5 * np.mean(y == c) * log(1 - np.corrcoef(X[y == c, i], X[y == c, j])[0, 1] ** 2)
        for c in np.unique(y)
    )


@settings(max_examples=15)
@given(st.integers(0, 10_000), st.integers(2, 4))
def test_the_gaussian_tree_is_the_heaviest_and_its_densities_are_regressions(seed, columns):
    X, y = numbers(seed, 60, columns)
    model = TANClassifier(parameters="mle", numeric="gaussian").fit(X, y)
    parents = [[int(p[1:]) for p in model.network_.parents[f"x{j}"]] for j in range(columns)]
    assert parents[0] == []
    assert all(len(of) == 1 for of in parents[1:])

    def weight(tree):
        return sum(information(X, y, parent, j) for j, parent in enumerate(tree) if parent >= 0)

    best = max(weight(tree) for tree in all_trees(columns))
    assert weight([of[0] if of else -1 for of in parents]) == pytest.approx(best, rel=1e-9)
    joint = np.tile(np.log(np.bincount(y) / 60), (60, 1))
    for c, j in product(range(2), range(columns)):
        own = X[y == c]
        if not parents[j]:
            joint[:, c] += stats.norm.logpdf(X[:, j], own[:, j].mean(), own[:, j].std())
            continue
        line = stats.linregress(own[:, parents[j][0]], own[:, j])
        fitted = line.intercept + line.slope * own[:, parents[j][0]]
        at = line.intercept + line.slope * X[:, parents[j][0]]
        joint[:, c] += stats.norm.logpdf(X[:, j], at, (own[:, j] - fitted).std())
    np.testing.assert_allclose(model.predict_joint_log_proba(X), joint, rtol=1e-6, atol=1e-6)


def mixed(rows: int = 300):
    """A word, a number that depends on it, and one that does not."""
    rng = np.random.default_rng(3)
    word = rng.choice(["a", "b", "c"], rows)
    y = rng.integers(0, 2, rows)
    first = np.where(word == "a", -3.0, np.where(word == "b", 0.0, 3.0)) * (1 - 2 * y) + rng.normal(size=rows)
    frame = pd.DataFrame({"word": word, "first": first, "second": rng.normal(size=rows) + y})
    return frame, np.where(y == 1, "yes", "no")


def test_numbers_may_depend_on_words_but_not_words_on_numbers():
    X, y = mixed()
    model = TANClassifier(numeric="gaussian").fit(X, y)
    assert model.network_.parents["first"] == ("word",)
    assert model.network_.parents["word"] == ()
    assert model.score(X, y) > NaiveBayesClassifier(numeric="gaussian").fit(X, y).score(X, y) + 0.2
    # Each cell of the table: five pseudo-rows of the class's own distribution.
    of_class = X["first"][y == "no"]
    own = X["first"][(y == "no") & (X["word"] == "a")]
    mean = (own.sum() + 5 * of_class.mean()) / (len(own) + 5)
    square = ((own - mean) ** 2).sum() + 5 * (of_class.var(ddof=0) + (of_class.mean() - mean) ** 2)
    means, variances = model.continuous_.by_value[0]
    assert means[0, 0] == pytest.approx(mean)
    assert variances[0, 0] == pytest.approx(square / (len(own) + 5))


@pytest.mark.parametrize("kind", ["gaussian", "kernel"])
def test_gaps_and_constants_leave_probabilities(kind):
    X, y = mixed(80)
    X.loc[::5, "first"] = np.nan
    X.loc[::7, "word"] = None
    X["constant"] = 1.5
    for missing in ("category", "drop", "available"):
        models = [NaiveBayesClassifier(numeric=kind, missing=missing)]
        models += [TANClassifier(numeric=kind, missing=missing)] * (kind == "gaussian")
        for model in models:
            proba = model.fit(X, y).predict_proba(X)
            np.testing.assert_allclose(proba.sum(axis=1), 1)
            shifted = model.set_params(class_prior={"no": 0.9, "yes": 0.1}).fit(X, y).predict_proba(X)
            assert shifted[:, 0].mean() > proba[:, 0].mean()
            model.set_params(class_prior=None)


def test_what_has_no_table_is_refused_in_a_sentence(tmp_path):
    X, y = mixed(60)
    model = NaiveBayesClassifier(numeric="gaussian").fit(X, y)
    for refused in (
        lambda: model.importances(),
        lambda: model.table("word"),
        lambda: model.to_bif(),
        lambda: model.to_sql("t"),
        lambda: model.sample(3),
        lambda: save_model(model, tmp_path / "m.json"),
    ):
        with pytest.raises(DataError, match=r"has densities of numbers, numeric='gaussian', and no tables"):
            refused()
    assert not hasattr(model.set_params(numeric=None).fit(X, y), "continuous_")
    with pytest.raises(DataError, match='numeric="kernel" is for naive Bayes'):
        TANClassifier(numeric="kernel").fit(X, y)
    with pytest.raises(DataError, match="a column is called so"):
        NaiveBayesClassifier(numeric="gaussian").fit(X.rename(columns={"word": "gaussian"}), y)


def test_compare_takes_them():
    learners = ["nb", "nb:numeric=gaussian", "nb:numeric=kernel", "tan:numeric=gaussian"]
    result = compare(learners, {"iris": load_dataset("iris")}, repeats=1, progress=False)
    assert all(result.accuracy["iris"][learner] > 0.9 for learner in learners)


@parametrize_with_checks([NaiveBayesClassifier(numeric="gaussian"), TANClassifier(numeric="gaussian")])
def test_scikit_learn_contract(estimator, check):
    check(estimator)
