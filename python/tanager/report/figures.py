"""Figures: made without a display, saved as files, returned to notebooks, or put into a page as they are."""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np

from tanager.escape import plot_text, printable, xml_text
from tanager.exceptions import DataError, MissingPackageError
from tanager.output import output_file

__all__ = [
    "ACCENT",
    "COLOURS",
    "FAINT",
    "INK",
    "Saved",
    "drawn",
    "figure_of_panels",
    "inline_svg",
    "label_points",
    "plot_path",
    "save_axes",
    "short",
]

INK, FAINT, ACCENT, SOFT, GROUND = "#1f2733", "#c6ccd4", "#2b6cb0", "#5b6878", "#ffffff"
#: Of middling lightness, so that they show on white and on black.
COLOURS = (ACCENT, "#c05621", "#2f855a", "#b83280", "#8a6d00", "#6b46c1", "#0e7c86", "#c53030", "#64748b")
_LONGEST = 40  # letters of a name
_ENDINGS = (".png", ".svg", ".pdf")
_STYLE = {
    "font.size": 10,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "tanager",
    "pdf.fonttype": 42,
    "text.usetex": False,  # names are no TeX
}
# What a page's style sheet calls these colours, which differ by day and by night.
_VARIABLES = {INK: "--ink", FAINT: "--faint", ACCENT: "--accent", SOFT: "--soft", GROUND: "--ground"}

#: What a plot gives: the figure, or where it was saved.
Saved = Any


@contextmanager
def _style() -> Iterator[None]:
    try:
        import matplotlib
    except ImportError:
        raise MissingPackageError(
            "plots need matplotlib: pip install matplotlib, or tanager-learn[report]"
        ) from None
    with matplotlib.rc_context(_STYLE):
        yield


def drawn(
    draw: Callable[[Any], object], width: float, height: float, path: str | Path | None = None
) -> Saved:
    """A figure that `draw` has drawn on; saved to `path` where one is given, whose Path is then returned.

    It needs no display and leaves matplotlib's own settings alone.
    """
    target = None if path is None else plot_path(path)
    with _style():
        # Without a layout engine, which takes ten times as long as everything else; who draws gives margins.
        figure = _figure((width, height))
        draw(figure)
        if target is None:
            return figure
        _save(figure, target)
    return target


@contextmanager
def figure_of_panels(target: Path | IO[bytes], panels: int, title: str) -> Iterator[list[Any]]:
    """Axes side by side under one title, written on leaving: to a file, or as SVG to a stream of bytes."""
    checked = plot_path(target) if isinstance(target, Path) else target
    with _style():
        figure = _figure((4.6 * panels if panels > 1 else 6.4, 4.6), "constrained")
        axes = figure.subplots(1, panels, squeeze=False)[0]
        lines = textwrap.wrap(plot_text(title), int(11 * figure.get_figwidth()))  # letters that an inch holds
        figure.suptitle("\n".join(lines), fontsize=10)
        yield list(axes)
        if isinstance(checked, Path):
            _save(figure, checked)
        else:
            figure.savefig(checked, format="svg", metadata={"Date": None})


def _figure(inches: tuple[float, float], layout: Any = None) -> Any:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=inches, layout=layout)
    FigureCanvasAgg(figure)
    return figure


def save_axes(axes: Any, path: str | Path) -> Path:
    """Write the figure of some axes to a file."""
    target = plot_path(path)
    with _style():
        _save(axes.figure, target)
    return target


def plot_path(path: str | Path) -> Path:
    """The path of a plot; endings that plots do not have are refused."""
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


def inline_svg(figure: Any, label: str, number: int) -> str:
    """A figure as part of a page: its colours are the page's, its ids its own, and it refers to nothing.

    `number` tells the figures of a page apart. Where a page is narrower than the figure, it becomes smaller,
    but not so small that it could not be read: then it scrolls.
    """
    buffer = io.BytesIO()
    with _style():
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    text = buffer.getvalue().decode("utf-8")
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r'\s+clip-path="url\([^)]*\)"', "", text)
    text = re.sub(r"<clipPath.*?</clipPath>", "", text, flags=re.DOTALL)
    text = re.sub(r'\bid="', f'id="f{number}-', text)
    text = re.sub(r'xlink:href="#', f'xlink:href="#f{number}-', text)
    for colour, variable in _VARIABLES.items():
        text = text.replace(colour, f"var({variable})")
    wide, high = (float(size) * 4 / 3 for size in re.findall(r'(?:width|height)="([\d.]+)pt"', text)[:2])
    head = (
        f'<svg class="chart" role="img" aria-label="{xml_text(label)}" width="{wide:.0f}" '
        f'height="{high:.0f}" style="min-width:{0.9 * wide:.0f}px" '
        f'viewBox="0 0 {wide * 0.75:.2f} {high * 0.75:.2f}" '
        'xmlns:xlink="http://www.w3.org/1999/xlink">'
    )
    return head + text[text.index(">") + 1 :].strip()


def short(name: str) -> str:
    """A name that leaves room for the plot, as matplotlib takes it."""
    shown = printable(name)
    return plot_text(shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + "…")


def label_points(
    ax: Any, x: Sequence[float], y: Sequence[float], names: Sequence[str], size: float = 8.5
) -> None:
    """A name beside every point, on the side where it covers the least of other names and points.

    Points are placed one after the other; the places are beside, above and below, near and then farther.
    """
    if not len(names):
        return
    ax.autoscale_view()
    ax.apply_aspect()  # now it is settled where points are
    at = ax.transData.transform(np.column_stack([x, y]))
    unit = ax.figure.dpi / 72.0
    area = ax.get_window_extent()
    taken = [(px - 3 * unit, py - 3 * unit, px + 3 * unit, py + 3 * unit) for px, py in at]
    for (px, py), name in zip(at, names, strict=True):
        wide, high = 0.56 * size * unit * len(name), 1.15 * size * unit
        best: tuple[float, float, float, tuple[float, float, float, float]] | None = None
        for far in (1.0, 1.8, 2.8, 4.0):
            for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)):
                left = px + dx * 5 * unit * far - (wide if dx < 0 else wide / 2 if dx == 0 else 0)
                low = py + dy * 8 * unit * far - high / 2
                box = (left, low, left + wide, low + high)
                cost = sum(_overlap(box, other) for other in taken) + 10 * _outside(box, area) + far
                if best is None or cost < best[0]:
                    best = cost, left, low, box
        assert best is not None
        taken.append(best[3])
        place = ((best[1] - px) / unit, (best[2] - py) / unit)
        ax.annotate(
            short(name), (x[0], y[0]), xytext=place, textcoords="offset points", fontsize=size, color=INK
        ).xy = tuple(ax.transData.inverted().transform((px, py)))


def _overlap(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> float:
    wide, high = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    return max(wide, 0.0) * max(high, 0.0)


def _outside(box: tuple[float, float, float, float], area: Any) -> float:
    over = max(area.x0 - box[0], 0) + max(box[2] - area.x1, 0)
    return float(over + max(area.y0 - box[1], 0) + max(box[3] - area.y1, 0))
