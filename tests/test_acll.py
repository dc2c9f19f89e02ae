"""The approximate conditional log-likelihood: constants, score, parameters, and what it stands for."""

from itertools import product
from math import inf, log, pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import digamma, polygamma
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_score

import reference.acll
import reference.parameters
import reference.posterior
import reference.scores
import reference.structure
import reference.trees
import tanager
from reference.table import CLASS, Table
from strategies import tables
from tanager import (
    ACLL,
    ACLLParameters,
    DataError,
    Dataset,
    DataTypeError,
    Laplace,
    NaiveBayesClassifier,
    TANClassifier,
    TreeDensity,
    _core,
    acll_constants,
    acll_constants_monte_carlo,
    approximate_conditional_log_likelihood,
    conditional_log_likelihood,
    conditional_relative_entropy,
    edge_weights,
    family_score,
    network_score,
)
from tanager.registry import LEARNERS

PRIORS = ("dirichlet", "uniform")


def dataset(table: Table) -> Dataset:
    codes = np.array(table.codes, dtype=np.int64).reshape(table.n_rows, table.n_attributes)
    return Dataset(codes, table.arities, class_codes=table.classes, n_classes=table.n_classes)


def simulated(n_classes: int, rows: int, seed: int, arity: int = 3, attributes: int = 4) -> Table:
    """Attributes that depend on the class and on the attribute before them."""
    random = np.random.default_rng(seed)
    classes = random.integers(0, n_classes, rows)
    codes = np.empty((rows, attributes), dtype=np.int64)
    before = np.zeros(rows, dtype=np.int64)
    for i in range(attributes):
        cumulative = random.dirichlet(np.ones(arity), size=(n_classes, arity)).cumsum(axis=2)
        uniform = random.random(rows)
        codes[:, i] = (uniform[:, None] >= cumulative[classes, before, :-1]).sum(axis=1)
        before = codes[:, i]
    return Table(codes.tolist(), [arity] * attributes, classes.tolist(), n_classes)


# The constants


def test_the_constants_are_the_published_ones() -> None:
    uniform = {
        2: -0.3387664833,
        3: -0.2001731557,
        4: -0.1423142912,
        10: -0.0524072466,
        26: -0.0195693571,
    }
    for n_classes, beta in uniform.items():
        assert acll_constants(n_classes, "uniform")[0] == pytest.approx(beta, rel=1e-9)
    assert acll_constants(2, "uniform")[0] == pytest.approx((pi**2 - 18) / 24, rel=1e-12)
    assert acll_constants(2) == pytest.approx((-0.3919417, 0.6179502), abs=5e-8)
    assert acll_constants(3) == pytest.approx((-0.2399212, 0.5982614), abs=5e-8)


@pytest.mark.parametrize("n_classes", [2, 3, 26, 1000])
@pytest.mark.parametrize(("a", "b"), [(1, 1000), (0.01, 0.5), (0.01, 1e9), (100, 0.5), (100, 1e9), (0.5, 7)])
def test_the_dirichlet_constants_agree_with_mpmath(n_classes: int, a: float, b: float) -> None:
    assert_allclose(
        acll_constants(n_classes, "dirichlet", a, b), reference.acll.dirichlet(n_classes, a, b), 1e-9
    )


@pytest.mark.parametrize("n_classes", [2, 3, 7, 100, 1000])
def test_the_uniform_constants_agree_with_mpmath(n_classes: int) -> None:
    assert_allclose(acll_constants(n_classes, "uniform"), reference.acll.uniform(n_classes), 1e-9)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("n_classes", [2, 3, 26])
def test_the_simulation_agrees_within_four_standard_errors(n_classes: int, prior: str) -> None:
    runs = [acll_constants_monte_carlo(n_classes, prior, samples=4000, random_state=s) for s in range(25)]
    standard_error = np.std(runs, axis=0, ddof=1) / np.sqrt(len(runs))
    z = (np.mean(runs, axis=0) - acll_constants(n_classes, prior)) / standard_error
    assert np.all(np.abs(z) < 4)
    assert runs[0] == acll_constants_monte_carlo(n_classes, prior, samples=4000, random_state=0)
    assert runs[0] != runs[1]


