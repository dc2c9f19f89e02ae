"""Networks of which the structure, or the order of the attributes, is known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Unpack

from tanager.estimators.base import BayesianNetworkClassifier, ClassifierSettings
from tanager.estimators.score_attribute import ScoreMaximizing
from tanager.exceptions import DataError, DataTypeError
from tanager.parameters import ParametersLike
from tanager.scores import ScoreLike
from tanager.settings import column_position

__all__ = ["NetworkClassifier"]


class NetworkClassifier(ScoreMaximizing, BayesianNetworkClassifier):
    """A structure that is given, or the best one for a given order; its tables are learned.

    With `parents` every attribute depends on the class and on the given attributes. With `order` it depends
    on the class and on the best at most k of the attributes before it: of all graphs whose arcs follow the
    order, this one scores highest. Without either, the order is that of the columns.

    Parameters:
        parents: the attribute parents by attribute, columns by name or position; an attribute that is not
            named has none. The arcs may not form a cycle.
        order: all columns, by name or position, parents before children.
        k: the most attribute parents of the graph of an order.
        score: what the structure maximises: a name or an object of `tanager.scores`, as "bic" or BDeu(10), or
            any function of a table of counts. Given parents are scored by it, too.
        parameters: how the tables are estimated: a name or an object of `tanager.parameters`, as "laplace" or
            Laplace(0.5).
        progress: called now and then with the families searched and expected.
        **settings: those of `BayesianNetworkClassifier`.

    >>> from tanager import NetworkClassifier
    >>> X = [[a, b, a ^ b] for a in (0, 1) for b in (0, 1)] * 20
    >>> y = [0, 1] * 40
    >>> NetworkClassifier(parents={"x2": ["x0", "x1"]}).fit(X, y).network_.edges
    [('x0', 'x2'), ('x1', 'x2')]
    >>> NetworkClassifier(order=["x2", "x1", "x0"], score="ll").fit(X, y).network_.edges
    [('x2', 'x0')]
    """

    learner = "network"

    def __init__(
        self,
        parents: Mapping[Any, Iterable[str | int]] | None = None,
        order: Iterable[str | int] | None = None,
        k: int = 2,
        score: ScoreLike = "bic",
        parameters: ParametersLike = "dirichlet",
        *,
        progress: Callable[[int, int], object] | None = None,
        **settings: Unpack[ClassifierSettings],
    ) -> None:
        super().__init__(**settings)
        self.parents = parents
        self.order = order
        self.k = k
        self.score = score
        self.parameters = parameters
        self.progress = progress

    def _settings(self, names: list[str]) -> dict[str, Any]:
        if self.parents is not None and self.order is not None:
            raise DataError("parents and order are both given: parents leave nothing to be ordered")
        settings = super()._settings(names)
        if self.parents is not None:
            settings["parents"] = _parents(self.parents, names)
        if self.order is not None:
            order = positions(self.order, names, "order")
            absent = [name for place, name in enumerate(names) if place not in order]
            if absent:
                raise DataError(f"the order lacks {', '.join(absent)}: it names every column once")
            settings["order"] = [order]
        return settings


def positions(columns: Any, names: list[str], setting: str) -> list[int]:
    """Columns by name or position, each once, as positions."""
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        raise DataTypeError(f"{setting} = {columns!r} is not allowed: it is a list of columns")
    found = [column_position(column, names, setting) for column in columns]
    for place, position in enumerate(found):
        if position is None:
            raise DataError(f"{setting} names no column: None is not one")
        if position in found[:place]:
            raise DataError(f"{setting} names column {names[position]!r} twice")
    return [position for position in found if position is not None]


def _parents(parents: Any, names: list[str]) -> list[list[int]]:
    if not isinstance(parents, Mapping):
        raise DataTypeError(f"parents = {parents!r} is not allowed: it maps columns to lists of columns")
    lists: list[list[int]] = [[] for _ in names]
    children = positions(list(parents), names, "parents")
    for child, given in zip(children, parents.values(), strict=True):
        lists[child] = positions(given, names, f"parents[{names[child]!r}]")
    done: set[int] = set()
    while len(done) < len(names):
        ready = {child for child in range(len(names)) if child not in done and set(lists[child]) <= done}
        if not ready:
            cycle = ", ".join(name for place, name in enumerate(names) if place not in done)
            raise DataError(f"the arcs of the given parents form a cycle among {cycle}")
        done |= ready
    return lists
