"""The rooms import only what stands to their left in the walk, in the Rust core and in Python."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CORE = ROOT / "rust" / "core" / "src"
PACKAGE = ROOT / "python" / "tanager"

# Rooms of one rank may use each other's left neighbours, not each other.
RUST_WALK = (
    ("error", "control", "math", "options"),
    ("data",),
    ("counts",),
    ("score",),
    ("graph", "independence"),
    ("search",),
    ("structure",),
    ("parameters",),
    ("model",),
)
PYTHON_WALK = (
    ("exceptions", "_core"),
    ("output", "settings"),
    ("data", "specification"),
    ("network", "parameters", "scores"),
    ("functions",),
    ("estimators",),
    ("document", "model_parameters"),
    ("model_file",),
    ("evaluation",),
    ("report",),
    ("motifs",),
    ("cli",),
    ("__main__",),
)


def ranks(walk) -> dict[str, int]:
    """The place of each room in the walk."""
    return {room: rank for rank, rooms in enumerate(walk) for room in rooms}


RUST, PYTHON = ranks(RUST_WALK), ranks(PYTHON_WALK)


def rust_imports(source: str) -> set[str]:
    """Rooms named as ``crate::room`` or ``use crate::{room::…}`` before the tests of a file."""
    code = re.sub(r"//.*", "", source.split("#[cfg(test)]")[0])
    names = set(re.findall(r"\bcrate::(\w+)", code))
    for group in re.findall(r"\bcrate::\{([^;]*)\};", code):
        names |= set(re.findall(r"(?:^|,)\s*(\w+)", group))
    return names & RUST.keys()


def python_imports(source: str) -> set[str]:
    """Rooms imported when the module is; what a function imports when it is called may lie to the right."""
    rooms = set()
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.ImportFrom) and statement.module == "tanager":
            rooms |= {alias.name for alias in statement.names}
        elif isinstance(statement, ast.ImportFrom) and (statement.module or "").startswith("tanager."):
            rooms.add(statement.module.split(".")[1])
        elif isinstance(statement, ast.Import):
            rooms |= {
                alias.name.split(".")[1] for alias in statement.names if alias.name.startswith("tanager.")
            }
    return rooms


def files_of(folder: Path, room: str, suffix: str) -> list[Path]:
    """The files of a room, be it a folder or one file."""
    return sorted((folder / room).rglob(f"*{suffix}")) or [folder / f"{room}{suffix}"]


@pytest.mark.parametrize("room", sorted(RUST))
def test_a_rust_room_imports_only_from_its_left(room):
    for file in files_of(CORE, room, ".rs"):
        for other in rust_imports(file.read_text(encoding="utf-8")) - {room}:
            allowed = RUST[other] < RUST[room] or RUST[room] == 0
            assert allowed, f"{file.relative_to(CORE)} imports {other}, which does not stand to its left"


@pytest.mark.parametrize(
    "room",
    sorted(
        {path.stem for path in PACKAGE.iterdir() if path.suffix in {"", ".py"}} - {"__init__", "__pycache__"}
    ),
)
def test_a_python_room_imports_only_from_its_left(room):
    assert room in PYTHON, f"tanager.{room} has no place in PYTHON_WALK yet"
    for file in files_of(PACKAGE, room, ".py"):
        for other in python_imports(file.read_text(encoding="utf-8")) - {room}:
            allowed = PYTHON.get(other, len(PYTHON)) < PYTHON[room]
            assert allowed, f"{file.relative_to(PACKAGE)} imports {other}, which does not stand to its left"


def test_the_rooms_are_all_known():
    assert {path.stem for path in CORE.iterdir() if path.stem != "lib"} == RUST.keys()


def test_the_oracle_imports_nothing_from_tanager():
    for file in (ROOT / "tests" / "reference").glob("*.py"):
        assert "tanager" not in {name.split(".")[0] for name in imported_modules(file)}


def imported_modules(file: Path) -> set[str]:
    """Every module that a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
    return found
