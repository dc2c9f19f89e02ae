"""The oracle against cases computed by hand and published values."""

from math import e, isclose, lgamma, log, pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import (
    acll,
    chi2,
    discretise,
    learners,
    parameters,
    posterior,
    scores,
    structure,
    trees,
    wrappers,
)
from reference.counts import family_counts, fold_counts, pair_counts
from reference.table import CLASS, Table, configurations, make_table, position
from strategies import tables, weight_matrices

# x0 copies the class, x1 alternates, x2 is constant with a value that never occurs.
SMALL = Table(
    codes=[[0, 0, 0], [0, 1, 0], [0, 0, 0], [1, 1, 0], [1, 0, 0], [1, 1, 0]],
    arities=[2, 2, 2],
    classes=[0, 0, 0, 1, 1, 1],
    n_classes=2,
)


def test_configurations_count_the_last_fastest():
    assert configurations([2, 3])[:4] == [(0, 0), (0, 1), (0, 2), (1, 0)]
    assert [position(values, [2, 3]) for values in configurations([2, 3])] == list(range(6))


def test_counts_by_hand():
    assert family_counts(SMALL, 1, [CLASS]).tolist() == [[2, 1], [1, 2]]
    assert family_counts(SMALL, 2, [1, CLASS]).tolist() == [[2, 0], [1, 0], [1, 0], [2, 0]]
    assert family_counts(SMALL, CLASS, []).tolist() == [[3, 3]]
    assert family_counts(SMALL, (0, 1), []).tolist() == [[2, 1, 1, 2]]
    assert pair_counts(SMALL, 0, 1).tolist() == [[[2, 1], [0, 0]], [[0, 0], [1, 2]]]
    assert fold_counts(SMALL, [0, 1, 0, 1, 0, 1], 0, 1, []).tolist() == [[0, 3]]


def test_counts_skip_missing_values_and_use_weights():
    table = Table([[0], [1], [-1]], [2], [0, 0, 0], 1, [0.5, 2.0, 4.0])
    assert family_counts(table, 0, []).tolist() == [[0.5, 2.0]]
    assert table.total() == 6.5


def test_scores_by_hand():
    ll_x1 = 2 * (2 * log(2 / 3) + log(1 / 3))
    assert isclose(scores.ll(SMALL, 1, [CLASS]), ll_x1)
    assert isclose(scores.aic(SMALL, 1, [CLASS]), ll_x1 - 2)
    assert isclose(scores.bic(SMALL, 1, [CLASS]), ll_x1 - log(6))
    # k2 of counts (2, 1): Γ(2)/Γ(5) · Γ(3) Γ(2) = 2/24
    assert isclose(scores.k2(SMALL, 1, [CLASS]), 2 * log(2 / 24))
    # bdeu, ess 1, r q = 4: α = ¼ and ½ per configuration
    one = lgamma(0.5) - lgamma(3.5) + lgamma(2.25) + lgamma(1.25) - 2 * lgamma(0.25)
    assert isclose(scores.bdeu(SMALL, 1, [CLASS]), 2 * one)
    assert isclose(scores.bde(SMALL, 1, [CLASS]), 2 * one)
    # the attribute determined by the class: MI = ln 2, χ²_{0.999, 1} = 10.8275661706627
    assert isclose(scores.mit(SMALL, 0, [CLASS]), 12 * log(2) - 10.8275661706627, rel_tol=1e-12)
    assert scores.mit(SMALL, CLASS, []) == 0
    assert isclose(scores.network_score(SMALL, [[], [], []], scores.ll), 6 * log(0.5) + ll_x1)


def test_bde_with_empirical_marginals_ignores_what_never_occurs():
    assert scores.bde(SMALL, 2, [CLASS], prior="empirical") == 0.0


def test_mit_sorts_parents_by_decreasing_cardinality():
    table = Table([[0, 0, 0], [1, 2, 1]], [2, 3, 2])
    information = 2 * 2 * log(2)
    expected = information - scores.chi2_quantile(0.999, 2) - scores.chi2_quantile(0.999, 3)
    assert isclose(scores.mit(table, 0, [2, 1]), expected)


