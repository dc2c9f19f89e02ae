"""The scripts of the gallery run, and the pages in the documents are what they give."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install 'tanager-learn[report]'")

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs" / "gallery"
gallery = SimpleNamespace(**runpy.run_path(str(ROOT / "scripts" / "gallery.py")))
SCRIPTS = sorted(gallery.GALLERY.glob("*.py"))


def test_there_are_five() -> None:
    assert [script.stem for script in SCRIPTS] == ["binding_sites", "medical", "paper", "stream", "wide"]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_runs_and_its_page_is_current(script: Path, tmp_path: Path) -> None:
    """Words and code to the letter; figures by their number, since fonts differ between machines."""
    page, *figures = gallery.render(script, tmp_path)
    kept = (PAGES / page.name).read_text(encoding="utf-8")
    assert page.read_text(encoding="utf-8") == kept, f"python scripts/gallery.py {script.stem}"
    assert figures
    shown = re.findall(r"!\[\]\((.*?)\)", kept)
    assert shown == [figure.name for figure in figures]
    assert all((PAGES / name).stat().st_size > 1000 for name in shown)
