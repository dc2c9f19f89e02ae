"""The Bayesian interchange format, as bnlearn's repository, pgmpy and aGrUM read it."""

from __future__ import annotations

from itertools import product

import numpy as np

from tanager.escape import printable
from tanager.export.described import DescribedNetwork, identifiers

__all__ = ["bif_text"]


def bif_text(network: DescribedNetwork) -> str:
    """The network in BIF. Names and values become words of letters, digits and underscores.

    What they were stands in comments beside them.
    """
    names = identifiers((variable.name for variable in network.variables), "x")
    states = [identifiers(variable.states, "v") for variable in network.variables]
    lines = ["network tanager {", "}"]
    for name, words, variable in zip(names, states, network.variables, strict=True):
        lines.append(f"variable {name} {{")
        lines.append(f"  type discrete [ {len(words)} ] {{ {', '.join(words)} }};")
        lines.append("}")
        if name != variable.name:
            lines.append(f"// {name} is {printable(variable.name)}")
        changed = [(w, s) for w, s in zip(words, variable.states, strict=True) if w != s]
        lines += [f"// {name}: {word} is {printable(state)}" for word, state in changed]
    for name, variable in zip(names, network.variables, strict=True):
        if not variable.parents:
            lines.append(f"probability ( {name} ) {{")
            lines.append(f"  table {_numbers(variable.table)};")
        else:
            given = ", ".join(names[parent] for parent in variable.parents)
            lines.append(f"probability ( {name} | {given} ) {{")
            configurations = product(*(states[parent] for parent in variable.parents))
            rows = variable.table.reshape(-1, variable.table.shape[-1])
            lines += [
                f"  ({', '.join(key)}) {_numbers(row)};"
                for key, row in zip(configurations, rows, strict=True)
            ]
        lines.append("}")
    return "\n".join(lines) + "\n"


def _numbers(values: np.ndarray) -> str:
    return ", ".join(f"{value:.17g}" for value in values.tolist())
