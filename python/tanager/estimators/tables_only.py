"""What needs tables of every column: models with densities of numbers are refused."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from tanager.exceptions import DataError

__all__ = ["check_tables"]


def check_tables(model: Any, what: str) -> None:
    """Refuses a model that is not fitted, and one with densities of numbers; `what` needs tables."""
    check_is_fitted(model)
    if hasattr(model, "continuous_"):
        raise DataError(
            f"{what} tables only, and in this {type(model).__name__} numbers have densities, "
            f"numeric={model.numeric!r}: cut them (numeric=None) first"
        )
