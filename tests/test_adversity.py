"""Inputs that embarrass: one row, one value, 300 values, copies, interrupts, forks, pickles, pipelines."""

import os
import pickle
import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import tanager
from tanager.estimators import CLASSIFIERS
from test_invariances import random_table

# So few rows that a search by accuracy cannot give every fold every class, and says so.
pytestmark = pytest.mark.filterwarnings("ignore:The least populated class:UserWarning")


@pytest.fixture(params=sorted(CLASSIFIERS))
def learner(request):
    """Every registered learner."""
    return CLASSIFIERS[request.param]


def predicted(model, x, uses, said, otherwise):
    """Predicted is `said` where the network uses the attribute that tells, else the largest class."""
    assert model.predict(x).tolist() == (said if uses in model.network_.nodes else otherwise)


def test_constant_columns(learner):
    x = pd.DataFrame({"a": ["only"] * 6, "b": list("ppqqpq"), "c": ["only"] * 6})
    model = learner().fit(x, list("uuvvuv"))
    predicted(model, x, "b", list("uuvvuv"), ["u"] * 6)


def test_nothing_but_constant_columns(learner):
    x = pd.DataFrame({"a": ["only"] * 3, "b": ["only"] * 3})
    model = learner().fit(x, ["u", "u", "v"])
    assert model.predict(x).tolist() == ["u"] * 3


def test_three_hundred_categories(learner):
    random = np.random.default_rng(0)
    codes = random.integers(0, 300, 2000)
    x = pd.DataFrame({"a": pd.Categorical.from_codes(codes, range(300)), "b": codes % 2, "c": codes % 3})
    y = codes % 7 == 0
    model = learner().fit(x, y)
    proba = model.predict_proba(x)
    assert proba.shape == (2000, 2)
    assert np.allclose(proba.sum(axis=1), 1)
    assert (model.predict(x) == y).mean() > 0.85


def test_two_rows(learner):
    model = learner().fit([["a", "p"], ["b", "q"]], [0, 1])
    predicted(model, [["a", "p"], ["b", "q"]], "x0", [0, 1], [0, 0])


def test_one_column(learner):
    model = learner().fit([["a"], ["b"], ["a"]], [0, 1, 0])
    predicted(model, [["b"]], "x0", [1], [0])


def test_identical_columns_still_span():
    x = np.repeat(np.array([[0], [1], [0], [1], [1]]), 5, axis=1)
    model = tanager.TANClassifier().fit(x, [0, 1, 0, 0, 1])
    assert len(model.network_.edges) == 4


def test_a_million_rows(learner):
    """A tenth of them for a search by accuracy, which goes over the rows again and again."""
    rows = 100_000 if "cv" in learner().get_params() else 1_000_000
    x, y = random_table(rows=rows, columns=6, values=4)
    x = x.astype(np.uint8)
    model = learner().fit(x, y)
    assert model.predict(x[:1000]).shape == (1000,)
    assert np.isclose(model.predict_proba(x).sum(), rows)


def test_predicting_no_rows_is_refused_in_one_sentence(learner):
    model = learner().fit([["a"], ["b"]], [0, 1])
    with pytest.raises(ValueError, match="0 sample"):
        model.predict(np.empty((0, 1), dtype=object))


def test_a_failed_fit_leaves_an_unfitted_estimator(learner):
    model = learner()
    with pytest.raises(ValueError, match="y has one class, 0: a classifier needs at least two"):
        model.fit([["a"], ["b"]], [0, 0])
    with pytest.raises(NotFittedError):
        model.predict([["a"]])


def test_a_failed_refit_leaves_nothing_half_fitted(learner):
    model = learner().fit([["a"], ["b"]], [0, 1])
    before = model.predict_proba([["a"], ["b"]])
    with pytest.raises(ValueError, match="X has 2 rows, but y has 3 labels"):
        model.fit([["a", "x"], ["b", "y"]], [0, 1, 1])
    with pytest.raises(ValueError, match="one class"):
        model.fit([["a", "x"], ["b", "y"]], [0, 0])
    assert model.n_features_in_ == 1
    assert np.array_equal(model.predict_proba([["a"], ["b"]]), before)


