"""Learners by name: ``bckg:k=2,score=mdl`` is a learner, two parameters and nothing else.

Grammar::

    specification = name [ ":" argument { "," argument } ]
    argument      = key "=" value
    value         = number | "true" | "false" | "none" | word | word "(" argument { "," argument } ")"

A word with parentheses is a score or parameter estimator with its own arguments, e.g.
``tan:score=bdeu(ess=10)``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Call", "LearnerText", "Value", "parse_learner"]


@dataclass(frozen=True)
class Call:
    """A name with arguments of its own, such as ``bdeu(ess=10)``."""

    name: str
    arguments: tuple[tuple[str, Value], ...] = ()


Value = int | float | bool | None | str | Call


@dataclass(frozen=True)
class LearnerText:
    """A parsed learner specification."""

    name: str
    arguments: tuple[tuple[str, Value], ...] = ()


_WORD = re.compile(r"[A-Za-z_][\w.\-]*")


def parse_learner(text: str) -> LearnerText:
    """Parse a learner specification; a mistake is reported with its place.

    >>> parse_learner("bckg:k=2,score=mdl")
    LearnerText(name='bckg', arguments=(('k', 2), ('score', 'mdl')))
    >>> parse_learner("tan:score=bdeu(ess=10)").arguments[0][1]
    Call(name='bdeu', arguments=(('ess', 10),))
    """
    name, colon, rest = text.strip().partition(":")
    if not _WORD.fullmatch(name):
        raise ValueError(f"learner {text!r} does not begin with a name, as 'bckg:k=2,score=mdl' does")
    if colon and not rest.strip():
        raise ValueError(f"learner {text!r} has a colon but no parameters after it")
    return LearnerText(name, _arguments(rest, text) if colon else ())


def _arguments(text: str, whole: str) -> tuple[tuple[str, Value], ...]:
    found: dict[str, Value] = {}
    for part in _split(text, whole):
        key, equals, value = part.partition("=")
        key = key.strip()
        if not equals or not key.isidentifier() or not value.strip():
            raise ValueError(f"learner {whole!r}: {part.strip()!r} is not of the form parameter=value")
        if key in found:
            raise ValueError(f"learner {whole!r}: parameter {key!r} is given twice")
        found[key] = _value(value.strip(), whole)
    return tuple(found.items())


def _split(text: str, whole: str) -> list[str]:
    """Split at the commas that stand outside parentheses."""
    parts, depth, start = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            break
        if letter == "," and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    if depth:
        raise ValueError(f"learner {whole!r}: the parentheses do not match")
    return [*parts, text[start:]]


def _value(text: str, whole: str) -> Value:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if text.lower() == "none":
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    name, parenthesis, rest = text.partition("(")
    if parenthesis:
        if not _WORD.fullmatch(name) or not rest.endswith(")"):
            raise ValueError(f"learner {whole!r}: {text!r} is not of the form name(parameter=value)")
        inner = rest[:-1].strip()
        return Call(name, _arguments(inner, whole) if inner else ())
    return text
