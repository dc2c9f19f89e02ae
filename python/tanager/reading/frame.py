"""Frames, HTML tables and axes for what a model says."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tanager.escape import xml_text
from tanager.exceptions import DataTypeError, MissingPackageError
from tanager.text_table import aligned

__all__ = ["ShownTable", "axes_of", "frame", "html_table", "plain_table"]


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


class ShownTable(ABC):
    """What shows itself as a table, in a terminal and in a notebook."""

    @abstractmethod
    def _lines(self) -> tuple[list[str], list[list[str]]]:
        """The header, and the lines as text."""

    def _keys(self) -> int:
        """How many of the first columns say what a line is of: they stand to the left."""
        return 1

    def title(self, class_name: str = "class") -> str:
        """What the lines are of."""
        return ""

    def text(self, width: int | None = None) -> str:
        """A table for the terminal, within so many columns."""
        return plain_table(*self._lines(), left=self._keys(), width=width)

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return html_table(*self._lines(), self.title())


def axes_of(ax: Any, width: float, height: float, bare: Sequence[str] = ()) -> Any:
    """The given axes, or those of a new figure; without a line on the sides that are `bare`."""
    if ax is None:
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise MissingPackageError("plots need matplotlib: pip install matplotlib") from None
        ax = Figure(figsize=(width, height), layout="constrained").add_subplot()
    elif not hasattr(ax, "spines"):
        raise DataTypeError(f"ax is a {type(ax).__name__}, allowed are axes of matplotlib, or None")
    for side in bare:
        ax.spines[side].set_visible(False)
    return ax
