"""Classifiers and densities with scikit-learn's contract, one class per file.

Every file here is looked at: a class that names its `learner` is listed under it, in the order of the core's
registry. `__init__.pyi` shows the classes to type checkers.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil

from tanager.estimators.base import BayesianNetworkClassifier
from tanager.estimators.density import BayesianNetworkDensity
from tanager.registry import DENSITY_LEARNERS, LEARNERS


def _by_learner(base: type) -> dict[str, type]:
    modules = [
        importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)
    ]
    named = {
        vars(kind)["learner"]: kind
        for module in modules
        for kind in vars(module).values()
        if inspect.isclass(kind) and issubclass(kind, base) and isinstance(vars(kind).get("learner"), str)
    }
    return {name: named[name] for name in (*LEARNERS, *DENSITY_LEARNERS) if name in named}


#: Every classifier by its registered name.
CLASSIFIERS = _by_learner(BayesianNetworkClassifier)

#: Every density by the registered name of its learner.
DENSITIES = _by_learner(BayesianNetworkDensity)

_CLASSES = {kind.__name__: kind for kind in (*CLASSIFIERS.values(), *DENSITIES.values())}
globals().update(_CLASSES)

__all__ = sorted(_CLASSES)
