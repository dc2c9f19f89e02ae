"""Everything that is registered has its oracle, its Python name and its one line for people."""

import inspect
import pickle
import re

import numpy as np
import pytest
from sklearn.base import clone

import tanager
from reference.learners import LEARNERS as LEARNER_ORACLES
from reference.mixture import DENSITIES as DENSITY_ORACLES
from reference.parameters import PARAMETERS as PARAMETER_ORACLES
from reference.scores import SCORE_EQUIVALENT
from reference.scores import SCORES as SCORE_ORACLES
from tanager.cli import main
from tanager.estimators import CLASSIFIERS, DENSITIES
from tanager.evaluation.counting import COUNT_BASED
from tanager.evaluation.learner import as_learner
from tanager.registry import DENSITY_LEARNERS, LEARNERS, PARAMETERS, SCORES
from tanager.specification import SPECIFICATIONS

REGISTERED = {"score": SCORES, "parameters": PARAMETERS, "learner": LEARNERS}
ORACLES = {"score": SCORE_ORACLES, "parameters": PARAMETER_ORACLES, "learner": LEARNER_ORACLES}
EVERYTHING = [(kind, name) for kind, registry in REGISTERED.items() for name in registry]


@pytest.mark.parametrize(("kind", "name"), EVERYTHING)
def test_every_registered_name_has_an_oracle_and_is_described(kind, name):
    about = REGISTERED[kind][name]
    assert name in ORACLES[kind]
    assert about.title
    assert 0 < len(about.summary) < 100
    assert 0 < len(about.formula) < 120
    assert about.needs <= {"class", "score", "accuracy", "families", "rows"}
    assert all(one.name.isidentifier() and one.summary for one in about.settings)


@pytest.mark.parametrize("kind", ["score", "parameters"])
def test_every_score_and_estimator_is_an_object_with_its_settings(kind):
    assert SPECIFICATIONS[kind].keys() == REGISTERED[kind].keys()
    for name, made in SPECIFICATIONS[kind].items():
        about = REGISTERED[kind][name]
        assert getattr(tanager, about.title) is made
        assert made.__name__ in tanager.__all__
        assert about.summary[1:] in made.__doc__
        assert made().specification() == (name, {one.name: one.default for one in about.settings})
        assert pickle.loads(pickle.dumps(made())) == made()


def test_the_score_and_the_estimator_of_one_name_are_two(tmp_path):
    """Saving warned that the score acll has no form in JSON, and a fit of the loaded model was refused."""
    X, y = [["a", "x"], ["b", "y"], ["b", "x"], ["a", "y"]] * 6, ["p", "q", "q"] * 8
    chosen = {"score": tanager.ACLL(n0=2.0), "parameters": tanager.ACLLParameters(n0=3.0)}
    model = tanager.TANClassifier(**chosen).fit(X, y)
    tanager.save_model(model, tmp_path / "model.json")  # a warning is an error here
    loaded = tanager.load_model(tmp_path / "model.json")
    assert {name: loaded.get_params()[name] for name in chosen} == chosen
    again = loaded.fit(X, y)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_classifiers_and_densities_are_those_registered():
    assert list(CLASSIFIERS) == list(LEARNERS)
    without_class = [name for name, about in LEARNERS.items() if "class" not in about.needs]
    assert list(DENSITIES) == [*without_class, *DENSITY_LEARNERS]
    for kind in (*CLASSIFIERS.values(), *DENSITIES.values()):
        assert getattr(tanager, kind.__name__) is kind
        assert kind.__name__ in tanager.__all__
        about = (LEARNERS | DENSITY_LEARNERS)[kind.learner]
        assert ("score" in kind().get_params()) == ("score" in about.needs)
    assert set(COUNT_BASED) == {
        name for name, about in LEARNERS.items() if not about.needs & {"accuracy", "rows"}
    }


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_class_has_the_settings_of_its_learner_with_the_same_defaults(name):
    for kind in (CLASSIFIERS[name], DENSITIES.get(name, CLASSIFIERS[name])):
        signature = inspect.signature(kind).parameters
        for setting in LEARNERS[name].settings:
            assert signature[setting.name].default == setting.default, f"{kind.__name__}({setting.name})"


@pytest.mark.parametrize("name", DENSITY_LEARNERS)
def test_a_density_has_the_settings_of_its_learner_and_an_oracle(name):
    about = DENSITY_LEARNERS[name]
    signature = inspect.signature(DENSITIES[name]).parameters
    assert {one.name: signature[one.name].default for one in about.settings} == {
        one.name: one.default for one in about.settings
    }
    assert name in DENSITY_ORACLES
    assert 0 < len(about.summary) < 100


def test_compare_takes_every_score_and_estimator_with_its_settings():
    for parameter in ("score", "parameters"):
        for name, made in SPECIFICATIONS[parameter].items():
            given = [one for one in REGISTERED[parameter][name].settings if isinstance(one.default, float)]
            inner = ",".join(f"{one.name}={one.default}" for one in given)
            estimator = as_learner(f"tan:{parameter}={name}({inner})").estimator
            assert estimator.get_params()[parameter] == made()


@pytest.mark.parametrize("command", ["compare", "fit"])
def test_the_help_lists_everything(command, capsys):
    with pytest.raises(SystemExit):
        main([command, "--help"])
    shown = capsys.readouterr().out
    for name, about in LEARNERS.items():
        assert re.search(rf"^  {name} +{re.escape(about.summary)}$", shown, re.MULTILINE)
    assert all(re.search(rf"\b{name}\b", shown) for name in (*SCORES, *PARAMETERS))


def test_equivalence_is_that_of_the_oracle():
    assert {name for name, about in SCORES.items() if about.score_equivalent} == set(SCORE_EQUIVALENT) & set(
        SCORES
    )


@pytest.mark.parametrize("kind", [*CLASSIFIERS.values(), *DENSITIES.values()], ids=lambda kind: kind.__name__)
def test_shared_settings_are_those_of_the_class(kind):
    """Told once in the base; signature, parameters, clone and docstring have them all the same."""
    shared = {"discretize", "categorical", "numeric", "missing", "handle_unknown", "n_jobs"}
    shared |= {"class_weight", "class_prior"} if kind in CLASSIFIERS.values() else set()
    signature = inspect.signature(kind).parameters
    assert shared <= signature.keys() == kind().get_params(deep=False).keys()
    assert all(one.kind is not one.VAR_KEYWORD for one in signature.values())
    assert all(re.search(rf"^ +[\w, ]*\b{name}\b[\w, ]*:", kind.__doc__, re.MULTILINE) for name in signature)
    assert clone(kind(missing="drop", n_jobs=2)).get_params()["missing"] == "drop"
    with pytest.raises(TypeError, match="unknown"):
        kind(unknown=1)


def test_settings_of_a_scan_are_those_of_the_estimators():
    """All but what a schema does not decide: what becomes of values that it does not know."""
    scan, tan = (inspect.signature(one).parameters for one in (tanager.Schema.scan, tanager.TANClassifier))
    shared = {"discretize", "categorical", "numeric", "missing", "n_jobs"}
    assert shared <= scan.keys()
    assert "handle_unknown" not in scan
    assert all(scan[name].default == tan[name].default for name in shared)
    assert all(f"{name}: " in tanager.Schema.scan.__doc__ for name in shared)
    assert "handle_unknown" not in tanager.Schema.scan.__doc__
    with pytest.raises(TypeError, match="handle_unknown"):
        tanager.Schema.scan([[["a"]]], handle_unknown="error")
    with pytest.raises(TypeError, match="unknown"):
        tanager.Schema.scan([[["a"]]], unknown=1)
