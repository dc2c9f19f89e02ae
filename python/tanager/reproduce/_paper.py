"""What a paper prints: its numbers and what explains ours, in a file beside its module, read when asked."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from tanager.network import Network
from tanager.reproduce._tables import Plot, ReproducedTable, Reproduction, published_plot

__all__ = ["published", "reproduction"]


@cache
def published(paper: str) -> dict[str, Any]:
    """Everything in the paper's file."""
    return tomllib.loads(files(__package__).joinpath(f"{paper}.toml").read_text(encoding="utf-8"))


def reproduction(
    paper: str,
    tables: list[ReproducedTable],
    missing: list[str],
    *first: str,
    plots: Sequence[Plot] = (),
    networks: Sequence[tuple[str, Network]] = (),
    **values: object,
) -> Reproduction:
    """The tables with the paper's citation, method and notes, in which `values` are filled in.

    `first` are notes that stand before the paper's own. Beside `plots` every table with published numbers is
    drawn, the paper's against ours.
    """
    text = published(paper)
    notes = (*first, *(note.format(**values) for note in text["notes"]))
    method = text["method"].format(**values)
    against = [published_plot(table, f"{paper}-{place}") for place, table in enumerate(tables, 1)]
    return Reproduction(
        paper,
        text["citation"],
        method,
        tuple(tables),
        notes,
        tuple(missing),
        (*plots, *(plot for plot in against if plot is not None)),
        tuple(networks),
    )
