"""An average over super-parents as plain numbers, for model files, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tanager import _core
from tanager.data import TableEncoder
from tanager.estimators.aode import AODEClassifier
from tanager.exceptions import DataError

__all__ = ["plain_aode", "restore_aode"]


def plain_aode(model: AODEClassifier) -> dict[str, Any]:
    """The counts that a fitted model is made of."""
    (order, weighted, subsumption, min_count), arities, classes, *tables = model.model_.parts()
    singles, pairs, triples = ([_plain(table) for table in some] for some in tables)
    return {
        "super_parents": {
            "order": order,
            "weighted": weighted,
            "subsumption": subsumption,
            "min_count": min_count,
        },
        "arities": list(arities),
        "class_counts": _plain(np.asarray(classes)),
        "attributes": singles,
        "pairs": pairs,
        "triples": triples,
    }


def restore_aode(
    model: AODEClassifier,
    content: Mapping[str, Any],
    encoder: TableEncoder,
    classes: NDArray[Any],
    prior: NDArray[np.float64] | None,
) -> None:
    """Makes a model fitted by what `plain_aode` gave; what does not fit together is refused."""
    settings = content["super_parents"]
    of_class = _counts(content["class_counts"])
    if len(of_class) != len(classes):
        raise DataError(f"{len(classes)} classes but {len(of_class)} counts of them")
    order, min_count = settings["order"], settings["min_count"]
    if order not in (1, 2):
        raise DataError(f"{order!r} is not a number of super-parents")
    restored = _core.Aode.from_parts(
        (int(order), bool(settings["weighted"]), bool(settings["subsumption"]), float(min_count)),
        [int(arity) for arity in content["arities"]],
        of_class.tolist(),
        *([_counts(table) for table in content[name]] for name in ("attributes", "pairs", "triples")),
    )
    model.class_prior_, model.classes_ = prior, classes
    model._keep(encoder, restored, None, "class")  # type: ignore[arg-type]


def _plain(table: NDArray[np.float64]) -> list[Any]:
    """Whole numbers as such: they are counts, unless rows have weights."""
    whole = table.astype(np.int64)
    plain: list[Any] = (whole if (whole == table).all() else table).tolist()
    return plain


def _counts(plain: Any) -> NDArray[np.float64]:
    if not all(type(count) in (int, float) and count >= 0 for count in plain):
        raise DataError("a count is not a number from 0 on")
    return np.asarray(plain, dtype=np.float64)
