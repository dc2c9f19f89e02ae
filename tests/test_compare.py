"""compare and Comparison: what is counted, what is kept, and what a killed run leaves behind."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import CategoricalNB
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from compared import frame, trees, without_times
from tanager.data import load_dataset
from tanager.estimators import CLASSIFIERS
from tanager.evaluation.compare import compare
from tanager.evaluation.comparison import Comparison
from tanager.evaluation.learner import as_learner
from tanager.evaluation.learner_text import Call, parse_learner
from tanager.evaluation.metrics import METRICS
from tanager.evaluation.splits import Plan, plan_splits
from tanager.evaluation.statistics import wilcoxon
from tanager.evaluation.task import as_task, make_task
from tanager.exceptions import CapacityError, DataError, UnknownNameError


def test_accuracy_is_the_share_of_rows_that_plain_cross_validation_gets_right():
    X = np.random.default_rng(1).integers(0, 3, size=(90, 4)).astype(str)
    y = np.where(X[:, 0] == X[:, 1], "a", "b")
    codes = X.astype(float)
    result = compare(trees(), {"toy": (X, y)}, cv=5, repeats=2, random_state=7, progress=False)
    right = 0
    for repeat in range(2):
        folds = StratifiedKFold(5, shuffle=True, random_state=7 + repeat)
        for train, test in folds.split(codes, y):
            model = DecisionTreeClassifier(random_state=0).fit(codes[train], y[train])
            right += int((model.predict(codes[test]) == y[test]).sum())
    assert result.accuracy["toy"]["tree"] == pytest.approx(right / 180)
    assert sum(cell["n_test"] for cell in result.cells if cell["learner"] == "tree") == 180


def test_confusion_matrices_add_up_and_survive_json():
    result = compare(["nb", "tan"], {"lymphography": load_dataset("lymphography")}, repeats=2, progress=False)
    counts = result.confusion("lymphography", "tan")
    rows = sum(cell["n_test"] for cell in result.cells if cell["learner"] == "tan")
    assert counts.sum() == rows == 2 * 148
    assert np.trace(counts) / rows == pytest.approx(result.accuracy["lymphography"]["tan"])
    recalls = np.diag(counts) / counts.sum(axis=1)
    assert ((recalls >= 0) & (recalls <= 1)).all()
    again = Comparison.from_json(result.to_json())
    assert (again.confusion("lymphography", "tan") == counts).all()
    plain = json.loads(result.to_json())
    for wrong in ([[1]], [[0] * 4] * 3, "x", [[-1] * 4] * 4):
        plain["cells"][0]["confusion"] = wrong
        with pytest.raises(DataError, match="confusion matrix of cell 0"):
            Comparison.from_json(json.dumps(plain))
    # Comparisons of before have neither the matrices nor the new measures.
    for cell in plain["cells"]:
        cell.pop("confusion")
        for name in ("precision_macro", "recall_macro", "precision_positive", "recall_positive"):
            cell["metrics"].pop(name)
    old = Comparison.from_json(json.dumps(plain))
    assert math.isnan(old.table("recall_macro")["lymphography"]["nb"])
    with pytest.raises(DataError, match="without confusion matrices"):
        old.confusion("lymphography", "nb")
    with pytest.raises(UnknownNameError, match="unknown 'wine'"):
        result.confusion("wine", "nb")


def test_mixed_frames_go_through_every_kind_of_scikit_learn_classifier():
    X, y = frame()
    learners = {
        "tree": DecisionTreeClassifier(random_state=0),
        "logistic": LogisticRegression(max_iter=500),
        "nb": CategoricalNB(),
        "svm": SVC(),
        "linear": LinearSVC(),
    }
    result = compare(learners, {"mixed": (X, y)}, cv=3, repeats=1, progress=False)
    assert all(value > 0.55 for value in result.accuracy["mixed"].values())
    assert math.isnan(result.table("log_loss")["mixed"]["linear"])
    assert not math.isnan(result.table("log_loss")["mixed"]["nb"])


def test_pandas_and_polars_frames_of_one_content_give_one_checksum_and_result():
    X, y = frame()
    other = pytest.importorskip("polars").from_pandas(X)
    tasks = [make_task("t", X, y, ""), make_task("t", other, y, "")]
    assert tasks[0].checksum == tasks[1].checksum
    results = [compare(trees(), {"t": (table, y)}, cv=3, repeats=1, progress=False) for table in (X, other)]
    assert results[0].accuracy["t"] == results[1].accuracy["t"]


def test_hold_out_and_given_splits():
    X, y = frame(100)
    held = compare(trees(), {"t": (X, y)}, cv=0.25, repeats=3, progress=False)
    assert [cell["n_test"] for cell in held.cells if cell["learner"] == "tree"] == [25, 25, 25]
    given = compare(trees(), {"t": (X, y)}, cv=[(range(60), range(60, 100))], progress=False)
    assert [(cell["n_train"], cell["n_test"]) for cell in given.cells] == [(60, 40)] * 2
    with pytest.raises(ValueError, match="tests rows that it trains on"):
        compare(trees(), {"t": (X, y)}, cv=[(range(60), range(59, 100))], progress=False)


def test_discretising_before_splitting_is_labelled_and_leaves_no_numbers():
    X, y = frame()
    result = compare(trees(), {"t": (X, y)}, cv=3, repeats=1, discretize="before", progress=False)
    assert result.setup["discretize"] == "before"
    assert result.datasets[0]["numeric_attributes"] == 0
    assert any("before splitting" in note for note in result.datasets[0]["notes"])


def test_complete_rows_only():
    X, y = frame()
    result = compare(trees(), {"t": (X, y)}, cv=3, repeats=1, complete=True, progress=False)
    assert result.datasets[0]["rows"] == 117
    assert "3 of 120 rows" in result.datasets[0]["notes"][0]


def test_a_rare_class_is_spread_as_far_as_it_goes():
    y = np.array([0] * 20 + [1] * 20 + [2])
    splits = plan_splits(Plan(cv=5, repeats=1), y)
    assert sorted(row for split in splits for row in split.test) == list(range(41))


def test_predictions_are_kept_on_request_and_cover_every_row_once():
    X, y = frame()
    result = compare(trees(), {"t": (X, y)}, cv=4, repeats=1, predictions=True, progress=False)
    kept = result.predictions("t", "tree")
    rows = [row for part in kept for row in part["rows"]]
    assert sorted(rows) == list(range(120))
    hits = sum(a == b for part in kept for a, b in zip(part["true"], part["predicted"], strict=True))
    assert hits / 120 == pytest.approx(result.accuracy["t"]["tree"])
    with pytest.raises(ValueError, match="predictions=True"):
        compare(trees(), {"t": (X, y)}, cv=4, repeats=1, progress=False).predictions("t", "tree")


def test_threads_do_not_change_the_result():
    X, y = frame()
    results = [compare(trees(), {"t": (X, y)}, repeats=2, n_jobs=jobs, progress=False) for jobs in (1, 2)]
    assert [without_times(r) for r in results[:1]] == [without_times(r) for r in results[1:]]


def test_json_round_trip():
    X, y = frame()
    result = compare(trees(), {"t": (X, y), "u": (X.iloc[::-1], y[::-1])}, cv=3, repeats=1, progress=False)
    again = Comparison.from_json(result.to_json())
    assert again.accuracy.as_dict() == result.accuracy.as_dict()
    assert json.loads(again.to_json()) == json.loads(result.to_json())
    with pytest.raises(ValueError, match="not a comparison of tanager"):
        Comparison.from_json("{}")


def test_statistics_of_a_comparison():
    sets = {f"d{seed}": frame(60, seed) for seed in range(6)}
    learners = {**trees(), "logistic": LogisticRegression()}
    result = compare(learners, sets, cv=3, repeats=2, progress=False)
    assert {result.table(metric).columns for metric in METRICS} == {("tree", "guess", "logistic")}
    assert sum(result.ranks.values()) == pytest.approx(6.0)
    assert result.friedman().n_datasets == 6
    score = result.win_draw_loss("tree", "guess")
    assert score.wins + score.draws + score.losses == 6
    low, high = result.interval("d0", "tree")
    assert low < result.accuracy["d0"]["tree"] < high
    test = result.corrected_t("d0", "tree", "guess")
    assert test.mean == pytest.approx(
        result.accuracy["d0"]["tree"] - result.accuracy["d0"]["guess"], abs=0.02
    )


def test_wilcoxon_within_one_data_set_is_over_its_folds():
    sets = {f"d{seed}": frame(60, seed) for seed in range(2)}
    result = compare(trees(), sets, cv=4, repeats=2, progress=False)
    folds = {
        learner: [
            cell["metrics"]["accuracy"]
            for cell in sorted(result.cells, key=lambda cell: (cell["repeat"], cell["fold"]))
            if cell["dataset"] == "d1" and cell["learner"] == learner
        ]
        for learner in ("tree", "guess")
    }
    assert len(folds["tree"]) == 8
    assert result.wilcoxon("tree", "guess", within="d1") == wilcoxon(*folds.values(), ("tree", "guess"))
    assert result.wilcoxon("tree", "tree", within="d1").n_nonzero == 0
    assert result.wilcoxon("tree", "guess") == wilcoxon(
        result.accuracy.column("tree"), result.accuracy.column("guess"), ("tree", "guess")
    )
    with pytest.raises(KeyError, match="no results of 'tree' and 'guess' on 'd7'"):
        result.wilcoxon("tree", "guess", within="d7")
    with pytest.raises(ValueError, match="unknown metric 'speed'"):
        result.wilcoxon("tree", "guess", "speed", within="d1")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tan", ()),
        ("ckg:k=3,score=bic", (("k", 3), ("score", "bic"))),
        ("tan:forest=true,root=none", (("forest", True), ("root", None))),
        ("tan:score=bdeu(ess=2.5)", (("score", Call("bdeu", (("ess", 2.5),))),)),
        ("bckg:score=acll(prior=uniform,n0=5),k=2", None),
        ("tan:root='petal length',n_jobs=-1", (("root", "petal length"), ("n_jobs", -1))),
        ("tan:root=lug-boot,alpha=1e-3", (("root", "lug-boot"), ("alpha", 0.001))),
    ],
)
def test_specifications(text, expected):
    parsed = parse_learner(text)
    assert parsed.name == text.split(":")[0]
    if expected is not None:
        assert parsed.arguments == expected
    else:
        assert parsed.arguments[0][1] == Call("acll", (("prior", "uniform"), ("n0", 5)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "does not begin with a name"),
        ("tan:", "no parameters after it"),
        ("tan:k", "not of the form"),
        ("tan:k=1,k=2", "given twice"),
        ("tan:score=bd(alpha=1", "parentheses do not match"),
        ("tan:forest=true),k=2", "parentheses do not match"),
        ("tan:k=1)+f(k=2", "parentheses do not match"),
        ("tan:root=petal length", "character 10: this is not of the form parameter=value"),
        ("tan:k=1,,n_jobs=2", "character 9: this is not"),
        ("tan:**k", "not of the form"),
        ("tan:score=a.b(alpha=1)", "not of the form name"),
        ("tree:depth=3", "no parameter 'depth'"),
        ("nosuch", "unknown learner 'nosuch'"),
        ("sklearn.tree.Nothing", "no class sklearn.tree.Nothing"),
    ],
)
def test_bad_specifications_say_what_is_wrong(text, message):
    with pytest.raises(ValueError, match=message):
        as_learner(text)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"discretize": "maybe"}, "'fold', 'before' or 'none'"),
        ({"cv": 1}, "at least 2 folds"),
        ({"cv": 200}, "more than the"),
        ({"cv": 1.5}, "strictly between 0 and 1"),
        ({"repeats": 0}, "repeats is a whole number from 1 on"),
        ({"positive": "maybe"}, "no class 'maybe'"),
    ],
)
def test_bad_arguments_say_what_is_wrong(arguments, message):
    X, y = frame()
    with pytest.raises(ValueError, match=message):
        compare(trees(), {"t": (X, y)}, progress=False, **arguments)


def test_bad_data_say_what_is_wrong():
    X, y = frame()
    with pytest.raises(ValueError, match="one class"):
        compare(trees(), {"t": (X, np.zeros(120))}, progress=False)
    with pytest.raises(ValueError, match="row 0 has no label"):
        compare(trees(), {"t": (X, np.array([None, *y[1:]], dtype=object))}, progress=False)
    with pytest.raises(ValueError, match="given twice"):
        compare([DummyClassifier(), DummyClassifier()], {"t": (X, y)}, progress=False)
    with pytest.raises(TypeError, match="not int"):
        compare(trees(), {"t": 3}, progress=False)


def test_networks_carry_the_strength_of_each_edge():
    result = compare(["nb", "tan"], "car", cv=2, repeats=1, networks=True, progress=False)
    network = next(n for n in result.networks if n["learner"] == "tan")
    assert len(network["edges"]) == len(network["strengths"]) == 5
    table = load_dataset("car")
    model = CLASSIFIERS["tan"]().fit(table.X, table.y)
    assert [tuple(edge) for edge in network["edges"]] == model.network_.edges
    assert network["score"] == pytest.approx(model.structure_score_)


@pytest.mark.parametrize("labels", [np.array(["no", "yes"]), np.array([3, 7]), np.array([False, True])])
def test_learners_see_the_labels_themselves(labels):
    X = np.array([["a"], ["b"]] * 30)
    y = labels[[0, 1] * 29 + [1, 0]]
    weighted = DecisionTreeClassifier(class_weight=dict.fromkeys(labels.tolist(), 1.0))
    result = compare({"tree": weighted, "nb": "nb", "svm": LinearSVC()}, {"t": (X, y)}, 3, 1, progress=False)
    assert result.datasets[0]["classes"] == [str(label) for label in labels.tolist()]
    assert all(value > 0.9 for value in result.accuracy["t"].values())


def test_class_weights_and_priors_are_not_lost_to_counting():
    task = as_task("tic-tac-toe")
    splits = plan_splits(Plan(3, 1), task.y)
    for settings in ({"class_weight": {"negative": 5.0, "positive": 1.0}}, {"class_prior": [0.9, 0.1]}):
        learner = as_learner(CLASSIFIERS["tan"](**settings), "tan")
        assert learner.cross_validate(task, splits) is None
        plain = as_learner("tan").fit_predict(task, splits[0].train, splits[0].test).probabilities
        other = learner.fit_predict(task, splits[0].train, splits[0].test).probabilities
        assert (other[:, 0] > plain[:, 0]).mean() > 0.9


def test_tables_of_likelihood_say_how_zero_counts():
    X, y = frame()
    result = compare(trees(), {"t": (X, y)}, cv=3, repeats=1, progress=False)
    assert "where 0 counts as the smallest normal number, whose ln is −708.4" in result.to_markdown(
        metric="cll"
    )
    assert "−708.4" not in result.to_markdown()
    assert np.log(np.finfo(np.float64).tiny) == pytest.approx(-708.4, abs=0.05)


@pytest.mark.parametrize("cv", [3, 0.25])
def test_more_splits_than_memory_are_refused_before_any_is_made(cv):
    X, y = frame()
    with pytest.raises(CapacityError, match=r"more than the memory limit of \d+ bytes allows"):
        compare(trees(), {"t": (X, y)}, cv=cv, repeats=10**9, progress=False)


@pytest.mark.parametrize(("random_state", "repeats"), [(2**32, 1), (2**32 - 1, 2), (0, 10**12)])
def test_seeds_beyond_those_that_there_are_are_refused(random_state, repeats):
    X, y = frame()
    with pytest.raises(DataError, match=r"of which there are 2\*\*32"):
        compare(trees(), {"t": (X, y)}, random_state=random_state, repeats=repeats, progress=False)
