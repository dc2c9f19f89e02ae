"""Weighted naive Bayes as plain numbers, for model files, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tanager import _core
from tanager.data import TableEncoder
from tanager.estimators.weighted_nb import WeightedNaiveBayesClassifier
from tanager.exceptions import DataError

__all__ = ["plain_weighted_nb", "restore_weighted_nb"]


def plain_weighted_nb(model: WeightedNaiveBayesClassifier) -> dict[str, Any]:
    """Everything that a fitted model knows beside its encoder and classes."""
    arities, log_prior, tables, weights = model.model_.parts()
    return {
        "arities": list(arities),
        "log_prior": list(log_prior),
        "tables": [table.tolist() for table in tables],
        "weights": list(weights),
    }


def restore_weighted_nb(
    model: WeightedNaiveBayesClassifier,
    content: Mapping[str, Any],
    encoder: TableEncoder,
    classes: NDArray[Any],
    prior: NDArray[np.float64] | None,
) -> None:
    """Makes a model fitted by what `plain_weighted_nb` gave; what does not fit together is refused."""
    log_prior, weights = _numbers(content["log_prior"]), _numbers(content["weights"])
    if len(log_prior) != len(classes):
        raise DataError(f"{len(classes)} classes but {len(log_prior)} priors")
    if abs(np.exp(log_prior).sum() - 1) > 1e-6:
        raise DataError("probabilities do not sum to 1")
    if ((weights < 0) | (weights > 1)).any():
        raise DataError("a weight is not from 0 to 1")
    tables = [_numbers(table) for table in content["tables"]]
    if any((table > 1e-9).any() for table in tables):
        raise DataError("a probability is above 1")
    restored = _core.WeightedNaiveBayes.from_parts(
        [int(arity) for arity in content["arities"]], log_prior.tolist(), tables, weights.tolist()
    )
    model.class_prior_, model.classes_ = prior, classes
    model._keep(encoder, restored, None, "class")  # type: ignore[arg-type]


def _numbers(plain: Any) -> NDArray[np.float64]:
    if not all(type(value) in (int, float) for value in plain):
        raise DataError("a list of numbers holds something else")
    return np.asarray(plain, dtype=np.float64)
