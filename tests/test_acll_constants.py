"""The constants of the approximate conditional log-likelihood."""

from math import log, pi

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import digamma, polygamma

import reference.acll
import reference.parameters
import reference.posterior
import reference.scores
import reference.structure
import reference.trees
from tanager import (
    DataError,
    DataTypeError,
    acll_constants,
    acll_constants_monte_carlo,
)

PRIORS = ("dirichlet", "uniform")


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