def test_acll_by_hand():
    # β = −½: W = N − ½·(both classes); x1 in class 0: (2, 1) − ½ (3, 3) = (½, −½), with n0 = ¼: M = (½, ¼)
    expected = 2 * (0.5 * log(2 / 3) - 0.5 * log(1 / 3))
    assert isclose(scores.acll(SMALL, 1, [CLASS], beta=-0.5, n0=0.25), expected)
    theta = parameters.acll(SMALL, 1, [CLASS], beta=-0.5, n0=0.25)
    assert np.allclose(theta, [[2 / 3, 1 / 3], [1 / 3, 2 / 3]])


def test_acll_is_not_score_equivalent():
    table = Table([[0, 0], [0, 1], [1, 1], [1, 1]], [2, 2], [1, 1, 0, 1], 2)
    there = scores.network_score(table, [[], [0]], lambda *family: scores.acll(*family, n0=0.1))
    back = scores.network_score(table, [[1], []], lambda *family: scores.acll(*family, n0=0.1))
    assert abs(there - back) > 1e-3


@given(
    tables(min_attributes=2, max_attributes=3, huge=False), st.sampled_from(sorted(scores.SCORE_EQUIVALENT))
)
def test_equivalent_scores_give_symmetric_weights(table, name):
    w = np.array(scores.edge_weights(table, scores.SCORES[name]))
    assert np.allclose(w, w.T, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("s", "beta", "gamma"),
    [(2, -0.3919417, 0.6179502), (3, -0.2399212, 0.5982614)],
    ids=["binary", "ternary"],
)
def test_dirichlet_constants(s, beta, gamma):
    assert np.allclose(acll.dirichlet(s, 1.0, 1000.0), (beta, gamma), rtol=0, atol=5e-8)


@pytest.mark.parametrize(
    ("s", "beta"),
    [
        (2, (pi**2 - 18) / 24),
        (3, -0.2001731557),
        (4, -0.1423142912),
        (10, -0.0524072466),
        (26, -0.0195693571),
    ],
)
def test_uniform_constants(s, beta):
    assert isclose(acll.uniform(s)[0], beta, abs_tol=6e-11)


@pytest.mark.parametrize("prior", ["uniform", "dirichlet"])
def test_constants_agree_with_simulation(prior):
    exact = acll.constants(3, prior, 1.0, 50.0)
    runs = np.array([acll.monte_carlo(3, prior, 1.0, 50.0, 20_000, seed) for seed in range(8)])
    error = runs.std(axis=0, ddof=1) / sqrt(len(runs))
    assert np.all(np.abs(runs.mean(axis=0) - exact) < 4 * error + 1e-12)


def test_approximation_is_exact_on_average():
    beta, gamma = acll.uniform(2)
    u = np.random.default_rng(0).random((50_000, 2))
    left = np.log(u[:, 0] / u.sum(axis=1))
    right = [acll.approximate_log_posterior(list(row), 0, beta, gamma) for row in u]
    assert abs(left.mean() - np.mean(right)) < 0.01


def test_numbers_of_trees():
    assert [len(trees.all_trees(n)) for n in range(1, 6)] == [1, 2, 9, 64, 625]


def test_trees_by_hand():
    w = [[0, 5, 1], [5, 0, 2], [1, 2, 0]]
    assert trees.maximum_spanning_tree(w, 0) == (-1, 0, 1)
    assert trees.maximum_spanning_tree(w, 2) == (1, 2, -1)
    assert trees.maximum_branching([[0, 1], [3, 0]]) == (1, -1)
    chain_and_star = [-1, 3, 0, 0, 1]
    assert trees.ancestors(chain_and_star, 4) == [0, 1, 3]
    assert trees.bfs_order(chain_and_star) == [0, 2, 3, 1, 4]
    assert trees.drop_non_positive([-1, 0, 1], [[0, -1, 0], [0, 0, 2], [0, 0, 0]]) == [-1, -1, 1]


