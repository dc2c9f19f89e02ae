"""The conditional log-likelihood of a classifier, as a metric and as a scikit-learn scorer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tanager.exceptions import DataError

__all__ = ["conditional_log_likelihood"]


def conditional_log_likelihood(
    model: Any, X: Any, y: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Σ_rows ln P(y | X) under a fitted classifier, in nats; larger is better, 0 is perfect.

    The model is any scikit-learn classifier with ``classes_`` and ``predict_log_proba`` or ``predict_proba``.
    A row to which the model gives probability 0, or whose label it has never seen, makes the sum −∞; the
    metric ``cll`` of `compare` counts −708.4 for such a row, the logarithm of the smallest normal number. It
    is a scorer, too: ``cross_val_score(model, X, y, scoring=conditional_log_likelihood)``.

    >>> import numpy as np
    >>> from tanager import NaiveBayesClassifier, conditional_log_likelihood
    >>> X, y = np.array([["a"], ["a"], ["b"], ["b"]]), np.array([0, 0, 1, 0])
    >>> model = NaiveBayesClassifier().fit(X, y)
    >>> round(conditional_log_likelihood(model, X, y), 4)
    -1.8848
    """
    log_proba = _log_proba(model, X)
    labels = np.asarray(y)
    if labels.shape != log_proba.shape[:1]:
        raise DataError(
            f"y has shape {labels.shape}, expected ({log_proba.shape[0]},): one label for each row"
        )
    code_of = {label: code for code, label in enumerate(np.asarray(model.classes_).tolist())}
    codes = np.array([code_of.get(label, -1) for label in labels.tolist()], dtype=np.intp)
    of_truth = np.where(codes >= 0, log_proba[np.arange(codes.size), codes], -np.inf)
    if sample_weight is None:
        return float(of_truth.sum())
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != labels.shape:
        raise DataError(f"sample_weight has shape {weights.shape}, expected {labels.shape}")
    # A row of weight 0 is not there, however impossible.
    return float((of_truth[weights != 0] * weights[weights != 0]).sum())


def _log_proba(model: Any, X: Any) -> NDArray[np.float64]:
    if hasattr(model, "predict_log_proba"):
        return np.asarray(model.predict_log_proba(X), dtype=np.float64)
    with np.errstate(divide="ignore"):
        return np.log(np.asarray(model.predict_proba(X), dtype=np.float64))
