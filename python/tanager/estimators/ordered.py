"""Ordered codes of columns of numbers: how many cuts at training quantiles lie below a value."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tanager.data import EncodedTable, TableEncoder
from tanager.data.discretise import Binning, EqualFrequency, fit_binning
from tanager.data.encoding import ColumnEncoding
from tanager.scikit_learn import MissingAllowed
from tanager.settings import is_number

__all__ = ["OrderedCodes"]

Floats = NDArray[np.float64]


class FineCuts(MissingAllowed):  # or columns would come one by one
    """The cuts of a discretiser and those at quantiles, in one list: a table is then encoded only once.

    It is its own clone, so that whoever made it can read `coarse_` and `ordered_` once an encoder fitted it.
    """

    def __init__(self, discretize: Any = "mdl", bins: int = 16) -> None:
        self.discretize = discretize
        self.bins = bins

    def __sklearn_clone__(self) -> FineCuts:
        return self

    def fit(self, X: Floats, y: Any = None, sample_weight: Floats | None = None) -> FineCuts:
        """Learns both lists of cuts for each column."""
        columns = [np.ascontiguousarray(column) for column in X.T]
        self.numbers_ = columns
        self.coarse_ = [b.cut_points for b in fit_binning(self.discretize, columns, y, sample_weight)]
        self.ordered_ = EqualFrequency(self.bins).fit(X, sample_weight=sample_weight).cut_points_
        self.cut_points_ = [np.union1d(*both) for both in zip(self.coarse_, self.ordered_, strict=True)]
        return self


@dataclass(frozen=True)
class OrderedCodes:
    """From a table to the codes of a network's values and the ordered codes of its steps.

    Attributes:
        encoder: as every classifier's: what the network's values are.
        cuts: for each column the cuts of its steps, ascending; None where its values have no order. Numeric
            columns have an order, and so have columns of values that are all numbers.
    """

    encoder: TableEncoder
    cuts: list[Floats | None]

    @classmethod
    def fit(
        cls, encoder: TableEncoder, bins: int, X: Any, y: NDArray[Any], weights: Floats | None
    ) -> tuple[OrderedCodes, EncodedTable, dict[int, Floats]]:
        """Fits the encoder, and the cuts of at most `bins` steps.

        Gives them with the fine codes of X and the numbers of each column that the MDL rule cut.
        """
        discretize = encoder.discretize
        cutter = FineCuts(discretize, bins)
        if not (isinstance(discretize, str) and discretize == "none"):
            encoder.discretize = cutter
        try:
            fine = encoder.fit_transform(X, y, weights)
        finally:
            encoder.discretize = discretize
        cuts: list[Floats | None] = []
        numbers: dict[int, Floats] = {}
        columns, place = list(encoder.columns), 0
        for i, column in enumerate(encoder.columns):
            if column.binning is not None:
                columns[i] = replace(column, binning=Binning(cutter.coarse_[place]))
                cuts.append(cutter.ordered_[place])
                if isinstance(discretize, str) and discretize == "mdl":
                    numbers[i] = _spread(cutter.numbers_[place], fine, encoder.missing, weights)
                place += 1
            else:
                cuts.append(_cuts_of_levels(column.levels or (), fine.columns[i], weights, bins))
        coarse = copy(encoder)  # without what the encoder keeps for the fine columns
        coarse.columns = columns
        return cls(coarse, cuts), fine, numbers

    def by_quantiles(self, bins: int) -> OrderedCodes | None:
        """The same with numbers in so many bins, cut at some of their steps' cuts; None without numbers."""
        numbers = [i for i in self.stepped if self.encoder.columns[i].binning is not None]
        if not numbers:
            return None
        encoder = copy(self.encoder)
        encoder.columns = list(encoder.columns)
        for i in numbers:
            cuts = np.asarray(self.cuts[i])
            places = np.linspace(0, len(cuts) + 1, bins + 1)[1:-1].round().astype(int).clip(1, len(cuts))
            binning = Binning(cuts[np.unique(places) - 1])
            encoder.columns[i] = replace(encoder.columns[i], binning=binning)
        return OrderedCodes(encoder, self.cuts)

    @property
    def stepped(self) -> list[int]:
        """The columns that have ordered codes."""
        return [i for i, cuts in enumerate(self.cuts) if cuts is not None and len(cuts)]

    @cached_property
    def fine(self) -> TableEncoder:
        """The encoder that parts values at the cuts of both kinds."""
        fine = copy(self.encoder)
        pairs = zip(self.encoder.columns, self.cuts, strict=True)
        fine.columns = [_finer(encoding, cuts) for encoding, cuts in pairs]
        return fine

    def transform(self, X: Any) -> tuple[EncodedTable, EncodedTable | None]:
        """The codes of a table: of the network's values, and of the steps of the columns `stepped`."""
        return self.split(self.fine.transform(X))

    def split(
        self, fine: EncodedTable, by: OrderedCodes | None = None
    ) -> tuple[EncodedTable, EncodedTable | None]:
        """Fine codes, its own or those `by` another that has more cuts, as codes of values and of steps."""
        values, steps, sizes = [], [], []
        finer = (by or self).fine.columns
        for encoding, cuts, codes, binned in zip(
            self.encoder.columns, self.cuts, fine.columns, finer, strict=True
        ):
            missing_code = encoding.missing_code
            if encoding.binning is None or cuts is None or binned.binning is None:
                values.append(codes)
                below = np.empty(0, dtype=np.int64)
                if cuts is not None and len(cuts):
                    below = np.searchsorted(cuts, np.asarray(encoding.levels, dtype=np.float64))
            else:
                coarse = encoding.binning.cut_points
                ends = np.append(binned.binning.cut_points, np.inf)
                known = np.searchsorted(coarse, ends)
                unknown = int(np.iinfo(codes.dtype).max)
                recoded = _look_up(
                    codes, [*known, missing_code] if encoding.missing_level else known, encoding.dtype
                )
                recoded[codes == unknown] = np.iinfo(encoding.dtype).max
                values.append(recoded)
                below = np.searchsorted(cuts, ends)
            if cuts is not None and len(cuts):
                steps.append(_look_up(codes, below, np.dtype(np.uint8 if len(cuts) < 255 else np.uint32)))
                sizes.append(len(cuts) + 1)
        table = EncodedTable(values, [encoding.arity for encoding in self.encoder.columns])
        return table, EncodedTable(steps, sizes) if steps else None