def test_pickles_predict_the_same(learner):
    x, y = random_table(rows=200)
    model = learner().fit(x, y)
    for protocol in (2, pickle.HIGHEST_PROTOCOL):
        copy = pickle.loads(pickle.dumps(model, protocol=protocol))
        assert np.array_equal(copy.predict_proba(x), model.predict_proba(x))
        assert copy.network_.parents == model.network_.parents


def test_clones_are_unfitted_and_equal(learner):
    x, y = random_table(rows=50)
    takes = "parameters" in learner().get_params()  # refined networks fit their own
    model = learner(**({"parameters": tanager.Laplace(alpha=0.5)} if takes else {})).fit(x, y)
    copy = clone(model)
    with pytest.raises(NotFittedError):
        copy.predict(x)
    assert np.array_equal(copy.fit(x, y).predict_proba(x), model.predict_proba(x))


def test_cross_validation_in_two_processes(learner):
    x, y = random_table(rows=300)
    alone = cross_val_score(learner(), x, y, cv=3)
    together = cross_val_score(learner(), x, y, cv=3, n_jobs=2)
    assert np.array_equal(alone, together)


def test_grid_search_over_scores_and_parameters():
    x, y = random_table(rows=300, columns=4)
    grid = {"score": ["ll", "bic", tanager.BDeu(ess=5.0)], "parameters": ["laplace", "dirichlet"]}
    search = GridSearchCV(tanager.TANClassifier(), grid, cv=3).fit(x, y)
    assert search.best_score_ >= search.cv_results_["mean_test_score"].mean()
    assert len(search.cv_results_["params"]) == 6


def test_pipelines_and_output_settings(learner):
    x, y = random_table(rows=100, columns=3)
    frame = pd.DataFrame(x, columns=["a", "b", "c"])
    model = make_pipeline(FunctionTransformer(), learner()).set_output(transform="pandas").fit(frame, y)
    assert model[-1].feature_names_in_.tolist() == ["a", "b", "c"]
    assert model.score(frame, y) >= np.bincount(y).max() / len(y)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_fitting_works_after_a_fork(learner):
    """A thread pool that was started before the fork does not live in the child."""
    script = """
        import os, sys
        import numpy as np
        import tanager
        random = np.random.default_rng(0)
        x, y = random.integers(0, 3, (500, 8)), random.integers(0, 2, 500)
        tanager.edge_weights(tanager.Dataset(x, [3] * 8, y, 2), "ll")
        first = tanager.{learner}(n_jobs=2).fit(x, y).predict_proba(x)
        child = os.fork()
        if child == 0:
            tanager.edge_weights(tanager.Dataset(x, [3] * 8, y, 2), "ll")
            again = tanager.{learner}(n_jobs=2).fit(x, y).predict_proba(x)
            os._exit(0 if np.array_equal(first, again) else 1)
        print("child", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    source = textwrap.dedent(script).format(learner=learner.__name__)
    result = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, timeout=60, check=False
    )
    assert result.stdout.split() == ["child", "0"], result.stderr


INTERRUPTED = """
    import signal, time
    import numpy as np
    import tanager
    random = np.random.default_rng(0)
    x, y = random.integers(0, 3, (2_000, 300), dtype=np.uint8), random.integers(0, 2, 2_000)
    calls = 0
    def slow(counts):
        global calls
        calls += 1
        if calls == 10:
            signal.raise_signal(signal.SIGINT)
        elif calls > 10:
            time.sleep(0.001)  # all of them would take most of a minute
        return float(counts[0, 0])
    model = tanager.TANClassifier(score=slow, n_jobs=2)
    try:
        model.fit(x, y)
    except KeyboardInterrupt:
        fitted = [name for name in vars(model) if name.endswith("_") and not name.startswith("_")]
        print("interrupted", calls < 50_000, fitted)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT is not sent like this on Windows")
def test_ctrl_c_stops_a_fit_and_leaves_the_estimator_unfitted():
    source = textwrap.dedent(INTERRUPTED)
    result = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, timeout=120, check=False
    )
    assert result.stdout.split() == ["interrupted", "True", "[]"], result.stderr
