"""The numbers of one term of a refined network, by names and values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tanager.reading.frame import axes_of, frame, html_table, literal, plain_table

__all__ = ["TermTable"]


@dataclass(frozen=True)
class TermTable:
    """What a term adds to ln P(c | x), up to the normaliser.

    Only differences between classes mean anything.

    Attributes:
        members: the attributes of the term; more than one where they are joined.
        parents: the attributes that it looks at beside them.
        levels: the values of each parent, then of each member, as text.
        classes: the class labels.
        values: one axis per parent, then per member, then for the class; nats.
    """

    members: tuple[str, ...]
    parents: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    classes: tuple[Any, ...]
    values: NDArray[np.float64]

    def records(self) -> Iterator[tuple[tuple[str, ...], NDArray[np.float64]]]:
        """Parents' and members' values with the numbers of each class."""
        yield from zip(product(*self.levels), self.values.reshape(-1, len(self.classes)), strict=True)

    def to_frame(self) -> Any:
        """One line per value of parents and members, one column per class."""
        keys = [key for key, _ in self.records()]
        names = (*self.parents, *self.members)
        columns: dict[str, Any] = {name: [key[i] for key in keys] for i, name in enumerate(names)}
        flat = self.values.reshape(-1, len(self.classes))
        for c, label in enumerate(self.classes):
            columns[f"for {label}"] = flat[:, c]
        return frame(columns)

    def plot(self, ax: Any = None) -> Any:
        """The term over its own values, averaged over those of the parents: one line of steps per class."""
        n = len(self.parents)
        means = self.values.mean(axis=tuple(range(n))) if n else self.values
        flat = means.reshape(-1, len(self.classes))
        flat = flat - flat.mean(axis=1, keepdims=True)
        ticks = [" × ".join(key) for key in product(*self.levels[n:])]
        ax = axes_of(ax, max(4.8, 1.6 + 0.35 * len(ticks)), 3.2)
        for c, label in enumerate(self.classes):
            ax.step(range(len(ticks)), flat[:, c], where="mid", label=literal(str(label)))
        ax.set_xticks(range(len(ticks)), [literal(tick) for tick in ticks], rotation=60, ha="right")
        ax.set_title(literal(" × ".join(self.members)), loc="left", fontsize=10)
        ax.set_ylabel("nats, against the classes' mean")
        ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
        return ax

    def title(self, class_name: str = "class") -> str:
        """What the lines are of."""
        return f"term of {' × '.join(self.members)} for each {class_name}, nats"

    def lines(self) -> Iterator[dict[str, Any]]:
        """One mapping from names to values and numbers for each line."""
        header, _ = self._lines()
        for key, values in self.records():
            yield dict(zip(header, [*key, *values.tolist()], strict=True))

    def text(self, width: int | None = None) -> str:
        """A table for the terminal, within so many columns."""
        return plain_table(*self._lines(), left=len(self.levels), width=width)

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return html_table(*self._lines(), self.title())

    def _lines(self) -> tuple[list[str], list[list[str]]]:
        header = [*self.parents, *self.members, *(f"for {label}" for label in self.classes)]
        return header, [[*key, *(f"{value:+.3f}" for value in values)] for key, values in self.records()]
