"""The domains of the columns of a table that is read in parts: found part by part, and mergeable."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from tanager import _core
from tanager.data.columns import MOST_LEVELS, Factor, Level, Numbers, RawColumn, sort_levels
from tanager.data.discretise import Binning, fit_binning
from tanager.data.domains import FEW_INTEGERS, ColumnEncoding
from tanager.data.encoding_settings import ReadsTables, ScanSettings, takes_scan_settings
from tanager.data.frames import Header, RawTable, raw_table
from tanager.data.labels import LabelCodes
from tanager.data.learning import declared_kinds, factor_floats, kept_rows, kept_weights
from tanager.data.lookup import refuse_infinite
from tanager.data.unlabelled import LeftOut
from tanager.exceptions import DataError

__all__ = ["BOUNDARIES", "SKETCH", "ColumnScan", "TableScan", "used_levels"]

#: Distinct numbers of a column up to which its cuts are exact: beyond them they are a sample.
SKETCH = 4096
#: Between so many quantiles of that sample the rows are counted, and the cuts are chosen among them.
BOUNDARIES = 1024

Floats = NDArray[np.float64]


@dataclass
class ColumnScan:
    """What has been seen of one column.

    Attributes:
        levels: values of a column of categories, or of numbers that are to be levels; in no order.
        declared: the levels as every part has declared them; None where none did, () where parts differ.
        sketch: a sample of the numbers of a column of numbers.
        whole: whether all of them were integers by type.
        has_missing: whether a value was missing.
        classes: how many classes the sketch may know.
        first: where its first values were, where that is known.
    """

    levels: dict[Level, None] = field(default_factory=dict)
    declared: tuple[Level, ...] | None = None
    sketch: _core.Sketch | None = None
    whole: bool = True
    has_missing: bool = False
    classes: int = 1
    first: str = ""

    def __getstate__(self) -> dict[str, Any]:
        sketch = self.sketch
        if sketch is None:
            return dict(self.__dict__)
        values, counts = sketch.values(self.classes)
        parts = sketch.size, values, counts.ravel(), self.classes, sketch.exact
        return {**self.__dict__, "sketch": parts}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self.sketch is not None:
            size, values, counts, classes, exact = state["sketch"]
            values, counts = np.require(values, requirements="A"), np.require(counts, requirements="A")
            self.sketch = _core.Sketch.from_values(size, values, counts, classes, exact)

    def sketched(self, whole: bool, classes: int) -> _core.Sketch:
        """The sample, to which numbers are added, all of them integers or not, of so many classes."""
        self.sketch = self.sketch or _core.Sketch(SKETCH)
        self.whole &= whole
        self.classes = max(classes, 1)
        return self.sketch

    def take_levels(self, levels: Iterable[Level], declared: tuple[Level, ...] | None) -> None:
        """More levels, and what is declared beside them."""
        fresh = not self.levels and self.declared is None
        self.declared = declared if fresh or self.declared == declared else ()
        self.levels |= dict.fromkeys(levels)

    @property
    def kind(self) -> str | None:
        """What it holds, in a word; None where everything was missing so far."""
        return "numbers" if self.sketch is not None else "categories" if self.levels else None


class TableScan(ReadsTables):
    """Names, levels and numbers of the columns, and the classes, of all parts that were shown.

    The result does not depend on how rows are divided into parts, nor on the order of parts. `left_out` is
    how many rows had been left out of these.

    Parameters: those of `Schema.scan` of the same names.
    """

    names: list[str] | None
    columns: list[ColumnScan]

    @takes_scan_settings
    def __init__(self, **settings: Unpack[ScanSettings]) -> None:
        super().__init__(**settings, handle_unknown="error")  # rows are counted as they are, or refused
        if not isinstance(self.discretize, str):
            raise DataError(
                f"discretize = {self.discretize!r} needs all rows at once; "
                'tables that are read in parts take "mdl", "none" or a schema made from a sample'
            )
        self._check_words()
        fit_binning(self.discretize, [], None, None)  # refuses what it does not know
        self.names, self.columns, self.rows = None, [], 0
        self.classes: dict[Any, int] = {}
        self.class_dtype: np.dtype[Any] | None = None
        self.left_out = LeftOut()

    def update(self, X: Any, y: Any = None, weights: Floats | None = None, where: str = "") -> None:
        """Looks at more rows; those of weight 0 are passed over. `where` says where they are."""
        weights = None if weights is None else np.require(weights, np.float64, ["C", "A"])
        header = None if self.names is None else Header(self.names)
        table = raw_table(X, header)
        if not self.columns:
            self._begin(table)
        elif table.width != len(self.columns):
            raise DataError(f"a part has {table.width} columns, those before it {len(self.columns)}")
        codes = None if y is None else self._class_codes(y, table.rows)
        kept = kept_rows(table, self.missing, weights)
        if kept is not None and not kept.any():
            return
        self.rows += table.rows if kept is None else int(kept.sum())
        raw = [self._raw(i, table.column(i)) for i in range(table.width)]
        in_sketch = [self._in_sketch(i, column) for i, column in enumerate(raw)]
        by_level = [i for i, sketched in enumerate(in_sketch) if not sketched]
        for i, (levels, declared, has_missing) in zip(
            by_level, used_levels([raw[i] for i in by_level], kept, self.n_jobs), strict=True
        ):
            self._take_levels(i, levels, declared, has_missing, isinstance(raw[i], Factor))
        self._take_numbers(raw, [i for i, sketched in enumerate(in_sketch) if sketched], codes, kept, weights)
        for column in self.columns:
            if not column.first and column.kind is not None:
                column.first = where

    def _begin(self, table: RawTable) -> None:
        self.names = table.names
        self.labels = table.labels
        self.kinds = declared_kinds(self.categorical, self.numeric, self.labels)
        self.columns = [ColumnScan() for _ in range(table.width)]

    def _class_codes(self, y: Any, rows: int) -> NDArray[np.uint32]:
        labels = LabelCodes().fit(y)
        if len(labels.codes_) != rows:
            raise DataError(f"X has {rows} rows, but y has {len(labels.codes_)} labels")
        place = [self.classes.setdefault(label, len(self.classes)) for label in labels.classes_.tolist()]
        self._join_dtype(labels.classes_.dtype)
        return np.array(place, dtype=np.uint32)[labels.codes_]

    def _join_dtype(self, dtype: np.dtype[Any]) -> None:
        own = self.class_dtype
        self.class_dtype = dtype if own is None or own == dtype else np.result_type(own, dtype)

    def _raw(self, i: int, column: RawColumn) -> RawColumn:
        if isinstance(column, Factor) and self.kinds.get(i) == "numeric" and self.discretize != "none":
            return Numbers(factor_floats(column, self.labels[i]))
        return column

    def _in_sketch(self, i: int, column: RawColumn) -> bool:
        """Whether numbers are cut, or may be; where everything is missing, as in the parts before."""
        if isinstance(column, Factor):
            empty = not len(column.levels)
            return empty and self.columns[i].sketch is not None
        return self.kinds.get(i) != "categorical" and self.discretize != "none"

    def _take_levels(
        self, i: int, levels: list[Level], declared: tuple[Level, ...] | None, has_missing: bool, factor: bool
    ) -> None:
        column = self.columns[i]
        column.has_missing |= has_missing
        if factor and not levels and declared is None:
            return
        self._check_kind(i, "categories")
        column.take_levels(levels if declared is None else declared, declared)

    def _check_kind(self, i: int, kind: str, where: str = "") -> None:
        own = self.columns[i]
        if own.kind not in (None, kind):
            place = f" in {where}" if where else ""
            raise DataError(
                f"column {self.labels[i]!r} holds {kind}{place}, but {own.kind} in "
                + (own.first or "the parts before")
            )

    def _take_numbers(
        self,
        raw: list[RawColumn],
        which: list[int],
        codes: NDArray[np.uint32] | None,
        kept: NDArray[np.bool_] | None,
        weights: Floats | None,
    ) -> None:
        weights = kept_weights(kept, weights)
        numbers, sketches, columns = [], [], []
        for i in which:
            column, found = raw[i], self.columns[i]
            if isinstance(column, Factor):  # nothing in it is known
                found.has_missing |= True
                continue
            self._check_kind(i, "numbers")
            numbers.append(i)
            sketches.append(found.sketched(column.integer, len(self.classes)))
            columns.append(column)
        handed = [column.handed() for column in columns]
        odd = _core.update_sketches(sketches, handed, codes, weights, self.n_jobs)
        for i, column, (has_missing, infinite) in zip(numbers, columns, odd, strict=True):
            if infinite is not None:
                refuse_infinite(self.labels[i], column.values, infinite)
            self.columns[i].has_missing |= has_missing

    def merge(self, other: TableScan) -> None:
        """Takes in what another scan has seen."""
        self.left_out += other.left_out
        if not other.columns:
            return
        if not self.columns:
            self.names, self.labels, self.kinds = other.names, other.labels, other.kinds
            self.columns = [ColumnScan() for _ in other.columns]
        if (self.names, len(self.columns)) != (other.names, len(other.columns)):
            raise DataError(
                f"two parts have different columns: {', '.join(self.labels)} and {', '.join(other.labels)}"
            )
        places = [self.classes.setdefault(label, len(self.classes)) for label in other.classes]
        if other.class_dtype is not None:
            self._join_dtype(other.class_dtype)
        self.rows += other.rows
        for i, column in enumerate(other.columns):
            own = self.columns[i]
            own.has_missing |= column.has_missing
            if column.kind is not None:
                self._check_kind(i, column.kind, column.first)
                own.first = own.first or column.first
            if column.sketch is not None:
                own.sketched(column.whole, len(self.classes)).merge(column.sketch, places or [0])
            elif column.levels or column.declared is not None:
                own.take_levels(column.levels, column.declared)

    def class_labels(self) -> NDArray[Any] | None:
        """The classes in their natural order."""
        if self.class_dtype is None:
            return None
        order = sort_levels(list(self.classes), "y")
        array = np.empty(len(order), dtype=self.class_dtype)
        array[:] = order
        return array

    def encodings(self) -> tuple[list[ColumnEncoding], dict[int, Floats]]:
        """What is known of each column, and of those with too many numbers the boundaries between which rows
        are to be counted: their encoding has these for cut points."""
        if not self.columns:
            raise DataError("there are no rows: not one part was given")
        encodings, pending = [], {}
        for i, column in enumerate(self.columns):
            encoding, exact = self._encoding(i, column)
            encodings.append(encoding)
            if not exact and encoding.cut_points is not None:
                pending[i] = encoding.cut_points
        return encodings, pending

    def _encoding(self, i: int, column: ColumnScan) -> tuple[ColumnEncoding, bool]:
        name, missing_level = self.labels[i], self.missing == "category" and column.has_missing
        if column.sketch is None:
            levels = column.declared or tuple(sort_levels(list(column.levels), f"column {name!r}"))
            return ColumnEncoding(name, levels, None, missing_level), True
        values, counts = column.sketch.values(max(len(self.classes), 1))
        few = column.whole and column.sketch.exact and len(values) <= FEW_INTEGERS
        if few and self.kinds.get(i) != "numeric":
            whole = tuple(int(value) for value in values.tolist())
            return ColumnEncoding(name, whole, None, missing_level), True
        if column.sketch.exact:
            order = [self.classes[label] for label in sort_levels(list(self.classes), "y")]
            cuts = best_cuts(values, counts[:, order] if order else counts, bool(order))
        else:
            cuts = quantile_boundaries(values, counts.sum(axis=1))
        return ColumnEncoding(name, None, Binning(cuts), missing_level), column.sketch.exact


def best_cuts(values: Floats, counts: NDArray[Any], by_class: bool) -> Floats:
    """The cuts of a column whose values are counted: by MDL, or without a class five bins of equal frequency.

    >>> best_cuts(np.array([1.0, 2.0, 10.0, 11.0]), np.array([[9, 0], [8, 0], [0, 9], [0, 8]]), True)
    array([6.])
    """
    if not len(values):
        return np.empty(0)
    if not by_class:
        return fit_binning("mdl", [values], None, counts.sum(axis=1).astype(np.float64))[0].cut_points
    value, label = np.nonzero(counts)
    weights = counts[value, label].astype(np.float64)
    return _core.mdl_cut_points([values[value]], label.astype(np.uint32), counts.shape[1], weights)[0]


def quantile_boundaries(values: Floats, counts: Floats) -> Floats:
    """At most `BOUNDARIES` numbers midway between values, with about equally many rows between them."""
    below = np.cumsum(counts)
    at = np.searchsorted(below, below[-1] * np.arange(1, BOUNDARIES + 1) / (BOUNDARIES + 1))
    at = np.unique(np.minimum(at, len(values) - 2))
    return np.unique(values[at] + (values[at + 1] - values[at]) / 2)


def used_levels(
    columns: list[RawColumn], kept: NDArray[np.bool_] | None, n_jobs: int | None
) -> list[tuple[list[Level], tuple[Level, ...] | None, bool]]:
    """The values that occur in each column, the levels that it declares, and whether values are missing."""
    if not columns:
        return []
    reading = _core.Reading([column.handed() for column in columns], [MOST_LEVELS] * len(columns), n_jobs)
    found: list[tuple[list[Level], tuple[Level, ...] | None, bool]] = []
    for k, (column, levels) in enumerate(zip(columns, reading.levels(), strict=True)):
        values, has_missing = levels if levels is not None else (np.empty(0, dtype=object), False)
        if kept is not None:
            seen, has_missing = reading.seen(k, kept)
            values = values[seen]
        present: list[Any] = values.tolist()
        if isinstance(column, Factor):
            used = [column.levels[place] for place in present]
            found.append((used, tuple(column.levels) if column.declared else None, has_missing))
        else:
            found.append((present, None, has_missing))
    return found
