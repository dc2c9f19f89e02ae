"""Classifiers that are more than one network as plain numbers, for model files, and back.

`plain_…` gives everything that a fitted model knows beside its encoder and classes; `restored_…` makes the
core's model of that, where there are `s` classes, and refuses what does not fit together.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tanager import _core
from tanager.data.plain_numbers import log_probabilities, numbers
from tanager.exceptions import DataError

__all__ = [
    "plain_aode",
    "plain_averaged_tan",
    "plain_kdb_ensemble",
    "plain_weighted_nb",
    "restored_aode",
    "restored_averaged_tan",
    "restored_kdb_ensemble",
    "restored_weighted_nb",
]

#: How far the sum of probabilities may be from 1.
TOLERANCE = 1e-6


def plain_aode(model: _core.Aode) -> dict[str, Any]:
    (order, weighted, subsumption, min_count), arities, classes, *tables = model.parts()
    singles, pairs, triples = ([_plain_counts(table) for table in some] for some in tables)
    return {
        "super_parents": {
            "order": order,
            "weighted": weighted,
            "subsumption": subsumption,
            "min_count": min_count,
        },
        "arities": list(arities),
        "class_counts": _plain_counts(np.asarray(classes)),
        "attributes": singles,
        "pairs": pairs,
        "triples": triples,
    }


def restored_aode(content: Mapping[str, Any], s: int) -> _core.Aode:
    settings = content["super_parents"]
    of_class = _counts(content["class_counts"])
    if len(of_class) != s:
        raise DataError(f"{s} classes but {len(of_class)} counts of them")
    order, min_count = settings["order"], settings["min_count"]
    if order not in (1, 2):
        raise DataError(f"{order!r} is not a number of super-parents")
    return _core.Aode.from_parts(
        (int(order), bool(settings["weighted"]), bool(settings["subsumption"]), float(min_count)),
        [int(arity) for arity in content["arities"]],
        of_class.tolist(),
        *([_counts(table) for table in content[name]] for name in ("attributes", "pairs", "triples")),
    )


def plain_averaged_tan(model: _core.AveragedTan) -> dict[str, Any]:
    arities, log_prior, log_theta, ratios, log_weights = model.parts()
    return {
        "arities": list(arities),
        "log_prior": list(log_prior),
        "tables": [table.tolist() for table in log_theta],
        "ratios": [table.tolist() for table in ratios],
        "log_weights": log_weights.tolist(),
    }


def restored_averaged_tan(content: Mapping[str, Any], s: int) -> _core.AveragedTan:
    tables, ratios = ([numbers(table) for table in content[name]] for name in ("tables", "ratios"))
    log_prior = _prior(content["log_prior"], s)
    for table in tables:
        if (np.abs(np.exp(table.reshape(-1, s)).sum(axis=0) - 1) > TOLERANCE).any():
            raise DataError("probabilities do not sum to 1")
    if any((table <= 0).any() for table in ratios):
        raise DataError("a ratio of probabilities is not above 0")
    arities = [int(arity) for arity in content["arities"]]
    return _core.AveragedTan.from_parts(arities, log_prior, tables, ratios, numbers(content["log_weights"]))


def plain_weighted_nb(model: _core.WeightedNaiveBayes) -> dict[str, Any]:
    arities, log_prior, tables, weights = model.parts()
    return {
        "arities": list(arities),
        "log_prior": list(log_prior),
        "tables": [table.tolist() for table in tables],
        "weights": list(weights),
    }


def restored_weighted_nb(content: Mapping[str, Any], s: int) -> _core.WeightedNaiveBayes:
    log_prior, weights = _prior(content["log_prior"], s), numbers(content["weights"])
    if ((weights < 0) | (weights > 1)).any():
        raise DataError("a weight is not from 0 to 1")
    tables = [log_probabilities(table, null=None) for table in content["tables"]]
    arities = [int(arity) for arity in content["arities"]]
    return _core.WeightedNaiveBayes.from_parts(arities, log_prior, tables, weights.tolist())


def plain_kdb_ensemble(model: _core.KdbEnsemble) -> dict[str, Any]:
    arities, intervals, networks = model.parts()
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


def restored_kdb_ensemble(content: Mapping[str, Any], s: int) -> _core.KdbEnsemble:
    networks = []
    for member in content["members"]:
        nodes = [(list(node["members"]), list(node["parents"])) for node in member["nodes"]]
        tables = [log_probabilities(table, null=None) for table in member["tables"]]
        if len(nodes) != len(tables):
            raise DataError(f"{len(nodes)} nodes but {len(tables)} tables")
        arities, log_prior = [int(arity) for arity in member["arities"]], _prior(member["log_prior"], s)
        networks.append(_core.Network.from_parts(arities, log_prior, nodes, tables, member["concentrations"]))
    arities = [int(arity) for arity in content["arities"]]
    intervals = [member["intervals"] for member in content["members"]]
    return _core.KdbEnsemble.from_parts(arities, intervals, networks)


def _prior(plain: Any, s: int) -> list[float]:
    """The logarithms of the classes' probabilities."""
    log_prior = log_probabilities(plain, null=None)
    if len(log_prior) != s:
        raise DataError(f"{s} classes but {len(log_prior)} priors")
    if abs(np.exp(log_prior).sum() - 1) > TOLERANCE:
        raise DataError("probabilities do not sum to 1")
    prior: list[float] = log_prior.tolist()
    return prior


def _plain_counts(table: NDArray[np.float64]) -> list[Any]:
    """Whole numbers as such: they are counts, unless rows have weights."""
    whole = table.astype(np.int64)
    plain: list[Any] = (whole if (whole == table).all() else table).tolist()
    return plain


def _counts(plain: Any) -> NDArray[np.float64]:
    counts = numbers(plain)
    if (counts < 0).any():
        raise DataError("a count is not a number from 0 on")
    return counts
