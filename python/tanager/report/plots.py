"""Plots as files with matplotlib: PNG, SVG or PDF by the ending of the name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from tanager.escape import plot_text, printable
from tanager.evaluation.comparison import Comparison
from tanager.exceptions import DataError, MissingPackageError
from tanager.output import output_file
from tanager.report.critical_difference import diagram
from tanager.report.format import heading

__all__ = [
    "accuracy_time",
    "critical_difference",
    "figure_of_panels",
    "motif_scatter",
    "save_axes",
    "scatter",
]

Floats = NDArray[np.float64]
_INK, _FAINT, _ACCENT = "#1f2733", "#c6ccd4", "#2b6cb0"
_LONGEST = 40  # letters of a name
_ENDINGS = (".png", ".svg", ".pdf")
_STYLE = {
    "font.size": 10,
    "axes.edgecolor": _FAINT,
    "axes.labelcolor": _INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "svg.fonttype": "none",
    "svg.hashsalt": "tanager",
    "pdf.fonttype": 42,
    "text.usetex": False,  # names are no TeX
}


@contextmanager
def _figure(path: str | Path, width: float, height: float) -> Iterator[tuple[Any, Any]]:
    """A figure that is saved to `path` on leaving; needs no display and leaves global state alone."""
    target = _checked(path)
    try:
        import matplotlib
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingPackageError("plots need matplotlib: pip install matplotlib") from None
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        yield figure, axes
        _save(figure, target)


@contextmanager
def figure_of_panels(target: Path | IO[bytes], panels: int, title: str) -> Iterator[list[Any]]:
    """Axes side by side under one title, written on leaving: to a file, or as SVG to a stream of bytes."""
    checked = _checked(target) if isinstance(target, Path) else target
    try:
        import matplotlib
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingPackageError("plots need matplotlib: pip install matplotlib") from None
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(4.6 * panels if panels > 1 else 6.4, 4.6), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(1, panels, squeeze=False)[0]
        figure.suptitle(plot_text(title), fontsize=10)
        yield list(axes)
        if isinstance(checked, Path):
            _save(figure, checked)
        else:
            figure.savefig(checked, format="svg", metadata={"Date": None})


def save_axes(axes: Any, path: str | Path) -> Path:
    """Write the figure of some axes to a file."""
    import matplotlib

    target = _checked(path)
    with matplotlib.rc_context(_STYLE):
        _save(axes.figure, target)
    return target


def _checked(path: str | Path) -> Path:
    target = Path(path)
    if target.suffix.lower() not in _ENDINGS:
        raise DataError(f"plots end in {', '.join(_ENDINGS)}, not {target.name!r}")
    return target


def _save(figure: Any, target: Path) -> None:
    # No dates: the same results make the same files.
    dated = {".png": None, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    ending = target.suffix.lower()
    with output_file(target) as file:
        figure.savefig(file, format=ending[1:], dpi=200, metadata=dated[ending])


def critical_difference(comparison: Comparison, path: str | Path, alpha: float = 0.05) -> Path:
    """Demšar's diagram: average ranks on an axis, bars over learners that do not differ significantly."""
    if len(comparison.learners) < 2:
        raise DataError("a critical-difference diagram needs at least 2 learners")
    ranks = comparison.ranks
    shape = diagram(list(ranks), list(ranks.values()), comparison.critical_difference(alpha))
    lines = max(entry.line for entry in shape.entries) + 1
    bars = len(shape.bars)
    top, drop, step = 0.55, 0.35 + 0.22 * bars, 0.42
    height = top + 0.6 + drop + step * lines
    with _figure(path, 7.0, max(1.9, 0.62 * height + 0.6)) as (_, axes):
        axes.set_axis_off()
        span = max(shape.high - shape.low, 1)
        reach = 0.55 * span
        axes.set_xlim(shape.low - reach, shape.high + reach)
        axes.set_ylim(-drop - step * lines, top + 0.75)
        axes.plot([shape.low, shape.high], [0, 0], color=_INK, lw=1.2)
        for tick in range(shape.low, shape.high + 1):
            axes.plot([tick, tick], [0, 0.1], color=_INK, lw=1.0)
            axes.text(tick, 0.16, str(tick), ha="center", va="bottom")
        end = shape.low + shape.critical_difference
        axes.plot([shape.low, end], [top + 0.15] * 2, color=_ACCENT, lw=2, solid_capstyle="butt")
        text = f"critical difference {shape.critical_difference:.2f} (α = {alpha:g})"
        axes.text(shape.low, top + 0.24, text, ha="left", va="bottom", color=_ACCENT, fontsize=9)
        for index, (first, last) in enumerate(shape.bars):
            y = -0.2 - 0.22 * index
            pad = 0.012 * span
            axes.plot([first - pad, last + pad], [y, y], color=_INK, lw=3.5, solid_capstyle="round")
        for entry in shape.entries:
            y = -drop - step * (entry.line + 0.4)
            side = shape.low - 0.06 * span if entry.left else shape.high + 0.06 * span
            axes.plot([entry.rank, entry.rank, side], [0, y, y], color=_INK, lw=0.8)
            name = plot_text(_short(entry.name))
            label = f"{name}  {entry.rank:.2f}" if entry.left else f"{entry.rank:.2f}  {name}"
            axes.text(side, y, f" {label} ", ha="right" if entry.left else "left", va="center")
    return Path(path)


