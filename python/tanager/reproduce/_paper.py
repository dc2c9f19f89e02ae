"""What a paper prints: its numbers and what explains ours, in a file beside its module, read when asked."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from tanager.reproduce._tables import ReproducedTable, Reproduction

__all__ = ["published", "reproduction"]


@cache
def published(paper: str) -> dict[str, Any]:
    """Everything in the paper's file."""
    return tomllib.loads(files(__package__).joinpath(f"{paper}.toml").read_text(encoding="utf-8"))


def reproduction(
    paper: str, tables: list[ReproducedTable], missing: list[str], *first: str, **values: object
) -> Reproduction:
    """The tables with the paper's citation, method and notes, in which `values` are filled in.

    `first` are notes that stand before the paper's own.
    """
    text = published(paper)
    notes = (*first, *(note.format(**values) for note in text["notes"]))
    method = text["method"].format(**values)
    return Reproduction(paper, text["citation"], method, tuple(tables), notes, tuple(missing))
