"""Tables and trees as text: aligned columns, Markdown, and branches drawn with lines."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from tanager.escape import printable

__all__ = ["aligned", "branches", "column_parts", "markdown_table"]

Node = TypeVar("Node", bound=Hashable)


def aligned(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    sides: str = "l",
    rules: bool = True,
    width: int | None = None,
    keys: int = 1,
) -> list[str]:
    """The lines of a table, each column on its side.

    `sides` has "l" or "r" for the first columns; those after them stand on the right. Columns without any
    text are left out. With `rules`, lines stand above and below the header and at the end. Where the table is
    wider than `width`, it becomes several below each other, each of which begins with the first `keys`
    columns: nothing is cut.

    >>> print(*aligned(["name", "rows"], [["car", "1728"], ["iris", "150"]]), sep="\\n")
    ────  ────
    name  rows
    ────  ────
    car   1728
    iris   150
    ────  ────
    """
    lines = [[printable(cell) for cell in line] for line in (header, *rows)]
    widths = [max(len(cell) for cell in column) for column in zip(*lines, strict=True)]
    left = {place for place, side in enumerate(sides) if side == "l"}
    found: list[str] = []
    for part in column_parts(widths, width, keys):
        found += [""] if found else []
        found += _block(lines, [(place, widths[place]) for place in part if widths[place]], left, rules)
    return found


def column_parts(widths: Sequence[int], width: int | None, keys: int = 1) -> list[list[int]]:
    """Which columns stand beside each other within a width, two blanks apart; keys stand in each part.

    >>> column_parts([4, 10, 10, 10], 30)
    [[0, 1, 2], [0, 3]]
    """
    first, rest = list(range(keys)), list(range(keys, len(widths)))
    if width is None or not rest:
        return [first + rest]
    parts = [list(first)]
    for place in rest:
        wide = sum(widths[i] + 2 for i in parts[-1] if widths[i]) + widths[place]
        if wide > width and len(parts[-1]) > keys:
            parts.append(list(first))
        parts[-1].append(place)
    return parts


def _block(
    lines: Sequence[Sequence[str]], columns: Sequence[tuple[int, int]], left: set[int], rules: bool
) -> list[str]:
    texts = [
        "  ".join(line[i].ljust(w) if i in left else line[i].rjust(w) for i, w in columns).rstrip()
        for line in lines
    ]
    if not rules:
        return texts
    rule = "  ".join("─" * width for _, width in columns)
    return [rule, texts[0], rule, *texts[1:], rule]


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]], sides: str = "l") -> list[str]:
    """The lines of a Markdown table, sides as in `aligned`.

    >>> print(*markdown_table(["a", "b"], [["x|y", "1"]]), sep="\\n")
    | a | b |
    |:--|--:|
    | x\\|y | 1 |
    """
    bars = "|".join(":--" if side == "l" else "--:" for side in sides.ljust(len(header), "r"))
    head, *body = (
        "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in (header, *rows)
    )
    return [head, f"|{bars}|", *body]


def branches(
    roots: Sequence[Node], below: Mapping[Node, Sequence[Node]], label: Callable[[Node], str], top: str = ""
) -> list[str]:
    """The lines of a forest, first child first; roots stand at the margin, or hang below `top`.

    >>> print(*branches(["a"], {"a": ["b", "c"], "b": ["d"]}, str.upper), sep="\\n")
    A
    ├── B
    │   └── D
    └── C
    """
    lines = [printable(top)] if top else []

    def hung(nodes: Sequence[Node], indent: str) -> list[tuple[Node, str, str]]:
        """Each node with what stands before it and before those below it; the first comes last."""
        ends = [("├── ", "│   ")] * (len(nodes) - 1) + [("└── ", "    ")]
        found = [(node, indent + bend, indent + bar) for node, (bend, bar) in zip(nodes, ends, strict=False)]
        return found[::-1]

    # A stack of our own: a chain may be deeper than Python recurses.
    stack = hung(roots, "") if top else [(root, "", "") for root in reversed(roots)]
    while stack:
        node, branch, indent = stack.pop()
        lines.append(branch + printable(label(node)))
        stack += hung(below.get(node, ()), indent)
    return lines
