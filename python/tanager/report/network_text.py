"""A learned network as a text tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tanager.text_table import branches

__all__ = ["text_tree", "tree_parents"]


def tree_parents(network: Mapping[str, Any]) -> dict[str, str]:
    """For every attribute with parents, the one it hangs under in a drawing: the strongest.

    The other parents are drawn beside it; hanging every node under one of its own parents keeps the drawing
    acyclic.
    """
    strengths = network.get("strengths") or [0.0] * len(network["edges"])
    group = {name: index for index, names in enumerate(network.get("groups", [])) for name in names}
    best: dict[str, tuple[float, str]] = {}
    for (parent, child), strength in zip(network["edges"], strengths, strict=True):
        together = parent in group and group[parent] == group.get(child)
        if not together and (child not in best or strength > best[child][0]):
            best[child] = (strength, parent)
    return {child: parent for child, (_, parent) in best.items()}


def text_tree(network: Mapping[str, Any], class_name: str = "class") -> str:
    """The network as an indented tree below its class; further parents stand in brackets.

    >>> print(text_tree({"nodes": ["a", "b", "c"], "edges": [["a", "b"], ["a", "c"], ["b", "c"]],
    ...                  "strengths": [0.5, 0.2, 0.1], "groups": []}))
    class
    └── a
        ├── b  0.500
        └── c  0.200  (also b 0.100)
    """
    strengths = dict(
        zip(
            [tuple(edge) for edge in network["edges"]],
            network.get("strengths") or [None] * len(network["edges"]),
            strict=True,
        )
    )
    joined = {name: group for group in network.get("groups", []) if len(group) > 1 for name in group}
    names = [str(name) for name in network["nodes"] if name not in joined or joined[name][0] == name]
    hung = {child: parent for child, parent in tree_parents(network).items() if child in names}
    hung = {child: joined[parent][0] if parent in joined else parent for child, parent in hung.items()}

    def described(name: str) -> str:
        label = " × ".join(joined[name]) if name in joined else name
        over = hung.get(name)
        if over is None:
            return label
        strength = strengths.get((over, name))
        text = label if strength is None else f"{label}  {strength:.3f}"
        group = {*joined.get(over, [over]), *joined.get(name, [])}
        others = [edge for edge in strengths if edge[1] == name and edge[0] not in group]
        if others:
            also = ", ".join(
                p if strengths[p, name] is None else f"{p} {strengths[p, name]:.3f}" for p, _ in others
            )
            text += f"  (also {also})"
        return text

    below: dict[str, list[str]] = {}
    for child in names:
        if child in hung:
            below.setdefault(hung[child], []).append(child)
    roots = [name for name in names if name not in hung]
    return "\n".join(branches(roots, below, described, class_name))
