"""Every error of the core, raised once from Python: its exception and its one sentence."""

import ast
import builtins
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tanager
from error_cases import CASES

PACKAGE = Path(__file__).resolve().parents[1] / "python" / "tanager"
CORE = Path(__file__).resolve().parents[1] / "rust" / "core" / "src"


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


def test_bindings_raise_nothing_but_tanagers_own_and_what_ends_a_run():
    folder = Path(__file__).parents[1] / "rust/py/src"
    made = {
        name
        for file in folder.glob("*.rs")
        for name in re.findall(r"(\w+)::new_err", file.read_text("utf-8"))
    }
    assert made == {"PyKeyboardInterrupt", "PySystemExit"}
    named = {
        name for file in folder.glob("*.rs") for name in re.findall(r'"(\w+Error)"', file.read_text("utf-8"))
    }
    assert {"DataError", "RunError"} <= named
    assert all(issubclass(getattr(tanager.exceptions, name), tanager.TanagerError) for name in named)


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


WORDS = np.array([["a", "p"], ["b", "q"]] * 10)
CLASSES = [0, 1] * 10
TABLE = tanager.Dataset([[0, 1], [1, 0], [1, 1]], [2, 2], class_codes=[0, 1, 1])
SQUARE = [[0, 1], [1, 0]]


def fitted():
    return fit_on(WORDS, CLASSES)


def with_seed(learner, seed="x", **settings):
    return getattr(tanager, learner)(random_state=seed, **settings).fit(WORDS, CLASSES)