def test_the_simulation_is_the_paper_s() -> None:
    """Example 3.7's own figures, 100,000 samples each, lie within 4 standard errors of the exact ones."""
    for n_classes, beta in ((2, -0.39291), (3, -0.239266)):
        runs = [acll_constants_monte_carlo(n_classes, random_state=s)[0] for s in range(10)]
        assert abs(beta - acll_constants(n_classes)[0]) < 4 * np.std(runs, ddof=1)


def test_a_largest_probability_shifts_the_constant() -> None:
    """Multiplying U by p adds −ln p to A and s ln p to B."""
    for s in (2, 3, 5):
        beta, gamma = acll_constants(s, "uniform")
        shifted = acll_constants(s, "uniform", p=0.001)
        assert shifted[0] == beta
        assert shifted[1] == pytest.approx(gamma - (1 + beta * s) * log(0.001), rel=1e-12)
    _, simulated_gamma = acll_constants_monte_carlo(3, "uniform", samples=20_000, p=0.001)
    assert simulated_gamma == pytest.approx(acll_constants(3, "uniform", p=0.001)[1], abs=0.15)
    # Example 3.6: with the paper's own simulated β its p = 0.001 gives 1.852.
    paper = acll_constants(3, "uniform")[1] + (-0.198873 - acll_constants(3, "uniform")[0]) * 3
    assert paper + (1 - 3 * 0.198873) * -log(0.001) == pytest.approx(1.852, abs=0.005)


def test_any_distribution_may_be_sampled() -> None:
    def uniform(samples, rng):
        return rng.random((samples, 3))

    found = acll_constants_monte_carlo(3, uniform, samples=50_000)
    assert_allclose(found, acll_constants(3, "uniform"), atol=0.02)
    assert found == acll_constants_monte_carlo(3, uniform, samples=50_000)
    # Not symmetric: S = ΣU is Beta(Σa, b) and independent of U/S, so Cov(A, B) = −s Var(ln S).
    a, b = np.array([0.5, 1.0, 3.0]), 50.0
    ln_s = polygamma(1, a.sum()) - polygamma(1, a.sum() + b)
    expected = -3 * ln_s / (polygamma(1, a).sum() - 9 * polygamma(1, a.sum() + b))
    beta, gamma = acll_constants_monte_carlo(3, a=a, b=b, samples=200_000)
    assert beta == pytest.approx(expected, abs=0.01)
    mean_a, mean_b = digamma(a.sum() + b) - digamma(a.sum()), (digamma(a) - digamma(a.sum() + b)).sum()
    assert gamma == pytest.approx(mean_a - expected * mean_b, abs=0.1)
    symmetric = acll_constants_monte_carlo(2, a=[1.0, 1.0], b=1000.0)
    assert_allclose(symmetric, acll_constants(2), atol=0.02)


def test_impossible_samplers_are_named() -> None:
    for wrong, said in [
        ({"prior": lambda m, rng: rng.random((m, 3))}, "returned shape"),
        ({"prior": lambda m, rng: np.zeros((m, 2))}, "not a finite number above 0"),
        ({"prior": 3}, "a name or a sampler"),
        ({"a": [1.0]}, "one finite number above 0 for each of the 2 classes"),
        ({"prior": "uniform", "a": [1.0, 2.0]}, 'only prior="dirichlet"'),
        ({"p": 0.5}, 'only prior="uniform"'),
        ({"prior": "uniform", "p": 0.0}, "above 0 and not above 1"),
    ]:
        with pytest.raises((DataError, DataTypeError), match=said):
            acll_constants_monte_carlo(2, **wrong)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_acll_of_a_model_lies_beside_its_cll(n_classes) -> None:
    table = simulated(n_classes, rows=600, seed=n_classes)
    X, y = np.array(table.codes).astype(str), np.array(table.classes)
    model = TANClassifier().fit(X, y)
    found = approximate_conditional_log_likelihood(model, X, y)
    beta, gamma = acll_constants(n_classes, b=600.0)
    joint = model.predict_joint_log_proba(X)
    by_rows = [joint[row, c] + beta * joint[row].sum() + gamma for row, c in enumerate(y)]
    assert found == pytest.approx(sum(by_rows), rel=1e-12)
    # Doubled weights double it; b stays.
    weights = np.full(600, 2.0)
    twice = approximate_conditional_log_likelihood(model, X, y, b=600.0, sample_weight=weights)
    assert twice == pytest.approx(2 * found, rel=1e-12)
    cll = conditional_log_likelihood(model, X, y)
    assert abs(found - cll) / 600 < 1.0


