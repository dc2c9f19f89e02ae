"""A comparison as CSV, one line per cell: the form to analyse further."""

from __future__ import annotations

import csv
import io
from typing import Any

from tanager.escape import spreadsheet_field
from tanager.evaluation.comparison import Comparison
from tanager.evaluation.metrics import METRICS
from tanager.exceptions import DataError

__all__ = ["delimited", "predictions"]


def delimited(comparison: Comparison, spreadsheet: bool = False) -> str:
    """One line per data set, learner, repeat and fold, with every metric and the times.

    A field is empty where a metric does not apply, and under `predict_seconds` where folds were computed
    together. With `spreadsheet`, an apostrophe stands before names that a spreadsheet would calculate.
    """
    plain = ("dataset", "learner", "repeat", "fold", "n_train", "n_test", "correct")
    times = ("fit_seconds", "predict_seconds")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*plain, *METRICS, *times])
    for cell in comparison.cells:
        metrics = [
            "" if cell["metrics"].get(name) is None else repr(cell["metrics"][name]) for name in METRICS
        ]
        seconds = ["" if cell[name] is None else f"{cell[name]:.6g}" for name in times]
        writer.writerow(_safe([cell[name] for name in plain], spreadsheet) + metrics + seconds)
    return text.getvalue()


def predictions(comparison: Comparison, spreadsheet: bool = False) -> str:
    """One line per learner, repeat and tested row: the true class, the predicted one, its probability."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["dataset", "learner", "repeat", "fold", "row", "true", "predicted", "probability"])
    for cell in comparison.cells:
        kept = cell.get("predictions")
        if not kept:
            raise DataError("no predictions were kept: compare with predictions=True")
        place = [cell[name] for name in ("dataset", "learner", "repeat", "fold")]
        chances = kept["probabilities"] or [[]] * len(kept["rows"])
        lines = zip(kept["rows"], kept["true"], kept["predicted"], chances, strict=True)
        for row, true, predicted, chance in lines:
            fields = _safe([*place, row, true, predicted], spreadsheet)
            writer.writerow([*fields, f"{max(chance):.6g}" if chance else ""])
    return text.getvalue()


def _safe(fields: list[Any], spreadsheet: bool) -> list[Any]:
    return [spreadsheet_field(f) if spreadsheet and isinstance(f, str) else f for f in fields]