def cut(kind, frame=None):
    return kind().fit([["1", "a"], ["2", "b"]] if frame is None else frame, [0, 1])


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: tanager.load_dataset(3), TypeError, "name = 3 is not allowed: it is the name of a data set"),
        (lambda: fitted().to_sql(3), TypeError, "table = 3 is not allowed: it is the name of a table"),
        (lambda: fitted().to_bif(class_name=3), TypeError, "class_name = 3 is not allowed: it is text"),
        (lambda: fitted().network_.plot(ax=3), TypeError, "ax is a int, allowed are axes of matplotlib"),
        (lambda: fitted().importances().plot(ax="x"), TypeError, "ax is a str, allowed are axes"),
        (lambda: fitted().importances().plot(most=-1), ValueError, "most = -1 is not allowed"),
        (lambda: fitted().explain(WORDS).plot(most=-1), ValueError, "most = -1 is not allowed"),
        (lambda: fitted().explain(WORDS).text(most=-1), ValueError, "most = -1 is not allowed"),
        (lambda: fitted().explain(WORDS).text("x"), TypeError, "row = 'x' is not allowed"),
        *(
            (lambda one=one: one(3, WORDS, CLASSES), TypeError, "model is a int, allowed is a fitted class")
            for one in (
                tanager.conditional_log_likelihood,
                tanager.approximate_conditional_log_likelihood,
                tanager.conditional_relative_entropy,
            )
        ),
        (
            lambda: tanager.conditional_log_likelihood(fitted(), WORDS, CLASSES, sample_weight="x"),
            ValueError,
            "could not convert string to float: 'x'",
        ),
        *(
            (lambda call=call: call(3), TypeError, "data is a int, allowed is a Dataset")
            for call in (
                lambda data: tanager.edge_weights(data, "bic"),
                lambda data: tanager.network_score(data, [[], []], "ll"),
                lambda data: tanager.family_counts(data, 0, []),
                lambda data: tanager.family_score(data, 0, [], "ll"),
                lambda data: tanager.best_parents(data, 0, [1], 1, "ll"),
                lambda data: tanager.chi2_forest(data),
                lambda data: tanager.g_test(data, 0, 1),
            )
        ),
        (lambda: tanager.network_score(TABLE, 3, "ll"), TypeError, "parents = 3 .* a list of lists of col"),
        (lambda: tanager.network_score(TABLE, [3, []], "ll"), TypeError, "parents = 3 .* a list of columns"),
        (
            lambda: tanager.network_score(TABLE, [["a"], []], "ll"),
            TypeError,
            "parents: 'a' is not a position",
        ),
        (lambda: tanager.family_counts(TABLE, 0, 3), TypeError, "parents = 3 is not allowed: it is a list"),
        (lambda: tanager.family_score(TABLE, 0, 3, "ll"), TypeError, "parents = 3 is not allowed"),
        (lambda: tanager.best_parents(TABLE, "x", [1], 1, "ll"), TypeError, "child: 'x' is not a position"),
        (lambda: tanager.best_parents(TABLE, 0, 3, 1, "ll"), TypeError, "candidates = 3 is not allowed"),
        (lambda: tanager.best_parents(TABLE, 0, [1.5], 1, "ll"), TypeError, "candidates: 1.5 is not a pos"),
        (lambda: tanager.best_parents(TABLE, 0, [1], 1, "ll", prune=3), TypeError, "prune = 3 is not"),
        (lambda: tanager.best_parents(TABLE, 0, [1], 1, "ll", progress=3), TypeError, "progress = 3 is not"),
        (lambda: tanager.maximum_spanning_tree(SQUARE, "x"), TypeError, "root: 'x' is not a position"),
        (lambda: tanager.maximum_branching(SQUARE, 0.5), TypeError, "root: 0.5 is not a position"),
        (lambda: tanager.maximum_branching([[0, 1], [1]]), ValueError, "not a matrix of numbers"),
        (lambda: tanager.maximum_spanning_tree("a"), ValueError, "not a matrix of numbers"),
        (lambda: tanager.ancestors([1, -1], "x"), TypeError, "node: 'x' is not a position"),
        (lambda: tanager.chi2_forest(TABLE, 3), TypeError, "groups = 3 .* a list of lists of columns"),
        (lambda: tanager.chi2_forest(TABLE, [["a"]]), TypeError, "groups: 'a' is not a position"),
        (lambda: tanager.chi2_forest(TABLE, alpha="x"), TypeError, "alpha = 'x' is not allowed"),
        (lambda: tanager.g_test(TABLE, 0, 1, min_cell="x"), TypeError, "min_cell = 'x' is not allowed"),
        (lambda: tanager.acll_constants(2, 3), TypeError, "prior = 3 is not allowed"),
        (lambda: tanager.acll_constants(2, a="x"), TypeError, "a = 'x' is not allowed: it is a number"),
        (lambda: tanager.acll_constants_monte_carlo(2, b="x"), TypeError, "b = 'x' is not allowed"),
        (lambda: tanager.acll_constants_monte_carlo(2, a="x"), ValueError, "a = 'x', b = 1000.0"),
        (lambda: tanager.mdl_cut_points(["1", "b"], [0, 1]), ValueError, "x, row 1: 'b' is not a number"),
        *(
            (lambda kind=kind: cut(kind), ValueError, "column 'x1', row 0: 'a' is not a number")
            for kind in (tanager.MDLDiscretizer, tanager.EqualWidth, tanager.EqualFrequency)
        ),
        (
            lambda: cut(tanager.MDLDiscretizer, pd.DataFrame({"age": [1, 2], "town": ["x", "y"]})),
            ValueError,
            "column 'town', row 0: 'x' is not a number",
        ),
        (lambda: cut(tanager.MDLDiscretizer, [[np.inf], [1.0]]), ValueError, "contains infinity"),
        (
            lambda: tanager.EqualWidth().fit([[1.0], [2.0]]).transform([["a"]]),
            ValueError,
            "column 'x0', row 0: 'a' is not a number",
        ),
        (lambda: fitted().sample(2, random_state="x"), ValueError, "random_state = 'x' is not allowed"),
        (lambda: fitted().sample(2, random_state=-1), ValueError, "random_state = -1 is not allowed"),
        (
            lambda: tanager.TreeDensity().fit(WORDS).sample(2, "x"),
            ValueError,
            "random_state = 'x' is not allowed: it is None, a seed",
        ),
        *(
            (
                lambda learner=learner, settings=settings: with_seed(learner, **settings),
                ValueError,
                "random_state = 'x' is not allowed: it is None, a seed",
            )
            for learner, settings in {
                "TANClassifier": {"root": "random"},
                "BCkGClassifier": {"level_order": "random"},
                "FSSClassifier": {},
                "RefinedClassifier": {},
                "KDBEnsembleClassifier": {},
                "WeightedNaiveBayesClassifier": {},
                "MixtureOfTreesDensity": {},
            }.items()
        ),
    ],
)
def test_what_is_of_a_wrong_kind_is_an_error_of_ours(call, kind, message):
    with pytest.raises(tanager.TanagerError, match=message) as raised:
        call()
    assert isinstance(raised.value, kind)


def fit_on(x, y, **more):
    return tanager.TANClassifier().fit(x, y, **more)
