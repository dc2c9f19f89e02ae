"""Every error of the core, raised once from Python: its exception and its one sentence."""

import ast
import builtins
import re
from pathlib import Path

import numpy as np
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


def fit_on(x, y, **more):
    return tanager.TANClassifier().fit(x, y, **more)
