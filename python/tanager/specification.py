"""What scores and parameter estimators have in common: a registered name and settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, make_dataclass
from typing import Any, ClassVar, Literal

from tanager.registry import PARAMETERS, SCORES, About

__all__ = ["SPECIFICATIONS", "Specification", "docstring"]


@dataclass(frozen=True)
class Specification:
    """A registered name with its settings, as the core takes it."""

    #: What it is: a score or parameters. Each has names of its own.
    kind: ClassVar[str]
    name: ClassVar[str]

    def specification(self) -> tuple[str, dict[str, Any]]:
        """The registered name and the settings."""
        return self.name, asdict(self)


def _specification(kind: str, about: About, module: str) -> type[Specification]:
    """The class of a registered name, with its settings as fields."""
    types = {"Literal": Literal}
    fields = [
        # The annotations are ours, from the registry.
        (one.name, eval(one.annotation, types), field(default=one.default))
        for one in about.settings
    ]
    space = {"kind": kind, "name": about.name, "__doc__": docstring(about)}
    made = make_dataclass(about.title, fields, bases=(Specification,), namespace=space, frozen=True)
    made.__module__ = module  # where pickle looks for it; Python 3.12 and later take the caller's for it
    return made


def docstring(about: About) -> str:
    """What the registry tells, as the docstring of a class."""
    text = [f"{about.summary[0].upper()}{about.summary[1:]}.", "", about.formula, ""]
    settings = [f"    {one.name}: {one.summary}." for one in about.settings]
    return "\n".join([*text, "Parameters:", *settings] if settings else text[:-1])


#: The classes of scores and parameter estimators by kind and name, which `tanager.scores` and
#: `tanager.parameters` show. Each kind has names of its own: there is a score and an estimator acll.
SPECIFICATIONS: Mapping[str, Mapping[str, type[Specification]]] = {
    "score": {about.name: _specification("score", about, "tanager.scores") for about in SCORES.values()},
    "parameters": {
        about.name: _specification("parameters", about, "tanager.parameters") for about in PARAMETERS.values()
    },
}
