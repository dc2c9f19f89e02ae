"""A network as one SELECT that scores the rows of a table where they lie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from tanager.exceptions import DataError, DataTypeError
from tanager.export.densities import Normal, densities
from tanager.export.described import DescribedNetwork, Variable
from tanager.export.sql_text import literal, quoted

__all__ = ["DIALECTS", "sql_select"]

#: What each dialect calls floating-point numbers of 64 bits.
DIALECTS = {"sqlite": "REAL", "duckdb": "DOUBLE", "postgres": "DOUBLE PRECISION"}
_JOINED = 30


def sql_select(
    network: DescribedNetwork, table: str, dialect: str = "sqlite", normals: Sequence[Normal] = ()
) -> str:
    """One SELECT: the table's columns, P(class) of every class, and the most probable class.

    Values become codes (NULL where they are missing or were not seen at fit, as in `predict_proba`). Each
    variable's table is joined with the rows on what is known of them; then the attributes are summed out one
    after the other, as variable elimination does, so that the probabilities are exact whatever is missing.
    For a complete row every join finds one cell. Tables are scaled by the number of states: products of many
    probabilities stay within the range of numbers. `normals` are columns of numbers with densities, which
    the network has as one value.
    """
    if dialect not in DIALECTS:
        raise DataError(f"dialect = {dialect!r} is not allowed, allowed are {', '.join(DIALECTS)}")
    if not isinstance(table, str):
        raise DataTypeError(f"table = {table!r} is not allowed: it is the name of a table, as text")
    number = DIALECTS[dialect]
    parts = [f"rows_ AS (SELECT ROW_NUMBER() OVER () AS row_, t.* FROM {quoted(table)} AS t)"]
    parts.append(_codes(network))
    factors: list[tuple[str, set[int]]] = []
    for place, variable in enumerate(network.variables):
        if place:
            parts.extend(_factor(network, place, variable, number))
            factors.append((f"f{place}", {place, *variable.parents} - {0}))
    prior = ", ".join(f"({c}, {float(p)!r})" for c, p in enumerate(network.variables[0].table.tolist()))
    parts.append(f"prior(c, p) AS (VALUES {prior})")
    for step, place in enumerate(_order(factors, len(network.variables))):
        touched = [factor for factor in factors if place in factor[1]]
        factors = [factor for factor in factors if place not in factor[1]]
        name, left = f"m{step}", set().union(*(scope for _, scope in touched)) - {place}
        parts.append(_summed(name, touched, left))
        factors.append((name, left))
    remaining = [name for name, _ in factors]
    if normals:
        parts.extend(densities(normals, number))
        remaining.append("density")
    while len(remaining) > _JOINED:  # sqlite joins 64 tables at most
        name = f"g{len(parts)}"
        parts.append(_summed(name, [(factor, set()) for factor in remaining[:_JOINED]], set()))
        remaining = [*remaining[_JOINED:], name]
    parts.append(_joint(remaining))
    parts.append("total AS (SELECT row_, SUM(p) AS z FROM joint GROUP BY row_)")
    parts.append(
        "posterior AS (SELECT joint.row_, joint.c, CASE WHEN z > 0 THEN joint.p / z ELSE prior.p END AS p "
        "FROM joint JOIN total ON total.row_ = joint.row_ JOIN prior ON prior.c = joint.c)"
    )
    texts = network.variables[0].states
    columns = [
        f"MAX(CASE WHEN c = {c} THEN p END) AS {quoted(f'P({label})')}" for c, label in enumerate(texts)
    ]
    parts.append(f"wide AS (SELECT row_, MAX(p) AS best, {', '.join(columns)} FROM posterior GROUP BY row_)")
    chosen = " ".join(
        f"WHEN wide.{quoted(f'P({label})')} = wide.best THEN {literal(value)}"
        for label, value in zip(texts, network.labels, strict=True)
    )
    shown = ", ".join(f"wide.{quoted(f'P({label})')}" for label in texts)
    return (
        "WITH "
        + ",\n".join(parts)
        + f"\nSELECT rows_.*, {shown}, CASE {chosen} END AS prediction\n"
        + "FROM rows_ JOIN wide ON wide.row_ = rows_.row_ ORDER BY rows_.row_"
    )


def _codes(network: DescribedNetwork) -> str:
    """The code of each variable in each row; NULL where it is not known."""
    columns = [
        f"{_code(encoding)} AS a{column}"
        for column, encoding in enumerate(network.encodings)
        if any(column in variable.columns for variable in network.variables)
    ]
    return f"codes AS (SELECT {', '.join(['row_', *columns])} FROM rows_)"


def _code(encoding: Any) -> str:
    column = f"rows_.{quoted(encoding.name)}"
    missing = encoding.arity - 1 if encoding.missing_level else "NULL"
    cases = [f"WHEN {column} IS NULL THEN {missing}"]
    if encoding.binning is not None:
        cuts = encoding.cut_points.tolist()
        cases += [f"WHEN {column} <= {cut!r} THEN {code}" for code, cut in enumerate(cuts)]
        return f"CASE {' '.join(cases)} ELSE {len(cuts)} END"
    cases += [f"WHEN {column} = {literal(level)} THEN {code}" for code, level in enumerate(encoding.levels)]
    return f"CASE {' '.join(cases)} END"


def _factor(network: DescribedNetwork, place: int, variable: Variable, number: str) -> Iterator[str]:
    """The cells of a variable's table that agree with what is known of a row."""
    parents = [parent for parent in variable.parents if parent]
    scope = [*parents, place]
    columns = [column for other in scope for column in network.variables[other].columns]
    sizes = [network.encodings[column].arity for column in columns]
    table = variable.table.reshape(len(network.labels), *sizes) * len(variable.states)
    names = ["c", *(f"a{column}" for column in columns), "p"]
    cells = ", ".join(
        f"({', '.join(map(str, index))}, {float(table[index])!r})"
        for index in product(*map(range, table.shape))
    )
    yield f"t{place}({', '.join(names)}) AS (VALUES {cells})"
    agree = [f"(codes.a{c} IS NULL OR codes.a{c} = t{place}.a{c})" for c in columns]
    # One number per variable names its value, however many attributes are joined in it.
    values = []
    for other in scope:
        code = "0"
        for column in network.variables[other].columns:
            code = f"({code}) * {network.encodings[column].arity} + t{place}.a{column}"
        values.append(f"{code} AS v{other}")
    selected = ", ".join(["codes.row_", f"t{place}.c", *values, f"CAST(t{place}.p AS {number}) AS p"])
    yield f"f{place} AS (SELECT {selected} FROM codes JOIN t{place} ON {' AND '.join(agree)})"


