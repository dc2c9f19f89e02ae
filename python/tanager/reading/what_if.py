"""What one attribute changes, everything else as it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tanager.escape import plot_text
from tanager.reading.frame import ShownTable, axes_of, frame

__all__ = ["WhatIf"]


@dataclass(frozen=True)
class WhatIf(ShownTable):
    """P(c | x) of one row for every value that one attribute could have.

    Attributes:
        attribute: the attribute that is varied.
        values: its values as text, in the order of their codes.
        classes: the class labels.
        probabilities: values × classes.
        current: the position of the row's own value, None where it is missing or was not seen at fit.
    """

    attribute: str
    values: tuple[str, ...]
    classes: tuple[Any, ...]
    probabilities: NDArray[np.float64]
    current: int | None

    def to_frame(self) -> Any:
        """One line per value, one column per class."""
        columns: dict[str, Any] = {self.attribute: list(self.values)}
        for c, label in enumerate(self.classes):
            columns[f"P({label})"] = self.probabilities[:, c]
        return frame(columns)

    def plot(self, ax: Any = None) -> Any:
        """Stacked bars of the probabilities, the row's own value marked. Returns the axes."""
        ax = axes_of(ax, max(5.0, 2.4 + 0.7 * len(self.values)), 3.2, bare=("top", "right"))
        bottom = np.zeros(len(self.values))
        for c, label in enumerate(self.classes):
            ax.bar(
                range(len(self.values)), self.probabilities[:, c], bottom=bottom, label=plot_text(str(label))
            )
            bottom += self.probabilities[:, c]
        marks = ["\n(now)" if i == self.current else "" for i in range(len(self.values))]
        names = [plot_text(value) + mark for value, mark in zip(self.values, marks, strict=True)]
        ax.set_xticks(range(len(self.values)), names)
        ax.set_title(plot_text(self.attribute), loc="left", fontsize=10)
        ax.set_ylabel("probability")
        ax.set_ylim(0, 1)
        ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
        return ax

    def _lines(self) -> tuple[list[str], list[list[str]]]:
        header = [self.attribute, *(f"P({label})" for label in self.classes)]
        lines = [
            [f"{value} (now)" if i == self.current else value, *(f"{p:.3f}" for p in self.probabilities[i])]
            for i, value in enumerate(self.values)
        ]
        return header, lines
