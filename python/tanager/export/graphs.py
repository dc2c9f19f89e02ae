"""The network as an object of networkx or pgmpy, tables included."""

from __future__ import annotations

from typing import Any

import numpy as np

from tanager.exceptions import MissingPackageError, imported
from tanager.export.described import DescribedNetwork

__all__ = ["networkx_graph", "pgmpy_network"]


def networkx_graph(network: DescribedNetwork) -> Any:
    """A directed graph; each node has `states`, `parents` (in the order of the axes) and `table`."""
    networkx = imported("networkx", "a graph")
    graph = networkx.DiGraph()
    for position, variable in enumerate(network.variables):
        graph.add_node(
            variable.name,
            role="attribute" if position else "class",
            states=variable.states,
            parents=tuple(network.variables[parent].name for parent in variable.parents),
            table=variable.table,
        )
        graph.add_edges_from((network.variables[p].name, variable.name) for p in variable.parents)
    return graph


def pgmpy_network(network: DescribedNetwork) -> Any:
    """A `DiscreteBayesianNetwork` of pgmpy with a `TabularCPD` for each variable."""
    try:
        from pgmpy.factors.discrete import TabularCPD
        from pgmpy.models import DiscreteBayesianNetwork
    except ImportError:
        raise MissingPackageError("this needs pgmpy: pip install pgmpy") from None
    model = DiscreteBayesianNetwork()
    variables = network.variables
    model.add_nodes_from([variable.name for variable in variables])
    for variable in variables:
        model.add_edges_from((variables[parent].name, variable.name) for parent in variable.parents)
        size = len(variable.states)
        given = [variables[parent] for parent in variable.parents]
        model.add_cpds(
            TabularCPD(
                variable.name,
                size,
                np.ascontiguousarray(variable.table.reshape(-1, size).T),
                evidence=[parent.name for parent in given] or None,
                evidence_card=[len(parent.states) for parent in given] or None,
                state_names={other.name: list(other.states) for other in (variable, *given)},
            )
        )
    return model
