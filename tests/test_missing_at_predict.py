"""Missing values at predict: beliefs instead of sums, and sums that are too large."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tanager
from bridge import close, dataset, fit, structure_of
from reference import parameters as reference
from reference.beliefs import believed_joint
from reference.parameters import PARAMETERS
from reference.posterior import log_marginal
from reference.table import MISSING, Table
from strategies import tables


@pytest.mark.parametrize("name", ["laplace", "mle"])
@pytest.mark.parametrize("learner", ["tan", "ckg", "bckg"])
@given(table=tables(max_rows=15, max_attributes=5, huge=False), data=st.data())
def test_beliefs_equal_the_oracle(learner, name, table, data):
    """A limit of one value for each class leaves no exact sum."""
    model, _ = fit(table, learner, parameters=name)
    oracle = reference.fit(table, structure_of(model), PARAMETERS[name])
    row = [data.draw(st.sampled_from([MISSING, MISSING, *range(arity)])) for arity in table.arities]
    asked = dataset(Table([row], table.arities))
    exact = model.log_joint(asked, 1)
    try:
        tanager.set_memory_limit(8 * table.n_classes)
        found = model.log_joint(asked, 1, True)
    finally:
        tanager.set_memory_limit(None)
    assert close(found, [believed_joint(oracle, row)])
    assert close(exact, [log_marginal(oracle, row)])


def wide(columns=200, rows=300, values=3):
    """Columns that depend on several others, half of them missing in all rows but the first."""
    random = np.random.default_rng(0)
    x = random.integers(0, values, (rows, columns))
    for i in range(2, columns):
        copy = random.random((rows, 2)) < 0.45
        for one in range(2):
            x[copy[:, one], i] = x[copy[:, one], random.integers(0, i)]
    gaps = x.astype(object)
    gaps[1:, random.permutation(columns)[: columns // 2]] = None
    return x, random.integers(0, 2, rows), gaps


def network(columns, rows=300):
    """A classifier in which every attribute has two of all earlier ones as parents."""
    x, y, gaps = wide(columns, rows)
    score = np.random.default_rng(1).random
    model = tanager.BCkGClassifier(
        k=2, score=lambda counts: float(score()), discretize="none", missing="drop"
    )
    return model.fit(x, y), gaps


def test_a_sum_that_is_too_large_names_its_row_and_the_way_out():
    model, gaps = network(60)
    model.set_params(missing_at_predict="exact")
    tanager.set_memory_limit(2**8)
    try:
        with pytest.raises(tanager.CapacityError, match=r'row 1: .* missing_at_predict="approximate"'):
            model.predict_proba(gaps[:6])
        assert model.predict_proba(gaps[:1]).shape == (1, 2)
        found = model.set_params(missing_at_predict="approximate").predict_proba(gaps[:6])
    finally:
        tanager.set_memory_limit(None)
    assert np.allclose(found.sum(axis=1), 1)
    assert np.array_equal(found[:1], model.predict_proba(gaps[:1]))


def test_the_way_of_summing_is_one_of_two_words():
    x, y, _ = wide(4, 20)
    with pytest.raises(tanager.DataError, match='"exact" or "approximate"'):
        tanager.NaiveBayesClassifier(missing_at_predict="roughly").fit(x, y)
    with pytest.raises(tanager.DataTypeError, match='"exact" or "approximate"'):
        tanager.NaiveBayesClassifier(missing_at_predict=1).fit(x, y)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT is not sent like this on Windows")
def test_ctrl_c_ends_a_long_sum():
    """Rows that miss half of 200 values: the sums take long, and are left while tables are being summed."""
    script = """
        import os, signal, sys, threading
        sys.path.insert(0, sys.argv[1])
        import numpy as np
        from test_missing_at_predict import network
        model, gaps = network(200)
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try:
            model.predict_proba(np.tile(gaps, (100, 1)))
        except KeyboardInterrupt:
            print("interrupted")
    """
    here = str(__file__).rpartition("/")[0]
    command = [sys.executable, "-c", textwrap.dedent(script), here]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert result.stdout.split() == ["interrupted"], result.stderr
