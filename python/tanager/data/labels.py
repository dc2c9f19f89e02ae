"""Class labels of any type, as codes."""

from __future__ import annotations

from typing import Any, Self

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite

from tanager import _core
from tanager.data.columns import (
    MOST_LEVELS,
    Factor,
    Numbers,
    RawColumn,
    as_array,
    from_array,
    sort_levels,
)
from tanager.data.series import from_series
from tanager.exceptions import DataError, own_errors

__all__ = ["LabelCodes"]


class LabelCodes:
    """The classes of a target, sorted, and the way from labels to codes and back.

    >>> labels = LabelCodes().fit(["spam", "ham", "spam"])
    >>> labels.classes_.tolist(), labels.codes_.tolist()
    (['ham', 'spam'], [1, 0, 1])
    """

    classes_: NDArray[Any]
    codes_: NDArray[np.uint32]

    def fit(self, y: Any) -> Self:
        """Learns the classes; `codes_` holds the codes of `y` itself."""
        raw, dtype = _raw(y)
        reading, present = _read(raw)
        order = present if isinstance(raw, Numbers) else sort_levels(present, "y")
        self.classes_ = _array(order, dtype)
        self._positions = {level: code for code, level in enumerate(order)}
        codes = reading.places(0)
        if present == order:
            self.codes_ = codes.astype(np.uint32)
        else:
            self.codes_ = np.array([self._positions[level] for level in present], dtype=np.uint32)[codes]
        return self

    @classmethod
    def of(cls, classes: NDArray[Any]) -> Self:
        """Labels whose classes are known, in the order of their codes."""
        labels = cls()
        labels.classes_ = classes
        labels._positions = {level: code for code, level in enumerate(classes.tolist())}
        return labels

    def encode(self, y: Any) -> NDArray[np.uint32]:
        """The codes of labels; a label unseen at fit is an error."""
        reading, levels = _read(_raw(y)[0])
        lookup = np.array([self._positions.get(level, -1) for level in levels], dtype=np.int64)
        places = reading.places(0)
        codes = lookup[places]
        unseen = np.flatnonzero(codes < 0)
        if len(unseen):
            label = levels[int(places[unseen[0]])]
            allowed = ", ".join(map(repr, list(self._positions)[:20]))
            raise DataError(f"y, row {unseen[0]}: label {label!r} was not seen at fit, allowed are {allowed}")
        return np.asarray(codes, dtype=np.uint32)


def _raw(y: Any) -> tuple[RawColumn, np.dtype[Any]]:
    """Labels as they are, and the type that `classes_` is to have."""
    raw: RawColumn
    series = nw.from_native(y, allow_series=True, eager_only=True, pass_through=True)
    if isinstance(series, nw.Series) and series.dtype.is_temporal():
        y = series.to_numpy()
    if isinstance(series, nw.Series) and not series.dtype.is_temporal():
        raw = from_series(series, "y")
        dtype = raw.values.dtype if isinstance(raw, Numbers) else np.dtype(object)
    else:
        y = as_array(y)
        with own_errors():
            array = column_or_1d(np.asarray(y) if not hasattr(y, "__array__") else y, warn=True)
        if isinstance(y, np.ma.MaskedArray):
            array = np.ma.MaskedArray(array, np.ma.getmaskarray(y).reshape(array.shape))
        raw = _from_times(array) if array.dtype.kind in "mM" else from_array(array, "y")
        dtype = array.dtype
    return raw, dtype


def _read(raw: RawColumn) -> tuple[_core.Reading, list[Any]]:
    """The labels after one pass over them, and those that occur."""
    if len(raw.handed()[0]) == 0:
        raise DataError("y is empty: Found array with 0 sample(s) while a minimum of 1 is required.")
    reading = _core.Reading([raw.handed()], [MOST_LEVELS])
    found = reading.levels()[0]
    if found is None:
        raise DataError(f"y has more than {MOST_LEVELS} distinct labels")
    values, has_missing = found
    if isinstance(raw, Numbers):
        # NaN and what is infinite are told as scikit-learn tells them.
        with own_errors():
            assert_all_finite(
                np.append(values, np.nan) if has_missing and not raw.integer else values,
                input_name="y",
            )
            if not raw.integer:
                check_classification_targets(values)
    if has_missing:
        row = int(np.flatnonzero(raw.missing_mask())[0])
        raise DataError(f"Input y contains NaN: row {row} has no label")
    return reading, values.tolist() if isinstance(raw, Numbers) else [raw.levels[i] for i in values.tolist()]


def _from_times(array: NDArray[Any]) -> Factor:
    """Dates, times of day and durations, which are labels but no attributes."""
    if isinstance(array, np.ma.MaskedArray):
        array = np.where(np.ma.getmaskarray(array), np.array("NaT", dtype=array.dtype), array.data)
    levels, codes = np.unique(array, return_inverse=True)
    missing = np.isnat(levels)
    codes[missing[codes]] = -1
    return Factor(codes, list(levels[~missing]))


def _array(levels: list[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    if dtype.kind == "O":
        array = np.empty(len(levels), dtype=object)
        array[:] = levels
        # Labels of one plain type get an array of that type, as scikit-learn's own classifiers have.
        if levels and all(type(level) is bool for level in levels):
            return array.astype(np.bool_)
        return array
    return np.array(levels, dtype=dtype)
