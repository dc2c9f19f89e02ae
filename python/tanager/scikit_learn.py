"""What scikit-learn 1.5 and later releases say differently; everything else is imported from it as it is.

Version 1.6 gave estimators `__sklearn_tags__` for `_more_tags`, made `validate_data` a function, and renamed
what says that numbers may be missing. Where 1.6 is the oldest release supported, this file goes.
"""

from __future__ import annotations

import inspect
from typing import Any

import sklearn.utils
from sklearn.base import BaseEstimator
from sklearn.utils import validation

__all__ = ["MissingAllowed", "check_array", "check_names", "takes_missing", "validate_data"]

_FINITE = (
    "ensure_all_finite"
    if "ensure_all_finite" in inspect.signature(validation.check_array).parameters
    else "force_all_finite"
)


class MissingAllowed(BaseEstimator):
    """An estimator that says of itself that its input may have missing values."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _more_tags(self) -> dict[str, Any]:  # scikit-learn 1.5
        return {"allow_nan": True}


def takes_missing(estimator: Any) -> bool:
    """Whether an estimator says that its input may have missing values."""
    if hasattr(sklearn.utils, "get_tags"):
        return bool(sklearn.utils.get_tags(estimator).input_tags.allow_nan)
    told = estimator._get_tags() if hasattr(estimator, "_get_tags") else {}
    return bool(told.get("allow_nan", False))


def check_array(X: Any, *, finite: bool | str = True, **options: Any) -> Any:
    """scikit-learn's, where `finite` is True, False or "allow-nan"."""
    return validation.check_array(X, **{_FINITE: finite}, **options)


def validate_data(estimator: BaseEstimator, X: Any, *, finite: bool | str = True, **options: Any) -> Any:
    """scikit-learn's, where `finite` is True, False or "allow-nan"; it keeps or checks number and names."""
    if hasattr(validation, "validate_data"):
        return validation.validate_data(estimator, X, **{_FINITE: finite}, **options)
    return estimator._validate_data(X, **{_FINITE: finite}, **options)


def check_names(estimator: BaseEstimator, X: Any, y: Any, reset: bool) -> None:
    """Keeps or checks the number and the names of X's columns, and that y is there, converting nothing."""
    if hasattr(validation, "validate_data"):
        validation.validate_data(estimator, X, y, skip_check_array=True, reset=reset)
    else:
        estimator._validate_data(X, y, cast_to_ndarray=False, reset=reset)