def _order(factors: Sequence[tuple[str, set[int]]], count: int) -> list[int]:
    """The attributes in the order of elimination: each time the one whose removal links the fewest others."""
    scopes = [set(scope) for _, scope in factors]
    left, order = set(range(1, count)), []
    while left:
        reach = {v: set().union(*(s for s in scopes if v in s)) - {v} for v in left}
        chosen = min(left, key=lambda v: (len(reach[v]), -v))
        scopes = [scope for scope in scopes if chosen not in scope] + [reach[chosen]]
        left.discard(chosen)
        order.append(chosen)
    return order


def _summed(name: str, touched: Sequence[tuple[str, set[int]]], left: set[int]) -> str:
    """The product of factors, one variable summed out."""
    seen: dict[int, str] = {}
    first = touched[0][0]
    joins = [first]
    for position, (factor, scope) in enumerate(touched):
        if position:
            shared = [v for v in sorted(scope) if v in seen]
            on = [f"{factor}.row_ = {first}.row_", f"{factor}.c = {first}.c"]
            on += [f"{factor}.v{v} = {seen[v]}.v{v}" for v in shared]
            joins.append(f"JOIN {factor} ON {' AND '.join(on)}")
        seen.update({v: factor for v in scope if v not in seen})
    keys = [f"{first}.row_", f"{first}.c", *(f"{seen[v]}.v{v}" for v in sorted(left))]
    weight = " * ".join(f"{factor}.p" for factor, _ in touched)
    return (
        f"{name} AS (SELECT {', '.join(keys)}, SUM({weight}) AS p FROM {' '.join(joins)} "
        f"GROUP BY {', '.join(keys)})"
    )


def _joint(factors: Sequence[str]) -> str:
    """P(c, x) up to a constant: the prior times every factor that is left."""
    joins = "".join(f" JOIN {f} ON {f}.row_ = codes.row_ AND {f}.c = prior.c" for f in factors)
    weight = " * ".join(["prior.p", *(f"{factor}.p" for factor in factors)])
    return f"joint AS (SELECT codes.row_, prior.c, {weight} AS p FROM codes CROSS JOIN prior{joins})"
