"""Charts as SVG text for the HTML page, coloured by the page's own light or dark style."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

import numpy as np

from tanager.evaluation.comparison import Comparison
from tanager.report.critical_difference import diagram
from tanager.report.format import duration, percentage

__all__ = ["accuracy_time_chart", "critical_difference_chart", "scatter_chart", "ticks"]


def _svg(width: float, height: float, label: str, parts: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" role="img" '
        f'aria-label="{escape(label)}" class="chart">{"".join(parts)}</svg>'
    )


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def _text(x: float, y: float, text: str, anchor: str = "start", kind: str = "label") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{kind}">{escape(text)}</text>'


def _point(x: float, y: float, title: str, radius: float = 4.5) -> str:
    shown = f"<title>{escape(title)}</title>"
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" class="point">{shown}</circle>'


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


def critical_difference_chart(comparison: Comparison, alpha: float = 0.05) -> str:
    """Average ranks on an axis; bars join learners that do not differ significantly."""
    ranks = comparison.ranks
    shape = diagram(list(ranks), list(ranks.values()), comparison.critical_difference(alpha))
    longest = max(len(entry.name) for entry in shape.entries)
    side = 7.2 * longest + 60.0
    inner = 460.0
    width = inner + 2.0 * side
    axis, lines = 64.0, max(entry.line for entry in shape.entries) + 1
    below = axis + 20.0 + 10.0 * len(shape.bars)
    height = below + 24.0 * lines + 8.0

    def at(rank: float) -> float:
        return side + (rank - shape.low) / max(shape.high - shape.low, 1) * inner

    parts = [_line(at(shape.low), axis, at(shape.high), axis, "axis")]
    for tick in range(shape.low, shape.high + 1):
        parts += [
            _line(at(tick), axis - 6, at(tick), axis, "axis"),
            _text(at(tick), axis - 11, str(tick), "middle"),
        ]
    reach = at(shape.low + shape.critical_difference)
    parts.append(_line(at(shape.low), 26, reach, 26, "difference"))
    said = f"critical difference {shape.critical_difference:.2f} (α = {alpha:g})"
    parts.append(_text(at(shape.low), 18, said, "start", "accent"))
    for index, (first, last) in enumerate(shape.bars):
        y = axis + 11.0 + 10.0 * index
        parts.append(_line(at(first) - 5, y, at(last) + 5, y, "clique"))
    for entry in shape.entries:
        y = below + 24.0 * entry.line + 10.0
        end = side - 12.0 if entry.left else side + inner + 12.0
        parts.append(_line(at(entry.rank), axis, at(entry.rank), y, "hair"))
        parts.append(_line(at(entry.rank), y, end, y, "hair"))
        anchor, shift = ("end", -6.0) if entry.left else ("start", 6.0)
        label = f"{entry.name}  {entry.rank:.2f}" if entry.left else f"{entry.rank:.2f}  {entry.name}"
        parts.append(_text(end + shift, y + 4.0, label, anchor))
    return _svg(width, height, "Critical-difference diagram of average ranks", parts)


def scatter_chart(comparison: Comparison, a: str, b: str, size: float = 250.0) -> str:
    """Accuracy of `b` against `a`, one point per data set."""
    table = comparison.accuracy
    x, y = 100.0 * table.column(a), 100.0 * table.column(b)
    low, high = float(min(x.min(), y.min())), float(max(x.max(), y.max()))
    pad = 0.07 * (high - low) or 1.0
    low, high = low - pad, high + pad
    left, top = 46.0, 26.0

    def across(value: float) -> float:
        return left + (value - low) / (high - low) * size

    def up(value: float) -> float:
        return top + (high - value) / (high - low) * size

    parts = []
    for tick in ticks(low, high, 4):
        parts += [
            _line(across(tick), top, across(tick), top + size, "grid"),
            _line(left, up(tick), left + size, up(tick), "grid"),
            _text(across(tick), top + size + 15, f"{tick:g}", "middle", "tick"),
            _text(left - 6, up(tick) + 4, f"{tick:g}", "end", "tick"),
        ]
    parts.append(_line(across(low), up(low), across(high), up(high), "diagonal"))
    for name, first, second in zip(table.rows, x, y, strict=True):
        parts.append(_point(across(first), up(second), f"{name}: {a} {first:.2f} %, {b} {second:.2f} %"))
    score = comparison.win_draw_loss(b, a)
    said = f"{score.wins} above, {score.draws} on, {score.losses} below the diagonal"
    parts.append(_text(left, 16, said))
    parts.append(_text(left + size / 2, top + size + 33, f"{a} (%)", "middle"))
    middle = top + size / 2
    parts.append(
        f'<text x="12" y="{middle:.1f}" text-anchor="middle" class="label" '
        f'transform="rotate(-90 12 {middle:.1f})">{escape(b)} (%)</text>'
    )
    return _svg(left + size + 12, top + size + 42, f"{b} against {a}", parts)


def accuracy_time_chart(comparison: Comparison) -> str:
    """Mean accuracy against the mean time of fitting and predicting, on a logarithmic axis."""
    accuracy = 100.0 * comparison.accuracy.values.mean(axis=0)
    seconds = comparison.seconds.values.mean(axis=0)
    logs = np.log10(np.maximum(seconds, 1e-7))
    left, top, wide, tall = 56.0, 16.0, 560.0, 260.0
    x_low, x_high = math.floor(logs.min() - 0.05), math.ceil(logs.max() + 0.05)
    spread = float(accuracy.max() - accuracy.min()) or 1.0
    y_low, y_high = float(accuracy.min()) - 0.15 * spread, float(accuracy.max()) + 0.15 * spread

    def across(value: float) -> float:
        return float(left + (value - x_low) / (x_high - x_low) * wide)

    def up(value: float) -> float:
        return float(top + (y_high - value) / (y_high - y_low) * tall)

    parts = []
    for power in range(x_low, x_high + 1):
        parts.append(_line(across(power), top, across(power), top + tall, "grid"))
        parts.append(_text(across(power), top + tall + 16, _decade(power), "middle", "tick"))
    for tick in ticks(y_low, y_high, 5):
        parts.append(_line(left, up(tick), left + wide, up(tick), "grid"))
        parts.append(_text(left - 7, up(tick) + 4, f"{tick:g}", "end", "tick"))
    taken: list[tuple[float, float]] = []
    for index in np.argsort(-accuracy):
        name, x, y = comparison.learners[index], across(logs[index]), up(accuracy[index])
        title = f"{name}: {percentage(accuracy[index] / 100)} %, {duration(float(seconds[index]))}"
        label = y + 4.0
        while any(abs(label - other) < 13.0 and abs(x - place) < 110.0 for place, other in taken):
            label += 13.0
        taken.append((x, label))
        ends = x > left + wide - 8.0 * len(name)
        parts += [
            _point(x, y, title, 5.5),
            _text(x + (-10 if ends else 10), label, name, "end" if ends else "start"),
        ]
    parts.append(
        _text(left + wide / 2, top + tall + 36, "fit + predict, mean over folds and data sets", "middle")
    )
    middle = top + tall / 2
    parts.append(
        f'<text x="13" y="{middle:.1f}" text-anchor="middle" class="label" '
        f'transform="rotate(-90 13 {middle:.1f})">mean accuracy (%)</text>'
    )
    return _svg(left + wide + 70, top + tall + 44, "Accuracy against time", parts)


def _decade(power: int) -> str:
    unit, scale = next((u, s) for u, s in (("s", 0), ("ms", -3), ("µs", -6), ("ns", -9)) if power >= s)
    return f"{10 ** (power - scale):g} {unit}"
