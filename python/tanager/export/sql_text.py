"""Names and values as SQL writes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tanager.exceptions import DataError

__all__ = ["literal", "quoted"]


def quoted(name: str) -> str:
    """A name as SQL writes it."""
    if "\0" in name:
        raise DataError(f"the name {name!r} holds a character that SQL cannot express")
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def literal(value: Any) -> str:
    """A value as SQL writes it."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return repr(value)
    text = str(value)
    if "\0" in text:
        raise DataError(f"the value {value!r} holds a character that SQL cannot express")
    doubled = text.replace("'", "''")
    return f"'{doubled}'"
