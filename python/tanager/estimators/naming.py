"""The core counts columns; whoever fitted a frame wants to read their names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from tanager.exceptions import CapacityError

__all__ = ["named_columns"]


@contextmanager
def named_columns(names: list[str]) -> Iterator[None]:
    """Within the block a table that is too large is refused with its columns' names, not their positions.

    >>> with named_columns(["age", "town"]):
    ...     raise CapacityError("the table of column 1 given column 0 would have 9 cells")
    Traceback (most recent call last):
    tanager.exceptions.CapacityError: the table of column 'town' given column 'age' would have 9 cells
    """
    try:
        yield
    except CapacityError as error:
        text = re.sub(r"\bcolumn (\d+)\b", lambda match: f"column {names[int(match[1])]!r}", str(error))
        raise CapacityError(text) from None
