"""How good are predicted class probabilities? Every measure of one set of test rows, each by its full name.

`METRICS` is the registry: name, what it is, and whether more is better. Several F1 scores exist and papers
mix them up, so none of them is called just "F1".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from tanager.exceptions import DataError

__all__ = ["METRICS", "Metric", "confusion", "evaluate"]

_Floats = NDArray[np.float64]
_Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Metric:
    """One measure: its registry name, a heading for tables, a sentence, and which direction is better."""

    name: str
    heading: str
    description: str
    higher_is_better: bool


_ZERO = "where 0 counts as the smallest normal number, whose ln is −708.4"

METRICS: Mapping[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("accuracy", "accuracy", "share of test rows whose most probable class is the true one", True),
        Metric("f1_macro", "F1 (macro)", "plain mean over the classes of each class's F1", True),
        Metric("f1_weighted", "F1 (weighted)", "mean of each class's F1, weighted by its test rows", True),
        Metric("f1_positive", "F1 (positive class)", "F1 of the positive class, two-class data only", True),
        Metric(
            "precision_macro",
            "precision (macro)",
            "plain mean over the classes of the share of rows called so that are so",
            True,
        ),
        Metric(
            "recall_macro",
            "recall (macro)",
            "plain mean over the classes of the share of rows that are so and called so",
            True,
        ),
        Metric(
            "precision_positive",
            "precision (positive class)",
            "share of rows called positive that are, two-class data only",
            True,
        ),
        Metric(
            "recall_positive",
            "recall (positive class)",
            "share of positive rows that are called so, two-class data only",
            True,
        ),
        Metric(
            "log_loss",
            "log-loss",
            f"mean −ln of the probability given to the true class, {_ZERO}",
            False,
        ),
        Metric(
            "brier",
            "Brier score",
            "mean squared distance of the probabilities to the true class, 0 to 2",
            False,
        ),
        Metric(
            "cll",
            "conditional log-likelihood",
            f"sum of ln of the probability given to the true class, {_ZERO}",
            True,
        ),
        Metric("auc", "AUC", "area under the ROC curve; mean of one class against the rest beyond two", True),
    )
}


def evaluate(y: _Codes, probabilities: _Floats, positive: int | None = None) -> dict[str, float]:
    """Every metric of predicted `probabilities` (rows × classes) against true class codes `y`.

    The predicted class is the most probable one, the lowest code on a tie. A probability of 0 for the true
    class counts as the smallest normal number, so that log-loss and conditional log-likelihood stay finite. A
    metric that the rows cannot give (AUC with one class present, F1 of a positive class beyond two classes)
    is NaN. `positive` is the code of the positive class, by default the last of two.

    >>> import numpy as np
    >>> result = evaluate(np.array([0, 1, 1]), np.array([[0.9, 0.1], [0.4, 0.6], [0.8, 0.2]]))
    >>> {name: round(value, 3) for name, value in result.items()}  # doctest: +NORMALIZE_WHITESPACE
    {'accuracy': 0.667, 'f1_macro': 0.667, 'f1_weighted': 0.667, 'f1_positive': 0.667,
     'precision_macro': 0.75, 'recall_macro': 0.75, 'precision_positive': 1.0, 'recall_positive': 0.5,
     'log_loss': 0.742, 'brier': 0.54, 'cll': -2.226, 'auc': 1.0}
    """
    if probabilities.ndim != 2 or y.shape != probabilities.shape[:1] or not y.size:
        raise DataError(f"{y.shape} true classes do not go with probabilities of shape {probabilities.shape}")
    n_classes = probabilities.shape[1]
    predicted = probabilities.argmax(axis=1)
    # scikit-learn's log-loss takes 2⁻⁵² for 0, and its Brier score warns where float32 does not sum to 1
    of_truth = np.maximum(probabilities[np.arange(y.size), y], np.finfo(np.float64).tiny)
    log_likelihood = float(np.log(of_truth).sum())
    distance = probabilities - np.eye(n_classes)[y]
    from sklearn.metrics import precision_recall_fscore_support  # takes long to import

    precision, recall, f1, support = precision_recall_fscore_support(
        y, predicted, labels=np.arange(n_classes), zero_division=0.0
    )
    present = (support > 0) | (np.bincount(predicted, minlength=n_classes) > 0)
    code = (1 if positive is None else positive) if n_classes == 2 else None
    of_positive = {
        f"{name}_positive": float("nan") if code is None else float(values[code])
        for name, values in (("f1", f1), ("precision", precision), ("recall", recall))
    }
    return {
        "accuracy": float((predicted == y).mean()),
        "f1_macro": float(f1[present].mean()),
        "f1_weighted": float(np.average(f1, weights=support)),
        "f1_positive": of_positive["f1_positive"],
        "precision_macro": float(precision[present].mean()),
        "recall_macro": float(recall[support > 0].mean()),
        "precision_positive": of_positive["precision_positive"],
        "recall_positive": of_positive["recall_positive"],
        "log_loss": -log_likelihood / y.size,
        "brier": float((distance**2).sum() / y.size),
        "cll": log_likelihood,
        "auc": _auc(y, probabilities),
    }


def confusion(y: _Codes, predicted: _Codes, n_classes: int) -> NDArray[np.int64]:
    """How many rows of each true class were given to each: one row for each true class.

    >>> confusion(np.array([0, 1, 1]), np.array([0, 0, 1]), 2)
    array([[1, 0],
           [1, 1]])
    """
    counts = np.bincount(y * n_classes + predicted, minlength=n_classes * n_classes)
    return counts.astype(np.int64).reshape(n_classes, n_classes)


def _auc(y: _Codes, probabilities: _Floats) -> float:
    """Mann–Whitney form of the area under the ROC curve; beyond two classes the mean over those present in
    part."""
    n_classes = probabilities.shape[1]
    areas = []
    for code in [1] if n_classes == 2 else range(n_classes):
        members = y == code
        n_in = int(members.sum())
        n_out = y.size - n_in
        if n_in and n_out:
            ranks = stats.rankdata(probabilities[:, code])
            areas.append((float(ranks[members].sum()) - n_in * (n_in + 1) / 2.0) / (n_in * n_out))
    return float(np.mean(areas)) if areas else float("nan")
