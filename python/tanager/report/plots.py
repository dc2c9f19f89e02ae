"""Plots of a comparison: what notebooks show, files hold and pages embed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tanager.evaluation.comparison import Comparison
from tanager.evaluation.diagnostics import calibration_error, reliability_points, roc_points
from tanager.exceptions import DataError
from tanager.report.critical_difference import diagram
from tanager.report.figures import (
    ACCENT,
    COLOURS,
    FAINT,
    INK,
    Saved,
    drawn,
    figure_of_panels,
    label_points,
    save_axes,
    short,
)
from tanager.report.format import heading, shown

__all__ = [
    "accuracy_time",
    "confusion",
    "critical_difference",
    "figure_of_panels",
    "motif_scatter",
    "reliability",
    "roc",
    "save_axes",
    "scatter",
]

Floats = NDArray[np.float64]
_LINES = ("-", "--", "-.", ":")
#: Left, bottom, width and height of axes with labels and a title.
_SQUARE = (0.15, 0.13, 0.82, 0.81)


def critical_difference(
    comparison: Comparison,
    path: str | Path | None = None,
    alpha: float = 0.05,
    metric: str = "accuracy",
    narrow: bool = False,
) -> Saved:
    """Demšar's diagram: average ranks on an axis, bars over learners that do not differ significantly.

    `narrow` is for phones: all names on the left, one below the other.
    """
    if len(comparison.learners) < 2:
        raise DataError("a critical-difference diagram needs at least 2 learners")
    ranks = comparison.ranks_by(metric)
    difference = comparison.critical_difference(alpha, metric)
    shape = diagram(list(ranks), list(ranks.values()), difference, narrow)
    lines = max(entry.line for entry in shape.entries) + 1
    top, drop, step = 0.55, 0.35 + 0.22 * len(shape.bars), 0.42
    height = top + 0.6 + drop + step * lines
    # Room for the longest name, in inches, on both sides or on one.
    beside = 0.45 + 0.075 * (6 + max(len(short(entry.name)) for entry in shape.entries))
    width = max(3.3, beside + 1.5) if narrow else 7.0

    def draw(figure: Any) -> None:
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set_axis_off()
        span = max(shape.high - shape.low, 1)
        end = shape.low + shape.critical_difference
        if narrow:
            right = max(shape.high, end) + 0.08 * span
            low = shape.low - (right - shape.low) * beside / (width - beside)
        else:
            reach = span * min(beside / (7.0 - 2.0 * beside), 5.0) if beside < 3.4 else 5.0 * span
            low, right = shape.low - reach, shape.high + reach
        axes.set_xlim(low, right)
        axes.set_ylim(-drop - step * lines, top + 0.75)
        axes.plot([shape.low, shape.high], [0, 0], color=INK, lw=1.2)
        for tick in range(shape.low, shape.high + 1):
            axes.plot([tick, tick], [0, 0.1], color=INK, lw=1.0)
            axes.text(tick, 0.16, str(tick), ha="center", va="bottom")
        axes.plot([shape.low, end], [top + 0.15] * 2, color=ACCENT, lw=2, solid_capstyle="butt")
        text = f"critical difference {shape.critical_difference:.2f} (α = {alpha:g})"
        start = low + 0.02 * (right - low) if narrow else shape.low
        axes.text(start, top + 0.24, text, ha="left", va="bottom", color=ACCENT, fontsize=9)
        for index, (first, last) in enumerate(shape.bars):
            y, pad = -0.2 - 0.22 * index, 0.012 * span
            axes.plot([first - pad, last + pad], [y, y], color=INK, lw=3.5, solid_capstyle="round")
        for entry in shape.entries:
            y = -drop - step * (entry.line + 0.4)
            side = shape.low - 0.06 * span if entry.left else shape.high + 0.06 * span
            axes.plot([entry.rank, entry.rank, side], [0, y, y], color=INK, lw=0.8)
            name = short(entry.name)
            label = f"{name}  {entry.rank:.2f}" if entry.left else f"{entry.rank:.2f}  {name}"
            axes.text(side, y, f" {label} ", ha="right" if entry.left else "left", va="center")

    return drawn(draw, width, max(1.9, 0.62 * height + 0.6), path)


def _square(axes: Any, x: Floats, y: Floats, labels: tuple[str, str], title: str) -> None:
    """Points against the diagonal, on two axes with one scale."""
    low, high = (float(min(x.min(), y.min())), float(max(x.max(), y.max()))) if x.size else (0.0, 1.0)
    pad = 0.06 * (high - low) or 1.0
    ends = (low - pad, high + pad)
    axes.set(xlim=ends, ylim=ends, aspect="equal", xlabel=labels[0], ylabel=labels[1])
    axes.plot(ends, ends, color=FAINT, lw=1, zorder=0)
    axes.scatter(x, y, s=30, color=ACCENT, alpha=0.85, edgecolors="white", linewidths=0.6)
    axes.text(0.0, 1.02, title, fontsize=9.5, transform=axes.transAxes)


def scatter(
    comparison: Comparison, a: str, b: str, path: str | Path | None = None, metric: str = "accuracy"
) -> Saved:
    """One point per data set: `b` upwards, `a` to the right; on the better side of the diagonal `b` wins."""
    table = comparison.table(metric)
    share = heading(metric).endswith("(%)")
    x, y = (table.column(name) * (100.0 if share else 1.0) for name in (a, b))
    known = ~np.isnan(x + y)
    x, y, names = x[known], y[known], [name for name, k in zip(table.rows, known, strict=True) if k]
    score = comparison.win_draw_loss(b, a, metric)
    first, second = short(a), short(b)
    title = f"{second} wins {score.wins}, draws {score.draws}, loses {score.losses}"

    def draw(figure: Any) -> None:
        axes = figure.add_axes(_SQUARE)
        _square(axes, x, y, (f"{first}, {heading(metric)}", f"{second}, {heading(metric)}"), title)
        label_points(axes, x.tolist(), y.tolist(), names)

    return drawn(draw, 4.0, 4.0, path)


def motif_scatter(x: Floats, y: Floats, first: str, second: str, path: str | Path | None = None) -> Saved:
    """One point per set of sites: the loss of `second` upwards, of `first` to the right.

    Points above the diagonal are sets on which `first` is better: the loss is −ln P of a held-out site.
    """
    better = int((x < y - 1e-10).sum()), int((y < x - 1e-10).sum())
    title = f"{first} better on {better[0]}, {second} on {better[1]}"
    labels = (f"{first}, −ln P per site", f"{second}, −ln P per site")
    return drawn(lambda figure: _square(figure.add_axes(_SQUARE), x, y, labels, title), 4.0, 4.0, path)


def accuracy_time(comparison: Comparison, path: str | Path | None = None, metric: str = "accuracy") -> Saved:
    """A metric, mean over the data sets, against the mean time of one fit and prediction (logarithmic)."""
    share = heading(metric).endswith("(%)")
    values, seconds = comparison.table(metric).values, comparison.seconds.values
    known = [i for i in range(len(comparison.learners)) if not np.isnan(values[:, i] + seconds[:, i]).all()]
    y = [float(np.nanmean(values[:, i])) * (100.0 if share else 1.0) for i in known]
    x = [1e3 * float(np.nanmean(seconds[:, i])) for i in known]

    def draw(figure: Any) -> None:
        axes = figure.add_axes((0.17, 0.16, 0.8, 0.81))
        axes.set_xscale("log")
        axes.grid(axis="both", color=FAINT, alpha=0.4, lw=0.6)
        axes.scatter(x, y, s=46, color=ACCENT, edgecolors="white", linewidths=0.8, zorder=3)
        axes.margins(x=0.3, y=0.2)
        from matplotlib.ticker import LogLocator, MaxNLocator

        # Within two powers of ten there may be but one of them, or none, to be read off.
        near = max(x, default=1.0) < 60.0 * min(x, default=1.0)
        axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if near else (1.0,)))
        low, high = axes.get_xlim()
        if sum(low <= tick <= high for tick in axes.get_xticks()) < 2:
            axes.xaxis.set_major_locator(MaxNLocator(4))  # nearly equal times
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.minorticks_off()
        axes.set_xlabel("fit + predict, mean (ms)")
        axes.set_ylabel(f"{heading(metric)}, mean")
        label_points(axes, x, y, [comparison.learners[i] for i in known], 9.0)

    return drawn(draw, 4.0, 3.4, path)


def confusion(comparison: Comparison, dataset: str, learner: str, path: str | Path | None = None) -> Saved:
    """Rows by true and predicted class, out of fold, over all repeats; shades are shares of a line."""
    counts = comparison.confusion(dataset, learner).astype(np.float64)
    classes = next(data["classes"] for data in comparison.datasets if data["name"] == dataset)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    size = max(2.4, 0.55 * len(classes) + 1.6)

    def draw(figure: Any) -> None:
        figure.set_layout_engine("constrained")  # names of classes may be long
        axes = figure.add_subplot()
        axes.imshow(shares, cmap="Blues", vmin=0.0, vmax=1.3)
        ticks = range(len(classes))
        names = [short(str(name)) for name in classes]
        axes.set_xticks(ticks, names, rotation=45 if max(map(len, names)) > 6 else 0, ha="center")
        axes.set_yticks(ticks, names)
        for row in ticks:
            for column in ticks:
                dark = shares[row, column] > 0.7
                text = f"{counts[row, column]:,.0f}"
                axes.text(column, row, text, ha="center", va="center", color="white" if dark else INK)
        axes.set(xlabel="predicted", ylabel="true")
        axes.text(0.0, 1.02, f"{short(learner)} on {short(dataset)}", fontsize=9.5, transform=axes.transAxes)

    return drawn(draw, size, size * 0.9, path)


def roc(comparison: Comparison, dataset: str, path: str | Path | None = None) -> Saved:
    """ROC curves of all learners on one data set, out of fold; the areas are those of the table."""
    areas = comparison.table("auc")[dataset]
    described = next(data for data in comparison.datasets if data["name"] == dataset)
    positive = described.get("positive_class")
    of = (
        f"positive: {short(str(positive))}" if positive is not None else "each class against the rest, pooled"
    )

    def draw(figure: Any) -> None:
        axes = _shares(figure, f"{short(dataset)}: ROC, {of}")
        for index, learner in enumerate(comparison.learners):
            counts = comparison.diagnostics_of(dataset, learner).get("roc")
            if counts is not None:
                x, y = roc_points(counts)
                axes.plot(x, y, label=f"{short(learner)}  {shown(areas[learner], 'auc')}", **_pen(index))
        axes.set(xlabel="false positives (share)", ylabel="true positives (share)")
        _legend(axes, "AUC (%)", "lower right")

    return drawn(draw, 4.0, 4.0, path)


def reliability(comparison: Comparison, dataset: str, path: str | Path | None = None) -> Saved:
    """How often the predicted class is right, by its probability: honest on the diagonal."""

    def draw(figure: Any) -> None:
        axes = _shares(figure, f"{short(dataset)}: reliability")
        for index, learner in enumerate(comparison.learners):
            counts = comparison.diagnostics_of(dataset, learner).get("reliability")
            if counts is not None:
                sure, right, rows = reliability_points(counts)
                label = f"{short(learner)}  {100 * calibration_error(counts):.2f}"
                axes.plot(sure, right, label=label, **_pen(index))
                sizes = 8.0 + 60.0 * rows / rows.max()
                axes.scatter(sure, right, s=sizes, color=COLOURS[index % len(COLOURS)], alpha=0.7, lw=0)
        axes.set(xlabel="probability of the predicted class", ylabel="share predicted right")
        _legend(axes, "mean distance (%)", "upper left")

    return drawn(draw, 4.0, 4.0, path)


def _shares(figure: Any, title: str) -> Any:
    """Axes from 0 to 1 both ways, with the diagonal."""
    axes = figure.add_axes(_SQUARE)
    axes.plot([0, 1], [0, 1], color=FAINT, lw=1)
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    axes.text(0.0, 1.02, title, fontsize=9.5, transform=axes.transAxes)
    return axes


def _pen(index: int) -> dict[str, Any]:
    """The line of a learner: a colour, and where these begin again another pattern."""
    colour = COLOURS[index % len(COLOURS)]
    return {"color": colour, "ls": _LINES[index // len(COLOURS) % len(_LINES)], "lw": 1.6}


def _legend(axes: Any, title: str, place: str) -> None:
    handles, _ = axes.get_legend_handles_labels()
    if handles:
        small = 8 if len(handles) <= 8 else 6.5
        axes.legend(loc=place, title=title, fontsize=small, title_fontsize=small)