@given(weight_matrices(max_nodes=5, symmetric=True))
def test_kruskal_reaches_the_best_tree(w):
    n = len(w)
    chosen = trees.kruskal(n, [(w[i][j], i, j) for j in range(n) for i in range(j)])
    tree = trees.direct_away(n, chosen)
    assert tree[0] == -1
    assert trees.is_forest(tree)
    best = trees.weight(trees.maximum_spanning_tree(w), w)
    assert isclose(trees.weight(tree, w), best, rel_tol=1e-9, abs_tol=1e-6)


def test_tests_of_independence_by_hand():
    # x0 decides the class: G = 2·6·ln 2 with one degree of freedom, 6 rows over 4 cells
    test = chi2.attribute_and_class(SMALL, 0)
    assert isclose(test.statistic, 12 * log(2))
    assert (test.degrees, test.reliable) == (1, False)
    assert not test.dependent(0.05)
    assert chi2.attribute_and_class(SMALL, 0, min_cell=1.5).dependent(0.05)
    assert chi2.attribute_and_class(SMALL, 2, min_cell=0).p_value == 1.0
    given_class = chi2.groups_given_class(SMALL, (0,), (1,), min_cell=0)
    assert isclose(given_class.statistic, 0, abs_tol=1e-12)
    assert given_class.degrees == 2


def test_forest_links_what_depends():
    rows = [[a, a, b] for a in (0, 1) for b in (0, 1)] * 20
    table = Table(rows, [2, 2, 2], [row % 2 for row in range(len(rows))], 2)
    assert chi2.forest(table) == [-1, 0, -1]
    assert chi2.forest(table, groups=[(0, 1), (2,)]) == [-1, -1]


