"""Some rows of a table at a time: what a part is, how parts follow one another, how labels are taken out."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from tanager.data.arrow_parts import as_table
from tanager.data.unlabelled import LeftOut, without_label
from tanager.exceptions import DataError, DataTypeError

__all__ = ["Part", "Source", "Split", "ahead", "naming"]


@dataclass(frozen=True)
class Part:
    """Some rows: the attributes, and where they have been asked for the labels and the weights.

    A part of which every row was left out has none, and is there to say so.
    """

    X: Any
    y: Any
    weights: Any
    where: str
    left_out: LeftOut = field(default_factory=LeftOut)

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return int(self.X.num_rows if hasattr(self.X, "num_rows") else len(self.X))

    def only(self, names: Sequence[str]) -> Part:
        """The same rows with some of their columns."""
        frame = nw.from_native(self.X, eager_only=True, pass_through=True)
        if not isinstance(frame, nw.DataFrame) or len(frame.columns) == len(names):
            return self
        return replace(self, X=frame.select(*names).to_native())


@dataclass(frozen=True)
class Source:
    """A table that is read in parts.

    Attributes:
        parts: starts from the first part.
        name: what messages call it.
        rows: how many rows there are, where that is known without reading them.
        once: whether it can be read only once.
        share: how much of it has been read, from 0 to 1, where the number of rows is not known.
        names: the columns, that of the labels among them, where they are known without reading rows.
        some: opens the same table with some columns beside labels and weights, where that saves reading.
    """

    parts: Callable[[], Iterator[Part]]
    name: str
    rows: int | None = None
    once: bool = False
    share: Callable[[], float | None] = lambda: None
    names: tuple[str, ...] | None = None
    some: Callable[[Sequence[str]], Source] | None = None

    def only(self, names: Sequence[str] | None) -> Source:
        """The same rows with some columns; all of them where these have no names."""
        if names is None:
            return self
        if self.some is not None:
            return self.some(names)
        wanted = list(names)
        return replace(self, parts=lambda: (part.only(wanted) for part in self.parts()))

    def each(self, action: Callable[[Part], None]) -> LeftOut:
        """Does something with every part, and gives how many rows had been left out of them.

        What is wrong with a part is told with its place.
        """
        left_out = LeftOut()
        for part in self.parts():
            left_out += part.left_out
            if part.rows:
                with naming(part.where):
                    action(part)
        return left_out


def ahead(parts: Generator[Part]) -> Iterator[Part]:
    """The same parts, each read by a thread while something is done with the one before."""
    with closing(parts), ThreadPoolExecutor(1, thread_name_prefix="tanager-read") as reader:
        coming = reader.submit(next, parts, None)
        while (part := coming.result()) is not None:
            coming = reader.submit(next, parts, None)
            yield part


@contextmanager
def naming(where: str) -> Iterator[None]:
    """Puts a place before what is said of it."""
    try:
        yield
    except DataError as error:
        if not where or str(error).startswith(where):
            raise
        raise type(error)(f"{where}: {error}") from None


class Split:
    """Takes labels and weights out of frames."""

    def __init__(self, target: str | None, weight: str | None, drop: Sequence[str]) -> None:
        self.target, self.weight, self.drop = target, weight, list(drop)

    @property
    def taken(self) -> list[str]:
        """The columns that are not attributes."""
        return [column for column in (self.target, self.weight, *self.drop) if column is not None]

    def all(self, where: str, frames: Iterator[Any]) -> Iterator[Part]:
        """The parts of one file; a later one says from which row on its rows are told."""
        done = 0
        for frame in frames:
            place = [where] if where else []
            part = self.part(frame, ", ".join([*place, f"from row {done} on"] if done else place))
            if part is not None:
                yield part
                done += part.rows + part.left_out.rows

    def part(self, frame: Any, where: str) -> Part | None:
        """The part that a frame is; None where it has no rows."""
        if isinstance(frame, tuple):
            X, y, weights = (*frame, None, None)[:3]
            return Part(X, y, weights, where) if _rows(X) else None
        frame = as_table(frame)
        table = nw.from_native(frame, pass_through=True)
        if not isinstance(table, nw.DataFrame):
            if self.target is None and self.weight is None and not self.drop:
                return Part(frame, None, None, where) if _rows(frame) else None
            raise DataTypeError(f"a part is a {type(frame).__name__}, which has no column {self.target!r}")
        if not len(table):
            return None
        return self.taken_out(table, where)

    def taken_out(self, table: nw.DataFrame[Any], where: str, weights: Any = None) -> Part:
        """The rows of a frame that have a label; `weights`, of all rows, where no column holds them."""
        self.check(table.columns, where)
        left_out = LeftOut()
        if self.target is not None:
            with naming(where):
                missing = without_label(table.get_column(self.target))
            left_out = LeftOut(0 if missing is None else int(missing.sum()), len(table), self.target)
            if missing is not None:
                if weights is not None:
                    if len(weights) != len(table):
                        raise DataError(f"sample_weight has {len(weights)} rows, but X has {len(table)}")
                    weights = weights[~missing]
                table = table[np.flatnonzero(~missing)]
        y = None if self.target is None else table.get_column(self.target).to_native()
        weights = weights if self.weight is None else table.get_column(self.weight).to_numpy()
        X = table.drop(self.taken) if self.taken else table
        return Part(X.to_native(), y, weights, where, left_out)

    def check(self, columns: list[str], where: str) -> None:
        """Refuses columns among which one that was asked for is not."""
        for column in self.taken:
            if column not in columns:
                shown = ", ".join(map(str, columns[:20])) + (" …" if len(columns) > 20 else "")
                place = f"{where}: " if where else ""
                raise DataError(f"{place}there is no column {column!r}; columns are {shown}")


def _rows(X: Any) -> int:
    if not hasattr(X, "__len__"):
        raise DataTypeError(f"a part is a {type(X).__name__}, allowed are frames, (X, y) and (X, y, weights)")
    return len(X)
