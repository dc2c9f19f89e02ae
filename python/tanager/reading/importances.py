"""How much each attribute says about the class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from tanager.escape import plot_text
from tanager.reading.frame import ShownTable, axes_of, frame
from tanager.settings import whole

__all__ = ["Importances"]


class Importances(ShownTable, Mapping[str, float]):
    """The expected absolute contribution of each attribute, in nats; beside it, its information on the class.

    A mapping from attribute to contribution, largest first. Joined attributes speak as one, and each has the
    number of the whole. An attribute that the learner dropped has 0.

    Attributes:
        contributions: the same mapping as a dictionary.
        information: I(X; C) of each attribute under the model, nats.
    """

    def __init__(self, contributions: Mapping[str, float], information: Mapping[str, float]) -> None:
        order = sorted(contributions, key=lambda name: -contributions[name])
        self.contributions = {name: float(contributions[name]) for name in order}
        self.information = {name: float(information[name]) for name in order}

    def __getitem__(self, name: str) -> float:
        return self.contributions[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.contributions)

    def __len__(self) -> int:
        return len(self.contributions)

    def to_frame(self) -> Any:
        """One line per attribute, the most important first."""
        return frame(
            {
                "attribute": list(self),
                "contribution": list(self.contributions.values()),
                "information": list(self.information.values()),
            }
        )

    def plot(self, ax: Any = None, most: int = 20) -> Any:
        """Bars of the contributions. Returns the axes."""
        names = list(self)[: whole(most, "most")]
        ax = axes_of(ax, 5.6, 0.8 + 0.28 * len(names), bare=("top", "right", "left"))
        places = np.arange(len(names))[::-1]
        ax.barh(places, [self[name] for name in names], color="#2b6cb0", height=0.7)
        ax.set_yticks(places, [plot_text(name) for name in names])
        ax.set_xlabel("expected absolute contribution (nats)")
        return ax

    def __repr__(self) -> str:
        return self.text()

    def _lines(self) -> tuple[list[str], list[list[str]]]:
        lines = [[name, f"{self[name]:.4f}", f"{self.information[name]:.4f}"] for name in self]
        return ["attribute", "contribution", "information"], lines
