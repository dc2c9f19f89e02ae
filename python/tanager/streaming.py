"""Counts of tables that are read in parts, and what is said while they are read."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tanager import _core
from tanager.data.scan import TableScan
from tanager.data.schema import Schema
from tanager.data.sources import Part, Source
from tanager.exceptions import DataError
from tanager.statistics import Statistics

__all__ = ["Progress", "count_families", "count_source", "scan_source", "seen_by"]

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
            done += _length(part.X)
            now = time.monotonic()
            if now - last > 0.2:
                share = source.share()
                total = source.rows if source.rows is not None else int(done / share) if share else None
                told(what, done, total)
                last = now
        told(what, done, done)

    return replace(source, parts=parts)


def _length(X: Any) -> int:
    return int(X.num_rows if hasattr(X, "num_rows") else len(X))


def scan_source(source: Source, progress: Progress | None = None, **settings: Any) -> Schema:
    """Names, levels and cuts, in one pass or, where there are columns of many numbers, in two."""
    scan = TableScan(**settings)
    reading = seen_by(source, progress, "looking for levels and cuts")
    reading.each(lambda part: scan.update(part.X, part.y, part.weights))
    schema, pending = Schema.of_scan(scan)
    if not pending:
        return schema
    again = seen_by(source, progress, "choosing cuts")
    return schema.cut(again, pending, scan.rows, settings.get("n_jobs"))


def count_source(
    source: Source, schema: Schema, progress: Progress | None = None, n_jobs: int | None = None
) -> Statistics:
    """The counts of all columns and pairs, in one pass."""
    statistics = Statistics(schema)
    reading = seen_by(source, progress, "counting pairs")

    def add(part: Part) -> None:
        statistics.update(part.X, part.y, part.weights, n_jobs=n_jobs)

    reading.each(add)
    if not statistics.rows:
        raise DataError(f"{source.name} has no rows to learn from")
    return statistics


def count_families(
    source: Source,
    schema: Schema,
    families: Sequence[Family],
    progress: Progress | None = None,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """The tables of families, one after another, in one pass."""
    sums: NDArray[np.float64] | None = None

    def add(part: Part) -> None:
        nonlocal sums
        data = schema.encode(part.X, part.y, part.weights, n_jobs=n_jobs)
        if data is not None:
            counted = _core.count_families(data, list(families), n_jobs)
            sums = counted if sums is None else np.add(sums, counted, out=sums)

    seen_by(source, progress, f"counting {len(families)} larger tables").each(add)
    if sums is None:
        raise DataError(
            f"{source.name} has no rows any more: what is read in parts must not change meanwhile"
        )
    return sums
