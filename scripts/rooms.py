"""Which room imports which, and the picture of it in DESIGN.md.

    python scripts/rooms.py             # draws the picture anew, between its marks

A room is a folder or a file directly below the core's or the package's source. The picture has an arrow from
a room to each room that it imports, but for those that it also reaches by way of another.
"""

from __future__ import annotations

import ast
import re
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CORE = ROOT / "rust" / "core" / "src"
PACKAGE = ROOT / "python" / "tanager"
DESIGN = ROOT / "DESIGN.md"
BEGIN, END = "<!-- imports: begin -->", "<!-- imports: end -->"

Arrows = dict[str, set[str]]


def python_rooms() -> list[str]:
    """The rooms of the package; its `__init__` is the door, not a room."""
    found = {path.stem for path in PACKAGE.iterdir() if path.suffix in {"", ".py"}}
    return sorted(found - {"__init__", "__pycache__"})


def rust_rooms() -> list[str]:
    """The rooms of the core; its `lib` is the door, not a room."""
    return sorted({path.stem for path in CORE.iterdir()} - {"lib"})


def files_of(folder: Path, room: str, suffix: str) -> list[Path]:
    """The files of a room, be it a folder or one file."""
    return sorted((folder / room).rglob(f"*{suffix}")) or [folder / f"{room}{suffix}"]


def imported_names(source: str) -> set[str]:
    """All that Python source imports, wherever in it: modules, and names with their module in front."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                raise ValueError("imports are absolute, so that they can be followed")
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def python_imports(source: str) -> set[str]:
    """Rooms that Python source imports, at its top, in a function or for types alone: all of them count."""
    parts = [name.split(".") for name in imported_names(source)]
    return {part[1] for part in parts if part[0] == "tanager" and len(part) > 1}


def python_siblings(source: str, room: str) -> set[str]:
    """Files of the same room that Python source imports."""
    parts = [name.split(".") for name in imported_names(source)]
    return {part[2] for part in parts if part[:2] == ["tanager", room] and len(part) > 2}


def _rust_names(source: str, before: str) -> set[str]:
    """Names after ``before::``, alone or in braces, ahead of a file's tests."""
    code = re.sub(r"//.*", "", source.split("#[cfg(test)]")[0])
    names = set(re.findall(rf"\b{before}::(\w+)", code))
    for group in re.findall(rf"\b{before}::\{{([^;]*)\}};", code):
        names |= set(re.findall(r"(?:^|,)\s*(\w+)", group))
    return names


def rust_imports(source: str) -> set[str]:
    """Rooms that Rust source names, as ``crate::room`` or ``use crate::{room::…}``."""
    return _rust_names(source, "crate") & set(rust_rooms())


def rust_siblings(source: str, room: str) -> set[str]:
    """Files of the same room that Rust source names, by ``super::`` or by the room's own path."""
    return _rust_names(source, "super") | _rust_names(source, f"crate::{room}")


@cache
def arrows(language: str) -> Arrows:
    """The rooms that each room imports, in "rust" or in "python"."""
    rooms, folder, suffix, imports = {
        "rust": (rust_rooms(), CORE, ".rs", rust_imports),
        "python": (python_rooms(), PACKAGE, ".py", python_imports),
    }[language]
    return {
        room: set()
        .union(*(imports(file.read_text(encoding="utf-8")) for file in files_of(folder, room, suffix)))
        .intersection(rooms)
        - {room}
        for room in rooms
    }


def cycle(arrows: Arrows) -> list[str]:
    """A way from one back to itself, or nothing."""
    done: set[str] = set()

    def walk(start: str, way: list[str]) -> list[str]:
        if start in way:
            return [*way[way.index(start) :], start]
        if start in done:
            return []
        for other in sorted(arrows[start] & arrows.keys()):
            if found := walk(other, [*way, start]):
                return found
        done.add(start)
        return []

    return next((found for start in sorted(arrows) if (found := walk(start, []))), [])


def reduced(arrows: Arrows) -> Arrows:
    """The arrows that are no short cut past a longer way."""

    def reached(start: str) -> set[str]:
        found: set[str] = set()
        for other in arrows[start]:
            found |= {other} | reached(other)
        return found

    return {
        room: others - set().union(*(reached(other) for other in others)) for room, others in arrows.items()
    }


def picture() -> str:
    """Both languages as Mermaid, which GitHub and the documentation draw."""
    parts = []
    for language, title in (("rust", "The core"), ("python", "The package")):
        lines = ["```mermaid", "graph RL"]
        shown = reduced(arrows(language))
        lines += [f'  {room}_["{room}"]' for room in shown]  # a bare "graph" would be a word of Mermaid's
        lines += [f"  {room}_ --> {other}_" for room, others in shown.items() for other in sorted(others)]
        parts += [f"{title} (an arrow points at what is imported):", "", *lines, "```", ""]
    return "\n".join(parts).rstrip()


def with_picture(text: str) -> str:
    """The text with the present picture between its marks."""
    before, _, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise ValueError(f"the text has no marks {BEGIN} and {END}")
    return f"{before}{BEGIN}\n{picture()}\n{END}{after}"


if __name__ == "__main__":
    DESIGN.write_text(with_picture(DESIGN.read_text(encoding="utf-8")), encoding="utf-8")
    sys.exit(0)
