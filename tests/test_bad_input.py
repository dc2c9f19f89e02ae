"""Bad input to an estimator gets one clear sentence, and nothing half-fitted stays."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

import tanager

X = [["a", "p"], ["b", "q"], ["a", "q"], ["b", "p"]]
Y = [0, 1, 0, 1]
FRAME = pd.DataFrame(X, columns=["left", "right"])


def fit(x=X, y=Y, learner="TANClassifier", sample_weight=None, **settings):
    """Fits a classifier; the four good rows unless told otherwise."""
    return getattr(tanager, learner)(**settings).fit(x, y, sample_weight)


def floats(*values):
    """One numeric column."""
    return np.array(values, dtype=float).reshape(-1, 1)


FIT = {
    "labels missing": ({"y": [0, 1, None, 1]}, ValueError, "y contains NaN|row 2 has no label"),
    "labels numbers missing": ({"y": [0.0, 1.0, np.nan, 1.0]}, ValueError, "y contains NaN"),
    "no labels": ({"y": None}, ValueError, "y"),
    "one class": ({"y": ["u"] * 4}, ValueError, "y has one class, 'u': a classifier needs at least two"),
    "labels of measurements": ({"y": [0.1, 0.2, 0.3, 0.4]}, ValueError, "continuous"),
    "too few labels": ({"y": [0, 1, 1]}, ValueError, "X has 4 rows, but y has 3 labels|inconsistent"),
    "one dimension": ({"x": ["a", "b", "a", "b"]}, ValueError, "Expected 2D array, got 1D array"),
    "three dimensions": ({"x": np.zeros((4, 2, 2))}, ValueError, "dim 3"),
    "a number": ({"x": 3}, ValueError, "Expected 2D array, got scalar"),
    "no rows": ({"x": np.empty((0, 2)), "y": []}, ValueError, "0 sample"),
    "no columns": ({"x": np.empty((4, 0))}, ValueError, r"0 feature"),
    "two columns of one name": ({"x": FRAME.set_axis(["a", "a"], axis=1)}, ValueError, "'a'"),
    "infinite": ({"x": floats(1, np.inf, 2, 3)}, ValueError, "row 1: inf is not allowed"),
    "complex": ({"x": floats(1, 2, 3, 4) * 1j}, ValueError, "Complex data not supported"),
    "sparse": ({"x": sparse.csr_matrix(np.eye(4))}, TypeError, "dense data is required"),
    "lists": ({"x": pd.DataFrame({"bag": [[1], [2], [1], [2]]})}, TypeError, "column 'bag'"),
    "unknown score": ({"score": "bogus"}, ValueError, 'unknown score "bogus", known are ll, aic'),
    "a score's class": ({"score": tanager.BIC}, TypeError, "it is a name, a score such as"),
    "no score": ({"score": None}, TypeError, "score = None is not allowed"),
    "score of the wrong type": ({"score": lambda counts: "x"}, TypeError, "function returned 'x': it"),
    "score not a number": ({"score": lambda counts: float("nan")}, ValueError, "is not a number"),
    "score raises": ({"score": lambda counts: 1 / 0}, ZeroDivisionError, "division"),
    "setting of a score": ({"score": tanager.BDeu(ess=0.0)}, ValueError, "ess = 0 is not allowed"),
    "unknown parameters": ({"parameters": "bogus"}, ValueError, 'unknown parameters "bogus", known are mle'),
    "a setting not a number": ({"parameters": tanager.Laplace(alpha=np.nan)}, ValueError, "alpha = NaN"),
    "unknown root": ({"x": FRAME, "root": "up"}, ValueError, "root = 'up' is not a column: .* left, right"),
    "root out of range": ({"root": 2}, ValueError, "root = 2 is not a column"),
    "negative root": ({"root": -1}, ValueError, "root = -1 is not a column"),
    "no threads": ({"n_jobs": 0}, ValueError, "n_jobs = 0 is not allowed"),
    "threads in words": ({"n_jobs": "two"}, TypeError, "n_jobs = 'two' is not allowed: it is None, a number"),
    "half a thread": ({"n_jobs": 0.5}, TypeError, "n_jobs = 0.5 is not allowed"),
    "a forest in words": ({"forest": "maybe"}, TypeError, "forest = 'maybe' is not allowed: it is True or"),
    "unknown treatment of gaps": ({"missing": "guess"}, ValueError, "missing = 'guess' is not allowed"),
    "unknown discretisation": ({"discretize": "guess"}, ValueError, "discretize = 'guess' is not allowed"),
    "negative weight": ({"sample_weight": [-1, 1, 1, 1]}, ValueError, "[Nn]egative|not negative"),
    "no weight at all": ({"sample_weight": [0, 0, 0, 0]}, ValueError, "weight"),
    "too few weights": ({"sample_weight": [1, 1]}, ValueError, "sample_weight"),
}


@pytest.mark.parametrize(("arguments", "exception", "sentence"), FIT.values(), ids=FIT)
def test_what_cannot_be_fitted(arguments, exception, sentence):
    with pytest.raises(exception, match=sentence):
        fit(**arguments)


@pytest.mark.parametrize("arguments", [case[0] for case in FIT.values()], ids=FIT)
def test_what_cannot_be_fitted_leaves_nothing_behind(arguments):
    settings = {name: value for name, value in arguments.items() if name not in {"x", "y", "sample_weight"}}
    model = tanager.TANClassifier(**settings)
    with pytest.raises((ValueError, TypeError, ArithmeticError)):
        model.fit(arguments.get("x", X), arguments.get("y", Y), arguments.get("sample_weight"))
    assert [name for name in vars(model) if name.endswith("_")] == []
    with pytest.raises(NotFittedError):
        model.predict(X)


PREDICT = {
    "a column missing": (FRAME[["left"]], ValueError, "right"),
    "a column too many": (FRAME.assign(extra=1), ValueError, "extra"),
    "other columns": (FRAME.set_axis(["up", "down"], axis=1), ValueError, "left|up"),
    "too narrow an array": (np.array([["a"]], dtype=object), ValueError, "1 feature"),
    "too wide an array": (np.array([["a", "p", "z"]], dtype=object), ValueError, "3 feature"),
    "an unknown value": (FRAME.assign(left="zebra"), ValueError, "'left', row 0: value 'zebra' .*'a', 'b'"),
    "a number for a word": (FRAME.assign(left=3), ValueError, "'left'"),
}


@pytest.mark.parametrize(("x", "exception", "sentence"), PREDICT.values(), ids=PREDICT)
def test_what_cannot_be_predicted(x, exception, sentence):
    model = fit(FRAME, handle_unknown="error")
    with pytest.raises(exception, match=sentence):
        model.predict(x)


def test_columns_are_matched_by_name():
    model = fit(FRAME)
    assert np.array_equal(model.predict_proba(FRAME[["right", "left"]]), model.predict_proba(FRAME))


@pytest.mark.parametrize("jobs", [-(10**30), -100, -1, 1, 3, 10**6, 10**30])
def test_any_number_of_threads_is_taken_sensibly(jobs):
    assert np.array_equal(fit(n_jobs=jobs).predict_proba(X), fit().predict_proba(X))


PARENTS = ["CkGClassifier", "BCkGClassifier", "CkGDensity", "BCkGDensity"]


@pytest.mark.parametrize("name", PARENTS)
def test_k_is_checked_and_clamped(name):
    def learn(k):
        return getattr(tanager, name)(k=k, score="ll").fit(X, Y)

    assert learn(10**30).network_ == learn(np.int64(2)).network_
    for k, exception in (("2", TypeError), (1.5, ValueError), (True, TypeError), (-1, ValueError)):
        with pytest.raises(exception, match=f"k = {k!r} is not allowed: it is a whole number from 0 on"):
            learn(k)


def test_k_of_a_search_is_checked_and_clamped():
    data = tanager.Dataset([[a, b, a ^ b] for a in (0, 1) for b in (0, 1)], [2, 2, 2])
    assert tanager.best_parents(data, 2, [0, 1], 10**25, "ll") == ((0, 1), 0.0)
    with pytest.raises(TypeError, match="k = '2' is not allowed"):
        tanager.best_parents(data, 2, [0, 1], "2", "ll")


@pytest.mark.parametrize("name", PARENTS)
def test_a_search_tells_its_progress(name):
    seen = []
    rows = np.random.default_rng(0).integers(0, 2, (200, 8))
    model = getattr(tanager, name)(progress=lambda done, expected: seen.append((done, expected)))
    model.fit(rows, rows.sum(axis=1) % 2)
    assert seen, "it is called at the end at least"
    assert seen[-1][0] == seen[-1][1] > 0

    def interrupted(done, expected):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        model.set_params(progress=interrupted).fit(rows, rows.sum(axis=1) % 2)


def test_columns_without_names_are_called_by_position_or_x():
    rows = np.array([[0, 0], [1, 1], [0, 1], [1, 0]] * 4)
    labels = [0, 1] * 8
    for column in (1, "x1"):
        model = tanager.TANClassifier(numeric=[column], root=column).fit(rows, labels)
        assert [encoding.kind for encoding in model.encoder_.columns] == ["categorical", "numeric"]
        assert model.network_.edges == [("x1", "x0")]
    for setting in ("categorical", "numeric"):
        message = f"{setting} names 'x2', which is not a column; columns are x0, x1"
        with pytest.raises(ValueError, match=message):
            tanager.TANClassifier(**{setting: ["x2"]}).fit(rows, labels)
    frame = pd.DataFrame({5: [1.0, np.inf], 7: [1.0, 2.0]})
    with pytest.raises(ValueError, match="column 'x0', row 1: inf"):
        tanager.TANClassifier().fit(frame, [0, 1])


def test_arguments_of_a_dataset():
    codes = [[0, 1], [1, 0], [1, 1]]
    weighted = tanager.Dataset(codes, [2, 2], weights=[1, 2, 3.5])
    assert weighted.total == 6.5
    for weights in (["a", 1, 1], [[1, 1, 1]], {"a": 1}):
        with pytest.raises(ValueError, match="weights is not a list of numbers, one for each row"):
            tanager.Dataset(codes, [2, 2], weights=weights)
    for arity in (2**70, -1, "2", 1.5):
        with pytest.raises(ValueError, match=r"arity = .* is not allowed: it is a whole number from 1 to"):
            tanager.Dataset(codes, [2, arity])
    with pytest.raises(ValueError, match=f"n_classes = {2**70} is not allowed"):
        tanager.Dataset(codes, [2, 2], [0, 1, 1], 2**70)


def test_the_size_of_a_sampled_set_is_checked():
    assert len(tanager.load_dataset("led-7", rows=np.int64(5))) == 5
    for rows in ("5", 2.5, True):
        with pytest.raises(
            TypeError, match=f"rows = {rows!r} is not allowed: it is a whole number from 1 on"
        ):
            tanager.load_dataset("led-7", rows=rows)


@pytest.mark.parametrize(
    "estimator",
    [
        tanager.NaiveBayesClassifier(),
        tanager.RefinedClassifier("nb", ridge=1.0),
        tanager.KDBEnsembleClassifier(n_estimators=2),
    ],
    ids=lambda one: one.learner,
)
def test_labels_and_weights_are_given_once(estimator):
    frame = FRAME.assign(label=Y, rows=1.0)
    for given, said in (
        ({"y": Y, "target": "label"}, "y and target = 'label' are both given"),
        ({"y": Y, "weight": "rows"}, "y and weight = 'rows' are both given"),
        ({"target": "label", "sample_weight": [1] * 4}, "sample_weight and target = 'label' are both given"),
    ):
        with pytest.raises(tanager.DataError, match=said):
            estimator.fit(frame, **given)
    model = estimator.fit(frame, target="label", weight="rows")
    assert model.feature_names_in_.tolist() == ["left", "right"]


@pytest.mark.parametrize("dtype", ["S3", object])
@pytest.mark.parametrize("learner", ["TANClassifier", "NaiveBayesClassifier", "KDBClassifier"])
def test_labels_that_are_bytes_are_scored(learner, dtype):
    y = np.array([b"no", b"no", b"yes", b"no"] * 5, dtype=dtype)
    model = getattr(tanager, learner)().fit(X * 5, y)
    right = model.predict(X * 5) == y
    assert 0 < model.score(X * 5, y) == right.mean()
    weights = np.arange(20)
    assert model.score(X * 5, y, weights) == pytest.approx(np.average(right, weights=weights))
    assert model.score(X * 5, ["no"] * 20) == 0
    with pytest.raises(tanager.DataError, match=r"y has shape \(3,\), expected \(20,\)"):
        model.score(X * 5, y[:3])
