"""Posteriors equal the oracle's, row by row."""

from itertools import islice, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge import close, dataset, fit, structure_of
from reference import parameters as reference
from reference.parameters import PARAMETERS
from reference.posterior import log_joint, posterior
from reference.table import Table
from strategies import tables

# The two others have tests of their own.
PLAIN = sorted(set(PARAMETERS) - {"acll", "hierarchical"})


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("learner", ["nb", "tan"])
@given(table=tables(max_rows=12, max_attributes=3))
def test_posteriors_equal_the_oracle(learner, name, table):
    """On rows of the whole domain, not only on the training rows."""
    model, _ = fit(table, learner, parameters=name)
    rows = [list(row) for row in islice(product(*map(range, table.arities)), 300)]
    oracle = reference.fit(table, structure_of(model), PARAMETERS[name])
    expected = np.array([posterior(oracle, row) for row in rows])
    asked = dataset(Table(rows, table.arities))
    found = model.posterior(asked)
    assert np.allclose(found, expected, rtol=1e-9, atol=1e-12)
    assert np.allclose(found.sum(axis=1), 1)
    assert np.allclose(np.exp(model.log_posterior(asked)), expected, rtol=1e-9, atol=1e-12)
    assert close(model.log_joint(asked), [log_joint(oracle, row) for row in rows])


def test_the_prior_answers_where_everything_is_impossible():
    table = Table([[0], [0], [1], [1]], [3], [0, 0, 0, 1], 2)
    model, _ = fit(table, "nb", parameters="mle")
    assert model.posterior(dataset(Table([[2]], [3]))).tolist() == [[0.75, 0.25]]


@given(st.integers(1, 40), st.integers(1, 5))
def test_rows_in_blocks_and_alone_get_the_same(columns, classes):
    random = np.random.default_rng(columns)
    rows = random.integers(0, 3, (2500, columns)).tolist()
    table = Table(rows[:50], [3] * columns, random.integers(0, classes, 50).tolist(), classes)
    model, _ = fit(table, "tan")
    together = model.posterior(dataset(Table(rows, table.arities)), 2)
    for row in (0, 1023, 1024, 2499):
        assert np.array_equal(model.posterior(dataset(Table([rows[row]], table.arities)))[0], together[row])


def test_many_columns_do_not_underflow():
    random = np.random.default_rng(0)
    rows = random.integers(0, 2, size=(40, 3000)).tolist()
    table = Table(rows, [2] * 3000, random.integers(0, 2, size=40).tolist(), 2)
    model, _ = fit(table, "nb")
    found = model.log_posterior(dataset(table))
    assert np.all(np.isfinite(found))
    assert np.all(model.log_joint(dataset(table)) < -800)
    assert np.allclose(np.exp(found).sum(axis=1), 1)
