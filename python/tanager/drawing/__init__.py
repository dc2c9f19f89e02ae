"""Networks as pictures: one layout, as SVG and with matplotlib."""

from tanager.drawing.layout import Drawing, draw
from tanager.drawing.plot import plot_network
from tanager.drawing.svg import network_svg

__all__ = ["Drawing", "draw", "network_svg", "plot_network"]
