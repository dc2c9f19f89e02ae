"""A refined network as plain numbers, for model files, and back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tanager import _core
from tanager.data import TableEncoder
from tanager.data.plain_numbers import numbers
from tanager.estimators.ordered import OrderedCodes
from tanager.estimators.refined import Candidate, RefinedClassifier
from tanager.exceptions import DataError

__all__ = ["plain_refined", "restore_refined"]


def plain_refined(model: RefinedClassifier) -> dict[str, Any]:
    """Everything that a fitted model knows beside its encoder and classes."""
    arities, log_prior, bias, nodes, steps = model.model_.parts()
    return {
        "arities": list(arities),
        "log_prior": [_plain(value) for value in log_prior],
        "bias": list(bias),
        "nodes": [_plain_node(*node) for node in nodes],
        "steps": [None if table is None else table.tolist() for table in steps],
        "cuts": [None if cuts is None else cuts.tolist() for cuts in model.ordered_.cuts],
        "candidates": [[c.structure, c.ridge, _plain(c.log_loss)] for c in model.candidates_],
        "importances": [values.tolist() for values in model.importances_],
    }


def restore_refined(
    model: RefinedClassifier,
    content: Mapping[str, Any],
    encoder: TableEncoder,
    classes: NDArray[Any],
    prior: NDArray[np.float64] | None,
) -> None:
    """Makes a model fitted by what `plain_refined` gave; what does not fit together is refused."""
    bias = numbers(content["bias"])
    if len(bias) != len(classes) or len(content["log_prior"]) != len(classes):
        raise DataError(f"{len(classes)} classes but {len(bias)} numbers for them")
    cuts = [None if of_column is None else numbers(of_column) for of_column in content["cuts"]]
    steps = [None if table is None else numbers(table) for table in content["steps"]]
    if not len(cuts) == len(steps) == encoder.n_features:
        raise DataError(f"{len(cuts)} lists of cuts for {encoder.n_features} columns")
    for of_column, table in zip(cuts, steps, strict=True):
        if of_column is not None and (np.diff(of_column) <= 0).any():
            raise DataError("the cuts of an ordered column do not ascend")
        if table is not None and (of_column is None or len(table) != (len(of_column) + 1) * len(classes)):
            raise DataError("the steps of an ordered column do not fit to its cuts")
    importances = [numbers(values) for values in content["importances"]]
    if [len(values) for values in importances] != [encoder.n_features] * 2:
        raise DataError("the importances do not fit to the columns")
    model.model_ = _core.Refined.from_parts(
        [int(arity) for arity in content["arities"]],
        [-math.inf if value is None else float(value) for value in content["log_prior"]],
        bias.tolist(),
        [_node(node) for node in content["nodes"]],
        steps,
    )
    model.candidates_ = [
        Candidate(str(structure), float(ridge), math.nan if loss is None else float(loss))
        for structure, ridge, loss in content["candidates"]
    ]
    model.importances_ = importances[0], importances[1]
    model._keep_refined(model.model_, OrderedCodes(encoder, cuts), classes, prior)


def _plain_node(members: Any, parents: Any, weight: float, path: Any, backoff: Any) -> dict[str, Any]:
    arities, pairs, contexts, pair_counts, context_counts, concentrations = backoff
    return {
        "members": list(members),
        "parents": list(parents),
        "weight": weight,
        "path": path.tolist(),
        "arities": list(arities),
        "pairs": [keys.tolist() for keys in pairs],
        "contexts": [keys.tolist() for keys in contexts],
        "pair_counts": pair_counts.tolist(),
        "context_counts": [counts.tolist() for counts in context_counts],
        "concentrations": list(concentrations),
    }


def _node(plain: Mapping[str, Any]) -> tuple[Any, ...]:
    keys = [[np.asarray(level, dtype=np.uint64) for level in plain[kind]] for kind in ("pairs", "contexts")]
    backoff = (
        [int(arity) for arity in plain["arities"]],
        *keys,
        numbers(plain["pair_counts"]),
        [numbers(counts) for counts in plain["context_counts"]],
        numbers(plain["concentrations"]).tolist(),
    )
    members, parents = [[int(column) for column in plain[kind]] for kind in ("members", "parents")]
    return members, parents, float(plain["weight"]), numbers(plain["path"]), backoff


def _plain(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
