"""What a paper prints: its numbers and what explains ours, in a file beside its module, read when asked."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from tanager.network import Network
from tanager.reproduce._tables import Figure, Plot, ReproducedTable, Reproduction, published_plot

__all__ = ["published", "reproduction", "with_causes"]


@cache
def published(paper: str) -> dict[str, Any]:
    """Everything in the paper's file."""
    return tomllib.loads(files(__package__).joinpath(f"{paper}.toml").read_text(encoding="utf-8"))


def with_causes(table: ReproducedTable, causes: Mapping[str, str]) -> ReproducedTable:
    """The table in which every deviation beyond chance says why, or that nothing explains it.

    `causes` are by "row, column", by row, or by "*, column", the first that there is. A row that is noted
    already, such as one that the paper seems to have exchanged, has had its explanation.

    >>> figures = (Figure("car", "bsej", 90.0, 93.2, 1.0), Figure("splice", "tan", 52.5, 94.8, 1.0))
    >>> told = with_causes(ReproducedTable("t", figures), {"splice, tan": "names stayed in"})
    >>> [figure.note for figure in told.figures]
    ['not explained', 'names stayed in']
    """

    def noted(figure: Figure) -> Figure:
        if figure.within is not False:
            return figure
        keys = () if figure.note else (f"{figure.row}, {figure.column}", figure.row, f"*, {figure.column}")
        cause = next((causes[key] for key in keys if key in causes), "not explained")
        return replace(figure, note=f"{figure.note}: {cause}" if figure.note else cause)

    return replace(table, figures=tuple(map(noted, table.figures)))


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
    tables = [with_causes(table, text.get("causes", {})) for table in tables]
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
