"""Where everything stands in the charts of the page; `charts.svg.j2` draws them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tanager.evaluation.comparison import Comparison
from tanager.report.critical_difference import diagram
from tanager.report.format import duration, percentage

__all__ = ["accuracy_time_chart", "critical_difference_chart", "scatter_chart", "ticks"]


def ticks(low: float, high: float, wanted: int = 5) -> list[float]:
    """Round numbers from `low` to `high`.

    >>> ticks(71.3, 98.9)
    [75.0, 80.0, 85.0, 90.0, 95.0]
    """
    span = max(high - low, 1e-9)
    rough = span / max(wanted, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * m for m in (1.0, 2.0, 2.5, 5.0, 10.0) if power * m >= rough * 0.9)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(index * step, 10) for index in range(first, last + 1)]


def critical_difference_chart(comparison: Comparison, alpha: float = 0.05) -> dict[str, Any]:
    """Average ranks on an axis; bars join learners that do not differ significantly."""
    ranks = comparison.ranks
    shape = diagram(list(ranks), list(ranks.values()), comparison.critical_difference(alpha))
    side = 7.2 * max(len(entry.name) for entry in shape.entries) + 60.0
    inner, axis = 460.0, 64.0
    below = axis + 20.0 + 10.0 * len(shape.bars)
    return {
        "shape": shape,
        "alpha": alpha,
        "at": lambda rank: side + (rank - shape.low) / max(shape.high - shape.low, 1) * inner,
        "axis": axis,
        "below": below,
        "side": side,
        "inner": inner,
        "width": inner + 2.0 * side,
        "height": below + 24.0 * (max(entry.line for entry in shape.entries) + 1) + 8.0,
    }


def scatter_chart(comparison: Comparison, a: str, b: str, size: float = 250.0) -> dict[str, Any]:
    """Accuracy of `b` against `a`, one point per data set."""
    table = comparison.accuracy
    x, y = 100.0 * table.column(a), 100.0 * table.column(b)
    known = ~np.isnan(x + y)
    x, y, names = x[known], y[known], [name for name, k in zip(table.rows, known, strict=True) if k]
    low, high = float(min(x.min(), y.min())), float(max(x.max(), y.max()))
    pad = 0.07 * (high - low) or 1.0
    low, high = low - pad, high + pad
    left, top = 46.0, 26.0
    return {
        "a": a,
        "b": b,
        "points": list(zip(names, x.tolist(), y.tolist(), strict=True)),
        "score": comparison.win_draw_loss(b, a),
        "ticks": ticks(low, high, 4),
        "low": low,
        "high": high,
        "left": left,
        "top": top,
        "size": size,
        "across": lambda value: left + (value - low) / (high - low) * size,
        "up": lambda value: top + (high - value) / (high - low) * size,
    }


def accuracy_time_chart(comparison: Comparison) -> dict[str, Any]:
    """Mean accuracy against the mean time of fitting and predicting, on a logarithmic axis."""
    accuracy = 100.0 * np.nanmean(comparison.accuracy.values, axis=0)
    seconds = np.nanmean(comparison.seconds.values, axis=0)
    logs = np.log10(np.maximum(seconds, 1e-7))
    left, top, wide, tall = 56.0, 16.0, 560.0, 260.0
    x_low, x_high = math.floor(logs.min() - 0.05), math.ceil(logs.max() + 0.05)
    spread = float(accuracy.max() - accuracy.min()) or 1.0
    y_low, y_high = float(accuracy.min()) - 0.15 * spread, float(accuracy.max()) + 0.15 * spread

    def across(value: float) -> float:
        return float(left + (value - x_low) / (x_high - x_low) * wide)

    def up(value: float) -> float:
        return float(top + (y_high - value) / (y_high - y_low) * tall)

    learners: list[dict[str, Any]] = []
    for index in np.argsort(-accuracy):
        name, x, y = comparison.learners[index], across(logs[index]), up(accuracy[index])
        label = y + 4.0
        while any(abs(label - other["label"]) < 13.0 and abs(x - other["x"]) < 110.0 for other in learners):
            label += 13.0
        title = f"{name}: {percentage(accuracy[index] / 100)} %, {duration(float(seconds[index]))}"
        learners.append({"name": name, "x": x, "y": y, "label": label, "title": title})
    return {
        "learners": learners,
        "decades": [(power, _decade(power)) for power in range(x_low, x_high + 1)],
        "ticks": ticks(y_low, y_high, 5),
        "left": left,
        "top": top,
        "wide": wide,
        "tall": tall,
        "across": across,
        "up": up,
    }


def _decade(power: int) -> str:
    unit, scale = next((u, s) for u, s in (("s", 0), ("ms", -3), ("µs", -6), ("ns", -9)) if power >= s)
    return f"{10 ** (power - scale):g} {unit}"
