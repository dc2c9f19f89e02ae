"""What the core has registered: scores, parameter estimators and learners, with all there is to tell.

Everything else iterates this: the objects of `tanager.scores` and `tanager.parameters`, the classes of
`tanager.estimators`, the command line, `compare`, the tables of the documents, and the tests.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from tanager import _core

__all__ = ["DENSITY_LEARNERS", "LEARNERS", "PARAMETERS", "SCORES", "About", "Setting"]


@dataclass(frozen=True)
class Setting:
    """A setting: its name, what it may be, what it is unless given, and one line about it."""

    name: str
    domain: str
    words: tuple[str, ...]
    default: Any
    summary: str

    @property
    def annotation(self) -> str:
        """Its type, as Python writes it.

        >>> SCORES["bde"].settings[1].annotation
        "Literal['uniform', 'empirical']"
        """
        kind, _, none = self.domain.partition(" or ")
        if kind == "word":
            return f"Literal[{', '.join(map(repr, self.words))}]" + (" | None" if none else "")
        written = {"number": "float", "whole": "int", "flag": "bool", "column": "int | str | None"}.get(
            kind, "list[list[int]]"
        )
        return f"{written} | None" if none else written


@dataclass(frozen=True)
class About:
    """What there is to tell about something registered."""

    name: str
    title: str
    summary: str
    formula: str
    settings: tuple[Setting, ...]
    needs: frozenset[str]
    score_equivalent: bool = False

    def words(self, setting: str) -> tuple[str, ...]:
        """The words that a setting may be.

        >>> LEARNERS["wnb"].words("weights")
        ('wanbia', 'awnb', 'manb')
        """
        return next(one.words for one in self.settings if one.name == setting)

    @property
    def counts_suffice(self) -> bool:
        """Whether a learner looks at the rows through counts alone.

        >>> [name for name, learner in LEARNERS.items() if not learner.counts_suffice]
        ['fss', 'fssj', 'bsej', 'asb', 'tanhc', 'wnb', 'ekdb', 'refined']
        """
        return not self.needs & {"accuracy", "rows"}

    @property
    def pairs_suffice(self) -> bool:
        """Whether a learner needs no tables of more than two columns and the class: `Statistics` hold enough.

        As it is unless told otherwise: pairs of super-parents need more.

        >>> [name for name, learner in LEARNERS.items() if learner.pairs_suffice]
        ['nb', 'tan', 'stan', 'ffss', 'atan', 'aode']
        """
        return self.counts_suffice and "families" not in self.needs


def _told(entry: Mapping[str, Any]) -> About:
    settings = tuple(Setting(**one | {"words": tuple(one["words"])}) for one in entry["settings"])
    return About(**{**entry, "settings": settings, "needs": frozenset(entry["needs"])})


def _by_name(kind: str) -> Mapping[str, About]:
    return MappingProxyType({entry["name"]: _told(entry) for entry in _REGISTRY[kind]})


_REGISTRY = _core.registry()

#: Every score by name.
SCORES = _by_name("score")
#: Every parameter estimator by name.
PARAMETERS = _by_name("parameters")
#: Every learner of classifiers, and of densities unless it needs a class, by name.
LEARNERS = _by_name("learner")
#: Everything that learns densities only, by name.
DENSITY_LEARNERS = _by_name("density")
