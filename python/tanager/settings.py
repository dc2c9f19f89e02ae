"""Checks of settings that several learners and functions share."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

import numpy as np

from tanager.exceptions import DataError, DataTypeError

__all__ = [
    "column_position",
    "did_you_mean",
    "flag",
    "is_number",
    "is_whole",
    "one_of",
    "parent_limit",
    "random_source",
    "whole",
]


def is_whole(value: Any) -> bool:
    """Whether a value is an integer by type; booleans are not.

    >>> is_whole(2), is_whole(np.int64(2)), is_whole(True), is_whole(2.0)
    (True, True, False, False)
    """
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def whole(value: Any, name: str, least: int = 0) -> int:
    """A setting that is a whole number from `least` on.

    >>> whole(np.int64(3), "restarts")
    3
    """
    if is_whole(value) and value >= least:
        return int(value)
    raise DataError(f"{name} = {value!r} is not allowed: it is a whole number from {least} on")


def is_number(value: Any) -> bool:
    """Whether a value is a number by type; booleans are not.

    >>> is_number(2), is_number(np.float32(2)), is_number(True), is_number("2")
    (True, True, False, False)
    """
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def parent_limit(k: Any, most: int) -> int:
    """The most parents, checked; more than there can be means all of them.

    >>> parent_limit(2, 5), parent_limit(10**30, 5)
    (2, 5)
    """
    sentence = f"k = {k!r} is not allowed: it is a whole number from 0 on"
    if is_whole(k) and k >= 0:
        return min(int(k), most)
    raise DataError(sentence) if is_number(k) else DataTypeError(sentence)


def random_source(random_state: Any) -> np.random.RandomState:
    """What a `random_state` draws from.

    >>> random_source(0).randint(100)
    44
    """
    from sklearn.utils import check_random_state  # takes long to import

    try:
        source: np.random.RandomState = check_random_state(random_state)
    except ValueError:
        raise DataError(
            f"random_state = {random_state!r} is not allowed: it is None, a seed from 0 to 2³² − 1, or a "
            "RandomState of numpy"
        ) from None
    return source


def flag(value: Any, name: str) -> bool:
    """A setting that is either True or False.

    >>> flag(np.bool_(True), "forest")
    True
    """
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise DataTypeError(f"{name} = {value!r} is not allowed: it is True or False")


def one_of(value: Any, name: str, allowed: tuple[str, ...]) -> str:
    """A setting that is one of a few words.

    >>> one_of("exact", "missing_at_predict", ("exact", "approximate"))
    'exact'
    """
    if isinstance(value, str) and value in allowed:
        return value
    words = " or ".join(f'"{word}"' for word in allowed)
    error = DataError if isinstance(value, str) else DataTypeError
    raise error(f"{name} = {value!r} is not allowed: it is {words}")


def column_position(column: int | str | None, names: list[str], setting: str) -> int | None:
    """The position of a column that is given by name or by position."""
    if column is None:
        return None
    if isinstance(column, str):
        if column in names:
            return names.index(column)
    elif is_whole(column) and 0 <= column < len(names):
        return int(column)
    shown = ", ".join(names[:20]) + (" …" if len(names) > 20 else "")
    raise DataError(f"{setting} = {column!r} is not a column: columns are {shown}, or positions from 0 on")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The end of a message: the known names nearest to an unknown one; empty where none is near.

    >>> did_you_mean("tna", ["nb", "tan"]), did_you_mean("xyz", ["nb", "tan"])
    (' (did you mean tan?)', '')
    """
    near = difflib.get_close_matches(name.lower(), [*known], n=2, cutoff=0.6)
    return f" (did you mean {' or '.join(near)}?)" if near else ""
