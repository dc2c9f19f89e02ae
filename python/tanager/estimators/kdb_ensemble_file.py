"""An ensemble of KDBs as plain numbers, for model files, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tanager import _core
from tanager.data import TableEncoder
from tanager.estimators.kdb_ensemble import KDBEnsembleClassifier
from tanager.exceptions import DataError

__all__ = ["plain_kdb_ensemble", "restore_kdb_ensemble"]


def plain_kdb_ensemble(model: KDBEnsembleClassifier) -> dict[str, Any]:
    """Everything that a fitted model knows beside its encoder and classes."""
    arities, intervals, networks = model.model_.parts()
    members = []
    for of_member, network in zip(intervals, networks, strict=True):
        own, log_prior, nodes, _, concentrations = network.parts()
        members.append(
            {
                "arities": list(own),
                "intervals": of_member,
                "log_prior": list(log_prior or []),
                "nodes": [{"members": list(some), "parents": list(parents)} for some, parents in nodes],
                "tables": [network.table(place).ravel().tolist() for place in range(len(nodes))],
                "concentrations": concentrations,
            }
        )
    return {"arities": list(arities), "members": members}


def restore_kdb_ensemble(
    model: KDBEnsembleClassifier,
    content: Mapping[str, Any],
    encoder: TableEncoder,
    classes: NDArray[Any],
    prior: NDArray[np.float64] | None,
) -> None:
    """Makes a model fitted by what `plain_kdb_ensemble` gave; what does not fit together is refused."""
    intervals, networks = [], []
    for member in content["members"]:
        if len(member["log_prior"]) != len(classes):
            raise DataError(f"{len(classes)} classes but {len(member['log_prior'])} priors")
        nodes = [(list(node["members"]), list(node["parents"])) for node in member["nodes"]]
        tables = [_log_probabilities(table) for table in member["tables"]]
        if len(nodes) != len(tables):
            raise DataError(f"{len(nodes)} nodes but {len(tables)} tables")
        log_prior = _log_probabilities(member["log_prior"]).tolist()
        networks.append(
            _core.Network.from_parts(
                [int(arity) for arity in member["arities"]],
                log_prior,
                nodes,
                tables,
                member["concentrations"],
            )
        )
        intervals.append(member["intervals"])
    ensemble = _core.KdbEnsemble.from_parts([int(arity) for arity in content["arities"]], intervals, networks)
    model.class_prior_, model.classes_ = prior, classes
    model._keep(encoder, ensemble, None, "class")  # type: ignore[arg-type]


def _log_probabilities(plain: Any) -> NDArray[np.float64]:
    if not all(type(value) in (int, float) and value <= 1e-9 for value in plain):
        raise DataError("a list of logarithms of probabilities holds something else")
    return np.asarray(plain, dtype=np.float64)
