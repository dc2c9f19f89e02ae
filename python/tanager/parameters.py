"""Parameter estimators with their settings. A string gives the defaults: ``"laplace"`` is ``Laplace()``.

The classes are made from the core's registry; `parameters.pyi` shows them to type checkers.
"""

from __future__ import annotations

from tanager.specification import SPECIFICATIONS, Specification

_CLASSES = {kind.__name__: kind for kind in SPECIFICATIONS["parameters"].values()}
globals().update(_CLASSES)

__all__ = [*_CLASSES, "ParametersLike"]

ParametersLike = str | Specification
