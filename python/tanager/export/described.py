"""A fitted network as plain variables, states and tables, from which every export is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tanager.exceptions import DataError
from tanager.network import parents_first, unlike

__all__ = ["DescribedNetwork", "Variable", "identifiers"]


@dataclass(frozen=True)
class Variable:
    """One variable of a network: the class, an attribute, or joined attributes as one variable of tuples.

    Attributes:
        name: unlike those of all other variables.
        states: its values as text, each unlike the others.
        parents: positions of its parents among the network's variables; the class, where it is one, first.
        table: P(state | parents): one axis per parent in their order, then the state.
        columns: the positions of its attributes; none for the class.
    """

    name: str
    states: tuple[str, ...]
    parents: tuple[int, ...]
    table: NDArray[np.float64]
    columns: tuple[int, ...] = ()


@dataclass(frozen=True)
class DescribedNetwork:
    """All variables of a classifier's network, parents before children; the class is the first.

    Attributes:
        variables: the class, then the nodes.
        encodings: how the values of each attribute become codes; see `TableEncoder.columns`.
        labels: the class labels themselves.
    """

    variables: tuple[Variable, ...]
    encodings: tuple[Any, ...]
    labels: tuple[Any, ...]

    @classmethod
    def of(cls, model: Any, class_name: str) -> DescribedNetwork:
        """The network of a fitted classifier."""
        encodings = tuple(model.encoder_.columns)
        nodes = model.model_.nodes
        prior = np.exp(model.model_.log_prior) if model.class_prior_ is None else model.class_prior_
        class_name = unlike(
            class_name, {" × ".join(encodings[i].name for i in members) for members, _ in nodes}
        )
        labels = tuple(model.classes_.tolist())
        variables = [
            Variable(class_name, _distinct(map(str, labels)), (), np.asarray(prior, dtype=np.float64))
        ]
        order, place_of = parents_first(nodes), {}
        for position, node in enumerate(order, start=1):
            place_of.update(dict.fromkeys(nodes[node][0], position))
        for node in order:
            members, parents = nodes[node]
            variables.append(
                _variable(encodings, nodes, members, parents, place_of, model.model_.table(node))
            )
        return cls(tuple(variables), encodings, labels)


def _variable(
    encodings: Sequence[Any],
    nodes: Sequence[tuple[Sequence[int], Sequence[int]]],
    members: Sequence[int],
    parents: Sequence[int],
    place_of: dict[int, int],
    log_theta: NDArray[np.float64],
) -> Variable:
    homes = tuple(dict.fromkeys(place_of[parent] for parent in parents))
    columns = {place_of[other[0]]: tuple(other) for other, _ in nodes}
    wanted = [column for home in homes for column in columns[home]]
    if sorted(wanted) != sorted(parents):
        name = encodings[members[0]].name
        raise DataError(f"{name!r} depends on a part of joined attributes, which one variable cannot express")
    # Axes come as parents, members, class: to class, parents' variables, states of the node.
    axes = [len(parents) + len(members), *(list(parents).index(column) for column in wanted)]
    axes += [len(parents) + i for i in range(len(members))]
    sizes = [int(np.prod([encodings[c].arity for c in columns[home]])) for home in homes]
    table = np.exp(log_theta).transpose(axes).reshape(log_theta.shape[-1], *sizes, -1)
    return Variable(
        " × ".join(encodings[i].name for i in members),
        _states(encodings, members),
        (0, *homes),
        table / table.sum(axis=-1, keepdims=True),
        tuple(members),
    )


def _states(encodings: Sequence[Any], members: Sequence[int]) -> tuple[str, ...]:
    """The values of an attribute, or the tuples of several, the last one fastest."""
    texts = [""]
    for place, member in enumerate(members):
        own = encodings[member].texts
        texts = [f"{text}, {value}" if place else value for text in texts for value in own]
    return _distinct([f"({text})" for text in texts] if len(members) > 1 else texts)


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    """The same texts with primes where two are equal: 1 and "1" are two values."""
    found: dict[str, None] = {}
    for text in texts:
        found[unlike(text, found)] = None
    return tuple(found)


def identifiers(texts: Iterable[str], first: str) -> tuple[str, ...]:
    """Words of ASCII letters, digits and underscores, each unlike the others, for formats that take no more.

    >>> identifiers(["5more", "5-more", "low", "ümit"], "v")
    ('v5more', 'v5_more', 'low', 'v_mit')
    """
    found: list[str] = []
    for text in texts:
        word = re.sub(r"[^A-Za-z0-9_]+", "_", text)
        word = word if re.match(r"[A-Za-z]", word) else f"{first}{word}"
        unique, number = word, 2
        while unique in found:
            unique, number = f"{word}_{number}", number + 1
        found.append(unique)
    return tuple(found)
