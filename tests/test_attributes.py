"""What an estimator has and has not: whoever looks is answered, and told why where there is nothing."""

from __future__ import annotations

import copy
import inspect
import pickle

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import tanager
from tanager.estimators import CLASSIFIERS, DENSITIES
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

#: Settings with which something of an estimator is there that otherwise is not, or the other way round.
VARIANTS = [
    *(tanager.NaiveBayesClassifier(numeric=kind) for kind in ("gaussian", "kernel")),
    tanager.TANClassifier(numeric="gaussian"),
    tanager.TANClassifier(parameters="hierarchical"),
    tanager.TreeDensity(parameters="hierarchical"),
    tanager.AODEClassifier(order=2),
    tanager.KDBClassifier(selective=True),
    tanager.NetworkClassifier(parents={1: [0]}),
    tanager.WeightedNaiveBayesClassifier("manb"),
    tanager.STANClassifier(select=True),
    tanager.MixtureOfTreesDensity(n_components=3),
]
EVERY = [kind() for kind in (*CLASSIFIERS.values(), *DENSITIES.values())] + VARIANTS
#: Settings that `fit` refuses.
WRONG = [
    tanager.TANClassifier(numeric="kernel"),
    tanager.TANClassifier(missing_at_predict="guess"),
    tanager.AODEClassifier(order="two"),
    tanager.TANClassifier(score=None, parameters=None, n_jobs="many"),
    tanager.TreeDensity(score="bogus", parameters="bogus"),
]


def named(estimator):
    return type(estimator).__name__


def look(model):
    """Asks for everything that there may be, and gives the names of what there is."""
    there = {name for name in object.__dir__(model) if hasattr(model, name)}
    assert there <= {name for name, _ in inspect.getmembers(model)}
    assert there <= set(dir(model))
    for name in ("n_parameters_", "sample", "partial_fit", "predict_joint_log_proba", "concentrations_"):
        assert hasattr(model, name) == (name in there)
    return there


@pytest.mark.filterwarnings("ignore:The least populated class:UserWarning")
@pytest.mark.parametrize("estimator", EVERY, ids=lambda estimator: repr(estimator).replace("\n", ""))
def test_whoever_looks_is_answered(estimator):
    model = copy.deepcopy(estimator)
    before = look(model)
    assert {"fit", "get_params"} <= before
    after = look(model.fit(NUMBERS, LABELS))
    assert {"model_", "network_", "n_features_in_"} <= after - before
    look(pickle.loads(pickle.dumps(model)))


@pytest.mark.parametrize("estimator", WRONG, ids=repr)
def test_whoever_looks_is_answered_before_a_fit_that_is_refused(estimator):
    assert {"fit", "get_params"} <= look(estimator)
    with pytest.raises(tanager.TanagerError):
        estimator.fit(NUMBERS, LABELS)


def test_a_mixture_says_what_counts_do_not_suffice_for():
    model = tanager.MixtureOfTreesDensity()
    statistics = tanager.Statistics(tanager.Schema.scan([NUMBERS])).update(NUMBERS)
    with pytest.raises(tanager.DataError, match="MixtureOfTreesDensity needs more than the counts of pairs"):
        model.fit_statistics(statistics)
    with pytest.raises(tanager.DataError, match="MixtureOfTreesDensity looks at the rows one by one"):
        model.fit(lambda: iter([NUMBERS]))


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
