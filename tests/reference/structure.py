"""What a learner returns: nodes of attributes and their parents, the class implicit."""

from typing import NamedTuple


class Node(NamedTuple):
    """The attributes of a node (several where they are joined) and the attributes it depends on."""

    members: tuple[int, ...]
    parents: tuple[int, ...]


Structure = list[Node]


def from_parents(parents) -> Structure:
    """One node per attribute with the given attribute parents."""
    return [Node((i,), tuple(pi)) for i, pi in enumerate(parents)]


def from_tree(tree) -> Structure:
    """One node per attribute, its parent that of the tree (−1: none)."""
    return from_parents([[parent] if parent >= 0 else [] for parent in tree])


def from_groups(groups) -> Structure:
    """Independent compound nodes; an attribute in no group has no node."""
    return [Node(tuple(group), ()) for group in groups]


def parent_lists(structure: Structure) -> list[list[int]]:
    """The attribute parents of each attribute, for structures without joins and without drops."""
    return [list(node.parents) for node in sorted(structure)]


def is_acyclic(structure: Structure) -> bool:
    """Whether the nodes can be removed one after the other, each after all its parents."""
    waiting = list(structure)
    done: set[int] = set()
    while waiting:
        ready = [node for node in waiting if set(node.parents) <= done]
        if not ready:
            return False
        done.update(member for node in ready for member in node.members)
        waiting = [node for node in waiting if node not in ready]
    return True
