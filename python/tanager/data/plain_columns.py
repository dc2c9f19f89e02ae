"""What is known of columns and classes as JSON, and back: model files and statistics hold the same."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tanager.data.columns import column_name
from tanager.data.discretise import Binning
from tanager.data.domains import ColumnEncoding
from tanager.data.plain_numbers import numbers
from tanager.exceptions import DataError
from tanager.limits import how_to_raise, limit

__all__ = [
    "ARRAY_KINDS",
    "array_type",
    "check_distinct",
    "classes_from_plain",
    "column_from_plain",
    "level_from_plain",
    "plain_classes",
    "plain_column",
    "plain_level",
]

#: Kinds of numpy's types that arrays in a file may have: booleans, numbers, strings, objects for mixtures.
ARRAY_KINDS = "biufUO"

_TYPES = {"str": str, "int": int, "float": float, "bool": bool}


def plain_level(level: Any) -> list[Any]:
    """A level with its type: 1, 1.0, True and "1" are four different values.

    >>> plain_level(True), plain_level("1")
    (['bool', True], ['str', '1'])
    """
    value = level.item() if isinstance(level, np.generic) else level
    kind = type(value).__name__
    if kind not in _TYPES or (kind == "float" and not math.isfinite(value)):
        raise DataError(
            f"the value {level!r} of type {kind} cannot be saved; strings, numbers and booleans can"
        )
    return [kind, value]


def level_from_plain(plain: Any) -> Any:
    """What `plain_level` wrote."""
    kind, value = plain
    # A float of a whole number may have lost its point in another program's hands.
    if type(value) is not _TYPES[kind] and not (kind == "float" and type(value) is int):
        raise DataError(f"{value!r} is not a {kind}")
    return _TYPES[kind](value)


def plain_column(column: ColumnEncoding) -> dict[str, Any]:
    """All that is known of a column."""
    return {
        "name": column.name,
        "kind": column.kind,
        "levels": None if column.levels is None else [plain_level(level) for level in column.levels],
        "cut_points": None if column.cut_points is None else [float(cut) for cut in column.cut_points],
        "missing_level": bool(column.missing_level),
        "arity": int(column.arity),
    }


def column_from_plain(plain: dict[str, Any]) -> ColumnEncoding:
    """What `plain_column` wrote; what does not fit together is refused."""
    levels = None if plain["levels"] is None else tuple(level_from_plain(level) for level in plain["levels"])
    cuts = None if plain["cut_points"] is None else numbers(plain["cut_points"])
    if (levels is None) == (cuts is None) or (cuts is not None and (np.diff(cuts) <= 0).any()):
        raise DataError(f"column {plain['name']!r} has neither levels nor ascending cut points")
    check_distinct(levels or (), f"column {plain['name']!r}: level")
    binning, missing_level = None if cuts is None else Binning(cuts), bool(plain["missing_level"])
    column = ColumnEncoding(column_name(plain["name"]), levels, binning, missing_level)
    if column.arity != (arity := int(plain["arity"])):
        values = len(levels or ()) if binning is None else binning.bins
        raise DataError(f"column {column.name!r} has {arity} codes for {values} values")
    return column


def check_distinct(levels: Sequence[Any], what: str) -> None:
    """Refuses what occurs twice."""
    if len(set(levels)) < len(levels):
        twice = next(level for level, times in Counter(levels).items() if times > 1)
        raise DataError(f"{what} {twice!r} occurs twice")


def plain_classes(classes: NDArray[Any]) -> dict[str, Any]:
    """The labels of the classes and their type."""
    dtype = classes.dtype.str if classes.dtype.kind in ARRAY_KINDS else None
    return {"classes": [plain_level(label) for label in classes.tolist()], "classes_dtype": dtype}


def classes_from_plain(plain: list[Any], dtype: str | None) -> NDArray[Any]:
    """The classes, as the type that they had; files that do not tell it have the one that numpy finds."""
    levels = [level_from_plain(label) for label in plain]
    check_distinct(levels, "class")
    if dtype is not None:
        return np.asarray(levels, dtype=array_type(dtype, len(levels)))
    labels = np.asarray(levels)
    mixed = labels.dtype.kind == "U" and not all(isinstance(level, str) for level in levels)
    return np.asarray(levels, dtype=object) if mixed else labels


def array_type(text: Any, length: int) -> np.dtype[Any]:
    """The type of an array in a file, where an array of this length may have it.

    >>> array_type("<U5", 2)
    dtype('<U5')
    """
    dtype = np.dtype(str(text))
    if dtype.kind not in ARRAY_KINDS:
        raise DataError(f"arrays of type {text!r} are not allowed")
    size = length * dtype.itemsize
    if size > limit("label_bytes"):
        raised = how_to_raise("label_bytes")
        raise DataError(f"{length} values of type {text!r} take {size:,} bytes: {raised}")
    return dtype
