"""Row weights in compare: used in training, said in the report, never lost on the way."""

import numpy as np
import pytest

from tanager.data import read_table
from tanager.estimators import CLASSIFIERS
from tanager.evaluation.compare import compare
from tanager.evaluation.learner import as_learner
from tanager.evaluation.networks import conditional_mutual_information
from tanager.evaluation.splits import Plan, plan_splits
from tanager.evaluation.task import as_task, complete_cases, discretized, make_task


def weighted_table(tmp_path):
    """An ARFF file whose rows carry weights, with numbers, read back."""
    random = np.random.default_rng(5)
    lines = [
        "@relation weighted",
        "@attribute a {x,y,z}",
        "@attribute b numeric",
        "@attribute class {no,yes}",
        "@data",
    ]
    for row in range(150):
        level, label = "xyz"[random.integers(3)], ["no", "yes"][random.integers(2)]
        number = random.normal() + 2 * (label == "yes")
        lines.append(
            f"{level},{number:.3f},{label}, {{{(5.0 if label == 'yes' else 0.5) if row % 3 else 1.0}}}"
        )
    path = tmp_path / "weighted.arff"
    path.write_text("\n".join(lines))
    return read_table(path)


@pytest.mark.parametrize("learner", ["nb", "tan", "tree", "sklearn-nb"])
def test_row_weights_are_used_in_training(tmp_path, learner):
    table = weighted_table(tmp_path)
    result = compare([learner], {"w": table}, cv=3, repeats=1, predictions=True, progress=False)
    task = as_task(table, "w")
    for split, cell in zip(plan_splits(Plan(3, 1), task.y), result.cells, strict=True):
        model = as_learner(learner).build(task)
        weights = table.weights[split.train]
        name = f"{model.steps[-1][0]}__sample_weight" if hasattr(model, "steps") else "sample_weight"
        model.fit(task.rows(split.train), task.target(split.train), **{name: weights})
        expected = model.predict_proba(task.rows(split.test))
        np.testing.assert_array_equal(cell["predictions"]["probabilities"], expected)
        plain = as_learner(learner).build(task).fit(task.rows(split.train), task.target(split.train))
        assert np.abs(plain.predict_proba(task.rows(split.test)) - expected).max() > 0.01
        assert not cell["by_counting"]
    assert result.datasets[0]["weighted"]
    assert "Rows are weighted in training; every tested row counts once: w." in result.to_markdown()


def test_row_weights_survive_what_is_done_before_splitting(tmp_path):
    table = weighted_table(tmp_path)
    task = as_task(table)
    plain = make_task(task.name, table.X, table.y, "")
    assert task.checksum != plain.checksum
    assert plain.weights is None
    for prepared in (discretized(task), complete_cases(task)):
        np.testing.assert_array_equal(prepared.weights, table.weights)
        assert prepared.notes.count("rows weighted in training; every tested row counts once") == 1
    assert discretized(task).X.raw("b").levels != discretized(plain).X.raw("b").levels


def test_a_learner_that_takes_no_weights_is_refused(tmp_path):
    table = weighted_table(tmp_path)
    with pytest.raises(
        ValueError, match=r"'w' has row weights, but knn cannot .* give the pair \(table.X, table.y\)"
    ):
        compare(["nb", "knn"], {"w": table}, progress=False)
    result = compare(["nb", "knn"], {"w": (table.X, table.y)}, cv=2, repeats=1, progress=False)
    assert not result.datasets[0]["weighted"]


def test_networks_of_weighted_rows_are_learned_from_weighted_rows(tmp_path):
    table = weighted_table(tmp_path)
    result = compare(["tan"], {"w": table}, cv=2, repeats=1, networks=True, progress=False)
    model = CLASSIFIERS["tan"]().fit(as_task(table).X, table.y, sample_weight=table.weights)
    assert result.networks[0]["score"] == pytest.approx(model.structure_score_)
    x, given = np.array([0, 0, 1, 1]), np.zeros(4, dtype=np.int64)
    twice = conditional_mutual_information(x[[0, 1, 2, 2, 3]], x[[0, 2, 2, 2, 3]], given[[0] * 5])
    weights = np.array([1.0, 1.0, 2.0, 1.0])
    assert conditional_mutual_information(x, x[[0, 2, 2, 3]], given, weights) == pytest.approx(twice)
