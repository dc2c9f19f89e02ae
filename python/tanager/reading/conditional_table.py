"""The probabilities of one node, by names and values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tanager.reading.frame import frame, html_table, plain_table

__all__ = ["ConditionalTable"]


@dataclass(frozen=True)
class ConditionalTable:
    """P(members | parents, class).

    Attributes:
        members: the attributes of the node; more than one where they are joined.
        parents: its attribute parents.
        levels: the values of each parent, then of each member, as text.
        classes: the class labels; one None for a density.
        probabilities: one axis per parent, then per member, then for the class; sums to 1 over the members.
    """

    members: tuple[str, ...]
    parents: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    classes: tuple[Any, ...]
    probabilities: NDArray[np.float64]

    def records(self) -> Iterator[tuple[tuple[str, ...], NDArray[np.float64]]]:
        """Parents' and members' values with the probabilities given each class."""
        flat = self.probabilities.reshape(-1, len(self.classes))
        yield from zip(product(*self.levels), flat, strict=True)

    def to_frame(self) -> Any:
        """One line per value of parents and members, one column per class."""
        keys = [key for key, _ in self.records()]
        columns: dict[str, Any] = {
            name: [key[i] for key in keys] for i, name in enumerate((*self.parents, *self.members))
        }
        flat = self.probabilities.reshape(-1, len(self.classes))
        for c, heading in enumerate(self._headings()):
            columns[heading] = flat[:, c]
        return frame(columns)

    def __str__(self) -> str:
        return plain_table(*self._lines(), left=len(self.levels))

    def _repr_html_(self) -> str:
        given = ", ".join([*self.parents, *(["class"] if self.classes != (None,) else [])])
        name = " × ".join(self.members)
        return html_table(*self._lines(), f"P({name} | {given})" if given else f"P({name})")

    def _headings(self) -> list[str]:
        return ["probability"] if self.classes == (None,) else [f"P(· | {label})" for label in self.classes]

    def _lines(self) -> tuple[list[str], list[list[str]]]:
        header = [*self.parents, *self.members, *self._headings()]
        return header, [[*key, *(f"{p:.4f}" for p in values)] for key, values in self.records()]
