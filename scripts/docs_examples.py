"""Examples of docstrings as code: Markdown takes the >>> of a doctest for quotations within quotations."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

#: Lines from one that begins with >>> to the next empty one.
EXAMPLE = re.compile(r"^>>> .*(?:\n(?!\s*$).*)*", re.MULTILINE)


def fenced(text: str) -> str:
    """The text with every example in a fence; where one stands below another, both in one."""
    parts = EXAMPLE.sub(lambda found: f"```pycon\n{found[0]}\n```", text)
    return parts.replace("\n```\n\n```pycon\n", "\n\n")


class Examples(Extension):
    """Puts the examples of every docstring into fences."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)
