"""Tables of probabilities equal the oracle's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tanager
from bridge import fit, structure_of, table_of
from reference import parameters as reference
from reference.parameters import PARAMETERS
from strategies import tables

# The two others have optima, and tests of their own.
PLAIN = sorted(set(PARAMETERS) - {"acll", "hierarchical"})


def check_tables(model, table, estimate):
    """The class's table and every node's, entry by entry, and that they are distributions."""
    expected = reference.fit(table, structure_of(model), estimate)
    assert np.allclose(np.exp(model.log_prior), expected.prior, rtol=1e-12, atol=0)
    for i, theta in enumerate(expected.tables):
        found = table_of(model, i)
        assert np.allclose(found, theta, rtol=1e-12, atol=0)
        assert np.allclose(found.sum(axis=1), 1)


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("learner", ["nb", "tan"])
@given(table=tables(max_rows=12))
def test_tables_equal_the_oracle(learner, name, table):
    model, _ = fit(table, learner, parameters=name)
    check_tables(model, table, PARAMETERS[name])


@given(tables(max_rows=12), st.floats(0.01, 50))
def test_options_reach_the_estimator(table, amount):
    model, _ = fit(table, "tan", parameters=tanager.Laplace(alpha=amount))
    check_tables(model, table, lambda *family: reference.laplace(*family, alpha=amount))
    model, _ = fit(table, "tan", parameters=tanager.Dirichlet(n0=amount))
    check_tables(model, table, lambda *family: reference.dirichlet(*family, n0=amount))
