"""The numbers of one term of a refined network, by names and values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tanager.escape import plot_text
from tanager.reading.conditional_table import TableByValues
from tanager.reading.frame import axes_of

__all__ = ["TermTable"]


@dataclass(frozen=True)
class TermTable(TableByValues):
    """What a term adds to ln P(c | x), up to the normaliser.

    Only differences between classes mean anything.

    Attributes:
        members: the attributes of the term; more than one where they are joined.
        parents: the attributes that it looks at beside them.
        levels: the values of each parent, then of each member, as text.
        classes: the class labels.
        values: one axis per parent, then per member, then for the class; nats.
    """

    values: NDArray[np.float64]

    _digits = "+.3f"

    def plot(self, ax: Any = None) -> Any:
        """The term over its own values, averaged over those of the parents: one line of steps per class."""
        n = len(self.parents)
        means = self.values.mean(axis=tuple(range(n))) if n else self.values
        flat = means.reshape(-1, len(self.classes))
        flat = flat - flat.mean(axis=1, keepdims=True)
        ticks = [" × ".join(key) for key in product(*self.levels[n:])]
        ax = axes_of(ax, max(4.8, 1.6 + 0.35 * len(ticks)), 3.2, bare=("top", "right"))
        for c, label in enumerate(self.classes):
            ax.step(range(len(ticks)), flat[:, c], where="mid", label=plot_text(str(label)))
        ax.set_xticks(range(len(ticks)), [plot_text(tick) for tick in ticks], rotation=60, ha="right")
        ax.set_title(plot_text(" × ".join(self.members)), loc="left", fontsize=10)
        ax.set_ylabel("nats, against the classes' mean")
        ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
        return ax

    def title(self, class_name: str = "class") -> str:
        """What the lines are of."""
        return f"term of {' × '.join(self.members)} for each {class_name}, nats"

    def lines(self) -> Iterator[dict[str, Any]]:
        """One mapping from names to values and numbers for each line."""
        header, _ = self._lines()
        for key, values in self.records():
            yield dict(zip(header, [*key, *values.tolist()], strict=True))

    def _numbers(self) -> NDArray[np.float64]:
        return self.values

    def _headings(self) -> list[str]:
        return [f"for {label}" for label in self.classes]
