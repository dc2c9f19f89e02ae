"""What the workers of a cluster do with their parts of the rows, and how what they found is put together.

An engine gives every worker a task and some parts, and merges what comes back, in any order: counts are whole
numbers, and scans of parts do not depend on the division.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tanager.data.parts import Part, naming
from tanager.data.scan import TableScan
from tanager.data.schema import Schema
from tanager.data.unlabelled import LeftOut
from tanager.exceptions import DataError, TanagerError
from tanager.statistics import Statistics
from tanager.streaming import Family, add_families, found

__all__ = ["ClusterRows", "CountTask", "FamiliesTask", "ScanTask", "Task", "merge_all", "run_task"]


class Task(Protocol):
    """Something that is done with every part; a pass over all rows."""

    @property
    def columns(self) -> tuple[str, ...] | None:
        """The columns that are looked at, beside labels and weights; None for all."""

    def start(self) -> Any:
        """What has been found before any part."""

    def add(self, sums: Any, part: Part) -> Any:
        """What has been found with one more part."""

    def merge(self, sums: Any, other: Any) -> Any:
        """What two workers have found."""


@dataclass(frozen=True)
class ScanTask:
    """Looks for names, levels and numbers."""

    settings: Mapping[str, Any]
    columns: tuple[str, ...] | None = None

    def start(self) -> TableScan:
        """No rows."""
        return TableScan(**{**self.settings, "n_jobs": 1})

    def add(self, sums: TableScan, part: Part) -> TableScan:
        """With the rows of a part."""
        sums.left_out += part.left_out
        if part.rows:
            sums.update(part.X, part.y, part.weights, part.where)
        return sums

    def merge(self, sums: TableScan, other: TableScan) -> TableScan:
        """With what another worker has seen."""
        sums.merge(other)
        return sums


@dataclass(frozen=True)
class CountTask:
    """Counts columns, and pairs of them."""

    schema: Schema
    pairs: bool
    some: bool

    @property
    def columns(self) -> tuple[str, ...] | None:
        """Those of the schema, where these are some."""
        names = self.schema.names
        return tuple(names) if self.some and names is not None else None

    def start(self) -> Statistics:
        """No rows."""
        return Statistics(self.schema, pairs=self.pairs)

    def add(self, sums: Statistics, part: Part) -> Statistics:
        """With the rows of a part."""
        return sums.update(part.X, part.y, part.weights, n_jobs=1) if part.rows else sums

    def merge(self, sums: Statistics, other: Statistics) -> Statistics:
        """With what another worker has counted."""
        return sums.merge(other)


@dataclass(frozen=True)
class FamiliesTask:
    """Counts tables of several columns."""

    schema: Schema
    families: tuple[Family, ...]
    columns: tuple[str, ...] | None = None

    def start(self) -> None:
        """No rows."""

    def add(self, sums: NDArray[np.float64] | None, part: Part) -> NDArray[np.float64] | None:
        """With the rows of a part."""
        return add_families(sums, self.schema, part, self.families, n_jobs=1)

    def merge(
        self, sums: NDArray[np.float64] | None, other: NDArray[np.float64] | None
    ) -> NDArray[np.float64] | None:
        """With what another worker has counted."""
        if sums is None or other is None:
            return other if sums is None else sums
        return sums + other


def run_task(task: Task, parts: Iterable[Part]) -> Any:
    """What one worker finds in its parts, or the error that says what is wrong with one of them.

    An error is given back as a value, since engines that pass exceptions on wrap them in traces of their own.
    """
    try:
        sums = task.start()
        for part in parts:
            with naming(part.where):
                sums = task.add(sums, part if task.columns is None else part.only(task.columns))
    except TanagerError as error:
        return error
    return sums


def merge_all(task: Task, pieces: Iterable[Any]) -> Any:
    """What several workers have found together; the first error of any, where there is one."""
    sums: Any = task.start()
    try:
        for piece in pieces:
            if isinstance(piece, TanagerError):
                return piece
            sums = task.merge(sums, piece)
    except TanagerError as error:
        return error
    return sums


@dataclass
class ClusterRows:
    """Rows that lie on a cluster.

    Attributes:
        run: does a task with all parts, and gives what was found in them.
        name: what messages call the rows.
        left_out: how many rows were left out when levels were looked for.
    """

    run: Callable[[Task], Any]
    name: str
    once: bool = False
    left_out: LeftOut = field(default_factory=LeftOut)

    def scan(self, settings: Mapping[str, Any]) -> TableScan:
        """Names, levels and numbers."""
        scan: TableScan = self._pass(ScanTask(settings))
        self.left_out = scan.left_out
        return scan

    def count(self, schema: Schema, pairs: bool = True, some: bool = False) -> Statistics:
        """The counts of all columns, and of their pairs."""
        statistics: Statistics = self._pass(CountTask(schema, pairs, some))
        return statistics

    def families(self, schema: Schema, families: Sequence[Family]) -> NDArray[np.float64]:
        """The tables of families, one after another."""
        return found(self._pass(FamiliesTask(schema, tuple(families))), self.name)

    def _pass(self, task: Task) -> Any:
        result = self.run(task)
        if isinstance(result, DataError):
            raise type(result)(f"{self.name}: {result}") from None
        if isinstance(result, TanagerError):
            raise result
        return result
