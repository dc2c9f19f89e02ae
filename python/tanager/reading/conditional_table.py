"""The probabilities of one node, by names and values."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tanager.reading.frame import ShownTable, frame

__all__ = ["ConditionalTable", "TableByValues"]


@dataclass(frozen=True)
class TableByValues(ShownTable):
    """Numbers for each value of parents and members, and each class."""

    members: tuple[str, ...]
    parents: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    classes: tuple[Any, ...]

    #: How numbers are printed.
    _digits: ClassVar[str]

    @abstractmethod
    def _numbers(self) -> NDArray[np.float64]:
        """One axis per parent, then per member, then for the class."""

    @abstractmethod
    def _headings(self) -> list[str]:
        """What the numbers of each class are called."""

    def records(self) -> Iterator[tuple[tuple[str, ...], NDArray[np.float64]]]:
        """Parents' and members' values with the numbers of each class."""
        yield from zip(product(*self.levels), self._numbers().reshape(-1, len(self.classes)), strict=True)

    def to_frame(self) -> Any:
        """One line per value of parents and members, one column per class."""
        keys, numbers = zip(*self.records(), strict=True)
        names = (*self.parents, *self.members)
        columns: dict[str, Any] = {name: [key[i] for key in keys] for i, name in enumerate(names)}
        return frame(columns | dict(zip(self._headings(), np.array(numbers).T, strict=True)))

    def _keys(self) -> int:
        return len(self.levels)

    def _lines(self) -> tuple[list[str], list[list[str]]]:
        header = [*self.parents, *self.members, *self._headings()]
        return header, [[*key, *(f"{n:{self._digits}}" for n in numbers)] for key, numbers in self.records()]


@dataclass(frozen=True)
class ConditionalTable(TableByValues):
    """P(members | parents, class).

    Attributes:
        members: the attributes of the node; more than one where they are joined.
        parents: its attribute parents.
        levels: the values of each parent, then of each member, as text.
        classes: the class labels; one None for a density.
        probabilities: one axis per parent, then per member, then for the class; sums to 1 over the members.
    """

    probabilities: NDArray[np.float64]

    _digits = ".4f"

    def title(self, class_name: str = "class") -> str:
        """What the lines are of: "P(members | parents, class)"."""
        given = ", ".join([*self.parents, *([class_name] if self.classes != (None,) else [])])
        name = " × ".join(self.members)
        return f"P({name} | {given})" if given else f"P({name})"

    def _numbers(self) -> NDArray[np.float64]:
        return self.probabilities

    def _headings(self) -> list[str]:
        return ["probability"] if self.classes == (None,) else [f"P(· | {label})" for label in self.classes]
