"""Columns of pyarrow: dictionaries by their codes, text by its bytes."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tanager import _core
from tanager.data.columns import Factor, LazyLevels, Level, Numbers, RawColumn, is_missing
from tanager.exceptions import DataError

__all__ = ["from_arrow", "from_arrow_dictionary", "quick_arrow"]

_PLAIN_ARROW = frozenset(
    ["float", "double", *(f"{u}int{bits}" for u in ("", "u") for bits in (8, 16, 32, 64))]
)


def quick_arrow(chunked: Any, fitted: bool) -> RawColumn | None:
    if chunked.num_chunks == 1 and not chunked.null_count and str(chunked.type) in _PLAIN_ARROW:
        return Numbers(chunked.chunk(0).to_numpy())
    if type(chunked.type).__name__ != "DictionaryType":
        return None
    if fitted and chunked.num_chunks == 1:
        chunk = chunked.chunk(0)
        dictionary, indices = chunk.dictionary, chunk.indices
        # By value, so that a value may be there twice; NaN and null are another matter.
        if not (dictionary.null_count or indices.null_count) and "string" in str(dictionary.type):
            levels = LazyLevels(dictionary, partial(_values, dictionary))
            return Factor(indices.to_numpy(), levels, True, _Dictionary(dictionary))
    return from_arrow_dictionary(chunked, declared=True)


def from_arrow(native: Any, declared: bool = False) -> RawColumn:
    """An array, in chunks or not, of strings, or of anything that pyarrow has a dictionary for."""
    if str(native.type) in ("string", "large_string"):
        return _from_arrow_strings(native)
    return from_arrow_dictionary(native if declared else native.dictionary_encode(), declared)


def from_arrow_dictionary(encoded: Any, declared: bool) -> Factor:
    if getattr(encoded, "num_chunks", None) == 1:
        encoded = encoded.chunk(0)
    elif hasattr(encoded, "num_chunks"):
        if any(chunk.dictionary.null_count for chunk in encoded.chunks):
            return _from_chunks(
                [_from_dictionary(chunk, declared) for chunk in encoded.chunks],
                declared,
            )
        encoded = _one_array(encoded.unify_dictionaries())
    return _from_dictionary(encoded, declared)


def _from_chunks(chunks: list[Factor], declared: bool) -> Factor:
    """Chunks with dictionaries that pyarrow cannot unify: those with nulls."""
    position: dict[Level, int] = {}
    codes = [
        np.array([*(position.setdefault(level, len(position)) for level in chunk.levels), -1])[chunk.codes]
        for chunk in chunks
    ]
    return Factor(np.concatenate(codes), list(position), declared)


def _from_dictionary(encoded: Any, declared: bool) -> Factor:
    indices = encoded.indices
    if str(indices.type).startswith("uint") and indices.null_count:  # which has no room for −1
        indices = indices.cast({"uint8": "int16", "uint16": "int32"}.get(str(indices.type), "int64"))
    codes = indices.fill_null(-1).to_numpy() if indices.null_count else indices.to_numpy()
    return _without_repeats(codes, encoded.dictionary, declared)


class _Dictionary:
    """Equal where an Arrow dictionary lies in the same memory, which does not change while this lives."""

    def __init__(self, dictionary: Any) -> None:
        self._kept = dictionary
        addresses = [None if buffer is None else buffer.address for buffer in dictionary.buffers()]
        self._key = (
            str(dictionary.type),
            dictionary.offset,
            len(dictionary),
            *addresses,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Dictionary) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


def _without_repeats(codes: NDArray[Any], dictionary: Any, declared: bool) -> Factor:
    """An Arrow dictionary may hold nulls, which are missing values, and a value twice, which is one value."""
    count = len(dictionary)
    sound = not dictionary.null_count and str(dictionary.type) in ("string", "large_string")
    if sound and len(dictionary.unique()) == count:
        levels = LazyLevels(dictionary, partial(_values, dictionary))
        return Factor(codes, levels, declared, _Dictionary(dictionary))
    values = _values(dictionary)
    position: dict[Level, int] = {}
    lookup = [-1 if is_missing(value) else position.setdefault(value, len(position)) for value in values]
    if len(position) == count:
        return Factor(codes, values, declared)
    return Factor(np.array([*lookup, -1], dtype=np.int64)[codes], list(position), declared)


def _values(array: Any) -> list[Any]:
    """The values of an array. Text need not be any: whoever reads a file takes its bytes as they come."""
    if str(array.type).startswith("duration"):  # to Python they would lose nanoseconds
        return list(array.to_numpy(zero_copy_only=False))
    try:
        found: list[Any] = array.to_pylist()
    except UnicodeDecodeError as error:
        raise DataError(f"{error.object[:40]!r} in a column of text is not UTF-8") from None
    return found


def _one_array(chunked: Any) -> Any:
    combined = chunked.combine_chunks()
    return combined.chunk(0) if hasattr(combined, "num_chunks") else combined  # older pyarrow keeps one chunk


def _from_arrow_strings(native: Any) -> Factor:
    array = native
    if hasattr(native, "num_chunks"):
        # Together, chunks may have more bytes than 32 bits can number.
        array = native.chunk(0) if native.num_chunks == 1 else _one_array(native.cast("large_string"))
    _, offsets, data = array.buffers()
    width: Any = np.int32 if str(array.type) == "string" else np.int64
    places = np.zeros(1, dtype=width) if offsets is None else np.frombuffer(offsets, dtype=width)
    if not places.flags.aligned:  # what came in a message may lie anywhere
        places = places.copy()
    codes, first = _core.factorize_arrow(
        np.empty(0, dtype=np.uint8) if data is None else np.frombuffer(data, dtype=np.uint8),
        places[array.offset : array.offset + len(array) + 1],
        array.is_null().to_numpy(zero_copy_only=False) if array.null_count else None,
    )
    return Factor(codes, _values(array.take(first)))
