"""The metrics of one set of test rows, against scikit-learn."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sk

from tanager.evaluation.metrics import METRICS, confusion, evaluate

cases = st.tuples(st.integers(0, 10_000), st.integers(2, 5), st.integers(2, 40))


def draw(seed: int, n_classes: int, rows: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, n_classes, rows), rng.dirichlet(np.ones(n_classes), rows).round(2) + 0.001


@given(cases)
@settings(max_examples=60, deadline=None)
def test_every_metric_is_scikit_learns(case):
    y, p = draw(*case)
    p /= p.sum(axis=1, keepdims=True)
    result = evaluate(y, p)
    labels = list(range(p.shape[1]))
    predicted = p.argmax(axis=1)
    assert set(result) == set(METRICS)
    assert result["accuracy"] == pytest.approx(sk.accuracy_score(y, predicted))
    assert result["f1_macro"] == pytest.approx(sk.f1_score(y, predicted, average="macro", zero_division=0))
    assert result["f1_weighted"] == pytest.approx(
        sk.f1_score(y, predicted, average="weighted", labels=labels, zero_division=0)
    )
    for name, scored in (("precision", sk.precision_score), ("recall", sk.recall_score)):
        present = sorted(set(y)) if name == "recall" else None
        expected = scored(y, predicted, labels=present, average="macro", zero_division=0)
        assert result[f"{name}_macro"] == pytest.approx(expected)
        if p.shape[1] == 2:
            assert result[f"{name}_positive"] == pytest.approx(scored(y, predicted, zero_division=0))
        else:
            assert math.isnan(result[f"{name}_positive"])
    counts = confusion(y, predicted, p.shape[1])
    np.testing.assert_array_equal(counts, sk.confusion_matrix(y, predicted, labels=labels))
    assert result["log_loss"] == pytest.approx(sk.log_loss(y, p, labels=labels))
    assert result["cll"] == pytest.approx(-len(y) * sk.log_loss(y, p, labels=labels))
    # Old releases have it for two classes only; of indicators it is a mean over rows and classes.
    indicators = np.equal.outer(y, labels).astype(float)
    assert result["brier"] == pytest.approx(p.shape[1] * sk.mean_squared_error(indicators, p))
    if p.shape[1] == 2:
        assert result["f1_positive"] == pytest.approx(sk.f1_score(y, predicted, zero_division=0))
        if len(set(y)) == 2:
            assert result["auc"] == pytest.approx(sk.roc_auc_score(y, p[:, 1]))
    else:
        assert math.isnan(result["f1_positive"])
        if len(set(y)) == p.shape[1]:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                assert result["auc"] == pytest.approx(sk.roc_auc_score(y, p, multi_class="ovr"))


def test_a_certain_mistake_stays_finite_and_one_class_has_no_auc():
    result = evaluate(np.array([1, 1]), np.array([[1.0, 0.0], [0.0, 1.0]]))
    assert math.isfinite(result["log_loss"])
    assert result["cll"] == pytest.approx(math.log(np.finfo(float).tiny))
    assert math.isnan(result["auc"])


def test_the_positive_class_can_be_chosen():
    y = np.array([0, 0, 0, 1])
    p = np.array([[0.9, 0.1], [0.9, 0.1], [0.1, 0.9], [0.1, 0.9]])
    assert evaluate(y, p)["f1_positive"] == pytest.approx(2 / 3)
    assert evaluate(y, p, positive=0)["f1_positive"] == pytest.approx(0.8)


def test_shapes_that_do_not_match_are_named():
    with pytest.raises(ValueError, match=r"\(2,\) true classes"):
        evaluate(np.array([0, 1]), np.ones((3, 2)) / 2)
