"""Settings of a score or of parameters by scikit-learn's names for what lies within: `score__ess`."""

from __future__ import annotations

from dataclasses import asdict, fields, replace
from typing import Any, Self

from tanager.exceptions import DataError
from tanager.specification import SPECIFICATIONS, Specification

__all__ = ["NestedSettings"]


class NestedSettings:
    """`get_params` and `set_params` that reach into `score` and `parameters`, for grids of their settings.

    A score or an estimator that is a name counts as the object of its defaults. Objects are never changed: a
    setting gives the learner a new one.

    >>> from tanager import TANClassifier
    >>> model = TANClassifier(score="bdeu").set_params(score__ess=10.0)
    >>> model.get_params()["score"], model.get_params()["score__ess"]
    (BDeu(ess=10.0), 10.0)
    """

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name, with those of `score` and `parameters` where `deep`."""
        params: dict[str, Any] = super().get_params(deep)  # type: ignore[misc]
        if deep:
            for kind in SPECIFICATIONS:
                inner = _specification(kind, self.__dict__.get(kind))
                params |= {} if inner is None else {f"{kind}__{n}": v for n, v in asdict(inner).items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Sets parameters; `score__ess` is the setting `ess` of the score."""
        nested = {name: value for name, value in params.items() if name.partition("__")[0] in SPECIFICATIONS}
        nested = {name: value for name, value in nested.items() if "__" in name}
        super().set_params(**{n: v for n, v in params.items() if n not in nested})  # type: ignore[misc]
        for name, value in nested.items():
            kind, _, setting = name.partition("__")
            inner = _specification(kind, self.__dict__.get(kind))
            known = [] if inner is None else [field.name for field in fields(inner)]
            if inner is None or setting not in known:
                has = ", ".join(known) or "no settings"
                owner = f"{kind} = {self.__dict__.get(kind)!r} of {type(self).__name__}"
                raise DataError(f"{owner} has no setting {setting!r}; it has {has}")
            self.__dict__[kind] = replace(inner, **{setting: value})
        return self


def _specification(kind: str, value: Any) -> Specification | None:
    """A score or estimator as an object: the one it is, or the one that a name stands for."""
    if isinstance(value, Specification):
        return value
    named = SPECIFICATIONS[kind].get(value.lower()) if isinstance(value, str) else None
    return None if named is None else named()
