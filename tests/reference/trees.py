"""Spanning trees and branchings by trying all of them; orders and ancestors by walking.

A tree over n nodes is the list of the parents of its nodes, −1 at a root. w[i][j] is the weight of i → j.
"""

from functools import cache
from itertools import product


@cache
def all_trees(n: int) -> tuple[tuple[int, ...], ...]:
    """All n^(n−1) rooted trees over n ≤ 6 nodes, in lexicographic order of their parent lists."""
    assert 1 <= n <= 6
    candidates = product(*([parent for parent in range(-1, n) if parent != node] for node in range(n)))
    return tuple(tree for tree in candidates if tree.count(-1) == 1 and is_forest(tree))


def is_forest(tree) -> bool:
    """Whether walking up from every node ends at a root."""
    for node in range(len(tree)):
        for _ in range(len(tree)):
            node = tree[node] if node >= 0 else -1
        if node >= 0:
            return False
    return True


def weight(tree, w) -> float:
    """Σ w[parent][node] over the arcs."""
    return sum(w[parent][node] for node, parent in enumerate(tree) if parent >= 0)


def maximum_branching(w, root: int | None = None) -> tuple[int, ...]:
    """The tree of greatest total weight, over all roots or the given one: the first of them."""
    trees = [tree for tree in all_trees(len(w)) if root is None or tree[root] < 0]
    return max(trees, key=lambda tree: weight(tree, w))


def maximum_spanning_tree(w, root: int = 0) -> tuple[int, ...]:
    """The tree of greatest total weight directed away from `root`, for symmetric w."""
    return maximum_branching(w, root)


def kruskal(n: int, edges: list[tuple[float, int, int]]) -> list[tuple[int, int]]:
    """The maximum weighted forest of an undirected graph: heaviest edge first unless it closes a cycle.

    `edges` are (weight, i, j) with i < j; ties go to the lower i, then the lower j.
    """
    component = list(range(n))
    chosen = []
    for _, i, j in sorted(edges, key=lambda edge: (-edge[0], edge[1], edge[2])):
        if component[i] != component[j]:
            chosen.append((i, j))
            component = [component[i] if name == component[j] else name for name in component]
    return chosen


def direct_away(n: int, edges: list[tuple[int, int]], root: int = 0) -> list[int]:
    """The parents when the tree of `root` hangs from it, and every other tree from its lowest node."""
    parents = [None] * n
    for start in [root, *range(n)]:
        if parents[start] is not None:
            continue
        parents[start], stack = -1, [start]
        while stack:
            node = stack.pop()
            for i, j in edges:
                other = j if i == node else i if j == node else None
                if other is not None and parents[other] is None:
                    parents[other] = node
                    stack.append(other)
    return parents


def ancestors(tree, node: int) -> list[int]:
    """The proper ancestors, in ascending order."""
    found = []
    while tree[node] >= 0:
        node = tree[node]
        found.append(node)
    return sorted(found)


def depth(tree, node: int) -> int:
    """The number of proper ancestors."""
    return len(ancestors(tree, node))


def bfs_order(tree) -> list[int]:
    """The nodes by (depth, column index)."""
    return sorted(range(len(tree)), key=lambda node: (depth(tree, node), node))


def drop_non_positive(tree, w) -> list[int]:
    """The forest that is left when arcs of weight ≤ 0 go."""
    return [parent if parent >= 0 and w[parent][node] > 0 else -1 for node, parent in enumerate(tree)]