def _look_up(codes: NDArray[Any], values: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    """values[code]; every code beyond them is missing."""
    lookup = np.append(np.asarray(values, dtype=np.int64), np.iinfo(dtype).max).astype(dtype)
    found: NDArray[Any] = lookup[np.minimum(codes, len(lookup) - 1)]
    return found


def _finer(encoding: ColumnEncoding, cuts: Floats | None) -> ColumnEncoding:
    if encoding.binning is None or cuts is None:
        return encoding
    return replace(encoding, binning=Binning(np.union1d(encoding.binning.cut_points, cuts)))


def _cuts_of_levels(
    levels: Sequence[Any], codes: NDArray[Any], weights: Floats | None, bins: int
) -> Floats | None:
    """The cuts of a column of values that are numbers in ascending order; two values need none."""
    if len(levels) < 3 or not all(map(is_number, levels)):
        return None
    values = np.asarray(levels, dtype=np.float64)
    if not (np.diff(values) > 0).all():
        return None
    known = codes < len(levels)
    rows = np.bincount(codes[known], None if weights is None else weights[known], minlength=len(levels))
    cuts: Floats = EqualFrequency(bins).fit(values[:, None], sample_weight=rows).cut_points_[0]
    return cuts


def _spread(values: Floats, fine: EncodedTable, missing: str, weights: Floats | None) -> Floats:
    """Numbers of the rows that an encoder learned from, spread over all rows: those left out have NaN."""
    kept = np.ones(fine.rows, dtype=np.bool_) if weights is None else weights > 0
    if missing == "drop":
        kept &= fine.complete_rows()
    spread = np.full(fine.rows, np.nan)
    spread[kept] = values
    return spread
