"""How every error of the core is raised from Python: the call, the exception, the sentence."""

import re
import signal
from time import sleep

import numpy as np

import tanager
from tanager import _core

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
            "alpha = 1e308 is not allowed: added to every count, it must give a finite sum",
        ),
        (
            lambda: fit(parameters=tanager.Dirichlet(n0=1e308)),
            tanager.DataError,
            "n0 = 1e308 is not allowed: it must be at least 1e-280 and, times the number of rows, finite",
        ),
        (
            lambda: fit(parameters=tanager.Dirichlet(n0=5e-324)),
            tanager.DataError,
            re.compile(r"n0 = .* is not allowed: it must be at least 1e-280 and, .*"),
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