def _short(name: str) -> str:
    """A name that leaves room for the plot."""
    shown = printable(name)
    return shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + "…"


@contextmanager
def _square(path: str | Path, x: Floats, y: Floats, labels: tuple[str, str], title: str) -> Iterator[Any]:
    """Points against the diagonal, on two axes with one scale."""
    with _figure(path, 4.6, 4.6) as (_, axes):
        low, high = float(min(x.min(), y.min())), float(max(x.max(), y.max()))
        pad = 0.06 * (high - low) or 1.0
        ends = (low - pad, high + pad)
        axes.set(
            xlim=ends, ylim=ends, aspect="equal", xlabel=plot_text(labels[0]), ylabel=plot_text(labels[1])
        )
        axes.plot(ends, ends, color=_FAINT, lw=1, zorder=0)
        axes.scatter(x, y, s=30, color=_ACCENT, alpha=0.85, edgecolors="white", linewidths=0.6)
        axes.set_title(plot_text(title), fontsize=9.5, loc="left")
        yield axes


def scatter(comparison: Comparison, a: str, b: str, path: str | Path, metric: str = "accuracy") -> Path:
    """One point per data set: `b` upwards, `a` to the right; points above the diagonal are wins of `b`."""
    table = comparison.table(metric)
    share = heading(metric).endswith("(%)")
    x, y = (table.column(name) * (100.0 if share else 1.0) for name in (a, b))
    known = ~np.isnan(x + y)
    x, y, names = x[known], y[known], [name for name, k in zip(table.rows, known, strict=True) if k]
    score = comparison.win_draw_loss(b, a, metric)
    first, second = _short(a), _short(b)
    title = f"{second} wins {score.wins}, draws {score.draws}, loses {score.losses}"
    with _square(path, x, y, (f"{first}, {heading(metric)}", f"{second}, {heading(metric)}"), title) as axes:
        low, high = axes.get_xlim()
        apart = np.abs(y - x)
        for index in np.argsort(-apart)[:5]:  # the names of those farthest from a draw
            if apart[index] > 0.02 * (high - low):
                left = x[index] > (low + high) / 2
                axes.annotate(
                    plot_text(_short(names[index])),
                    (x[index], y[index]),
                    xytext=(-6 if left else 6, 0),
                    textcoords="offset points",
                    ha="right" if left else "left",
                    va="center",
                    fontsize=7.5,
                )
    return Path(path)


def motif_scatter(x: Floats, y: Floats, first: str, second: str, path: str | Path) -> Path:
    """One point per set of sites: the loss of `second` upwards, of `first` to the right.

    Points above the diagonal are sets on which `first` is better: the loss is −ln P of a held-out site.
    """
    better = int((x < y - 1e-10).sum()), int((y < x - 1e-10).sum())
    title = f"{first} better on {better[0]}, {second} on {better[1]}"
    with _square(path, x, y, (f"{first}, −ln P per site", f"{second}, −ln P per site"), title):
        return Path(path)


def accuracy_time(comparison: Comparison, path: str | Path) -> Path:
    """Mean accuracy over the data sets against the mean time of one fit and prediction (logarithmic)."""
    accuracy = 100.0 * np.nanmean(comparison.accuracy.values, axis=0)
    times = 1e3 * np.nanmean(comparison.seconds.values, axis=0)
    with _figure(path, 5.6, 3.8) as (_, axes):
        axes.set_xscale("log")
        axes.grid(axis="both", color=_FAINT, alpha=0.4, lw=0.6)
        axes.scatter(times, accuracy, s=46, color=_ACCENT, edgecolors="white", linewidths=0.8, zorder=3)
        for name, x, y in zip(comparison.learners, times, accuracy, strict=True):
            axes.annotate(
                plot_text(_short(name)), (x, y), xytext=(7, 4), textcoords="offset points", fontsize=9
            )
        axes.margins(x=0.2, y=0.15)
        axes.set_xlabel("fit + predict, mean over folds and data sets (ms)")
        axes.set_ylabel("accuracy (%), mean over data sets")
    return Path(path)