def test_without_a_class_there_is_no_acll() -> None:
    with pytest.raises(DataError, match="the data has no class, but the score acll needs one"):
        TreeDensity(score="acll").fit([["a", "b"], ["b", "a"]])


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_classes": 0},
        {"n_classes": -1},
        {"n_classes": 2.5},
        {"n_classes": 2, "prior": "beta"},
        {"n_classes": 2, "a": 0.0},
        {"n_classes": 2, "b": -1.0},
        {"n_classes": 2, "b": inf},
    ],
)
def test_what_is_no_prior_is_refused(wrong: dict) -> None:
    with pytest.raises(DataError):
        acll_constants(**wrong)
    with pytest.raises(DataError):
        acll_constants_monte_carlo(**wrong, samples=10)


def test_too_few_samples_are_refused() -> None:
    with pytest.raises(DataError, match="samples"):
        acll_constants_monte_carlo(2, samples=2)


# The score


@given(
    tables(min_attributes=2, max_attributes=3, huge=False),
    st.sampled_from(PRIORS),
    st.sampled_from([0.05, 1.0, 5.0]),
)
def test_families_and_weights_agree_with_the_reference(table: Table, prior: str, n0: float) -> None:
    score, data = ACLL(prior=prior, n0=n0), dataset(table)

    def expected(table, child, parents):
        return reference.scores.acll(table, child, parents, prior=prior, n0=n0)

    tolerance = {"rtol": 1e-9, "atol": 1e-8}
    assert_allclose(family_score(data, "class", [], score), expected(table, CLASS, []), **tolerance)
    for child, parent in ((0, 1), (1, 0)):
        found = family_score(data, child, ["class", parent], score)
        assert_allclose(found, expected(table, child, [CLASS, parent]), **tolerance)
    assert_allclose(edge_weights(data, score), reference.scores.edge_weights(table, expected), **tolerance)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("n_classes", [2, 3, 26])
def test_the_score_is_equation_25_with_the_parameters_of_26(n_classes: int, prior: str) -> None:
    """Row by row and class by class, as equation (22): Σ_t [ln U_t,ct + β Σ_c ln U_t,c], U by theorem 3.8."""
    table = simulated(n_classes, rows=300, seed=n_classes)
    parents = [[], [0], [0, 1], [2]]
    beta, _ = acll_constants(n_classes, prior, b=float(table.n_rows))
    for n0 in (0.1, 5.0):
        theta = [parameters_by_enumeration(table, i, pi, beta, n0) for i, pi in enumerate(parents)]
        of_class = class_parameters_by_enumeration(table, beta, n0)
        total = 0.0
        for row, label in zip(table.codes, table.classes, strict=True):
            log_u = [
                log(of_class[c])
                + sum(log(theta[i][c, *(row[p] for p in pi), row[i]]) for i, pi in enumerate(parents))
                for c in range(n_classes)
            ]
            total += log_u[label] + beta * sum(log_u)
        found = network_score(dataset(table), parents, ACLL(prior=prior, n0=n0))
        assert found == pytest.approx(total, rel=1e-9)


