"""The density of one number that was not cut, by names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tanager.reading.frame import ShownTable, frame

__all__ = ["DensityTable"]


@dataclass(frozen=True)
class DensityTable(ShownTable):
    """f(attribute | parent, class): one line for each class, and for each value of a discrete parent.

    Attributes:
        attribute: the column of numbers.
        parent: the column on which it depends beside the class, or None.
        classes: the class of each line.
        given: the value of a discrete parent in each line; None where the parent is a number or missing.
        columns: what describes the density, by name: "mean" and "deviation"; with a numeric parent also
            "slope" and "deviation given …"; of kernels "kernels", how many there are, and "bandwidth".
    """

    attribute: str
    parent: str | None
    classes: tuple[Any, ...]
    given: tuple[str | None, ...]
    columns: dict[str, NDArray[np.float64]]

    def to_frame(self) -> Any:
        """One line for each class and value of a discrete parent."""
        keys: dict[str, Any] = {"class": list(self.classes)}
        if self._by_value():
            keys[str(self.parent)] = list(self.given)
        return frame(keys | self.columns)

    def title(self, class_name: str = "class") -> str:
        """What the lines are of: "f(attribute | class, parent)"."""
        return f"f({self.attribute} | {', '.join([class_name, *([self.parent] if self.parent else [])])})"

    def lines(self) -> Iterator[dict[str, Any]]:
        """One mapping from names to values and numbers for each line."""
        for line, (label, value) in enumerate(zip(self.classes, self.given, strict=True)):
            key = {str(self.parent): value} if self._by_value() else {}
            numbers = {name: float(column[line]) for name, column in self.columns.items()}
            yield {"class": label, **key, **numbers}

    def _keys(self) -> int:
        return 1 + self._by_value()

    def _by_value(self) -> bool:
        return any(value is not None for value in self.given)

    def _lines(self) -> tuple[list[str], list[list[str]]]:
        by_value = self._by_value()
        header = ["class", *([str(self.parent)] if by_value else []), *self.columns]
        lines = [
            [
                str(label),
                *(["not known" if value is None else value] if by_value else []),
                *(f"{numbers[line]:.6g}" for numbers in self.columns.values()),
            ]
            for line, (label, value) in enumerate(zip(self.classes, self.given, strict=True))
        ]
        return header, lines
