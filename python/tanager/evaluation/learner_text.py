"""Learners by name: ``bckg:k=2,score=mdl`` is a learner, two parameters and nothing else.

Grammar::

    specification = name [ ":" argument { "," argument } ]
    argument      = key "=" value
    value         = number | "true" | "false" | "none" | word | text in quotes | call
    call          = word "(" [ argument { "," argument } ] ")"

A word with parentheses is a score or parameter estimator with its own arguments, e.g.
``tan:score=bdeu(ess=10)``. What stands after the colon is what stands between the parentheses of a call in
Python, so that Python's own parser reads it.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from tanager.exceptions import DataError

__all__ = ["Call", "Value", "parse_learner"]


@dataclass(frozen=True)
class Call:
    """A name with arguments of its own, such as ``bdeu(ess=10)``, or a learner with its parameters."""

    name: str
    arguments: tuple[tuple[str, Value], ...] = ()


Value = int | float | bool | None | str | Call


def parse_learner(text: str) -> Call:
    """Parse a learner specification; a mistake is reported with its place.

    >>> parse_learner("bckg:k=2,score=mdl")
    Call(name='bckg', arguments=(('k', 2), ('score', 'mdl')))
    >>> parse_learner("tan:score=bdeu(ess=10)").arguments[0][1]
    Call(name='bdeu', arguments=(('ess', 10),))
    """
    name, colon, rest = text.strip().partition(":")
    if not re.fullmatch(r"[A-Za-z_][\w.\-]*", name):
        raise DataError(f"learner {text!r} does not begin with a name, as 'bckg:k=2,score=mdl' does")
    if not colon:
        return Call(name)
    if not rest.strip():
        raise DataError(f"learner {text!r} has a colon but no parameters after it")
    call = f"f({rest})"
    try:
        parsed = ast.parse(call, mode="eval").body
    except SyntaxError as error:
        if "never closed" in error.msg or "unmatched" in error.msg:
            raise DataError(f"learner {text!r}: the parentheses do not match") from None
        place = max((error.offset or 1) + len(name) - 1, 1)
        raise DataError(
            f"learner {text!r}, character {place}: this is not of the form parameter=value ({error.msg})"
        ) from None
    except (ValueError, RecursionError, MemoryError):
        raise DataError(f"learner {text!r}: the parameters are not of the form parameter=value") from None
    if not isinstance(parsed, ast.Call) or not isinstance(parsed.func, ast.Name):
        raise DataError(f"learner {text!r}: the parentheses do not match")
    return Call(name, _arguments(parsed, call, text))


def _arguments(call: ast.Call, source: str, whole: str) -> tuple[tuple[str, Value], ...]:
    found: dict[str, Value] = {}
    for plain in call.args:
        raise DataError(f"learner {whole!r}: {_text(plain, source)!r} is not of the form parameter=value")
    for argument in call.keywords:
        if argument.arg is None:
            raise DataError(f"learner {whole!r}: ** is not of the form parameter=value")
        if argument.arg in found:
            raise DataError(f"learner {whole!r}: parameter {argument.arg!r} is given twice")
        found[argument.arg] = _value(argument.value, source, whole)
    return tuple(found.items())


def _text(node: ast.expr, source: str) -> str:
    return ast.get_source_segment(source, node) or ""


def _value(node: ast.expr, source: str, whole: str) -> Value:
    if isinstance(node, ast.Call):
        if not isinstance(node.func, ast.Name):
            raise DataError(
                f"learner {whole!r}: {_text(node, source)!r} is not of the form name(parameter=value)"
            )
        return Call(node.func.id, _arguments(node, source, whole))
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    text = _text(node, source)
    if text.lower() in ("true", "false", "none"):
        return {"true": True, "false": False}.get(text.lower())
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