def parameters_by_enumeration(table: Table, child: int, parents: list[int], beta: float, n0: float) -> dict:
    """Equation (26) by its own words: θ of every class, configuration and value, counting rows each time."""
    alpha = 1 + beta
    theta = {}
    for *configuration, c in product(*(range(table.arities[p]) for p in parents), range(table.n_classes)):
        plus = []
        for k in range(table.arities[child]):
            count = [
                sum(
                    row[child] == k and all(row[p] == v for p, v in zip(parents, configuration, strict=True))
                    for row, label in zip(table.codes, table.classes, strict=True)
                    if label == other
                )
                for other in range(table.n_classes)
            ]
            weighted = alpha * count[c] + beta * sum(n for other, n in enumerate(count) if other != c)
            plus.append(weighted if weighted >= n0 else n0)
        for k, value in enumerate(plus):
            theta[c, *configuration, k] = value / sum(plus)
    return theta


def class_parameters_by_enumeration(table: Table, beta: float, n0: float) -> list[float]:
    count = [table.classes.count(c) for c in range(table.n_classes)]
    weighted = [
        (1 + beta) * count[c] + beta * sum(n for other, n in enumerate(count) if other != c)
        for c in range(table.n_classes)
    ]
    plus = [w if w >= n0 else n0 for w in weighted]
    return [value / sum(plus) for value in plus]


def test_the_counter_example_of_theorem_3_9() -> None:
    """Two equivalent structures that do not score alike: the branching has to look at both directions."""
    data = Dataset([[0, 0], [0, 1], [1, 1], [1, 1]], [2, 2], class_codes=[1, 1, 0, 1])
    for prior in PRIORS:
        score = ACLL(prior=prior, n0=0.1)
        g, h = network_score(data, [[], [0]], score), network_score(data, [[1], []], score)
        assert abs(g - h) > 1e-3
        assert abs(network_score(data, [[], [0]], "ll") - network_score(data, [[1], []], "ll")) < 1e-12


@given(
    tables(min_attributes=2, max_attributes=4, min_rows=4, max_rows=24, huge=False), st.sampled_from(PRIORS)
)
def test_the_tan_is_the_best_of_all(table: Table, prior: str) -> None:
    score = ACLL(prior=prior, n0=0.5)
    _, found = _core.fit(dataset(table), "tan", {}, score, "laplace")
    best = max(
        network_score(dataset(table), [[p] if p >= 0 else [] for p in tree], score)
        for tree in reference.trees.all_trees(table.n_attributes)
    )
    assert found == pytest.approx(best, rel=1e-9, abs=1e-7)


@pytest.mark.parametrize("learner", [name for name, about in LEARNERS.items() if "score" in about.needs])
def test_every_learner_of_a_score_takes_it(learner: str) -> None:
    table = simulated(3, rows=400, seed=1)
    model, found = _core.fit(dataset(table), learner, {}, ACLL(), ACLLParameters())
    parents = [[] for _ in table.arities]
    for (child,), of_child in model.nodes:
        parents[child] = of_child
    assert found == pytest.approx(network_score(dataset(table), parents, "acll"), rel=1e-12)
    assert found >= network_score(dataset(table), [[] for _ in table.arities], ACLL())


@pytest.mark.parametrize("prior", PRIORS)
def test_a_class_without_rows(prior: str) -> None:
    table = simulated(2, rows=200, seed=3)._replace(n_classes=3)
    data, score = dataset(table), ACLL(prior=prior)
    expected = reference.scores.acll(table, 1, [CLASS, 0], prior=prior)
    assert family_score(data, 1, ["class", 0], score) == pytest.approx(expected, rel=1e-10)
    model, _ = _core.fit(data, "tan", {}, score, ACLLParameters(prior=prior))
    posterior = model.posterior(data)
    assert np.all(posterior > 0)
    assert_allclose(posterior.sum(axis=1), 1, rtol=1e-12)


@pytest.mark.parametrize("n0", [0.0, -1.0, inf, float("nan")])
def test_pseudo_counts_are_positive(n0: float) -> None:
    data = dataset(simulated(2, rows=20, seed=0))
    with pytest.raises(ValueError, match="n0"):
        family_score(data, 0, ["class"], ACLL(n0=n0))
    with pytest.raises(ValueError, match="n0"):
        _core.fit(data, "nb", {}, "ll", ACLLParameters(n0=n0))


