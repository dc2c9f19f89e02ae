"""What an estimator has and has not: whoever looks is answered, and told why where there is nothing."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import tanager
from tanager.exceptions import NotThereError

NUMBERS = np.random.default_rng(0).normal(size=(40, 3))
LABELS = np.arange(40) % 2

COMPOSED = [
    tanager.RefinedClassifier("nb", ridge=1.0),
    tanager.AODEClassifier(),
    tanager.AveragedTANClassifier(),
    tanager.WeightedNaiveBayesClassifier(),
    tanager.KDBEnsembleClassifier(n_estimators=2),
]
WITHOUT_BATCHES = [
    tanager.CkGClassifier(),
    tanager.KDBClassifier(),
    tanager.FSSClassifier(),
    tanager.RefinedClassifier(),
    tanager.CkGDensity(),
]


def named(estimator):
    return type(estimator).__name__


@pytest.mark.parametrize("estimator", COMPOSED, ids=named)
@pytest.mark.parametrize(
    ("name", "reason"), [("sample", "rows to draw"), ("n_parameters_", "number of free parameters")]
)
def test_what_is_more_than_one_network_says_so(estimator, name, reason):
    for model in (estimator, copy.deepcopy(estimator).fit(NUMBERS, LABELS)):
        assert not hasattr(model, name)
        with pytest.raises(NotThereError, match=f"{estimator._is} is not one network, and has no {reason}"):
            getattr(model, name)


@pytest.mark.parametrize("estimator", WITHOUT_BATCHES, ids=named)
def test_who_takes_no_batches_says_who_does(estimator):
    assert not hasattr(estimator, "partial_fit")
    said = f"{named(estimator)} needs more than the counts of pairs, .*; batches take nb, tan, "
    with pytest.raises(NotThereError, match=said):
        estimator.partial_fit(NUMBERS, LABELS)


def test_numbers_that_are_not_cut_come_in_no_batches():
    model = tanager.NaiveBayesClassifier(numeric="gaussian")
    with pytest.raises(NotThereError, match="numeric='gaussian' looks at the numbers themselves"):
        model.partial_fit(NUMBERS, LABELS, classes=[0, 1])
    assert callable(model.set_params(numeric=None).partial_fit)


@pytest.mark.parametrize("name", ["n_parameters_", "concentrations_"])
def test_what_comes_with_a_fit_is_not_there_before_it(name):
    model = tanager.NaiveBayesClassifier(parameters="hierarchical")
    assert not hasattr(model, name)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(model, name)
    assert hasattr(model.fit(NUMBERS, LABELS), name)


def test_what_nobody_has_is_no_attribute():
    model = tanager.TANClassifier()
    for one in (model, copy.copy(model), pickle.loads(pickle.dumps(model))):
        with pytest.raises(AttributeError, match="'TANClassifier' object has no attribute 'n_trees'"):
            one.n_trees  # noqa: B018
