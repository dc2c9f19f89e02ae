"""How much a small file may become: limits against files that are made to fill the memory.

| name | default | what it limits |
|---|--:|---|
| `unpacked_ratio` | 100 | a compressed file, or the cells of a Parquet file: so many times its size, and never less than 16 MiB |
| `sparse_cells` | 100 000 000 | rows times attributes of a sparse ARFF file |
| `label_bytes` | 268 435 456 | bytes that an array of labels in a model file takes in memory |

Honest files rarely reach one of them. An error names the limit that a file has met. To raise it, call `set_limit`,
or name it in capitals after ``TANAGER_`` in the environment: ``TANAGER_UNPACKED_RATIO=1000 tanager fit …``.
How much memory learning itself may take is another question, and `tanager.set_memory_limit` answers it.
"""  # noqa: E501

from __future__ import annotations

import os

from tanager.exceptions import DataError

__all__ = ["how_to_raise", "limit", "set_limit", "unpacked_bytes"]

_DEFAULTS = {"unpacked_ratio": 100, "sparse_cells": 100_000_000, "label_bytes": 1 << 28}
_ALWAYS_UNPACKED = 1 << 24
_chosen: dict[str, int] = {}


def limit(name: str) -> int:
    """What holds now: what `set_limit` said, else the environment, else the default.

    >>> limit("unpacked_ratio")
    100
    """
    if name not in _DEFAULTS:
        raise DataError(f"there is no limit {name!r}, limits are {', '.join(_DEFAULTS)}")
    if name in _chosen:
        return _chosen[name]
    text = os.environ.get(_variable(name))
    if text is None:
        return _DEFAULTS[name]
    if not (text.isascii() and text.isdigit() and 0 < len(text) < 19 and int(text)):
        raise DataError(f"{_variable(name)} is {text!r}, it should be a whole number from 1 on")
    return int(text)


def set_limit(name: str, value: int | None) -> None:
    """Change a limit for this process; None returns to the environment's or the default."""
    limit(name)  # refuses a name that there is not
    if value is None:
        _chosen.pop(name, None)
    elif isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise DataError(f"{name} = {value!r} is not allowed: it is a whole number from 1 on")
    else:
        _chosen[name] = value


def unpacked_bytes(size: int) -> int:
    """How many bytes a compressed file of this size may unfold to."""
    return max(_ALWAYS_UNPACKED, limit("unpacked_ratio") * size)


def how_to_raise(name: str) -> str:
    """The end of a sentence that refuses a file."""
    return f"the limit {name} is {limit(name):,}, and {_variable(name)} in the environment raises it"


def _variable(name: str) -> str:
    return f"TANAGER_{name.upper()}"
