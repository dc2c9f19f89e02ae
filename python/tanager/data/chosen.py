"""Which columns of a table are used, and which of them are categories or numbers, by a person's word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tanager.data.columns import Numbers, RawColumn, as_number, factorize_numbers
from tanager.data.table import Frame, Table
from tanager.exceptions import DataError, UnknownNameError

__all__ = ["choose_columns"]


def choose_columns(
    table: Table, drop: Sequence[str] = (), categorical: Sequence[str] = (), numeric: Sequence[str] = ()
) -> Table:
    """The table without some columns, and with others taken for categories or for numbers.

    >>> from tanager.data.columns import Numbers
    >>> frame = Frame({"id": Numbers(np.array([7, 8])), "code": Numbers(np.array([2, 1]))})
    >>> chosen = choose_columns(Table("t", frame, None, None), drop=["id"], categorical=["code"])
    >>> chosen.X.columns, chosen.X.raw("code").levels
    (['code'], [1, 2])
    """
    for option, names in (("drop", drop), ("categorical", categorical), ("numeric", numeric)):
        for name in names:
            if name not in table.X.columns:
                shown = ", ".join(table.X.columns[:50]) + (", …" if len(table.X.columns) > 50 else "")
                raise UnknownNameError(f"{option}: {table.name} has no column {name!r}; columns are {shown}")
    twice = set(categorical) & set(numeric)
    if twice:
        raise DataError(f"column {min(twice)!r} is called both categorical and numeric")
    columns: dict[str, RawColumn] = {}
    for name in table.X.columns:
        if name in drop:
            continue
        column = table.X.raw(name)
        if name in categorical:
            column = factorize_numbers(column) if isinstance(column, Numbers) else column
        elif name in numeric:
            column = _numbers(column, f"{table.name}: column {name!r}")
        columns[name] = column
    if not columns:
        raise DataError(f"{table.name}: no column is left")
    return replace(table, X=Frame(columns))


def _numbers(column: RawColumn, where: str) -> Numbers:
    """Floats, which are never taken for categories, however few of them there are."""
    if isinstance(column, Numbers):
        return Numbers(column.floats())
    values = [as_number(level) for level in column.levels]
    if None in values:
        bad = column.levels[values.index(None)]
        raise DataError(f"{where}: {bad!r} is not a number, and numeric names the column")
    return Numbers(np.array([*values, np.nan], dtype=np.float64)[column.codes])
