"""Runs the scripts of gallery/ cell by cell, and writes them with what they print and draw to docs/gallery.

    python scripts/gallery.py                 # all of them
    python scripts/gallery.py stream          # some of them

A cell begins with ``# %%``; one that begins with ``# %% [markdown]`` is text. Where a cell's last line is a
figure, or axes, it is drawn below.
"""

from __future__ import annotations

import ast
import contextlib
import io
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
GALLERY = ROOT / "gallery"


def cells(script: Path) -> list[tuple[bool, str]]:
    """Whether a cell is text, and what stands in it."""
    found = []
    for part in script.read_text(encoding="utf-8").split("# %%")[1:]:
        head, _, body = part.partition("\n")
        text = "[markdown]" in head
        if text:
            body = "\n".join(line.removeprefix("#").removeprefix(" ") for line in body.splitlines())
        found.append((text, body.strip()))
    return found


def run(code: str, names: dict[str, Any]) -> tuple[str, Any]:
    """What a cell prints, and the value of its last line where that is an expression."""
    parsed = ast.parse(code)
    last = parsed.body.pop() if isinstance(parsed.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(parsed, "cell", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
    return printed.getvalue().rstrip(), value


def render(script: Path, folder: Path) -> list[Path]:
    """Writes a script as Markdown, with its figures beside it; gives all files."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    pyplot.rcParams["svg.hashsalt"] = "tanager"  # the same figure is the same file
    names: dict[str, Any] = {"__name__": script.stem}
    parts, files = [], []
    for text, body in cells(script):
        if text:
            parts.append(body)
            continue
        parts.append(f"```python\n{body}\n```")
        printed, value = run(body, names)
        if printed:
            parts.append(f"```text\n{printed}\n```")
        figure = getattr(value, "figure", value)
        if hasattr(figure, "savefig"):
            files.append(folder / f"{script.stem.replace('_', '-')}-{len(files) + 1}.svg")
            figure.savefig(files[-1], metadata={"Date": None}, bbox_inches="tight")
            parts.append(f"![]({files[-1].name})")
        pyplot.close("all")
    parts.append(f"Made by `python scripts/gallery.py {script.stem}` from `gallery/{script.name}`.")
    page = folder / f"{script.stem.replace('_', '-')}.md"
    page.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return [page, *files]


def main() -> int:
    chosen = sys.argv[1:] or sorted(path.stem for path in GALLERY.glob("*.py"))
    for name in chosen:
        for path in render(GALLERY / f"{name}.py", ROOT / "docs" / "gallery"):
            print(path.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
