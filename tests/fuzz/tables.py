"""Tables of every container and type, odd values among them: a fit refuses them, or predicts as it should."""

from __future__ import annotations

import datetime
import random
import warnings
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from tanager.estimators import CLASSIFIERS
from tanager.exceptions import TanagerError

ODD: list[Any] = [
    None,
    np.nan,
    float("inf"),
    Decimal("NaN"),
    Decimal("1.5"),
    pd.NA,
    pd.NaT,
    "",
    "nan",
    "\x1b[31m",
    "é",
    10**30,
    True,
    b"bytes",
    1.5,
    -0.0,
    np.float32(2),
    (1, 2),
    datetime.date(2020, 1, 1),
    np.int8(-128),
    2**63,
    "?",
    "x" * 500,
]
PLAIN: list[list[Any]] = [
    list("ab"),
    list("abcd"),
    [0, 1],
    [-100, 100],
    [0.5, 1.5, 2.5],
    [True, False],
    ["1", "2"],
]
ARRAYS = ["int8", "uint8", "int16", "int32", "int64", "uint64", "float32", "float64", "bool", "U3", "object"]
PANDAS = [
    "Int8",
    "Int64",
    "UInt64",
    "Float64",
    "boolean",
    "string",
    "category",
    "object",
    pd.ArrowDtype(pa.int16()),
    pd.ArrowDtype(pa.string()),
    pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string())),
    pd.ArrowDtype(pa.decimal128(6, 2)),
]
POLARS = [
    pl.Int8,
    pl.UInt64,
    pl.Float32,
    pl.String,
    pl.Categorical,
    pl.Boolean,
    getattr(pl, "Int128", pl.Int64),
]
ARROW = [
    pa.int8(),
    pa.uint64(),
    pa.string(),
    pa.large_string(),
    pa.dictionary(pa.int32(), pa.string()),
    pa.bool_(),
    pa.decimal128(6, 2),
    pa.null(),
]


def values(rng: random.Random, rows: int) -> list[Any]:
    """A column: plain values of one kind, and in some columns an odd one or two."""
    column = [rng.choice(kind) for kind in [rng.choice(PLAIN)] for _ in range(rows)]
    for _ in range(rng.choice((0, 0, 0, 1, 2))):
        column[rng.randrange(rows)] = rng.choice(ODD)
    return column


def _converted(
    rng: random.Random, column: list[Any], convert: Callable[[Any, list[Any]], Any], kinds: Any
) -> Any:
    """The column in one of these types, the first that takes it."""
    for kind in rng.sample(kinds, len(kinds)):
        try:
            return convert(kind, column)
        except (Exception, pl.exceptions.PanicException):
            continue  # the library does not take these values in this type
    return None


def table(rng: random.Random) -> Any:
    """A table that the libraries themselves allow; None where they allow none."""
    rows, width = rng.choice((1, 2, 5, 20)), rng.choice((1, 2, 4))
    columns = [values(rng, rows) for _ in range(width)]
    container = rng.randrange(5)
    if container == 0:
        return [list(row) for row in zip(*columns, strict=True)]
    if container == 1:
        matrix = np.array([list(row) for row in zip(*columns, strict=True)], dtype=object)
        return _converted(rng, matrix, lambda kind, given: given.astype(kind), ARRAYS)
    if container == 2:
        made = [_converted(rng, c, lambda k, given: pd.Series(given, dtype=k), PANDAS) for c in columns]
        kept = {f"c{i}": series for i, series in enumerate(made) if series is not None}
        return pd.DataFrame(kept) if kept else None
    if container == 3:
        made = [_converted(rng, c, lambda k, given: pl.Series(given, dtype=k), POLARS) for c in columns]
        kept = {f"c{i}": series for i, series in enumerate(made) if series is not None}
        return pl.DataFrame(kept) if kept else None
    made = [_converted(rng, c, lambda k, given: pa.array(given, type=k), ARROW) for c in columns]
    kept = {f"c{i}": array for i, array in enumerate(made) if array is not None}
    return pa.table(kept) if kept else None


def labels(rng: random.Random, rows: int) -> Any:
    column = values(rng, rows)
    kind = rng.randrange(4)
    if kind == 0:
        return column
    if kind == 1:
        return _converted(rng, column, lambda k, given: np.array(given, dtype=k), ARRAYS)
    if kind == 2:
        return _converted(rng, column, lambda k, given: pd.Series(given, dtype=k), PANDAS)
    return _converted(rng, column, lambda k, given: pl.Series(given, dtype=k), POLARS)


def one_table(seed: int) -> None:
    """Fit one learner on one table and look at what it says."""
    rng = random.Random(seed)
    X = table(rng)
    if X is None:
        return
    rows = len(X)
    y = labels(rng, rows if rng.randrange(10) else rows + 1)
    if y is None:
        return
    name = rng.choice(list(CLASSIFIERS))
    model = CLASSIFIERS[name]()
    settings = {
        "missing": ["category", "drop", "available"],
        "handle_unknown": ["marginalize", "error"],
        "discretize": ["mdl", "none"],
        "parameters": ["mle", "laplace", "dirichlet"],
    }
    known = model.get_params()
    model.set_params(**{key: rng.choice(choice) for key, choice in settings.items() if key in known})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model.fit(X, y)
        except (TanagerError, ValueError, TypeError):
            return
        chances = model.predict_proba(X)
        assert np.isfinite(chances).all(), f"{name}: a probability is not finite"
        assert np.allclose(chances.sum(axis=1), 1), f"{name}: probabilities do not sum to 1"
        one = model.predict_proba(_first(X))
    assert np.array_equal(one[0], chances[0]), (
        f"{name}: a row alone has other probabilities than in its table"
    )


def _first(X: Any) -> Any:
    return X[:1] if not isinstance(X, pa.Table) else X.slice(0, 1)
