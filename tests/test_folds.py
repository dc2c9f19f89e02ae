"""Cross-validation from tables counted once equals learning from each training set alone."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bridge import dataset, fit
from reference import parameters as reference
from reference.learners import naive_bayes
from reference.posterior import posterior
from strategies import fold_assignments, tables
from tanager import _core


@st.composite
def folded(draw, **options):
    """A table and the fold of each row; every fold's training set has rows."""
    table = draw(tables(min_rows=4, **options))
    return table, draw(fold_assignments(table.n_rows))


def cross_validate(table, folds, learner, score="ll", parameters="laplace", **settings):
    """P(c | x) of every row by the model of the other folds."""
    folds = np.array(folds, dtype=np.uint32)
    parts = _core.cross_validate(
        dataset(table), folds, int(folds.max()) + 1, learner, settings, score, parameters, 1
    )
    found = np.empty((folds.size, parts[0].shape[1]))
    for fold, part in enumerate(parts):
        found[folds == fold] = part
    return found


def training_and_test(folds, fold):
    """The rows outside and inside of a fold."""
    rows = range(len(folds))
    return [row for row in rows if folds[row] != fold], [row for row in rows if folds[row] == fold]


@given(folded(huge=False))
def test_naive_bayes_equals_the_oracle_refitted_for_each_fold(example):
    table, folds = example
    found = cross_validate(table, folds, "nb")
    for fold in set(folds):
        train, test = training_and_test(folds, fold)
        part = table.rows(train)
        model = reference.fit(part, naive_bayes(part), reference.laplace)
        for row in test:
            assert np.allclose(found[row], posterior(model, table.codes[row]), rtol=1e-9, atol=1e-12)


@given(folded(max_rows=200), st.sampled_from(["ll", "bic", "k2", "bdeu", "mit"]))
def test_tan_equals_fitting_each_training_set_exactly(example, score):
    table, folds = example
    found = cross_validate(table, folds, "tan", score, "dirichlet")
    for fold in set(folds):
        train, test = training_and_test(folds, fold)
        model, _ = fit(table.rows(train), "tan", score, "dirichlet")
        assert np.array_equal(found[test], model.posterior(dataset(table.rows(test))))
