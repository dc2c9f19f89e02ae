"""Nothing ends the interpreter: what does not fit is refused by name and size, also where memory is short."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest

import tanager

PRELUDE = """
    import resource, sys
    import numpy as np
    import tanager
    random = np.random.default_rng(0)
    with open("/proc/self/status") as status:
        mapped = next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmSize"))
    limit = mapped + int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    def attempt(what):
        try:
            print("fine", what())
        except tanager.CapacityError as error:
            print("refused:", error)
"""

CASES = {
    "the weights of a branching": """
        x, y = random.integers(0, 2, (10, 12_000)), np.arange(10) % 2
        attempt(lambda: tanager.TANClassifier(score=tanager.ACLL(), discretize="none").fit(x, y))
    """,
    "many classes cut at every value": """
        attempt(lambda: len(tanager.mdl_cut_points(np.sort(random.random(45_000)), np.arange(45_000) // 3)))
    """,
    "as many drawn rows as nobody has": """
        model = tanager.TreeDensity().fit(random.integers(0, 3, (50, 3)))
        attempt(lambda: model.sample(10**12))
    """,
    "two columns of 18,000 levels": """
        x = np.column_stack([np.arange(18_000).astype(str)] * 2)
        attempt(lambda: tanager.TANClassifier().fit(x, np.arange(18_000) % 2))
    """,
    "the probabilities of as many classes as rows": """
        x, y = random.integers(0, 2, (20_000, 2)), np.arange(20_000)
        model = tanager.NaiveBayesClassifier(discretize="none").fit(x, y)
        attempt(lambda: model.predict_proba(x).shape)
    """,
    "rows of a mixture as nobody has": """
        model = tanager.MixtureOfTreesDensity().fit(random.integers(0, 3, (50, 3)))
        attempt(lambda: model.sample(10**12))
    """,
    "components of a mixture as nobody has": """
        x = random.integers(0, 3, (50, 3))
        attempt(lambda: tanager.MixtureOfTreesDensity(n_components=2**31).fit(x))
    """,
    "a copy of the rows for each of many folds": """
        x, y = random.normal(size=(9_000, 40)), np.arange(9_000) % 2
        attempt(lambda: tanager.RefinedClassifier(cv=9_000).fit(x, y))
    """,
    "arcs that a branching has to know": """
        x, y = random.integers(0, 2, (10, 12_000)), np.arange(10) % 2
        attempt(lambda: tanager.TANClassifier(score="k2").fit(x, y))
    """,
    "points of a simulation": """
        attempt(lambda: tanager.acll_constants_monte_carlo(2, samples=10**12))
    """,
}


@pytest.mark.skipif(sys.platform != "linux", reason="limits of the address space are set as Linux does")
@pytest.mark.parametrize("case", CASES)
def test_what_does_not_fit_is_refused_with_its_size(case):
    """In an interpreter of its own with 600 MB to go: a failed allocation would abort it."""
    source = textwrap.dedent(PRELUDE) + textwrap.dedent(CASES[case])
    command = [sys.executable, "-c", source, str(600_000_000)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 0, result.stderr[-2000:]
    if case == "many classes cut at every value":
        assert result.stdout.split() == ["fine", "14999"], result.stdout  # in the memory of a few of them
        return
    assert result.stdout.startswith("refused: "), result.stdout
    assert "limit" in result.stdout
    assert " bytes" in result.stdout or "B, more than" in result.stdout


def test_the_limit_can_be_changed_and_says_what_is_allowed():
    before = tanager.memory_limit()
    x, y = np.random.default_rng(0).integers(0, 9, (50, 4)), np.arange(50) % 2
    try:
        tanager.set_memory_limit(2000)
        assert tanager.memory_limit() == 2000
        with pytest.raises(tanager.CapacityError, match="more than the limit of"):
            tanager.TANClassifier(discretize="none").fit(x, y).predict_proba(np.tile(x, (100, 1)))
    finally:
        tanager.set_memory_limit(None)
    assert abs(tanager.memory_limit() / before - 1) < 0.5
    for wrong in (0, -1, 2**64):
        with pytest.raises(tanager.DataError, match="is not allowed: it is a number of bytes"):
            tanager.set_memory_limit(wrong)
    for wrong in (1.5, "much", True):
        with pytest.raises(tanager.DataTypeError, match="is not allowed: it is a number of bytes"):
            tanager.set_memory_limit(wrong)


def test_more_folds_than_rows_take_no_more_memory():
    x, y = np.random.default_rng(0).integers(0, 3, (30, 3)), np.arange(30) % 2
    each = tanager.RefinedClassifier(cv=30).fit(x, y)
    more = tanager.RefinedClassifier(cv=10**9).fit(x, y)
    np.testing.assert_array_equal(more.predict_proba(x), each.predict_proba(x))


@pytest.mark.parametrize(
    "settings",
    [{"score": "bdeu", "root": 7}, {"score": "ll", "forest": True}, {"score": "bic", "missing": "available"}],
)
def test_trees_whose_weights_do_not_fit_are_the_same_trees(settings):
    random = np.random.default_rng(5)
    x, y = random.integers(0, 3, (60, 90)).astype(object), random.integers(0, 2, 60)
    if "missing" in settings:
        x[random.random(x.shape) < 0.1] = None
    model = tanager.TANClassifier(**settings)
    whole = model.fit(x, y).network_.parents
    try:
        tanager.set_memory_limit(60_000)  # the matrix of all weights takes 64,800 bytes
        with pytest.raises(tanager.CapacityError, match="weights of all arcs between 90 columns"):
            tanager.TANClassifier(score="k2").fit(x, y)
        with_little = model.fit(x, y).network_.parents
    finally:
        tanager.set_memory_limit(None)
    assert with_little == whole
