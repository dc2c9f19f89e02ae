"""From raw columns to their domains and codes: the policy; the core reads the values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tanager import _core
from tanager.data.columns import MOST_LEVELS, Factor, Level, Numbers, RawColumn, sort_levels
from tanager.data.discretise import Binning, fit_binning
from tanager.data.domains import FEW_INTEGERS, UNKNOWN, ColumnEncoding
from tanager.data.encoding_settings import ReadsTables
from tanager.data.frames import RawTable
from tanager.data.lookup import refuse_infinite, refuse_unknown
from tanager.data.warned import unique_text
from tanager.data.weights import as_weights
from tanager.exceptions import DataError
from tanager.settings import is_whole

__all__ = ["ColumnLearner", "declared_kinds", "factor_floats", "kept_rows", "kept_weights"]

#: Numbers with more distinct values are not kept as codes of these but cut where they lie.
MANY = 255


class ColumnLearner:
    """Learns the domain of every column of a table while the core writes its codes."""

    encodings: list[ColumnEncoding]

    def __init__(
        self,
        settings: ReadsTables,
        table: RawTable,
        y_codes: ArrayLike | None,
        sample_weight: ArrayLike | None,
    ) -> None:
        self.settings, self.table = settings, table
        self.warnings: list[str] = []
        self.labels = table.labels
        if y_codes is not None and len(np.asarray(y_codes)) != table.rows:
            raise DataError(f"X has {table.rows} rows, but y has {len(np.asarray(y_codes))} labels")
        if sample_weight is not None and np.shape(sample_weight) != (table.rows,):
            raise DataError(f"sample_weight.shape == {np.shape(sample_weight)}, expected {(table.rows,)}!")
        self.y = None if y_codes is None else np.ascontiguousarray(y_codes, dtype=np.uint32)
        self.weights = None if sample_weight is None else as_weights(sample_weight)
        self.kept = kept_rows(table, settings.missing, self.weights)
        if self.kept is not None and not self.kept.any() and settings.missing == "drop":
            raise DataError('missing="drop" leaves no row: every row has a missing value')
        self.kinds = declared_kinds(settings.categorical, settings.numeric, self.labels)
        discretize = settings.discretize
        self.cuts = not (isinstance(discretize, str) and discretize == "none")
        fit_binning(discretize, [], None, None)  # refuses what it does not know

    def learn(self) -> _core.Dataset:
        """The codes of all columns; `encodings` has what they mean."""
        by_core = isinstance(self.settings.discretize, str) and self.y is not None
        # A transformer sees all numeric columns at once.
        batches = self.table.batches() if by_core or not self.cuts else [range(self.table.width)]
        encodings: dict[int, ColumnEncoding] = {}
        parts: list[_core.Columns] = []
        order: list[int] = []
        for batch in batches:
            learned = _Batch(self, batch)
            encodings |= learned.encodings
            parts += learned.parts
            order += learned.order
        self.encodings = [encodings[i] for i in range(self.table.width)]
        return _core.Dataset.assemble(parts, order)

    def cut_points(
        self, reading: _core.Reading, which: list[int], columns: list[Numbers], places: list[int]
    ) -> list[Binning]:
        """The binning of numeric columns; `which` are their places in the reading."""
        names = [self.labels[place] for place in places]
        if isinstance(self.settings.discretize, str) and self.y is not None:
            weights = kept_weights(self.kept, self.weights)
            cuts = reading.mdl_cut_points(
                which,
                [column.handed() for column in columns],
                self.y,
                int(self.y.max()) + 1,
                weights,
                self.settings.n_jobs,
            )
            return [Binning(cut) for cut in cuts]
        kept = slice(None) if self.kept is None else self.kept
        floats = []
        for column, name in zip(columns, names, strict=True):
            values = column.floats()
            if np.isinf(values).any():
                refuse_infinite(name, values, int(np.isinf(values).argmax()))
            floats.append(values[kept])
        y = None if self.y is None else self.y[kept]
        weights = None if self.weights is None else self.weights[kept]
        return fit_binning(self.settings.discretize, floats, y, weights)


class _Batch:
    """Some columns: read, understood, encoded."""

    def __init__(self, learner: ColumnLearner, batch: range) -> None:
        self.learner, self.batch = learner, batch
        self.encodings: dict[int, ColumnEncoding] = {}
        self.parts: list[_core.Columns] = []
        self.order: list[int] = []
        self._tables: dict[int, NDArray[np.uint32]] = {}
        self.raw = [self._raw(i) for i in batch]
        limits = [self._limit(i, column) for i, column in zip(batch, self.raw, strict=True)]
        handed = [column.handed() for column in self.raw]
        self.reading = _core.Reading(handed, limits, learner.settings.n_jobs)
        self._understand(self.reading.levels())
        self._finish()

    def _raw(self, i: int) -> RawColumn:
        column = self.learner.table.column(i)
        if isinstance(column, Factor) and self.learner.kinds.get(i) == "numeric" and self.learner.cuts:
            return Numbers(factor_floats(column, self.learner.labels[i]))
        return column

    def _limit(self, i: int, column: RawColumn) -> int:
        few = isinstance(column, Numbers) and self.learner.kinds.get(i) != "categorical" and self.learner.cuts
        return MANY if few else MOST_LEVELS

    def _understand(self, found: list[tuple[NDArray[Any], bool] | None]) -> None:
        """Which columns are categories and which are numbers; the domains of both."""
        numeric: list[int] = []
        levels_of: dict[int, tuple[NDArray[Any], NDArray[np.bool_] | None, bool]] = {}
        for k, (i, column, levels) in enumerate(zip(self.batch, self.raw, found, strict=True)):
            if levels is None:
                numeric.append(k)
                continue
            values, has_missing = levels
            seen: NDArray[np.bool_] | None = None
            if self.learner.kept is not None:
                seen, has_missing = self.reading.seen(k, self.learner.kept)
            levels_of[k] = values, seen, has_missing
            count = len(values) if seen is None else int(seen.sum())
            kind = self.learner.kinds.get(i) or _infer_kind(column, count)
            if isinstance(column, Factor):
                self._factor(k, i, column, *levels_of[k])
            elif kind == "categorical" or not self.learner.cuts:
                self._numbers(k, i, *levels_of[k])
            else:
                numeric.append(k)
        columns = [column for k in numeric if isinstance(column := self.raw[k], Numbers)]
        places = [self.batch[k] for k in numeric]
        binnings = self.learner.cut_points(self.reading, numeric, columns, places) if numeric else []
        for k, binning in zip(numeric, binnings, strict=True):
            self._cut(k, self.batch[k], binning, levels_of.get(k))

    def _factor(
        self,
        k: int,
        i: int,
        factor: Factor,
        used: NDArray[Any],
        seen: NDArray[np.bool_] | None,
        has_missing: bool,
    ) -> None:
        """Declared levels are the domain; otherwise what occurs is, in its natural order."""
        codes = used.astype(np.int64)
        if len(codes) and not 0 <= codes[0] <= codes[-1] < len(factor.levels):
            raise DataError(
                f"column {self.learner.labels[i]!r}: codes lie outside of the {len(factor.levels)} levels"
            )
        if factor.declared:
            levels = tuple(factor.levels)
            table = codes.astype(np.uint32)
        else:
            present = [factor.levels[code] for code in (codes if seen is None else codes[seen]).tolist()]
            levels = tuple(sort_levels(present, f"column {self.learner.labels[i]!r}"))
            place = {level: code for code, level in enumerate(levels)}
            of_present = np.array([place[level] for level in present], dtype=np.uint32)
            table = of_present
            if seen is not None:
                table = np.full(len(codes), UNKNOWN, dtype=np.uint32)
                table[seen] = of_present
        kept = self.learner.kept
        known = len(factor.codes) if kept is None else int(kept.sum())
        if has_missing and len(codes):
            known = int((factor.codes >= 0).sum())
        distinct = len(codes) if seen is None else int(seen.sum())
        said = unique_text(f"column {self.learner.labels[i]!r}", distinct, known)
        self.learner.warnings += [] if said is None else [said]
        self._keep(k, i, levels, table, has_missing)

    def _numbers(
        self, k: int, i: int, values: NDArray[Any], seen: NDArray[np.bool_] | None, has_missing: bool
    ) -> None:
        """Every distinct number is a value."""
        table = np.arange(len(values), dtype=np.uint32)
        if seen is not None:
            table = np.where(seen, np.cumsum(seen) - 1, UNKNOWN).astype(np.uint32)
            values = values[seen]
        self._keep(k, i, tuple(values.tolist()), table, has_missing)

    def _keep(
        self, k: int, i: int, levels: tuple[Level, ...], table: NDArray[np.uint32], has_missing: bool
    ) -> None:
        missing_level = self.learner.settings.missing == "category" and has_missing
        encoding = ColumnEncoding(self.learner.labels[i], levels, None, missing_level)
        if self.learner.settings.handle_unknown == "error" and (table == UNKNOWN).any():
            places = np.asarray(self.reading.places(k), dtype=np.int64)
            row = int(np.append(table == UNKNOWN, False)[places].argmax())
            refuse_unknown(encoding, self.raw[k], row)
        self.encodings[i], self._tables[k] = encoding, table

    def _cut(
        self,
        k: int,
        i: int,
        binning: Binning,
        levels: tuple[NDArray[Any], NDArray[np.bool_] | None, bool] | None,
    ) -> None:
        column = self.raw[k]
        name = self.learner.labels[i]
        if levels is not None:
            values, _, has_missing = levels
            numbers = values.astype(np.float64)
            if not np.isfinite(numbers).all() and isinstance(column, Numbers):
                floats = column.floats()
                refuse_infinite(name, floats, int(np.isinf(floats).argmax()))
            self._tables[k] = np.searchsorted(binning.cut_points, numbers).astype(np.uint32)
        else:
            missing = column.missing_mask()
            has_missing = bool((missing if self.learner.kept is None else missing[self.learner.kept]).any())
        missing_level = self.learner.settings.missing == "category" and has_missing
        self.encodings[i] = ColumnEncoding(name, None, binning, missing_level)

    def _finish(self) -> None:
        """The codes: of what has few levels by a table, of many numbers by the cut points."""
        few = [k for k in range(len(self.batch)) if k in self._tables]
        many = [k for k in range(len(self.batch)) if k not in self._tables]
        for group in (few, many):
            encodings = [self.encodings[self.batch[k]] for k in group]
            if not group:
                continue
            names = [encoding.name for encoding in encodings]
            arities = [encoding.arity for encoding in encodings]
            missing = [encoding.core_missing for encoding in encodings]
            jobs = self.learner.settings.n_jobs
            if group is few:
                tables = [self._tables[k] for k in group]
                self.parts.append(self.reading.finish(names, tables, arities, missing, jobs))
            else:
                handed = [self.raw[k].handed() for k in group]
                cuts = [encoding.binning.cut_points for encoding in encodings if encoding.binning is not None]
                columns, _, infinite = _core.encode_columns(handed, cuts, names, arities, missing, jobs)
                for k, row in zip(group, infinite, strict=True):
                    column = self.raw[k]
                    if row is not None and isinstance(column, Numbers):
                        refuse_infinite(self.learner.labels[self.batch[k]], column.values, row)
                self.parts.append(columns)
            self.order += [self.batch[k] for k in group]


def _infer_kind(column: RawColumn, levels: int) -> Literal["categorical", "numeric"]:
    if isinstance(column, Factor):
        return "categorical"
    return "categorical" if column.integer and levels <= FEW_INTEGERS else "numeric"


def factor_floats(column: Factor, label: str) -> NDArray[np.float64]:
    """Levels that are numbers, where the column was declared to be one of numbers."""
    bad = next((level for level in column.levels if not isinstance(level, bool | int | float)), None)
    if bad is not None:
        raise DataError(f"column {label!r}: value {bad!r} is not allowed, the column is numeric")
    values: NDArray[np.float64] = np.array([*column.levels, np.nan], dtype=np.float64)[column.codes]
    return values


def kept_rows(table: RawTable, missing: str, weights: NDArray[np.float64] | None) -> NDArray[np.bool_] | None:
    """Rows with a weight and, with missing="drop", nothing missing; None where that is all of them."""
    kept = np.ones(table.rows, dtype=np.bool_) if weights is None else weights > 0
    if missing == "drop":
        for i in range(table.width):
            kept = kept & ~table.column(i).missing_mask()
    return None if kept.all() else kept


def kept_weights(
    kept: NDArray[np.bool_] | None, weights: NDArray[np.float64] | None
) -> NDArray[np.float64] | None:
    """The weights of rows of which only some count."""
    if kept is None:
        return weights
    return kept.astype(np.float64) if weights is None else np.where(kept, weights, 0.0)


def declared_kinds(
    categorical: Iterable[str | int] | str | None,
    numeric: Iterable[str | int] | str | None,
    labels: list[str],
) -> dict[int, Literal["categorical", "numeric"]]:
    """The kinds of columns that are not to be inferred, by position."""
    kinds: dict[int, Literal["categorical", "numeric"]] = {}
    for i in _positions(categorical, labels, "categorical"):
        kinds[i] = "categorical"
    for i in _positions(numeric, labels, "numeric"):
        if i in kinds:
            raise DataError(f"column {labels[i]!r} is declared both categorical and numeric")
        kinds[i] = "numeric"
    return kinds


def _positions(columns: Iterable[str | int] | str | None, labels: list[str], what: str) -> list[int]:
    if columns is None:
        return []
    if isinstance(columns, str):
        if columns == "all":
            return list(range(len(labels)))
        columns = [columns]
    positions = []
    for column in columns:
        if isinstance(column, str) and column in labels:
            positions.append(labels.index(column))
        elif is_whole(column) and -len(labels) <= int(column) < len(labels):
            positions.append(int(column) % len(labels))
        else:
            raise DataError(
                f"{what} names {column!r}, which is not a column; columns are {', '.join(labels)}"
            )
    return positions
