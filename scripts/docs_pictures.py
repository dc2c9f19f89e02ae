"""Draws the pictures of the documents anew, into docs/pictures.

    python scripts/docs_pictures.py

Networks are SVG as `to_svg` writes it, charts PNG as `plot` draws them; pages are looked at in chromium, on
a desktop and at the width of a phone.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
from PIL import Image

from tanager import AveragedTANClassifier, CkGClassifier, TANClassifier, compare, load_dataset
from tanager.motifs import Sites, fit_motif, plot_logo

PICTURES = Path(__file__).resolve().parents[1] / "docs" / "pictures"
LIMIT = 150_000


def write(name: str, content: bytes) -> None:
    """A picture; none is larger than a page should wait for."""
    if len(content) > LIMIT:
        raise SystemExit(f"{name} has {len(content)} bytes, more than {LIMIT}")
    (PICTURES / name).write_bytes(content)
    print(f"{name}: {len(content)} bytes")


def write_image(name: str, picture: Image.Image) -> None:
    """An image of few colours, which screens and charts are, in a palette."""
    buffer = io.BytesIO()
    picture.convert("RGB").quantize(64, dither=Image.Dither.NONE).save(buffer, "PNG", optimize=True)
    write(name, buffer.getvalue())


def write_chart(name: str, axes: Any) -> None:
    """Axes or a figure of matplotlib."""
    figure = axes if hasattr(axes, "savefig") else axes.figure
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110, bbox_inches="tight")
    write_image(name, Image.open(buffer))


def networks() -> None:
    """A tree, one attribute of it, a k-graph of 36 attributes, and how sure edges are."""
    vote, chess, car = (load_dataset(name) for name in ("vote", "chess", "car"))
    tree = TANClassifier(missing="available").fit(vote.X, vote.y)
    write("vote.svg", tree.network_.to_svg().encode())
    write("vote-focus.svg", tree.network_.to_svg(focus="el-salvador-aid").encode())
    write("chess.svg", CkGClassifier(k=2, score="bic").fit(chess.X, chess.y).network_.to_svg().encode())
    write("edges.svg", AveragedTANClassifier().fit(car.X, car.y).edges_svg().encode())
    write_chart("explanation.png", tree.explain(vote.X[:3]).plot(row=0))
    write_chart("what-if.png", tree.what_if(vote.X[:1], "physician-fee-freeze").plot())


def logo() -> None:
    """The motif of the guide."""
    sites = Sites.from_strings(["TTGACA", "TTGACT", "TAGACA", "CCGATA", "CCGATT", "CAGATA"] * 5)
    write_chart("logo.png", plot_logo(fit_motif(sites, "tree", score="bdeu")))


def report() -> None:
    """The page of a comparison."""
    browser = next((path for name in ("chromium", "google-chrome") if (path := shutil.which(name))), None)
    if browser is None:
        raise SystemExit("there is no chromium, which the pictures of pages are made with")
    result = compare(["nb", "tan", "logistic"], ["car", "vote", "tic-tac-toe"], repeats=1, progress=False)
    write_chart("critical-difference.png", result.plot_critical_difference())
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        result.to_html(page)
        for name, width, height in (("report.png", 1000, 1250), ("report-phone.png", 390, 900)):
            shot = Path(folder) / name
            command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
            command += [f"--user-data-dir={folder}/profile", f"--window-size={max(width, 500)},{height}"]
            framed = page
            if width < 500:  # no window is narrower; a frame is
                framed = Path(folder) / "framed.html"
                style = f"width:{width}px;height:{height}px;border:0"
                body = f'<body style="margin:0"><iframe src="report.html" style="{style}"></iframe>'
                framed.write_text(f"<!doctype html>{body}", encoding="utf-8")
            command += ["--virtual-time-budget=5000", f"--screenshot={shot}", framed.as_uri()]
            subprocess.run(command, check=True, capture_output=True, timeout=300)
            write_image(name, Image.open(shot).crop((0, 0, width, height)))


def main() -> int:
    PICTURES.mkdir(exist_ok=True)
    for draw in (networks, logo, report):
        draw()
    return 0


if __name__ == "__main__":
    sys.exit(main())
