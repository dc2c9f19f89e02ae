"""An average over all trees as plain numbers, for model files, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tanager import _core
from tanager.data import TableEncoder
from tanager.estimators.averaged_tan import AveragedTANClassifier
from tanager.exceptions import DataError

__all__ = ["plain_averaged_tan", "restore_averaged_tan"]


def plain_averaged_tan(model: AveragedTANClassifier) -> dict[str, Any]:
    """Everything that a fitted model knows beside its encoder and classes."""
    arities, log_prior, log_theta, ratios, log_weights = model.model_.parts()
    return {
        "arities": list(arities),
        "log_prior": list(log_prior),
        "tables": [table.tolist() for table in log_theta],
        "ratios": [table.tolist() for table in ratios],
        "log_weights": log_weights.tolist(),
    }


def restore_averaged_tan(
    model: AveragedTANClassifier,
    content: Mapping[str, Any],
    encoder: TableEncoder,
    classes: NDArray[Any],
    prior: NDArray[np.float64] | None,
) -> None:
    """Makes a model fitted by what `plain_averaged_tan` gave; what does not fit together is refused."""
    log_prior = _numbers(content["log_prior"])
    if len(log_prior) != len(classes):
        raise DataError(f"{len(classes)} classes but {len(log_prior)} priors")
    tables = [_numbers(table) for table in content["tables"]]
    ratios = [_numbers(table) for table in content["ratios"]]
    for table in (log_prior, *(table.reshape(-1, len(classes)) for table in tables)):
        if (np.abs(np.exp(table).sum(axis=0) - 1) > 1e-6).any():
            raise DataError("probabilities do not sum to 1")
    if any((table <= 0).any() for table in ratios):
        raise DataError("a ratio of probabilities is not above 0")
    averaged = _core.AveragedTan.from_parts(
        [int(arity) for arity in content["arities"]],
        log_prior.tolist(),
        tables,
        ratios,
        _numbers(content["log_weights"]),
    )
    model.class_prior_, model.classes_ = prior, classes
    model._keep(encoder, averaged, None, "class")  # type: ignore[arg-type]


def _numbers(plain: Any) -> NDArray[np.float64]:
    if not all(type(value) in (int, float) for value in plain):
        raise DataError("a list of numbers holds something else")
    return np.asarray(plain, dtype=np.float64)
