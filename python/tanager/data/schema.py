"""What the codes of a table mean, apart from any rows: what counts of different parts have to share."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from tanager import _core
from tanager.data.columns import Level, as_text, column_name, sort_levels
from tanager.data.discretise import Binning
from tanager.data.domains import ColumnEncoding
from tanager.data.encoding import TableEncoder
from tanager.data.encoding_settings import WORDS, ScanSettings, takes_scan_settings
from tanager.data.frames import Header, RawTable, column_labels, raw_table
from tanager.data.labels import LabelCodes
from tanager.data.learning import kept_rows
from tanager.data.lookup import Lookup
from tanager.data.parts import Part, Source
from tanager.data.plain_columns import (
    check_distinct,
    classes_from_plain,
    column_from_plain,
    plain_classes,
    plain_column,
)
from tanager.data.scan import TableScan, best_cuts, used_levels
from tanager.data.sources import open_source
from tanager.data.weights import as_weights, check_weights
from tanager.exceptions import DataError

__all__ = ["Moves", "Schema"]

#: Where old codes stand in a larger domain: of each column, and of the classes.
Moves = tuple[list[list[int]], list[int]]


@dataclass(frozen=True, eq=False)
class Schema:
    """Names, kinds, levels and cuts of columns, and the labels of the classes.

    Attributes:
        columns: what is known of each column.
        names: the columns' names; None where they have none.
        classes: the labels of the classes in the order of their codes; None for a density.
        missing: how missing values are counted: "category", "drop" or "available".

    >>> parts = [([["a", 1], ["b", 2]], [0, 1]), ([["c", 1]], [1])]
    >>> schema = Schema.scan(parts)
    >>> [column.levels for column in schema.columns], schema.classes.tolist()
    ([('a', 'b', 'c'), (1, 2)], [0, 1])
    """

    columns: tuple[ColumnEncoding, ...]
    names: tuple[str, ...] | None = None
    classes: NDArray[Any] | Any = None
    missing: str = "category"

    @classmethod
    def of(cls, encoder: TableEncoder, classes: NDArray[Any] | None = None) -> Schema:
        """What an encoder has learned."""
        names = None if encoder.names is None else tuple(encoder.names)
        return cls(tuple(encoder.columns), names, classes, encoder.missing)

    @classmethod
    @takes_scan_settings
    def scan(
        cls,
        source: Any,
        target: str | None = None,
        *,
        weight: str | None = None,
        **settings: Unpack[ScanSettings],
    ) -> Schema:
        """The schema of a table that comes in parts.

        Columns of more than 4,096 different numbers are looked at twice, for their quantiles and then for the
        rows of each class between 1,024 of these, among which MDL chooses. Cuts of columns of fewer
        numbers are exact, and the same as `fit` finds. The division into parts changes nothing. A transformer
        for `discretize`, which needs all rows at once, is refused.

        Parameters:
            source: a list of parts, each (X, y), (X, y, weights) or a frame, a function that starts such a
                list again, a path, or anything else that `fit` reads in parts.
            target: the column of labels, where parts are frames with such a column; rows without a label are
                left out, with a warning.
            weight: the column of weights, in the same way.
            **settings: those of `ReadsTables`.
        """
        opened = open_source(source, target, weight, categorical=settings.get("categorical"))
        scan = TableScan(**settings)
        left_out = opened.each(lambda part: scan.update(part.X, part.y, part.weights))
        left_out.check(opened.name)
        schema, pending = cls.of_scan(scan)
        if pending:
            schema = schema.cut(opened, pending, scan.rows, scan.n_jobs)
        left_out.warn(opened.name, stacklevel=2)
        return schema

    def cut(self, source: Source, pending: list[int], rows: int, n_jobs: int | None = None) -> Schema:
        """Goes through the parts once more for the columns whose cuts are still to be chosen."""
        self.check_again(pending, source.name, source.once)
        counts = self.empty(pairs=False)

        def add(part: Part) -> None:
            data = self.encode(part.X, part.y, part.weights, n_jobs=n_jobs)
            if data is not None:
                counts.update(data, n_jobs)

        source.each(add)
        return self.chosen(counts, pending, rows, source.name)

    def check_again(self, pending: list[int], name: str, once: bool) -> None:
        """Refuses rows that can be gone through once only, where cuts are still to be chosen."""
        if once:
            raise DataError(
                f"column {self.labels[pending[0]]!r} has too many different numbers for one pass, but "
                f"{name} can be read only once: give a schema, or a source that can be read again"
            )

    def only(self, columns: list[int]) -> Schema:
        """The schema of some columns, where columns have names and whether a row counts hangs on no other."""
        if self.names is None or self.missing == "drop":
            return self
        some = tuple(self.columns[i] for i in columns)
        return replace(self, columns=some, names=tuple(self.names[i] for i in columns))

    def chosen(self, counts: _core.Statistics, pending: list[int], rows: int, name: str) -> Schema:
        """The schema with its cuts, from counts of these columns, or of all, in as many rows as were seen."""
        if counts.rows != rows:
            raise DataError(
                f"{name} had {rows} rows at first and {counts.rows} when it was read again: "
                "what is read in parts must not change meanwhile"
            )
        return self.with_cuts(counts, pending)

    @classmethod
    def of_scan(cls, scan: TableScan) -> tuple[Schema, list[int]]:
        """What a scan has found, and the columns whose cuts are still to be chosen among their boundaries."""
        columns, pending = scan.encodings()
        names = None if scan.names is None else tuple(scan.names)
        return cls(tuple(columns), names, scan.class_labels(), scan.missing), list(pending)

    def with_cuts(self, counts: _core.Statistics, columns: Iterable[int]) -> Schema:
        """The same schema with the best of the cuts of these columns, from the rows between them."""
        chosen, columns = list(self.columns), list(columns)
        every = len(counts.arities) == len(self.columns)
        for place, i in enumerate(columns):
            column = self.columns[i]
            boundaries = np.asarray(column.cut_points)
            table = np.asarray(counts.table(i if every else place))[:, : len(boundaries) + 1].T
            cuts = best_cuts(np.arange(len(boundaries) + 1.0), table, self.classes is not None)
            chosen[i] = replace(column, binning=Binning(boundaries[np.floor(cuts).astype(np.int64)]))
        return replace(self, columns=tuple(chosen))

    @property
    def labels(self) -> list[str]:
        """What the columns are called: their names, or x and their positions."""
        return column_labels(None if self.names is None else list(self.names), len(self.columns))

    @property
    def arities(self) -> list[int]:
        """The number of values of each column."""
        return [column.arity for column in self.columns]

    @property
    def n_classes(self) -> int | None:
        """The number of classes; None where there is no class."""
        return None if self.classes is None else len(self.classes)

    def empty(self, pairs: bool = True) -> _core.Statistics:
        """Counts of no rows."""
        return _core.Statistics(self.arities, self.n_classes, pairs)

    def encoder(
        self, handle_unknown: str = "marginalize", estimator: str = "Schema", n_jobs: int | None = None
    ) -> TableEncoder:
        """The encoder of tables with these columns."""
        encoder = TableEncoder(
            missing=self.missing, handle_unknown=handle_unknown, estimator=estimator, n_jobs=n_jobs
        )
        encoder.columns = list(self.columns)
        encoder.names = None if self.names is None else list(self.names)
        return encoder

    def encode(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, n_jobs: int | None = None
    ) -> _core.Dataset | None:
        """The codes of rows as they are counted; None where none of them counts."""
        lookup, header = self._reader(n_jobs)
        table = raw_table(X, header, "Schema", fitted=True)
        if table.width != len(self.columns):
            raise DataError(f"X has {table.width} columns, but the schema has {len(self.columns)}")
        weights = None if sample_weight is None else as_weights(sample_weight)
        if weights is not None and weights.any():
            weights = check_weights(weights, table.rows)
        codes = self._class_codes(y, table.rows)
        kept = kept_rows(table, self.missing, weights)
        if kept is not None:
            if not kept.any():
                return None
            # What a row that does not count holds need not be in the schema.
            columns = [column.take(kept) for column in table.columns]
            table = RawTable(table.names, int(kept.sum()), table.width, columns.__getitem__)
            codes = None if codes is None else codes[kept]
            weights = None if weights is None else weights[kept]
        data = lookup.encode(table)
        if self.missing == "category" and not (complete := data.complete_rows()).all():
            self._refuse_gap(data, int(np.argmin(complete)))
        if codes is None:
            return data if weights is None else data.with_class(weights=weights)
        return data.with_class(codes, self.n_classes, weights)

    def _reader(self, n_jobs: int | None) -> tuple[Lookup, Header | None]:
        """What looks codes up, made once."""
        made = self.__dict__.get("_lookup")
        if made is None or made[0] != n_jobs:
            header = None if self.names is None else Header(list(self.names))
            made = self.__dict__["_lookup"] = n_jobs, Lookup(self.columns, "error", n_jobs), header
        return made[1], made[2]

    def _class_codes(self, y: Any, rows: int) -> NDArray[np.uint32] | None:
        if self.classes is None:
            return None
        if y is None:
            raise DataError("y is not given, but the schema has classes")
        codes = LabelCodes.of(self.classes).encode(y)
        if len(codes) != rows:
            raise DataError(f"X has {rows} rows, but y has {len(codes)} labels")
        return codes

    def _refuse_gap(self, data: _core.Dataset, row: int) -> None:
        for i, column in enumerate(self.columns):
            if int(data.codes(i)[row]) >= column.arity:
                raise DataError(
                    f"column {column.name!r}, row {row}: the value is missing, but the schema has no place "
                    "for missing values in this column"
                )

    def grown(self, X: Any, sample_weight: Any = None) -> tuple[Schema, Moves]:
        """The schema with the levels of more rows, and where its own codes stand in that."""
        table = raw_table(X, None if self.names is None else Header(list(self.names)))
        if table.width != len(self.columns):
            raise DataError(
                f"X has {table.width} features, but it is expecting {len(self.columns)} features as input"
            )
        weights = None if sample_weight is None else as_weights(sample_weight)
        kept = kept_rows(table, self.missing, weights)
        raw = table.columns
        by_level = [i for i, column in enumerate(self.columns) if column.levels is not None]
        used = dict(zip(by_level, used_levels([raw[i] for i in by_level], kept, None), strict=True))
        columns, moves = [], []
        for i, column in enumerate(self.columns):
            missing = raw[i].missing_mask()
            has_missing = bool((missing if kept is None else missing & kept).any())
            levels = used[i][0] if i in used else []
            larger, move = _grown(column, levels, has_missing and self.missing == "category")
            columns.append(larger)
            moves.append(move)
        return replace(self, columns=tuple(columns)), (moves, list(range(self.n_classes or 1)))

    def difference(self, other: Schema) -> str | None:
        """The first difference, in words; None where there is none.

        >>> one, other = Schema.scan([[["a"], ["b"]]]), Schema.scan([[["a"], ["c"]]])
        >>> one.difference(other)
        "column 'x0' has levels 'a', 'b' and 'a', 'c'"
        """
        if self.labels != other.labels:
            return f"the columns are {_shown(self.labels)} and {_shown(other.labels)}"
        for one, two in zip(self.columns, other.columns, strict=True):
            what = f"column {one.name!r}"
            if one.kind != two.kind:
                return f"{what} is {one.kind} and {two.kind}"
            if one.levels is not None and _typed(one.levels) != _typed(two.levels or ()):
                return f"{what} has levels {_shown(one.levels)} and {_shown(two.levels or ())}"
            if one.binning is not None and two.binning is not None:
                cuts, others = one.binning.cut_points, two.binning.cut_points
                if not np.array_equal(cuts, others):
                    return f"{what} is cut at {_shown(cuts.tolist())} and {_shown(others.tolist())}"
            if one.missing_level != two.missing_level:
                return f"{what} has missing values in only one of them"
        classes = [None if one.classes is None else one.classes.tolist() for one in (self, other)]
        if classes[0] is None or classes[1] is None:
            if classes[0] is not classes[1]:
                return "only one of them has classes"
        elif _typed(classes[0]) != _typed(classes[1]):
            return f"the classes are {_shown(classes[0])} and {_shown(classes[1])}"
        if self.missing != other.missing:
            return f"missing is {self.missing!r} and {other.missing!r}"
        return None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and self.difference(other) is None

    def __hash__(self) -> int:
        return hash((self.names, tuple(self.arities), self.n_classes))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lookup"}

    def to_bytes(self) -> bytes:
        """As JSON; levels are strings, numbers and booleans."""
        content = {
            "names": None if self.names is None else list(self.names),
            "missing": self.missing,
            "columns": [plain_column(column) for column in self.columns],
            **({"classes": None} if self.classes is None else plain_classes(self.classes)),
        }
        return json.dumps(content, ensure_ascii=False, allow_nan=False).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Schema:
        """What `to_bytes` gave; anything else is refused."""
        try:
            content = json.loads(data)
            names = None if content["names"] is None else tuple(column_name(n) for n in content["names"])
            columns = tuple(column_from_plain(column) for column in content["columns"])
            plain = content["classes"]
            classes = None if plain is None else classes_from_plain(plain, content.get("classes_dtype"))
        except KeyError as error:
            raise DataError(f"the schema does not fit together: there is no {error}") from None
        except (RecursionError, IndexError, TypeError, ValueError, AttributeError, MemoryError) as error:
            raise DataError(f"the schema does not fit together: {error}") from None
        check_distinct(names or (), "column name")
        if content.get("missing") not in WORDS["missing"]:
            raise DataError(f"missing = {content.get('missing')!r} is not allowed in a schema")
        if not columns or (names is not None and len(names) != len(columns)):
            raise DataError(f"the schema has {len(columns)} columns and {len(names or ())} names")
        return cls(columns, names, classes, content["missing"])


def _grown(
    column: ColumnEncoding, levels: list[Level], has_missing: bool
) -> tuple[ColumnEncoding, list[int]]:
    missing_level = column.missing_level or has_missing
    known = column.arity - column.missing_level
    move = list(range(known))
    if column.levels is not None:
        texts = {as_text(level) for level in column.levels}
        new = [level for level in dict.fromkeys(levels) if as_text(level) not in texts]
        old = list(column.levels)
        known = len(old)
        if new and old == sorted(old, key=_as_is(old)):
            union = sort_levels([*old, *new], f"column {column.name!r}")
        else:
            union = [*old, *sort_levels(new, f"column {column.name!r}")]
        place = {level: code for code, level in enumerate(union)}
        move = [place[level] for level in old]
        column = replace(column, levels=tuple(union))
        known = len(union)
    if column.missing_level:
        move.append(known)
    elif not move:
        move = [0]  # a column without any value has one code
    return replace(column, missing_level=missing_level), move


def _as_is(levels: list[Level]) -> Callable[[Level], Any]:
    """A key that sorts levels as they are sorted by nature, and leaves those alone that cannot be."""
    try:
        sorted(levels)  # type: ignore[type-var]
    except TypeError:
        return lambda level: 0
    return lambda level: level


def _typed(levels: Iterable[Any]) -> list[tuple[str, Any]]:
    """Values that are told apart by type too."""
    return [(type(level).__name__, level) for level in levels]


def _shown(values: Iterable[Any]) -> str:
    values = list(values)
    return ", ".join(map(repr, values[:8])) + (f" and {len(values) - 8} more" if len(values) > 8 else "")
