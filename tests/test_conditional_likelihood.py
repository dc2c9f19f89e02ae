"""The conditional log-likelihood and the conditional relative entropy of fitted models."""

from math import inf

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_score

import reference.acll
import reference.parameters
import reference.posterior
import reference.scores
import reference.structure
import reference.trees
from simulated import simulated
from tanager import (
    ACLLParameters,
    Laplace,
    NaiveBayesClassifier,
    TANClassifier,
    conditional_log_likelihood,
    conditional_relative_entropy,
)


def test_conditional_log_likelihood_is_the_reference_s() -> None:
    table = simulated(3, rows=120, seed=5)
    X, y = np.array(table.codes).astype(str), np.array(table.classes)
    model = TANClassifier(score="acll", parameters=ACLLParameters(n0=1.0)).fit(X, y)
    nodes = [reference.structure.Node(tuple(m), tuple(p)) for m, p in model.model_.nodes]
    oracle = reference.parameters.fit(
        table, nodes, lambda table, child, parents: reference.parameters.acll(table, child, parents, n0=1.0)
    )
    expected = reference.posterior.conditional_log_likelihood(oracle, table.codes, table.classes)
    assert conditional_log_likelihood(model, X, y) == pytest.approx(expected, rel=1e-9)


def test_it_is_a_metric_of_any_classifier_and_a_scorer() -> None:
    table = simulated(3, rows=150, seed=6)
    X, y = np.array(table.codes), np.array(["one", "two", "three"])[table.classes]
    model = LogisticRegression().fit(X, y)
    weights = np.random.default_rng(0).random(len(y))
    expected = -log_loss(y, model.predict_proba(X), normalize=False, sample_weight=weights)
    assert conditional_log_likelihood(model, X, y, sample_weight=weights) == pytest.approx(expected)
    folds = StratifiedKFold(3)
    scores = cross_val_score(NaiveBayesClassifier(), X, y, cv=folds, scoring=conditional_log_likelihood)
    assert_allclose(
        scores, len(y) / 3 * cross_val_score(NaiveBayesClassifier(), X, y, cv=folds, scoring="neg_log_loss")
    )


def test_impossible_rows_are_minus_infinity() -> None:
    class Certain:
        classes_ = np.array([0, 1])

        def predict_proba(self, X):
            return np.tile([1.0, 0.0], (len(X), 1))

    X = np.zeros((2, 1))
    assert conditional_log_likelihood(Certain(), X, [0, 0]) == 0
    assert conditional_log_likelihood(Certain(), X, [0, 1]) == -inf
    assert conditional_log_likelihood(Certain(), X, [0, 7]) == -inf
    assert conditional_log_likelihood(Certain(), X, [0, 1], sample_weight=[1, 0]) == 0
    with pytest.raises(ValueError, match="one label for each row"):
        conditional_log_likelihood(Certain(), X, [0])
    with pytest.raises(ValueError, match="sample_weight"):
        conditional_log_likelihood(Certain(), X, [0, 1], sample_weight=[1])


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("learner", [NaiveBayesClassifier, TANClassifier])
def test_conditional_relative_entropy_is_the_reference_s(classes, learner) -> None:
    table = simulated(classes, rows=120, seed=7)
    X, y = np.array(table.codes).astype(str), np.array(table.classes)
    model = learner(parameters="laplace").fit(X, y)
    nodes = [reference.structure.Node(tuple(m), tuple(p)) for m, p in model.model_.nodes]
    oracle = reference.parameters.fit(table, nodes, reference.parameters.laplace)
    expected = reference.posterior.conditional_relative_entropy(oracle, table.codes, table.classes)
    assert expected > 0
    found = conditional_relative_entropy(model, X, y)
    assert found == pytest.approx(expected, rel=1e-9)
    # Equation 29: CLL = −N D − N H(C | A), and H does not depend on the model.
    other = NaiveBayesClassifier(parameters=Laplace(3.0)).fit(X, y)
    gap = conditional_log_likelihood(model, X, y) - conditional_log_likelihood(other, X, y)
    assert gap == pytest.approx(-len(y) * (found - conditional_relative_entropy(other, X, y)), abs=1e-8)
    # A row twice is a row of weight two, and one of weight nothing is not there.
    weights = np.arange(len(y)) % 3
    again = conditional_relative_entropy(model, np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert conditional_relative_entropy(model, X, y, sample_weight=weights) == pytest.approx(again, rel=1e-9)


def test_conditional_relative_entropy_at_its_ends() -> None:
    class Certain:
        classes_ = np.array([0, 1])

        def predict_proba(self, X):
            return np.tile([1.0, 0.0], (len(X), 1))

    X = np.array([[0.5], [0.5], [0.7]])
    assert conditional_relative_entropy(Certain(), X, [0, 0, 0]) == 0
    assert conditional_relative_entropy(Certain(), X, [0, 1, 0]) == inf
    # Rows that occur once have no entropy of their own.
    model = NaiveBayesClassifier().fit(np.random.default_rng(0).normal(size=(90, 2)), np.arange(90) % 2)
    alone = np.random.default_rng(1).normal(size=(40, 2))
    truth = np.arange(40) % 2
    assert conditional_relative_entropy(model, alone, truth) == pytest.approx(
        -conditional_log_likelihood(model, alone, truth) / 40
    )
    with pytest.raises(ValueError, match="needs rows"):
        conditional_relative_entropy(Certain(), X, [0, 0, 0], sample_weight=[0, 0, 0])
