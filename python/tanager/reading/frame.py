"""Frames, HTML tables and axes for what a model says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tanager.escape import plot_text, xml_text
from tanager.exceptions import MissingPackageError
from tanager.text_table import aligned

__all__ = ["axes_of", "frame", "html_table", "literal", "plain_table"]


def frame(columns: Mapping[str, Sequence[Any]]) -> Any:
    """A pandas frame, or a polars one where only polars is installed."""
    try:
        import pandas as pd

        return pd.DataFrame(dict(columns))
    except ImportError:
        pass
    try:
        import polars as pl

        return pl.DataFrame(dict(columns))
    except ImportError:
        raise MissingPackageError("a frame needs pandas or polars: pip install pandas") from None


def html_table(header: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> str:
    """A table in HTML; names and values are text, never markup."""
    head = "".join(f"<th>{xml_text(name)}</th>" for name in header)
    body = "".join(f"<tr>{''.join(f'<td>{xml_text(cell)}</td>' for cell in row)}</tr>" for row in rows)
    above = f"<caption>{xml_text(caption)}</caption>" if caption else ""
    return f"<table>{above}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def plain_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1, width: int | None = None
) -> str:
    """A table of text: the first `left` columns to the left, the others to the right, or below in a width."""
    return "\n".join(aligned(header, rows, "l" * left, rules=False, width=width, keys=left))


def axes_of(ax: Any, width: float, height: float) -> Any:
    """The given axes, or those of a new figure."""
    if ax is not None:
        return ax
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingPackageError("plots need matplotlib: pip install matplotlib") from None
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure.add_subplot()


def literal(name: str) -> str:
    """A name as matplotlib shows it: a dollar sign is one, and does not begin a formula."""
    return plot_text(name)