def test_it_is_a_score_of_classifiers() -> None:
    table = simulated(2, rows=30, seed=0)
    without = Dataset(np.array(table.codes), table.arities)
    with pytest.raises(DataError, match="class"):
        edge_weights(without, ACLL())
    with pytest.raises(DataError, match="class"):
        family_score(dataset(table), 0, [1], ACLL())
    with pytest.raises(DataError, match="class"):
        family_score(dataset(table), "class", [1], ACLL())


# The parameters


@given(
    tables(min_attributes=2, max_attributes=3, huge=False),
    st.sampled_from(PRIORS),
    st.sampled_from([0.1, 5.0]),
)
def test_tables_agree_with_the_reference(table: Table, prior: str, n0: float) -> None:
    parameters = ACLLParameters(prior=prior, n0=n0)
    found, _ = _core.fit(dataset(table), "tan", {}, ACLL(), parameters)
    nodes = [reference.structure.Node(tuple(members), tuple(parents)) for members, parents in found.nodes]

    def estimate(table, child, parents):
        return reference.parameters.acll(table, child, parents, prior=prior, n0=n0)

    model = reference.parameters.fit(table, nodes, estimate)
    assert_allclose(np.exp(found.log_prior), model.prior, rtol=1e-10)
    for row, joint in zip(table.codes, found.log_joint(dataset(table)), strict=True):
        assert_allclose(joint, reference.posterior.log_joint(model, row), rtol=1e-9, atol=1e-9)


@given(st.data(), tables(min_attributes=2, max_attributes=2, min_classes=2, max_rows=60, huge=False))
def test_no_feasible_parameters_score_higher(data: st.DataObject, table: Table) -> None:
    """Theorem 3.8: among θ ≥ n0/ΣM, which a random feasible θ keeps, none has a larger Σ W ln θ."""
    n0 = data.draw(st.floats(0.05, 10))
    beta, _ = acll_constants(table.n_classes, b=float(table.total()))
    model, _ = _core.fit(dataset(table), "tan", {}, ACLL(n0=n0), ACLLParameters(n0=n0))
    class_w = reference.scores.acll_weights(table, CLASS, [], beta)
    rows = [(class_w[0], np.exp(model.log_prior))]
    for node, (members, parents) in enumerate(model.nodes):
        theta = np.moveaxis(np.exp(model.table(node)), -1, 0).reshape(-1, table.arities[members[0]])
        rows += list(
            zip(reference.scores.acll_weights(table, members[0], [CLASS, *parents], beta), theta, strict=True)
        )
    for w, theta in rows:
        bound = n0 / np.maximum(w, n0).sum()
        assert np.all(theta >= bound * (1 - 1e-12))
        shares = np.array(data.draw(st.lists(st.floats(1e-6, 1), min_size=len(w), max_size=len(w))))
        other = bound + (1 - bound * len(w)) * shares / shares.sum()
        step = data.draw(st.floats(0, 1))
        moved = theta + step * (other - theta)
        assert (w * np.log(moved)).sum() <= (w * np.log(theta)).sum() + 1e-8


def test_any_structure_takes_them_and_weights_count_as_rows() -> None:
    table = simulated(3, rows=150, seed=7)
    X, y = np.array(table.codes).astype(str), np.array(table.classes)
    weights = np.random.default_rng(0).integers(1, 4, len(y))
    for estimator in (NaiveBayesClassifier(parameters=ACLLParameters()), TANClassifier("acll", "acll")):
        weighted = estimator.fit(X, y, sample_weight=weights).predict_log_proba(X)
        repeated = estimator.fit(np.repeat(X, weights, axis=0), np.repeat(y, weights)).predict_log_proba(X)
        assert_allclose(weighted, repeated, rtol=1e-9, atol=1e-12)


