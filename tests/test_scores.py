"""Every score equals the oracle's to a relative 1e-9."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tanager
from bridge import close, dataset
from reference.scores import SCORE_EQUIVALENT, SCORES, edge_weights, network_score
from reference.table import CLASS
from strategies import families, tables

PLAIN = sorted(set(SCORES) - {"acll"})
"""The scores that need no class."""

OPTIONS = {
    "BD(0.3)": (tanager.BD(alpha=0.3), lambda *f: SCORES["bd"](*f, alpha=0.3)),
    "BDeu(10)": (tanager.BDeu(ess=10.0), lambda *f: SCORES["bdeu"](*f, ess=10.0)),
    "BDe(2)": (tanager.BDe(ess=2.0), lambda *f: SCORES["bde"](*f, ess=2.0)),
    "BDe(empirical)": (
        tanager.BDe(ess=3.0, prior="empirical"),
        lambda *f: SCORES["bde"](*f, ess=3.0, prior="empirical"),
    ),
    "MIT(0.9)": (tanager.MIT(alpha=0.9), lambda *f: SCORES["mit"](*f, alpha=0.9)),
}


@given(families(with_class=None), st.sampled_from(PLAIN))
def test_family_scores_equal_the_oracle(family, name):
    table, child, parents = family
    found = tanager.family_score(dataset(table), child, parents, name)
    assert close(found, SCORES[name](table, child, parents))


@pytest.mark.parametrize("option", OPTIONS)
@given(family=families(with_class=None))
def test_options_reach_the_score(option, family):
    table, child, parents = family
    score, reference = OPTIONS[option]
    assert close(
        tanager.family_score(dataset(table), child, parents, score), reference(table, child, parents)
    )


@settings(max_examples=20)
@given(families(min_rows=200, max_rows=400, huge=False, max_attributes=3), st.sampled_from(PLAIN))
def test_scores_of_many_rows(family, name):
    table, child, parents = family
    found = tanager.family_score(dataset(table), child, parents, name)
    assert close(found, SCORES[name](table, child, parents))


@given(tables(max_attributes=4, with_class=None), st.sampled_from(PLAIN))
def test_edge_weights_equal_the_oracle(table, name):
    found = tanager.edge_weights(dataset(table), name)
    assert close(found, edge_weights(table, SCORES[name]))
    assert np.all(np.diag(found) == 0)


@given(st.data(), tables(min_attributes=2, with_class=None), st.sampled_from(PLAIN))
def test_network_scores_add_up(data, table, name):
    parents = [
        data.draw(st.lists(st.integers(0, i - 1), max_size=2, unique=True)) if i else []
        for i in range(table.n_attributes)
    ]
    found = tanager.network_score(dataset(table), parents, name)
    assert close(found, network_score(table, parents, SCORES[name]))


@pytest.mark.parametrize("name", sorted(SCORE_EQUIVALENT))
@given(table=tables(min_attributes=2, with_class=None))
def test_equivalent_scores_give_symmetric_weights(name, table):
    weights = tanager.edge_weights(dataset(table), name)
    assert close(weights, weights.T)


@given(families(with_class=None))
def test_a_callable_is_a_score(family):
    table, child, parents = family

    def log_likelihood(counts):
        rows = counts.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(np.nansum(np.where(counts > 0, counts * np.log(counts / rows), 0.0)))

    found = tanager.family_score(dataset(table), child, parents, log_likelihood)
    assert close(found, SCORES["ll"](table, child, parents))


def test_a_callable_sees_the_counts_of_the_family():
    data = tanager.Dataset([[0, 0], [1, 1], [1, 0]], [2, 3], [0, 1, 1], 2)
    seen = []

    def remember(counts):
        seen.append(counts.copy())
        return 0.0

    tanager.family_score(data, 1, [CLASS, 0], remember)
    assert seen[0].tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 0], [1, 1, 0]]


def test_mdl_is_bic():
    data = tanager.Dataset([[0], [1], [1]], [2], [0, 0, 1], 2)
    assert tanager.family_score(data, 0, [CLASS], "mdl") == tanager.family_score(data, 0, [CLASS], "bic")
    assert tanager.family_score(data, 0, [CLASS], tanager.MDL()) == tanager.family_score(
        data, 0, [CLASS], tanager.BIC()
    )
