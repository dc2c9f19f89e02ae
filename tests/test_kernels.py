"""The counting kernels at the borders of their words, tiles and widths, against numpy."""

import numpy as np
import pytest
from scipy.special import xlogy

import tanager

ROWS = [1, 63, 64, 65, 511, 512, 513, 4095, 4096, 4097, 20_011]
ARITIES = {
    "binary": [2] * 7,
    "small": [2, 3, 4, 5, 2, 3, 1],
    "mixed": [2, 16, 17, 1, 40, 3],
    "byte": [254, 255, 2, 3],
    "wide": [256, 300, 2, 3],
    "very wide": [65_535, 65_536, 2, 3],
}


def random_codes(rows, arities, classes, seed, gaps=0.0):
    """Columns that lean on their left neighbour and on the class; a share of the entries is −1."""
    random = np.random.default_rng(seed)
    y = random.integers(0, classes, rows)
    columns = []
    for i, arity in enumerate(arities):
        column = random.integers(0, arity, rows)
        if i:
            copied = random.random(rows) < 0.4
            column[copied] = (columns[-1][copied] + y[copied]) % arity
        columns.append(column)
    x = np.column_stack(columns)
    x[random.random(x.shape) < gaps] = -1
    return x, y


def pair_table(x, y, arities, classes, i, j, weights=None):
    """N[c, x_i, x_j] by numpy; rows with a gap in either column are left out."""
    kept = (x[:, i] >= 0) & (x[:, j] >= 0)
    index = np.ravel_multi_index((y[kept], x[kept, i], x[kept, j]), (classes, arities[i], arities[j]))
    size = classes * arities[i] * arities[j]
    counts = np.bincount(index, weights=None if weights is None else weights[kept], minlength=size)
    return counts.reshape(classes, arities[i], arities[j])


def log_likelihood(table):
    """Σ N_jk ln(N_jk / N_j), the last axis k."""
    return xlogy(table, table).sum() - xlogy(table.sum(-1), table.sum(-1)).sum()


def expected_weights(x, y, arities, classes, weights=None):
    """w_ij = φ_j({i, C}) − φ_j({C}) of the log-likelihood, pair by pair."""
    n = len(arities)
    w = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if i != j:
                pair = pair_table(x, y, arities, classes, i, j, weights)
                w[i, j] = log_likelihood(pair) - log_likelihood(pair.sum(axis=1))
    return w


def dense_enough(arities, classes):
    """Whether numpy can hold every pair's table."""
    return classes * np.prod(sorted(arities)[-2:]) < 3_000_000


@pytest.mark.parametrize("classes", [1, 2, 3, 26])
@pytest.mark.parametrize("kind", [kind for kind in ARITIES if kind != "very wide"])
def test_all_pairs_at_every_border(kind, classes):
    arities = ARITIES[kind]
    assert dense_enough(arities, classes)
    for rows in ROWS:
        x, y = random_codes(rows, arities, classes, seed=rows)
        data = tanager.Dataset(x, arities, y, classes)
        found = tanager.edge_weights(data, "ll", n_jobs=2)
        assert np.allclose(found, expected_weights(x, y, arities, classes), rtol=1e-9, atol=1e-7), rows


@pytest.mark.parametrize("kind", ARITIES)
def test_families_of_every_width(kind):
    arities = ARITIES[kind]
    for rows in (1, 65, 4097):
        x, y = random_codes(rows, arities, 3, seed=rows)
        data = tanager.Dataset(x, arities, y, 3)
        for i in range(len(arities)):
            found = tanager.family_counts(data, i, ["class"])
            expected = np.zeros((3, arities[i]), dtype=int)
            np.add.at(expected, (y, x[:, i]), 1)
            assert np.array_equal(found, expected)


@pytest.mark.parametrize("kind", ["binary", "small", "mixed"])
@pytest.mark.parametrize("rows", [65, 513, 4097])
def test_gaps_are_left_out_of_every_pair(kind, rows):
    arities = ARITIES[kind]
    x, y = random_codes(rows, arities, 3, seed=rows, gaps=0.1)
    data = tanager.Dataset(x, arities, y, 3, missing=-1)
    for j in range(len(arities)):
        for i in range(j):
            found = tanager.family_counts(data, j, ["class", i]).reshape(3, arities[i], arities[j])
            assert np.array_equal(found, pair_table(x, y, arities, 3, i, j))


@pytest.mark.parametrize("kind", ["binary", "small", "mixed"])
@pytest.mark.parametrize("rows", [65, 4097])
def test_weights_count_as_that_many_rows(kind, rows):
    arities = ARITIES[kind]
    x, y = random_codes(rows, arities, 3, seed=rows)
    repeats = np.random.default_rng(rows).integers(0, 4, rows)
    repeats[0] = 1
    weighted = tanager.Dataset(x, arities, y, 3, weights=repeats.astype(float))
    repeated = tanager.Dataset(np.repeat(x, repeats, axis=0), arities, np.repeat(y, repeats), 3)
    for score in ("ll", "bic", "k2", "bdeu", "mit"):
        there = tanager.edge_weights(weighted, score)
        back = tanager.edge_weights(repeated, score)
        assert np.allclose(there, back, rtol=1e-9, atol=1e-7)


def test_many_columns_in_several_tiles():
    arities = [2, 3] * 70
    x, y = random_codes(3000, arities, 2, seed=7)
    data = tanager.Dataset(x, arities, y, 2)
    found = tanager.edge_weights(data, "ll", n_jobs=2)
    random = np.random.default_rng(0)
    for i, j in random.integers(0, len(arities), (200, 2)):
        if i != j:
            pair = pair_table(x, y, arities, 2, i, j)
            expected = log_likelihood(pair) - log_likelihood(pair.sum(axis=1))
            assert np.isclose(found[i, j], expected, rtol=1e-9, atol=1e-7)