# What it approximates


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_approximation_of_a_full_structure_has_the_stated_error(n_classes: int) -> None:
    """A random joint distribution is that of a full structure. For two classes the paper states an error of
    13.92 %: it is the mean square of equation (21), here in closed form and found on simulated rows.
    """
    attributes, configurations = 10, 2**10
    cells = configurations * n_classes
    beta, gamma = acll_constants(n_classes, b=float(cells - n_classes))
    if n_classes == 2:
        assert mean_square_error(2, 1000.0) == pytest.approx(0.1392, abs=2e-4)
    random = np.random.default_rng(n_classes)
    codes = np.array(list(product(range(2), repeat=attributes)))
    means, squares = [], []
    for _ in range(8):
        joint = random.dirichlet(np.ones(cells)).reshape(configurations, n_classes)
        classes = random.integers(0, n_classes, configurations)
        data = Dataset(codes, [2] * attributes, class_codes=classes, n_classes=n_classes)
        acll = acll_by_tables(data, joint, beta) + configurations * gamma
        posterior = joint / joint.sum(axis=1, keepdims=True)
        cll = np.log(posterior[np.arange(configurations), classes])
        by_row = np.log(joint[np.arange(configurations), classes]) + beta * np.log(joint).sum(axis=1) + gamma
        assert acll == pytest.approx(by_row.sum(), rel=1e-9)
        means.append((acll - cll.sum()) / configurations)
        squares.append(((by_row - cll) ** 2).mean())
    stated = mean_square_error(n_classes, float(cells - n_classes))
    assert abs(np.mean(means)) < 4 * np.sqrt(stated / (8 * configurations))
    assert np.mean(squares) == pytest.approx(stated, rel=0.1)


def mean_square_error(n_classes: int, b: float) -> float:
    """Equation (21), Var A − Cov(A, B)² / Var B, for Dir(1, …, 1, b)."""
    from scipy.special import polygamma

    beta, _ = acll_constants(n_classes, b=b)
    var_a = polygamma(1, n_classes) - polygamma(1, n_classes + b)
    var_b = n_classes * polygamma(1, 1) - n_classes**2 * polygamma(1, n_classes + b)
    return float(var_a - beta**2 * var_b)


def acll_by_tables(data: Dataset, joint: np.ndarray, beta: float) -> float:
    """Equation (25) without N·γ, with the parameters of a full structure over binary attributes."""
    attributes, n_classes = data.n_columns, data.n_classes
    shaped = np.moveaxis(joint.reshape([2] * attributes + [n_classes]), -1, 0)
    count = tanager.family_counts(data, "class", [])[0]
    total = ((count + beta * count.sum()) * np.log(joint.sum(axis=0))).sum()
    for i in range(attributes):
        margin = shaped.sum(axis=tuple(range(i + 2, attributes + 1)))
        theta = margin / margin.sum(axis=-1, keepdims=True)
        counts = tanager.family_counts(data, i, ["class", *range(i)]).reshape(theta.shape)
        total += ((counts + beta * counts.sum(axis=0)) * np.log(theta)).sum()
    return float(total)


def test_conditional_log_likelihood_is_the_reference_s() -> None:
    table = simulated(3, rows=120, seed=5)
    X, y = np.array(table.codes).astype(str), np.array(table.classes)
    model = TANClassifier(score="acll", parameters=ACLLParameters(n0=1.0)).fit(X, y)
    nodes = [reference.structure.Node(tuple(m), tuple(p)) for m, p in model.model_.nodes]
    oracle = reference.parameters.fit(
        table, nodes, lambda table, child, parents: reference.parameters.acll(table, child, parents, n0=1.0)
    )
    expected = reference.posterior.conditional_log_likelihood(oracle, table.codes, table.classes)
    assert conditional_log_likelihood(model, X, y) == pytest.approx(expected, rel=1e-9)


