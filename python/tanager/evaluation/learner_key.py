"""What identifies an estimator in the cache: its class and every parameter, to the last digit."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["estimator_key", "is_described"]

# Parameters that say how to compute, not what.
_MANNERS = ("n_jobs", "progress")
# Packages whose code the cache's key covers, by their versions or as a whole.
_KNOWN = ("builtins", "numpy", "scipy", "sklearn", "tanager")
_SHORT = 20  # entries of an array that are written out


def estimator_key(estimator: Any) -> str:
    """The class and all parameters of an estimator, those of estimators within it included.

    Arrays are shown exactly or by a hash, since their own text rounds and abbreviates.

    >>> from sklearn.naive_bayes import CategoricalNB
    >>> estimator_key(CategoricalNB(alpha=0.5))[:50]
    'sklearn.naive_bayes.CategoricalNB(alpha=0.5, class'
    """
    parameters = ", ".join(f"{name}={_text(value)}" for name, value in _parameters(estimator))
    return f"{type(estimator).__module__}.{type(estimator).__qualname__}({parameters})"


def is_described(estimator: Any) -> bool:
    """Whether `estimator_key` and the versions of packages tell everything that a result depends on.

    They do not for a class of one's own or a function, whose code can change under the same name, nor for an
    object that only shows its address.

    >>> from tanager import TANClassifier
    >>> is_described(TANClassifier(score="bic")), is_described(TANClassifier(score=lambda counts: 0.0))
    (True, False)
    """
    return _is_known(estimator) and " at 0x" not in estimator_key(estimator)


def _parameters(estimator: Any) -> list[tuple[str, Any]]:
    found = sorted(estimator.get_params(deep=False).items())
    return [(name, value) for name, value in found if name not in _MANNERS]


def _is_known(value: Any) -> bool:
    if isinstance(value, list | tuple | set | frozenset):
        return all(_is_known(item) for item in value)
    if isinstance(value, Mapping):
        return all(_is_known(item) for pair in value.items() for item in pair)
    kind = value if isinstance(value, type) else type(value)
    if kind.__module__.partition(".")[0] not in _KNOWN:
        return False
    return not _is_estimator(value) or all(_is_known(item) for _, item in _parameters(value))


def _is_estimator(value: Any) -> bool:
    return hasattr(value, "get_params") and not isinstance(value, type)


def _text(value: Any) -> str:
    if isinstance(value, np.ndarray):
        if value.size <= _SHORT or value.dtype.hasobject:
            return f"array({value.tolist()!r}, {value.dtype})"
        digest = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()[:16]
        return f"array of shape {value.shape}, {value.dtype}, SHA-256 {digest}"
    if isinstance(value, list | tuple):
        return f"{type(value).__name__}({', '.join(map(_text, value))})"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_text(name)}: {_text(item)}' for name, item in value.items())}}}"
    return estimator_key(value) if _is_estimator(value) else repr(value)
