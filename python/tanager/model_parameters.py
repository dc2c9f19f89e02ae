"""An estimator's parameters as plain JSON, and back: what cannot be written is not replaced in silence."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from tanager.data.discretise import EqualFrequency, EqualWidth, MDLDiscretizer
from tanager.data.plain_columns import ARRAY_KINDS, array_type
from tanager.exceptions import DataError, DataTypeError
from tanager.specification import SPECIFICATIONS, Specification

__all__ = ["Unsaved", "parameter_from_plain", "plain_parameter"]

_TRANSFORMERS = {kind.__name__: kind for kind in (EqualFrequency, EqualWidth, MDLDiscretizer)}


class Unsaved:
    """What a loaded model has for a parameter that its file could not hold: a new fit refuses it.

    >>> Unsaved("KFold(n_splits=3)")
    <not saved: KFold(n_splits=3)>
    """

    def __init__(self, shown: str) -> None:
        self.shown = shown

    def __repr__(self) -> str:
        return f"<not saved: {self.shown}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unsaved) and other.shown == self.shown

    def __hash__(self) -> int:
        return hash(self.shown)


def plain_parameter(value: Any, name: str) -> Any:
    """A parameter as JSON; a warning names one that has no such form.

    >>> plain_parameter(["a", 2], "categorical"), plain_parameter(EqualWidth(3), "discretize")
    (['a', 2], {'transformer': 'EqualWidth', 'parameters': {'bins': 3}})
    """
    try:
        return _plain(value)
    except TypeError:
        shown = value.shown if isinstance(value, Unsaved) else repr(value)
        warnings.warn(
            f"{name} = {shown} cannot be saved: the loaded model will predict as this one does, but before a "
            f"new fit {name} has to be set again.",
            UserWarning,
            stacklevel=3,
        )
        return {"shown": shown}


def parameter_from_plain(plain: Any) -> Any:
    """The parameter that `plain_parameter` wrote."""
    if isinstance(plain, list):
        return [parameter_from_plain(value) for value in plain]
    if not isinstance(plain, dict):
        return plain
    match plain:
        case {"kind": kind, "name": name, "settings": settings}:
            if name not in SPECIFICATIONS.get(kind, {}):
                raise DataError(f"unknown {kind} {name!r}")
            return SPECIFICATIONS[kind][name](**settings)
        case {
            "name": name,
            "settings": settings,
        }:  # a file from before kinds, which never held the score acll
            kind = "parameters" if name in SPECIFICATIONS["parameters"] else "score"
            return parameter_from_plain({**plain, "kind": kind})
        case {"transformer": name, "parameters": settings}:
            if name not in _TRANSFORMERS:
                raise DataError(f"unknown transformer {name!r}")
            return _TRANSFORMERS[name](**settings)
        case {"tuple": values}:
            return tuple(parameter_from_plain(value) for value in values)
        case {"set": values}:
            return {parameter_from_plain(value) for value in values}
        case {"array": values, "dtype": dtype}:
            return np.asarray(values, dtype=array_type(dtype, len(values)))
        case {"mapping": pairs}:
            return {parameter_from_plain(key): parameter_from_plain(value) for key, value in pairs}
        case {"shown": shown}:
            return Unsaved(str(shown))
    raise DataError(f"a parameter has the unknown form {sorted(plain)}")


def _plain(value: Any) -> Any:
    """JSON, or a TypeError."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, Specification) and SPECIFICATIONS[value.kind].get(value.name) is type(value):
        name, settings = value.specification()
        return {"kind": value.kind, "name": name, "settings": _plain_settings(settings)}
    if _TRANSFORMERS.get(type(value).__name__) is type(value):
        return {"transformer": type(value).__name__, "parameters": _plain_settings(value.get_params())}
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    if isinstance(value, tuple):
        return {"tuple": [_plain(entry) for entry in value]}
    if isinstance(value, set | frozenset):
        return {"set": sorted((_plain(entry) for entry in value), key=repr)}
    if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in ARRAY_KINDS:
        return {"array": [_plain(entry) for entry in value.tolist()], "dtype": value.dtype.str}
    if getattr(value, "ndim", None) == 1 and hasattr(value, "tolist"):  # as pandas.Index
        return [_plain(entry) for entry in value.tolist()]
    if isinstance(value, Mapping):
        return {"mapping": [[_plain(key), _plain(entry)] for key, entry in value.items()]}
    raise DataTypeError(f"{value!r} has no form in JSON")


def _plain_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _plain(value) for name, value in settings.items()}
