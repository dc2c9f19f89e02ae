"""The conditional log-likelihood and the conditional relative entropy of a classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tanager.data import TableEncoder
from tanager.exceptions import DataError, DataTypeError, own_errors
from tanager.functions import acll_constants

__all__ = [
    "approximate_conditional_log_likelihood",
    "conditional_log_likelihood",
    "conditional_relative_entropy",
]


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
    of_truth, weights, _ = _of_truth(model, X, y, sample_weight)
    # A row of weight 0 is not there, however impossible.
    return float((of_truth[weights != 0] * weights[weights != 0]).sum())


def approximate_conditional_log_likelihood(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    prior: str = "dirichlet",
    a: float = 1.0,
    b: float | None = None,
    p: float = 1.0,
    sample_weight: ArrayLike | None = None,
) -> float:
    """aCLL of a fitted classifier with its constant Nγ, in nats, to be laid beside its CLL.

    ```text
    aCLL = Σ_t ( ln U_t,c(t) + β Σ_c ln U_t,c + γ )  ≈  CLL = Σ_t ( ln U_t,c(t) − ln Σ_c U_t,c )
    ```

    U_t,c = P(x_t, c) is the model's joint probability of row t and class c, c(t) the row's label; β and γ are
    those of `acll_constants`, with b = N unless given (Carvalho, Adão and Mateus 2013, `carvalho2013`,
    eq. 22). The model is one of tanager's classifiers, which has `predict_joint_log_proba`. A class that a
    row rules out makes it ∞.

    >>> import numpy as np
    >>> from tanager import NaiveBayesClassifier, approximate_conditional_log_likelihood
    >>> X, y = np.array([["a"], ["a"], ["b"], ["b"]]), np.array([0, 0, 1, 0])
    >>> model = NaiveBayesClassifier().fit(X, y)
    >>> round(approximate_conditional_log_likelihood(model, X, y), 4)
    -1.8347
    """
    _, weights, labels = _of_truth(model, X, y, sample_weight)
    joint = np.asarray(model.predict_joint_log_proba(X), dtype=np.float64)
    total = float(weights.sum())
    beta, gamma = acll_constants(joint.shape[1], prior, a, max(total, 1.0) if b is None else b, p)
    codes = _codes(model, labels)
    if (codes < 0).any():
        return -np.inf
    approximated = joint[np.arange(codes.size), codes] + beta * joint.sum(axis=1) + gamma
    there = weights != 0
    return float((approximated[there] * weights[there]).sum())


def conditional_relative_entropy(
    model: Any, X: Any, y: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """D(P̂(C | A) ‖ P(C | A)) of the observed frequencies P̂ and a fitted classifier, in nats; 0 is perfect.

    ```text
    D   = Σ_a P̂(a) Σ_c P̂(c | a) ln( P̂(c | a) / P(c | a) )
    CLL = −N D − N H(C | A),     H(C | A) = −Σ_a,c P̂(a, c) ln P̂(c | a)
    ```

    a runs over the distinct rows of X, c over the classes, N is the number of rows or their total weight: on
    the same rows D orders models as `conditional_log_likelihood` does, by rows and above what no model can
    explain (Carvalho, Adão and Mateus 2013, `carvalho2013`, eq. 29). Rows are told apart by the values
    given: cut numeric columns first, as the paper does, since where no row occurs twice H is 0 and D is
    −CLL / N. A row to which the model gives probability 0 makes it ∞.

    >>> import numpy as np
    >>> from tanager import NaiveBayesClassifier, conditional_relative_entropy
    >>> X, y = np.array([["a"], ["a"], ["b"], ["b"]]), np.array([0, 0, 1, 0])
    >>> model = NaiveBayesClassifier().fit(X, y)
    >>> round(conditional_relative_entropy(model, X, y), 4)
    0.1246
    """
    of_truth, weights, labels = _of_truth(model, X, y, sample_weight)
    if not weights.sum() > 0:
        raise DataError("the conditional relative entropy needs rows, and a weight above 0")
    table = TableEncoder(discretize="none").fit_transform(X)
    columns = np.column_stack([np.asarray(codes, dtype=np.int64) for codes in table.columns])
    row_of = np.unique(columns, axis=0, return_inverse=True)[1].ravel()
    code_of: dict[Any, int] = {}
    codes = np.array([code_of.setdefault(label, len(code_of)) for label in labels], dtype=np.intp)
    both = row_of * len(code_of) + codes
    there = weights != 0
    observed = np.bincount(both, weights)[both[there]] / np.bincount(row_of, weights)[row_of[there]]
    gap = np.log(observed) - of_truth[there]
    # Never negative, but for rounding.
    return max(float((weights[there] * gap).sum() / weights.sum()), 0.0)


def _of_truth(
    model: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None
) -> tuple[NDArray[np.float64], NDArray[np.float64], list[Any]]:
    """ln P(y | x) of each row, its weight and its label."""
    log_proba = _log_proba(model, X)
    labels = np.asarray(y)
    if labels.shape != log_proba.shape[:1]:
        raise DataError(
            f"y has shape {labels.shape}, expected ({log_proba.shape[0]},): one label for each row"
        )
    codes = _codes(model, labels.tolist())
    of_truth = np.where(codes >= 0, log_proba[np.arange(codes.size), codes], -np.inf)
    with own_errors():
        weights = np.asarray(1.0 if sample_weight is None else sample_weight, dtype=np.float64)
    weights = np.ones(codes.size) if sample_weight is None else weights
    if weights.shape != labels.shape:
        raise DataError(f"sample_weight has shape {weights.shape}, expected {labels.shape}")
    return of_truth, weights, labels.tolist()


def _codes(model: Any, labels: list[Any]) -> NDArray[np.intp]:
    """The place of each label among the classes of a model; −1 where it has never seen it."""
    code_of = {label: code for code, label in enumerate(np.asarray(model.classes_).tolist())}
    return np.array([code_of.get(label, -1) for label in labels], dtype=np.intp)


def _log_proba(model: Any, X: Any) -> NDArray[np.float64]:
    if hasattr(model, "predict_log_proba"):
        return np.asarray(model.predict_log_proba(X), dtype=np.float64)
    if not hasattr(model, "predict_proba"):
        raise DataTypeError(
            f"model is a {type(model).__name__}, allowed is a fitted classifier that gives probabilities"
        )
    with np.errstate(divide="ignore"):
        return np.log(np.asarray(model.predict_proba(X), dtype=np.float64))