def test_learners_by_hand():
    rows = [[a, a, b] for a in (0, 1) for b in (0, 1)] * 5
    table = Table(rows, [2, 2, 2], [row % 4 // 3 for row in range(len(rows))], 2)
    assert learners.naive_bayes(table) == structure.from_parents([[], [], []])
    assert learners.tan(table, scores.bic, root=2)[2].parents == ()
    assert {0, 1} in [{i, *node.parents} for i, node in enumerate(learners.tan(table))]
    assert learners.best_parents(table, 1, [0, 2], 2, scores.bic)[0] == (0,)
    assert learners.best_parents(table, 1, [0, 2], 2, scores.ll)[0] == (0,)
    assert learners.best_parents(table, 2, [0, 1], 2, lambda *_: 1.0)[0] == ()


@given(
    tables(min_attributes=2, max_attributes=4, max_rows=12, huge=False), st.sampled_from(["ll", "bic", "k2"])
)
def test_graphs_are_ordered_by_score(table, name):
    score = scores.SCORES[name]

    def total(found):
        assert structure.is_acyclic(found)
        return scores.network_score(table, structure.parent_lists(found), score)

    tree = learners.best_tree(table, score)
    least = max(total(learners.naive_bayes(table)), total(structure.from_tree(tree)))
    one = total(learners.ckg(table, 1, score, tree))
    two = total(learners.ckg(table, 2, score, tree))
    best = total(learners.bckg(table, 2, score, tree))
    assert least <= one + 1e-9
    assert one <= two + 1e-9
    assert two <= best + 1e-9


def test_parameters_by_hand():
    assert np.allclose(
        parameters.mle(SMALL, 1, [CLASS, 0]), [[2 / 3, 1 / 3], [0.5, 0.5], [0.5, 0.5], [1 / 3, 2 / 3]]
    )
    assert np.allclose(parameters.laplace(SMALL, 1, [CLASS]), [[3 / 5, 2 / 5], [2 / 5, 3 / 5]])
    assert np.allclose(
        parameters.dirichlet(SMALL, 2, [CLASS]), [[(3 + 5 * 6.5 / 7) / 8, 5 * 0.5 / 7 / 8]] * 2
    )
    assert np.allclose(parameters.laplace(SMALL, CLASS, []), [[0.5, 0.5]])
    assert np.allclose(parameters.laplace(SMALL, (0, 1), [CLASS])[0], [3 / 7, 2 / 7, 1 / 7, 1 / 7])


def test_posterior_by_hand():
    model = parameters.fit(SMALL, structure.from_groups([(1,)]), parameters.laplace)
    assert np.allclose(posterior.posterior(model, [0, 0, 0]), [0.6, 0.4])
    assert posterior.predict(model, [0, 1, 0]) == 1
    assert np.allclose(posterior.posterior(model, [0, -1, 0]), [0.5, 0.5])
    assert isclose(posterior.conditional_log_likelihood(model, [[0, 0, 0]], [1]), log(0.4))
    assert posterior.log_sum_exp([0.0, 1.0]) == pytest.approx(log(1 + e))


def test_posterior_is_the_prior_where_everything_is_impossible():
    table = Table([[0], [0], [0]], [2], [0, 0, 1], 2)
    model = parameters.fit(table, learners.naive_bayes(table), parameters.mle)
    assert np.allclose(posterior.posterior(model, [1]), [2 / 3, 1 / 3])
    assert posterior.predict(model, [1]) == 0


@given(tables(max_rows=8, min_classes=2, huge=False), st.sampled_from(sorted(parameters.PARAMETERS)))
def test_tables_and_posteriors_sum_to_one(table, name):
    model = parameters.fit(table, learners.naive_bayes(table), parameters.PARAMETERS[name])
    assert all(np.allclose(theta.sum(axis=1), 1) for theta in model.tables)
    assert isclose(sum(posterior.posterior(model, table.codes[0])), 1)


def test_wrappers_by_hand():
    # the class is the exclusive or of x0 and x1; x2 says nothing
    rows = [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)] * 2
    table = make_table(rows, [2, 2, 2], [a ^ b for a, b, _ in rows], 2)
    folds = [row // 8 for row in range(16)]
    found = wrappers.backward_elimination_and_joining(table, folds)
    assert found.groups[0] == (0, 1)
    assert found.path[-1].correct == 16
    assert wrappers.forward_selection(table, folds).groups == ()
    assert learners.asb(table, folds, min_cell=0)[0].members == (0, 1)


def test_wrappers_delete_what_hurts_and_stop():
    rows = [[c, c] for c in (0, 1)] * 4
    table = make_table(rows, [2, 2], [0, 1] * 4, 2)
    folds = [0, 0, 0, 0, 1, 1, 1, 1]
    found = wrappers.forward_selection(table, folds)
    assert found == wrappers.Search(((0,),), 4, [wrappers.Step("add", (0,), 8)])
    assert learners.fss(table, folds) == structure.from_groups([(0,)])
    assert learners.bsej(table, folds) == structure.from_groups([(0,), (1,)])
    assert learners.fssj(table, folds) == structure.from_groups([(0,)])


def test_filter_keeps_what_the_class_depends_on():
    rows = [[c, b] for c in (0, 1) for b in (0, 1)] * 10
    table = make_table(rows, [2, 2], [c for c, _ in rows], 2)
    assert learners.ffss(table) == structure.from_groups([(0,)])
    assert learners.stan(table) == structure.from_parents([[], []])


def test_cut_points_by_hand():
    assert discretise.mdl_cut_points([1, 2, 3, 4, 5, 6, 7, 8], "AAAABBBB") == [4.5]
    assert discretise.mdl_cut_points([1, 2, 3, 4], "ABAB") == []
    assert discretise.mdl_cut_points([1, 1, 1], "ABA") == []
    three = [0.0] * 10 + [1.0] * 10 + [2.0] * 10
    assert discretise.mdl_cut_points(three, "A" * 10 + "B" * 10 + "C" * 10) == [0.5, 1.5]
    assert discretise.candidates([(0, "A"), (1, "A"), (2, "B")]) == [(1, 2)]
    gain, threshold = discretise.gain_and_threshold("AABB", "AA", "BB")
    assert gain == 1.0
    assert isclose(threshold, (log(3) / log(2) + log(7) / log(2) - 2) / 4)
