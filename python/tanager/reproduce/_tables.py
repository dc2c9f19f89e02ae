"""A reproduced table: the paper's number, ours, their difference, and whether chance explains it."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from tanager.network import Network

__all__ = [
    "Figure",
    "Panel",
    "Plot",
    "ReproducedTable",
    "Reproduction",
    "difference_interval",
    "published_plot",
]


@dataclass(frozen=True)
class Figure:
    """One published number beside ours, both in the unit of the table.

    `reach` is the half-width of a 95 % interval of the difference, or None where none can be given.
    `paper_interval` and `ours_interval` are what stands after ± beside either number: the paper's as printed,
    ours as the table's title says.
    """

    row: str
    column: str
    paper: float | None
    ours: float | None
    reach: float | None = None
    note: str = ""
    paper_interval: float | None = None
    ours_interval: float | None = None

    @property
    def difference(self) -> float | None:
        """Ours minus the paper's."""
        return None if self.paper is None or self.ours is None else self.ours - self.paper

    @property
    def within(self) -> bool | None:
        """Does the difference lie within its interval?"""
        if self.difference is None or self.reach is None:
            return None
        return abs(self.difference) <= self.reach + 1e-9

    def as_dict(self) -> dict[str, Any]:
        """Plain Python, for JSON."""
        return {**asdict(self), "difference": self.difference, "within": self.within}


@dataclass(frozen=True)
class ReproducedTable:
    """A table of figures; `unit` is said in its heading and `decimals` are shown."""

    title: str
    figures: tuple[Figure, ...]
    unit: str = "%"
    decimals: int = 1

    @property
    def published(self) -> bool:
        """Has the paper any number to compare with?"""
        return any(figure.paper is not None for figure in self.figures)

    def summary(self) -> str:
        """How many figures lie within their interval."""
        judged = [figure for figure in self.figures if figure.within is not None]
        if not judged:
            return "no interval can be given"
        inside = sum(bool(figure.within) for figure in judged)
        return f"{inside} of {len(judged)} within the 95 % interval of the difference"


@dataclass(frozen=True)
class Panel:
    """Points or lines over the same axes: `series` by label, each a list of x and one of y.

    `diagonal` draws y = x under points and makes both axes alike; `lines` joins the points of a series.
    """

    x_label: str
    y_label: str
    series: dict[str, tuple[list[float], list[float]]]
    diagonal: bool = False
    lines: bool = False


@dataclass(frozen=True)
class Plot:
    """A figure of one or more panels; `name` is the stem of its file."""

    name: str
    title: str
    panels: tuple[Panel, ...]


def published_plot(table: ReproducedTable, name: str) -> Plot | None:
    """The paper's numbers against ours, where it has any."""
    both = [(f, f.paper, f.ours) for f in table.figures]
    pairs = [(f, paper, ours) for f, paper, ours in both if paper is not None and ours is not None]
    if len(pairs) < 2:
        return None
    series: dict[str, tuple[list[float], list[float]]] = {}
    for figure, paper, ours in pairs:
        x, y = series.setdefault(figure.column, ([], []))
        x.append(paper)
        y.append(ours)
    panel = Panel(f"paper ({table.unit})", f"ours ({table.unit})", series, diagonal=True)
    return Plot(name, table.title, (panel,))


@dataclass(frozen=True)
class Reproduction:
    """Everything that reproducing one paper gave: tables, what explains deviations, and what was missing."""

    paper: str
    citation: str
    method: str
    tables: tuple[ReproducedTable, ...]
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    plots: tuple[Plot, ...] = ()
    networks: tuple[tuple[str, Network], ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Plain Python, for JSON."""
        return {
            "paper": self.paper,
            "citation": self.citation,
            "method": self.method,
            "tables": [
                {
                    "title": table.title,
                    "unit": table.unit,
                    "summary": table.summary(),
                    "figures": [figure.as_dict() for figure in table.figures],
                }
                for table in self.tables
            ],
            "networks": [
                {"title": title, "edges": [list(edge) for edge in network.edges]}
                for title, network in self.networks
            ],
            "notes": list(self.notes),
            "missing": list(self.missing),
        }


def difference_interval(paper: float, ours: float, n_paper: float, n_ours: float) -> float:
    """Half-width of a 95 % interval of the difference of two shares (0 to 1), each from its own tested rows.

    **Formula**

        1.96 √( p̃₁(1−p̃₁)/(n₁+4) + p̃₂(1−p̃₂)/(n₂+4) ),  p̃ = (n p + 2) / (n + 4)

    Two successes and two failures are added to each sample (Agresti and Caffo 2000, `agresti2000`), so that a
    share of 0 or 1 does not look certain.

    >>> round(difference_interval(0.9, 0.9, 100, 100), 4)
    0.0868
    """
    total = 0.0
    for share, rows in ((paper, n_paper), (ours, n_ours)):
        adjusted = (rows * share + 2.0) / (rows + 4.0)
        total += adjusted * (1.0 - adjusted) / (rows + 4.0)
    return 1.959963984540054 * math.sqrt(total)
