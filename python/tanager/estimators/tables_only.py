"""What needs tables of every column: models with densities of numbers are refused."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from tanager.exceptions import DataError

__all__ = ["check_tables"]


def check_tables(model: Any) -> None:
    """Refuses a model that is not fitted, and one in which numbers have densities instead of tables."""
    check_is_fitted(model)
    if hasattr(model, "continuous_"):
        raise DataError(
            f"this {type(model).__name__} has densities of numbers, numeric={model.numeric!r}, and no tables:"
            " cut them (numeric=None) to see tables, to export, sample or save it"
        )
