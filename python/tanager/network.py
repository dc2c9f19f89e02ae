"""The learned structure, by name: who depends on whom."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tanager.drawing import network_svg, plot_network
from tanager.escape import printable
from tanager.exceptions import DataError
from tanager.output import written
from tanager.text_table import branches

if TYPE_CHECKING:
    import networkx

__all__ = ["Network", "parents_first", "unlike"]


@dataclass(frozen=True)
class Network:
    """A network over attributes; the class, where there is one, is a parent of every node and not listed.

    Attributes:
        groups: the attributes of each node; more than one where they are joined. A dropped attribute
            is in none.
        parents: the attribute parents of each attribute, in a dictionary from name to names. Attributes that
            are joined share their parents; that they depend on each other is what `groups` says.
        class_name: what the class is called in drawings, or None for a density.

    >>> network = Network.build(["a", "b", "c"], [((0,), ()), ((1,), (0,)), ((2,), (0,))], "class")
    >>> network.edges
    [('a', 'b'), ('a', 'c')]
    >>> print(network)
    a
    ├── b
    └── c
    """

    groups: tuple[tuple[str, ...], ...]
    parents: dict[str, tuple[str, ...]]
    class_name: str | None = "class"

    @classmethod
    def build(
        cls,
        names: Sequence[str],
        nodes: Sequence[tuple[Sequence[int], Sequence[int]]],
        class_name: str | None = "class",
    ) -> Network:
        """From (members, parents) by position."""
        _check_structure(nodes)
        groups = tuple(tuple(names[member] for member in members) for members, _ in nodes)
        parents = {
            names[member]: tuple(names[parent] for parent in parents)
            for members, parents in nodes
            for member in members
        }
        return cls(groups, parents, class_name)

    @property
    def nodes(self) -> tuple[str, ...]:
        """The attributes that the network uses."""
        return tuple(self.parents)

    @property
    def edges(self) -> list[tuple[str, str]]:
        """(parent, child) of every arc between attributes."""
        return [(parent, child) for child, parents in self.parents.items() for parent in parents]

    @property
    def in_degrees(self) -> dict[str, int]:
        """The number of attribute parents of each attribute; the class is not counted.

        >>> Network.build(["a", "b", "c"], [((0,), ()), ((1,), (0,)), ((2,), (0, 1))]).in_degrees
        {'a': 0, 'b': 1, 'c': 2}
        """
        return {name: len(parents) for name, parents in self.parents.items()}

    def to_dot(self) -> str:
        """The network for Graphviz; the class and its arcs are grey, joined attributes share a box.

        Where an attribute is called as the class is, the class node has another id, but still its own label.

        >>> print(Network.build(["a", "b"], [((0,), ()), ((1,), (0,))], "kind").to_dot())
        digraph network {
          node [shape=box, style=rounded];
          "kind" [color=gray, fontcolor=gray];
          "a";
          "b";
          "kind" -> "a" [color=lightgray];
          "kind" -> "b" [color=lightgray];
          "a" -> "b";
        }
        """
        home = {name: _label(group) for group in self.groups for name in group}
        lines = ["digraph network {", "  node [shape=box, style=rounded];"]
        source = None
        if self.class_name is not None:
            free = unlike(self.class_name, set(map(_label, self.groups)))
            source = _quote(free)
            label = "" if free == self.class_name else f"label={_quote(self.class_name)}, "
            lines.append(f"  {source} [{label}color=gray, fontcolor=gray];")
        lines += [f"  {_quote(_label(group))};" for group in self.groups]
        if source is not None:
            lines += [f"  {source} -> {_quote(_label(group))} [color=lightgray];" for group in self.groups]
        arcs = dict.fromkeys((home[parent], home[child]) for parent, child in self.edges)
        lines += [f"  {_quote(parent)} -> {_quote(child)};" for parent, child in arcs]
        return "\n".join([*lines, "}"])

    def to_networkx(self) -> networkx.DiGraph[Any]:
        """A directed graph of networkx, the class included; joined attributes point at each other.

        The class is the node whose `role` is "class". It is called `class_name`, with primes after it where
        an attribute has that name.
        """
        import networkx

        graph: networkx.DiGraph[Any] = networkx.DiGraph()
        source = None if self.class_name is None else unlike(self.class_name, set(self.nodes))
        if source is not None:
            graph.add_node(source, role="class")
        for name in self.nodes:
            graph.add_node(name, role="attribute")
            if source is not None:
                graph.add_edge(source, name)
        graph.add_edges_from(self.edges)
        for group in self.groups:
            graph.add_edges_from((a, b) for a in group for b in group if a != b)
        return graph

    def to_svg(
        self, path: str | Path | None = None, *, width: float = 960.0, focus: str | None = None
    ) -> str:
        """The network as SVG text; written to `path` where one is given.

        Columns go by depth from left to right and are wrapped to the width. Further parents' arcs run between
        the boxes, never through one.

        Parameters:
            path: where to write it.
            width: the widest that the drawing may be, in pixels.
            focus: an attribute, to show it alone with its parents and children.

        >>> Network.build(["a", "b"], [((0,), ()), ((1,), (0,))]).to_svg().startswith("<svg")
        True
        """
        return written(network_svg(self._described(), self.class_name, width=width, focus=focus), path, "\n")

    def _repr_svg_(self) -> str:
        """What a notebook shows."""
        return self.to_svg()

    def plot(self, ax: Any = None, *, width: float = 960.0, focus: str | None = None) -> Any:
        """Draw what `to_svg` draws with matplotlib; returns the axes, new ones where none are given."""
        return plot_network(self._described(), self.class_name, ax=ax, width=width, focus=focus)

    def _described(self) -> dict[str, Any]:
        return {"nodes": self.nodes, "edges": self.edges, "groups": self.groups}

    def __str__(self) -> str:
        """A tree as a tree; where a node has several parents, one line for each node."""
        home = {name: group for group in self.groups for name in group}
        parent_groups = {
            group: tuple(dict.fromkeys(home[parent] for parent in self.parents[group[0]]))
            for group in self.groups
        }
        if any(len(parents) > 1 for parents in parent_groups.values()):
            return "\n".join(
                printable(_label(group) + (" ← " + ", ".join(map(_label, parents)) if parents else ""))
                for group, parents in parent_groups.items()
            )
        children: dict[tuple[str, ...], list[tuple[str, ...]]] = {group: [] for group in self.groups}
        for group, parents in parent_groups.items():
            for parent in parents:
                children[parent].append(group)
        roots = [group for group in self.groups if not parent_groups[group]]
        return "\n".join(branches(roots, children, _label))


def _label(group: tuple[str, ...]) -> str:
    return " × ".join(group)


def unlike(name: str, taken: Container[str]) -> str:
    """The name, with as many primes as make it unlike all others."""
    while name in taken:
        name += "′"
    return name


def _quote(name: str) -> str:
    lines = (printable(line).replace("\\", "\\\\").replace('"', '\\"') for line in name.split("\n"))
    escaped = "\\n".join(lines)
    return f'"{escaped}"'


def parents_first(nodes: Sequence[tuple[Sequence[int], Sequence[int]]]) -> list[int]:
    """Positions of nodes (members, parents), parents before children.

    >>> parents_first([((0,), (2,)), ((1,), (0,)), ((2,), ())])
    [2, 0, 1]
    """
    order: list[int] = []
    placed: set[int] = set()
    waiting = list(range(len(nodes)))
    while waiting:
        ready = [node for node in waiting if placed.issuperset(nodes[node][1])]
        order += ready
        placed.update(member for node in ready for member in nodes[node][0])
        waiting = [node for node in waiting if not placed.issuperset(nodes[node][0])]
    return order


def _check_structure(nodes: Any) -> None:
    """Every node has a column, no column has two nodes, and every parent has one."""
    members = [column for own, _ in nodes for column in own]
    if not all(own for own, _ in nodes) or len(set(members)) < len(members):
        raise DataError("a node has no column, or a column two nodes")
    strangers = {parent for _, parents in nodes for parent in parents} - set(members)
    if strangers:
        raise DataError(f"column {min(strangers)} is a parent but has no node")
