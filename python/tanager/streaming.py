"""Counts of tables that are read in parts, and what is said while they are read."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tanager import _core
from tanager.data.parts import Part, Source
from tanager.data.scan import TableScan
from tanager.data.schema import Schema
from tanager.data.unlabelled import LeftOut
from tanager.exceptions import DataError
from tanager.statistics import Statistics

__all__ = [
    "Progress",
    "Rows",
    "SourceRows",
    "add_families",
    "count_varying",
    "find_schema",
    "found",
    "seen_by",
]

#: Called with what is being done, the rows done and the rows there are, about or not known.
Progress = Callable[[str, int, int | None], None]

#: A child, its parents, and whether the class is a parent.
Family = tuple[int, list[int], bool]


def seen_by(source: Source, progress: Progress | None, what: str) -> Source:
    """The same source, which tells how far it has been read, a few times a second."""
    if progress is None:
        return source
    told = progress

    def parts() -> Any:
        done, last = 0, 0.0
        for part in source.parts():
            yield part
            done += part.rows + part.left_out.rows
            now = time.monotonic()
            if now - last > 0.2:
                share = source.share()
                total = source.rows if source.rows is not None else int(done / share) if share else None
                told(what, done, total)
                last = now
        told(what, done, done)

    return replace(source, parts=parts)


class Rows(Protocol):
    """Rows that are gone through as a whole, wherever they are: each method is a pass over all of them.

    Attributes:
        name: what messages call them.
        once: whether they can be gone through only once.
        left_out: how many rows were left out when levels were looked for, or all columns were counted.
    """

    left_out: LeftOut

    @property
    def name(self) -> str: ...

    @property
    def once(self) -> bool: ...

    def scan(self, settings: Mapping[str, Any]) -> TableScan:
        """Names, levels and numbers; `settings` are those of `TableScan`."""

    def count(self, schema: Schema, pairs: bool = True, some: bool = False) -> Statistics:
        """The counts of all columns and their pairs; where the schema has only `some` of them, of these."""

    def families(self, schema: Schema, families: Sequence[Family]) -> NDArray[np.float64]:
        """The tables of families, one after another."""


def find_schema(rows: Rows, settings: Mapping[str, Any]) -> Schema:
    """Names, levels and cuts, in one pass or, where there are columns of many numbers, in two."""
    scan = rows.scan(settings)
    rows.left_out.check(rows.name)
    schema, pending = Schema.of_scan(scan)
    if not pending:
        return schema
    schema.check_again(pending, rows.name, rows.once)
    counts = rows.count(schema.only(pending), pairs=False, some=True)
    return schema.chosen(counts.counts, pending, scan.rows, rows.name)


def count_varying(rows: Rows, schema: Schema) -> Statistics:
    """The counts of all columns and pairs by a schema that was found in these very rows.

    A column of one value, as one of numbers in which MDL found no cut, is not read again: its counts follow.
    """
    varying = [i for i, arity in enumerate(schema.arities) if arity > 1]
    small = schema.only(varying)
    if schema.missing != "category" or not varying or len(small.columns) == len(schema.columns):
        return rows.count(schema)
    return rows.count(small, some=True).beside_constants(schema, varying)


def add_families(
    sums: NDArray[np.float64] | None,
    schema: Schema,
    part: Part,
    families: Sequence[Family],
    n_jobs: int | None = None,
) -> NDArray[np.float64] | None:
    """The tables of families with the rows of one more part; None where no row has been counted yet."""
    if not part.rows:
        return sums
    data = schema.encode(part.X, part.y, part.weights, n_jobs=n_jobs)
    if data is None:
        return sums
    counted = _core.count_families(data, list(families), n_jobs)
    return counted if sums is None else np.add(sums, counted, out=sums)


@dataclass
class SourceRows:
    """The rows of a source, gone through here."""

    source: Source
    progress: Progress | None = None
    n_jobs: int | None = None
    left_out: LeftOut = field(default_factory=LeftOut)

    @property
    def name(self) -> str:
        """What messages call them."""
        return self.source.name

    @property
    def once(self) -> bool:
        """Whether they can be gone through only once."""
        return self.source.once

    def scan(self, settings: Mapping[str, Any]) -> TableScan:
        """Names, levels and numbers."""
        scan = TableScan(**settings)
        reading = seen_by(self.source, self.progress, "looking for levels and cuts")
        self.left_out = reading.each(lambda part: scan.update(part.X, part.y, part.weights))
        return scan

    def count(self, schema: Schema, pairs: bool = True, some: bool = False) -> Statistics:
        """The counts of all columns, and of their pairs."""
        statistics = Statistics(schema, pairs=pairs)

        def add(part: Part) -> None:
            statistics.update(part.X, part.y, part.weights, n_jobs=self.n_jobs)

        source = self.source.only(schema.names) if some else self.source
        reading = seen_by(source, self.progress, "counting pairs" if pairs else "choosing cuts")
        self.left_out = reading.each(add)
        return statistics

    def families(self, schema: Schema, families: Sequence[Family]) -> NDArray[np.float64]:
        """The tables of families, one after another."""
        sums: NDArray[np.float64] | None = None

        def add(part: Part) -> None:
            nonlocal sums
            sums = add_families(sums, schema, part, families, self.n_jobs)

        seen_by(self.source, self.progress, f"counting {len(families)} larger tables").each(add)
        return found(sums, self.name)


def found(sums: NDArray[np.float64] | None, name: str) -> NDArray[np.float64]:
    """The sums; a pass that met no rows is an error."""
    if sums is None:
        raise DataError(f"{name} has no rows any more: what is read in parts must not change meanwhile")
    return np.require(sums, requirements=["C", "A"])  # what came in a message may lie anywhere