def test_it_is_a_metric_of_any_classifier_and_a_scorer() -> None:
    table = simulated(3, rows=150, seed=6)
    X, y = np.array(table.codes), np.array(["one", "two", "three"])[table.classes]
    model = LogisticRegression().fit(X, y)
    weights = np.random.default_rng(0).random(len(y))
    expected = -log_loss(y, model.predict_proba(X), normalize=False, sample_weight=weights)
    assert conditional_log_likelihood(model, X, y, sample_weight=weights) == pytest.approx(expected)
    folds = StratifiedKFold(3)
    scores = cross_val_score(NaiveBayesClassifier(), X, y, cv=folds, scoring=conditional_log_likelihood)
    assert_allclose(
        scores, len(y) / 3 * cross_val_score(NaiveBayesClassifier(), X, y, cv=folds, scoring="neg_log_loss")
    )


def test_impossible_rows_are_minus_infinity() -> None:
    class Certain:
        classes_ = np.array([0, 1])

        def predict_proba(self, X):
            return np.tile([1.0, 0.0], (len(X), 1))

    X = np.zeros((2, 1))
    assert conditional_log_likelihood(Certain(), X, [0, 0]) == 0
    assert conditional_log_likelihood(Certain(), X, [0, 1]) == -inf
    assert conditional_log_likelihood(Certain(), X, [0, 7]) == -inf
    assert conditional_log_likelihood(Certain(), X, [0, 1], sample_weight=[1, 0]) == 0
    with pytest.raises(ValueError, match="one label for each row"):
        conditional_log_likelihood(Certain(), X, [0])
    with pytest.raises(ValueError, match="sample_weight"):
        conditional_log_likelihood(Certain(), X, [0, 1], sample_weight=[1])


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("learner", [NaiveBayesClassifier, TANClassifier])
def test_conditional_relative_entropy_is_the_reference_s(classes, learner) -> None:
    table = simulated(classes, rows=120, seed=7)
    X, y = np.array(table.codes).astype(str), np.array(table.classes)
    model = learner(parameters="laplace").fit(X, y)
    nodes = [reference.structure.Node(tuple(m), tuple(p)) for m, p in model.model_.nodes]
    oracle = reference.parameters.fit(table, nodes, reference.parameters.laplace)
    expected = reference.posterior.conditional_relative_entropy(oracle, table.codes, table.classes)
    assert expected > 0
    found = conditional_relative_entropy(model, X, y)
    assert found == pytest.approx(expected, rel=1e-9)
    # Equation 29: CLL = −N D − N H(C | A), and H does not depend on the model.
    other = NaiveBayesClassifier(parameters=Laplace(3.0)).fit(X, y)
    gap = conditional_log_likelihood(model, X, y) - conditional_log_likelihood(other, X, y)
    assert gap == pytest.approx(-len(y) * (found - conditional_relative_entropy(other, X, y)), abs=1e-8)
    # A row twice is a row of weight two, and one of weight nothing is not there.
    weights = np.arange(len(y)) % 3
    again = conditional_relative_entropy(model, np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert conditional_relative_entropy(model, X, y, sample_weight=weights) == pytest.approx(again, rel=1e-9)


def test_conditional_relative_entropy_at_its_ends() -> None:
    class Certain:
        classes_ = np.array([0, 1])

        def predict_proba(self, X):
            return np.tile([1.0, 0.0], (len(X), 1))

    X = np.array([[0.5], [0.5], [0.7]])
    assert conditional_relative_entropy(Certain(), X, [0, 0, 0]) == 0
    assert conditional_relative_entropy(Certain(), X, [0, 1, 0]) == inf
    # Rows that occur once have no entropy of their own.
    model = NaiveBayesClassifier().fit(np.random.default_rng(0).normal(size=(90, 2)), np.arange(90) % 2)
    alone = np.random.default_rng(1).normal(size=(40, 2))
    truth = np.arange(40) % 2
    assert conditional_relative_entropy(model, alone, truth) == pytest.approx(
        -conditional_log_likelihood(model, alone, truth) / 40
    )
    with pytest.raises(ValueError, match="needs rows"):
        conditional_relative_entropy(Certain(), X, [0, 0, 0], sample_weight=[0, 0, 0])
