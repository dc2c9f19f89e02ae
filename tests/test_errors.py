"""Every error of the core, raised once from Python: its exception and its one sentence."""

import ast
import builtins
import re
import signal
from pathlib import Path
from time import sleep

import numpy as np
import pytest

import tanager
from tanager import _core

PACKAGE = Path(__file__).resolve().parents[1] / "python" / "tanager"
CORE = Path(__file__).resolve().parents[1] / "rust" / "core" / "src"

X = np.array([[0, 1], [1, 0], [1, 1]])
Y = np.array([0, 1, 1])


def data(**options):
    """Three rows, two columns of two values, two classes."""
    return tanager.Dataset(X, [2, 2], Y, 2, **options)


def fit(learner="nb", settings=None, score="ll", parameters="laplace", **options):
    """Fits the small table."""
    return _core.fit(data(), learner, settings or {}, score, parameters, **options)


def many_rows():
    """A table of 2³² rows that takes one byte."""
    return tanager.Dataset(np.broadcast_to(np.uint8(0), (2**32, 1)), [1])


def interrupted():
    """A fit of some ten seconds during which the user presses Ctrl-C at once."""
    calls = iter(range(10**9))

    def slow(counts):
        if next(calls) == 0:
            signal.raise_signal(signal.SIGINT)
        sleep(0.005)
        return 0.0

    table = tanager.Dataset(np.zeros((2, 60), dtype=np.uint8), [2] * 60, [0, 1], 2)
    try:
        _core.fit(table, "tan", {}, slow, "laplace", 1)
    finally:
        assert next(calls) < 1000


