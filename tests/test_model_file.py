"""Model files: everything survives, what cannot be saved is named, and what is loaded is checked."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import numpy as np
import pytest
from sklearn.preprocessing import KBinsDiscretizer

import tanager
from tanager.data import EqualWidth, load_dataset
from tanager.document import _digest
from tanager.estimators import CLASSIFIERS
from tanager.exceptions import DataError
from tanager.model_file import load_model, read_model_file, save_model


@pytest.mark.filterwarnings("ignore:The least populated class:UserWarning")  # two of the classes are rare
@pytest.mark.parametrize("name", sorted(CLASSIFIERS))
@pytest.mark.parametrize("ending", ["json", "json.gz"])
def test_a_saved_model_predicts_as_before(name, ending, tmp_path):
    table = load_dataset("lymphography")
    model = CLASSIFIERS[name]().fit(table.X, table.y)
    path = tmp_path / f"model.{ending}"
    save_model(model, path, target="diagnosis", notes={"rows": 148})
    again = read_model_file(path)
    assert again.target == "diagnosis"
    assert again.notes == {"rows": 148}
    assert type(again.model) is type(model)
    np.testing.assert_array_equal(again.model.predict_proba(table.X), model.predict_proba(table.X))
    np.testing.assert_array_equal(again.model.classes_, model.classes_)
    assert again.model.network_ == model.network_
    assert again.model.get_params() == model.get_params()
    assert getattr(again.model, "structure_score_", None) == getattr(model, "structure_score_", None)


def test_numbers_gaps_labels_and_zero_probabilities_survive(tmp_path):
    rng = np.random.default_rng(0)
    X = np.empty((60, 3), dtype=object)
    X[:, 0] = rng.normal(size=60)
    X[:, 1] = rng.choice([True, False], 60)
    X[:, 2] = rng.choice(["a", "b", None], 60)
    y = (X[:, 0].astype(float) > 0).astype(int) + 5
    model = CLASSIFIERS["tan"](parameters="mle").fit(X, y)
    save_model(model, tmp_path / "m.json")
    again = load_model(tmp_path / "m.json")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.predict(X).dtype == model.predict(X).dtype


NOT_DEFAULT = {
    "k": 1,
    "structure": "kdb",
    "ridge": 0.5,
    "bins": 4,
    "score": tanager.BDeu(3.0),
    "parameters": tanager.Laplace(0.25),
    "root": "x1",
    "forest": True,
    "level_order": "random",
    "random_state": 7,
    "cv": 3,
    "roots": "random",
    "alpha": 0.2,
    "min_cell": 1.0,
    "epsilon": 0.01,
    "superparent": True,
    "order": ["x2", "x0", "x1"],
    "restarts": 2,
    "smoothed": 1.0,
    "groups": [["x0"], ["x1", 2]],
    "select": True,
    "selective": True,
    "selection": "rmse",
    "information": "residual",
    "discretize": EqualWidth(3),
    "categorical": ["x0", 1],
    "numeric": ("x2",),
    "missing": "available",
    "missing_at_predict": "approximate",
    "handle_unknown": "error",
    "class_weight": {"no": 1.0, "yes": 2.0},
    "class_prior": np.array([0.25, 0.75]),
}


NOT_DEFAULT_OF = {
    "aode": {"order": 2, "weights": "mi", "subsumption": True, "min_count": 2},
    "wnb": {"weights": "awnb", "n_trees": 3},
    "ekdb": {"n_estimators": 3, "k": 3, "selective": False},
}


@pytest.mark.parametrize("name", sorted(CLASSIFIERS))
def test_every_parameter_survives(name, tmp_path):
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.integers(0, 2, (90, 2)), rng.normal(size=90)])
    y = np.where(X[:, 0] + X[:, 2] > 0.5, "yes", "no").astype(object)
    known = CLASSIFIERS[name]().get_params(deep=False)
    values = NOT_DEFAULT | NOT_DEFAULT_OF.get(name, {})
    chosen = {setting: value for setting, value in values.items() if setting in known}
    model = CLASSIFIERS[name](**chosen).fit(X, y)
    save_model(model, tmp_path / "m.json")
    again = load_model(tmp_path / "m.json")
    # Parents and an order exclude each other.
    assert set(known) - set(chosen) <= {"n_jobs", "progress", "parents"}, "give every parameter a value"
    assert repr(again.get_params()) == repr(model.get_params())
    assert again.classes_.dtype == model.classes_.dtype == object
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    refitted = again.fit(X, y)
    np.testing.assert_array_equal(refitted.predict_proba(X), model.predict_proba(X))


def test_what_cannot_be_saved_is_named_and_never_replaced(tmp_path):
    X, y = [["a", "x"], ["b", "y"], ["b", "x"], ["a", "y"]], [1, 2, 2, 1]
    model = CLASSIFIERS["tan"](score=lambda counts: -float(counts.sum()), n_jobs=1).fit(X, y)
    with pytest.warns(
        UserWarning, match="score = <function .* cannot be saved: the loaded model will"
    ) as warned:
        save_model(model, tmp_path / "m.json")
    assert warned[0].filename == __file__, "the warning shows who saves"
    again = load_model(tmp_path / "m.json")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    with pytest.raises(TypeError, match=r"score = <not saved: <function .* is not allowed"):
        again.fit(X, y)
    assert again.set_params(score="ll").fit(X, y).network_ is not None
    foreign = CLASSIFIERS["nb"](discretize=KBinsDiscretizer(2)).fit(X, y)
    with pytest.warns(UserWarning, match="discretize = KBinsDiscretizer"):
        save_model(foreign, tmp_path / "m.json")
    with pytest.raises(DataError, match=r"discretize = <not saved: KBins.* is not allowed"):
        load_model(tmp_path / "m.json").fit(X, y)


def _edited(path: Path, change) -> Path:
    document = json.loads(path.read_text(encoding="utf-8"))
    change(document)
    target = path.with_name("edited.json")
    target.write_text(json.dumps(document), encoding="utf-8")
    return target


def test_model_files_are_checked_on_load(tmp_path):
    import hashlib

    table = load_dataset("tic-tac-toe")
    path = tmp_path / "model.json"
    save_model(CLASSIFIERS["tan"]().fit(table.X, table.y), path)

    def sealed(change):
        def edit(document):
            change(document["content"])
            text = json.dumps(document["content"], sort_keys=True, separators=(",", ":"))
            document["checksum"] = hashlib.sha256(text.encode()).hexdigest()

        return edit

    for change, message in [
        (lambda d: d.update(version=99), "later release: it has version 99"),
        (lambda d: d.update(version=0), "no version 0 of tanager-model files"),
        (lambda d: d.pop("version"), "no version None"),
        (lambda d: d.update(format="other"), "not a tanager-model file"),
        (lambda d: d["content"].update(target="x"), "damaged"),
        (sealed(lambda c: c.update(learner="nosuch")), "unknown learner 'nosuch'"),
        (sealed(lambda c: c["arities"].append(2)), "other sizes"),
        (sealed(lambda c: c["tables"].pop()), "tables"),
        (sealed(lambda c: c["tables"][0].pop()), "fit together"),
        (sealed(lambda c: c["nodes"][0]["parents"].append(77)), "fit together"),
        (sealed(lambda c: c["tables"][0].__setitem__(0, 3.0)), "above 0"),
        (sealed(lambda c: c["classes"].pop()), "classes"),
        (sealed(lambda c: c["encoder"]["columns"][0].update(arity=9)), "fit together"),
        (sealed(lambda c: c.pop("encoder")), "fit together: there is no 'encoder'"),
        (sealed(lambda c: c["classes"].__setitem__(0, c["classes"][1])), "class 'positive' occurs twice"),
        (
            sealed(lambda c: c["encoder"]["columns"][0]["levels"].__setitem__(0, ["str", "x"])),
            "level 'x' occurs twice",
        ),
        (sealed(lambda c: c["tables"][0].__setitem__(0, -3.0)), "probabilities of node 0 do not sum to 1"),
        (sealed(lambda c: c["log_prior"].__setitem__(0, -3.0)), "classes' probabilities do not sum to 1"),
        (sealed(lambda c: c["nodes"][0]["members"].__setitem__(0, -1)), "a node names column -1"),
        (sealed(lambda c: c["nodes"][0]["members"].__setitem__(0, 2**70)), f"a node names column {2**70}"),
        (sealed(lambda c: c["tables"][0].__setitem__(0, float("nan"))), "NaN is not a number in JSON"),
        (sealed(lambda c: c.update(classes_dtype="M8[s]")), "arrays of type 'M8"),
        (sealed(lambda c: c["encoder"].update(missing="guess")), "missing = 'guess' is not allowed"),
        (sealed(lambda c: c["parameters"].update(score={"odd": 1})), "a parameter has the unknown form"),
        (sealed(lambda c: c["parameters"].update(score={"name": "x", "settings": {}})), "unknown score"),
    ]:
        with pytest.raises(DataError, match=message) as raised:
            load_model(_edited(path, change))
        assert "edited.json: " in str(raised.value)
    kept = load_model(_edited(path, sealed(lambda c: c["parameters"].update(n_jobs="x", progress=1))))
    assert kept.get_params()["n_jobs"] is None
    (tmp_path / "half.json").write_text(path.read_text(encoding="utf-8")[:500], encoding="utf-8")
    with pytest.raises(DataError, match="not a tanager-model file"):
        load_model(tmp_path / "half.json")
    packed = gzip.compress(path.read_bytes())
    (tmp_path / "half.json.gz").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(DataError, match="damaged"):
        load_model(tmp_path / "half.json.gz")


def test_only_fitted_models_of_known_kinds_are_saved(tmp_path):
    with pytest.raises(DataError, match="not fitted"):
        save_model(CLASSIFIERS["nb"](), tmp_path / "m.json")
    assert os.listdir(tmp_path) == []


def test_a_join_of_many_values_is_kept_by_those_that_occur(tmp_path):
    rng = np.random.default_rng(3)
    X = np.array([f"v{code}" for code in rng.integers(50, size=4 * 300)], dtype=object).reshape(300, 4)
    y = rng.integers(3, size=300)
    model = tanager.ASBClassifier(groups=[[0, 1, 2, 3]], parameters="hierarchical").fit(X, y)
    (cells, rows), path = model.model_.parts()[3][0], tmp_path / "model.json"
    assert len(cells) <= 300  # of 6,250,000
    assert len(rows) == 3 * (len(cells) + 1)
    save_model(model, path)
    assert path.stat().st_size < 200_000
    probabilities = model.predict_proba(X)
    np.testing.assert_array_equal(load_model(path).predict_proba(X), probabilities)
    plain = json.loads(path.read_text())

    def refused(change, sentence):
        other = json.loads(json.dumps(plain))
        change(other["content"]["tables"][0])
        other["checksum"] = _digest(other["content"])
        path.write_text(json.dumps(other))
        with pytest.raises(DataError, match=sentence):
            load_model(path)

    refused(lambda table: table["cells"].reverse(), "do not ascend")
    refused(lambda table: table["cells"].append(50**4), "rows of a join's table")
    refused(lambda table: table["cells"].__setitem__(-1, 50**4), "do not ascend within its values")
    refused(lambda table: table["cells"].__setitem__(0, -1), "whole numbers")
    refused(lambda table: table["rows"].__setitem__(0, 0.0), "do not sum to 1")