def many_missing():
    """A row of a network without order that misses nearly everything, where little memory is allowed."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, 3, (60, 40)).astype(float)
    # One thread, so that the scores, and with them the network, are always the same.
    learner = tanager.BCkGClassifier(
        k=2, score=lambda counts: float(rng.random()), discretize="none", n_jobs=1
    )
    model = learner.fit(x, rng.integers(0, 2, 60))
    x[0, :-1] = np.nan
    tanager.set_memory_limit(1 << 8)
    try:
        model.predict_proba(x[:1])
    finally:
        tanager.set_memory_limit(None)


def raise_lookup(counts):
    """A score that fails."""
    raise LookupError("no luck")


def wide(**options):
    """Forty columns of 200 values."""
    return tanager.Dataset(np.zeros((1, 40), dtype=np.uint8), [200] * 40, **options)


def counted(pairs: bool) -> tanager.Statistics:
    """Statistics of three rows."""
    rows, labels = [["a", "b"], ["b", "a"], ["b", "b"]], ["x", "y", "y"]
    return tanager.Statistics(tanager.Schema.scan([(rows, labels)]), pairs=pairs).update(rows, labels)


CASES = {
    "NotCounted": [
        (
            lambda: tanager.TANClassifier().fit_statistics(counted(pairs=False)),
            tanager.DataError,
            "the table of pairs of columns was not counted: these statistics hold no such table",
        ),
    ],
    "InvalidStatistics": [
        (
            lambda: tanager.Statistics.from_bytes(b"nonsense"),
            tanager.DataError,
            "the statistics do not fit: the bytes do not begin as statistics do",
        ),
        (
            lambda: counted(pairs=False) + counted(pairs=True),
            tanager.DataError,
            "the statistics do not fit: one of the statistics holds pairs of columns, the other does not",
        ),
    ],
    "CodeOutOfRange": [
        (
            lambda: tanager.Dataset([[0], [2]], [2]),
            tanager.DataError,
            "column 0, row 1: code 2 is out of range, allowed are 0 to 1",
        ),
        (
            lambda: tanager.Dataset([[0], [-3]], [2]),
            tanager.DataError,
            "column 0, row 1: code -3 is out of range, allowed are 0 to 1",
        ),
        (
            lambda: tanager.Dataset([[0]], [2], [5], 2),
            tanager.DataError,
            "column of the class, row 0: code 5 is out of range, allowed are 0 to 1",
        ),
    ],
    "ArityOutOfRange": [
        (
            lambda: tanager.Dataset([[0]], [0]),
            tanager.DataError,
            "column 0: arity 0 is not allowed, a column has 1 to 4294967295 values",
        ),
    ],
    "LengthMismatch": [
        (
            lambda: tanager.Dataset(X, [2, 2], [0, 1], 2),
            tanager.DataError,
            "the class has length 2, expected 3",
        ),
        (lambda: data(weights=np.ones(2)), tanager.DataError, "the weights has length 2, expected 3"),
        (
            lambda: fit()[0].posterior(tanager.Dataset([[0]], [2])),
            tanager.DataError,
            "the list of columns has length 1, expected 2",
        ),
    ],
    "Empty": [
        (
            lambda: tanager.Dataset(np.zeros((0, 2), dtype=int), [2, 2]),
            tanager.DataError,
            "the table is empty: the number of rows is 0, at least 1 is needed",
        ),
        (
            lambda: tanager.Dataset(np.zeros((2, 0), dtype=int), []),
            tanager.DataError,
            "the table is empty: the number of columns is 0, at least 1 is needed",
        ),
    ],
    "TooManyRows": [
        (
            many_rows,
            tanager.CapacityError,
            "4294967296 rows are more than the counters can hold (4294967294)",
        ),
    ],
    "ColumnOutOfRange": [
        (
            lambda: tanager.family_counts(data(), 7, []),
            tanager.ColumnError,
            "there is no column 7: the table has columns 0 to 1",
        ),
        (
            lambda: tanager.family_counts(data(), 0, [-1]),
            tanager.ColumnError,
            "there is no column -1: positions count from 0",
        ),
        (
            lambda: fit("tan", {"root": 9}),
            tanager.ColumnError,
            "there is no column 9: the table has columns 0 to 1",
        ),
    ],
    "RepeatedVariable": [
        (
            lambda: tanager.family_counts(data(), 0, [1, 1]),
            tanager.DataError,
            "the family of column 0 names column 1 twice",
        ),
        (
            lambda: tanager.family_counts(data(), 0, [0]),
            tanager.DataError,
            "the family of column 0 names column 0 twice",
        ),
        (
            lambda: tanager.family_score(data(), 0, ["class", "class"], "ll"),
            tanager.DataError,
            "the family of column 0 names the class twice",
        ),
        (
            lambda: tanager.family_score(data(), "class", ["class"], "ll"),
            tanager.DataError,
            "the family of the class names the class twice",
        ),
        (
            lambda: tanager.family_counts(data(names=["age", "town"]), 0, [1, 1]),
            tanager.DataError,
            "the family of column 'age' names column 'town' twice",
        ),
    ],
    "NoAccuracy": [
        (
            lambda: _core.cross_validate(
                data(), np.array([0, 1, 1], dtype=np.uint32), 2, "bsej", {}, "ll", "laplace"
            ),
            tanager.DataError,
            "bsej searches by cross-validated accuracy: it needs the rows, not only their counts",
        ),
    ],
    "NoClass": [
        (
            lambda: _core.fit(tanager.Dataset(X, [2, 2]), "ffss", {}, "ll", "laplace"),
            tanager.DataError,
            "the data has no class, but ffss needs one",
        ),
        (
            lambda: tanager.family_counts(tanager.Dataset(X, [2, 2]), 0, ["class"]),
            tanager.DataError,
            "the data has no class, but this family needs one",
        ),
    ],
    "TooManyCells": [
        (
            lambda: tanager.family_counts(wide(), 0, list(range(1, 40))),
            tanager.CapacityError,
            re.compile(
                r"the table of column 0 given column 1, column 2, column 3 and 36 more would have \d+ cells "
                r"\([\d.e+]+ bytes\), more than the limit of \d+ cells \([\d.e+]+ bytes\)"
            ),
        ),
        (
            lambda: tanager.family_counts(
                wide(names=[f"gene {i}" for i in range(40)]), 0, list(range(1, 40))
            ),
            tanager.CapacityError,
            re.compile(
                r"the table of column 'gene 0' given column 'gene 1', column 'gene 2', .* and 36 more .*"
            ),
        ),
    ],
    "TooLarge": [
        (
            lambda: tanager.TreeDensity().fit(X).sample(10**12),
            tanager.CapacityError,
            re.compile(r"1000000000000 drawn rows of 2 columns would take 8.0 TB, more than the limit of .*"),
        ),
    ],
    "TooManyMissing": [
        (
            many_missing,
            tanager.CapacityError,
            re.compile(r"row 0: the exact sum over its \d+ missing values needs .* does with less"),
        ),
    ],
    "ParameterOutOfRange": [
        (
            lambda: fit("tan", score=tanager.BDeu(ess=-1.0)),
            tanager.DataError,
            "ess = -1 is not allowed: it is a finite number above 0",
        ),
        (
            lambda: fit(parameters=tanager.Laplace(alpha=0.0)),
            tanager.DataError,
            "alpha = 0 is not allowed: it is a finite number above 0",
        ),
        (
            lambda: fit(parameters=tanager.Laplace(alpha=1e308)),
            tanager.DataError,
            re.compile(r"alpha = 10+ is not allowed: added to every count, it must give a finite sum"),
        ),
        (
            lambda: fit(parameters=tanager.Dirichlet(n0=1e308)),
            tanager.DataError,
            re.compile(r"n0 = 10+ is not allowed: times the number of rows, it must be finite"),
        ),
        (
            lambda: data(weights=np.array([1.0, np.nan, 1.0])),
            tanager.DataError,
            "a row's weight = NaN is not allowed: weights are finite and not negative",
        ),
        (
            lambda: tanager.family_score(data(), 0, [], tanager.MIT(alpha=1.5)),
            tanager.DataError,
            re.compile(r"alpha = 1.5 is not allowed: .*between 0 and 1.*"),
        ),
    ],
    "UnknownName": [
        (
            lambda: tanager.family_score(data(), 0, [], "bogus"),
            tanager.DataError,
            re.compile(r'unknown score "bogus", known are ll, aic, bic, mdl, .*'),
        ),
        (
            lambda: fit(parameters="bogus"),
            tanager.DataError,
            re.compile(r'unknown parameters "bogus", known are mle, laplace, dirichlet.*'),
        ),
        (
            lambda: fit("bogus"),
            tanager.DataError,
            re.compile(r'unknown learner "bogus", known are nb, tan.*'),
        ),
    ],
    "ScoreNotANumber": [
        (
            lambda: tanager.edge_weights(data(), lambda counts: float("nan")),
            tanager.DataError,
            re.compile(r"the score of the family of column [01] is not a number"),
        ),
    ],
    "WeightNotANumber": [
        (
            lambda: tanager.maximum_branching(np.full((2, 2), np.nan)),
            tanager.DataError,
            re.compile("the weight of the arc [01] → [01] is not a number"),
        ),
        (
            lambda: tanager.maximum_spanning_tree(np.full((2, 2), np.nan)),
            tanager.DataError,
            re.compile("the weight of the arc [01] → [01] is not a number"),
        ),
    ],
    "InvalidStructure": [
        (
            lambda: tanager.network_score(data(), [[1], [0]], "ll"),
            tanager.DataError,
            "the structure is invalid: the arcs form a cycle",
        ),
        (
            lambda: tanager.network_score(data(), [[0], []], "ll"),
            tanager.DataError,
            "the structure is invalid: column 0 is its own parent",
        ),
        (
            lambda: tanager.bfs_order([1, 0]),
            tanager.DataError,
            "the structure is invalid: node 0 is its own ancestor",
        ),
    ],
    "MissingClass": [
        (
            lambda: tanager.Dataset(X, [2, 2], [0, -1, 1], 2, missing=-1),
            tanager.DataError,
            "row 1 has no class: every training row needs one",
        ),
    ],
    "Callback": [
        (lambda: fit("tan", score=raise_lookup), LookupError, "no luck"),
    ],
    "Cancelled": [
        (interrupted, KeyboardInterrupt, ""),
    ],
}


@pytest.mark.parametrize(
    ("call", "exception", "message"),
    [
        pytest.param(*case, id=f"{variant}-{i}")
        for variant, cases in CASES.items()
        for i, case in enumerate(cases)
    ],
)
def test_the_error_and_its_sentence(call, exception, message):
    with pytest.raises(exception) as raised:
        call()
    said = str(raised.value)
    assert message.fullmatch(said) if isinstance(message, re.Pattern) else said == message


def test_every_kind_of_error_is_raised_here():
    source = (CORE / "error.rs").read_text(encoding="utf-8")
    body = source.split("pub enum Error {")[1].split("\n}\n")[0]
    variants = set(re.findall(r"^    (\w+)(?: \{|,)$", body, flags=re.MULTILINE))
    # Memory that the system refuses cannot be had on demand, and no binding selects from counts without rows.
    assert variants == set(CASES) | {"NoRows", "OutOfMemory"}


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        ([[0, 1], [0]], "codes is not a table of integers with rows of one length"),
        ([[0.0, 1.0]], "codes holds floats: codes are integers from 0 on"),
        ([[0.0, float("nan")]], "codes contains NaN: codes are integers from 0 on"),
        ([0, 1], "codes has 1 dimensions, expected 2"),
        ([["a", "b"]], re.compile("codes holds .*: codes are integers from 0 on")),
    ],
    ids=["ragged", "floats", "nan", "one dimension", "strings"],
)
def test_codes_that_are_none(codes, message):
    with pytest.raises(tanager.DataError) as raised:
        tanager.Dataset(codes, [2, 2])
    said = str(raised.value)
    assert message.fullmatch(said) if isinstance(message, re.Pattern) else said == message


def test_the_exceptions_are_the_standard_ones_too():
    assert issubclass(tanager.DataError, ValueError)
    assert issubclass(tanager.CapacityError, MemoryError)
    assert issubclass(tanager.ColumnError, IndexError)
    for error in (tanager.DataError, tanager.CapacityError, tanager.ColumnError):
        assert issubclass(error, tanager.TanagerError)


def raised(source: str) -> set[str]:
    """The names of the errors that a file makes and raises."""
    tree = ast.parse(source)
    # An attribute that is not there is told to Python in the one way that `hasattr` understands.
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    asked = [function for function in functions if function.name == "__getattr__"]
    exempt = {inner for function in asked for inner in ast.walk(function)}
    nodes = [node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise) and node not in exempt]
    return {node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}


@pytest.mark.parametrize("file", sorted(PACKAGE.rglob("*.py")), ids=lambda file: file.stem)
def test_every_error_is_tanagers_own(file):
    own = {name for name in dir(tanager.exceptions) if name.endswith("Error")}
    kinds = {name: kind for name, kind in vars(builtins).items() if isinstance(kind, type)}
    # what the operating system refuses stays its own error
    standard = {n for n, k in kinds.items() if issubclass(k, Exception) and not issubclass(k, OSError)}
    assert raised(file.read_text(encoding="utf-8")) & standard == set()
    assert raised("raise ValueError(1)\nraise DataError('x') from None") - own == {"ValueError"}


def test_an_unknown_name_is_also_a_key_error_that_is_not_quoted():
    error = tanager.UnknownNameError("no learner 'x'")
    assert isinstance(error, KeyError)
    assert isinstance(error, tanager.DataError)
    assert str(error) == "no learner 'x'"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fit_on([[0], [1]], [0.0, float("nan")]), "Input y contains NaN"),
        (lambda: fit_on([[0], [1]], [0.0, float("inf")]), "Input y contains infinity"),
        (lambda: fit_on([[0], [1]], [0.25, 1.5]), "Unknown label type"),
        (lambda: fit_on([[0], [1]], [[0, 1], [1, 0]]), "y should be a 1d array"),
        (lambda: fit_on([[0], [1]], [0, 1], sample_weight=[1, float("nan")]), "sample_weight contains NaN"),
        (lambda: fit_on([[0], [1]], [0, 1], sample_weight=["a", "b"]), "could not convert string"),
        (lambda: fit_on(5, [0, 1]), "Expected 2D array"),
        (lambda: fit_on(np.zeros((0, 2)), []), "Found array with 0 sample"),
        (lambda: tanager.TreeDensity().fit(np.zeros((0, 2))), "Found array with 0 sample"),
        (lambda: tanager.Schema.scan([5]), "a part is a int"),
        (lambda: tanager.Schema.scan([(5, [0])]), "a part is a int"),
    ],
)
def test_what_scikit_learn_refuses_is_an_error_of_ours(call, message):
    with pytest.raises(tanager.TanagerError, match=message):
        call()


def fit_on(x, y, **more):
    return tanager.TANClassifier().fit(x, y, **more)
