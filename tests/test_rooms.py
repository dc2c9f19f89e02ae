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
    ("error", "math"),
    ("control", "options"),
    ("registry",),
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
    ("exceptions", "_core", "text_table"),
    ("output", "registry", "settings"),
    ("data", "reading", "specification"),
    ("network", "parameters", "scores"),
    ("export", "functions"),
    ("estimators",),
    ("document", "model_parameters"),
    ("model_file",),
    ("evaluation",),
    ("report",),
    ("motifs",),
    ("reproduce",),
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
    """Rooms that a file imports, at its top, in a function or for types alone: all of them count."""
    rooms = set()
    for statement in ast.walk(ast.parse(source)):
        if isinstance(statement, ast.ImportFrom):
            assert not statement.level, "imports are absolute, so that they can be followed"
            module = statement.module or ""
            if module == "tanager":
                rooms |= {alias.name for alias in statement.names}
            elif module.startswith("tanager."):
                rooms.add(module.split(".")[1])
        elif isinstance(statement, ast.Import):
            rooms |= {
                alias.name.split(".")[1] for alias in statement.names if alias.name.startswith("tanager.")
            }
    return rooms


def test_imports_are_found_wherever_they_stand():
    source = (
        "import tanager.data\ndef f():\n from tanager.report.html import html\n from tanager import cli\n"
    )
    assert python_imports(source) == {"data", "report", "cli"}
    assert rust_siblings("use super::rule::A;\nuse crate::data::{search::B, join};\n", "data") == {
        "rule",
        "search",
        "join",
    }


def rust_siblings(source: str, room: str) -> set[str]:
    """Files of the same room that a file names, by ``super::`` or by the room's own path."""
    code = re.sub(r"//.*", "", source.split("#[cfg(test)]")[0])
    names = set(re.findall(rf"\b(?:super|crate::{room})::(\w+)", code))
    for group in re.findall(rf"\b(?:super|crate::{room})::\{{([^;]*)\}};", code):
        names |= set(re.findall(r"(?:^|,)\s*(\w+)", group))
    return names


def python_siblings(source: str, room: str) -> set[str]:
    """Files of the same room that a file imports."""
    found = set()
    for name in imported_names(source):
        parts = name.split(".")
        if parts[:2] == ["tanager", room]:
            found |= set(parts[2:])
    return found


def cycle(arrows: dict[str, set[str]]) -> list[str]:
    """A way from a file back to itself, or nothing."""
    done: set[str] = set()

    def walk(file: str, way: list[str]) -> list[str]:
        if file in way:
            return [*way[way.index(file) :], file]
        if file in done:
            return []
        for other in sorted(arrows[file] & arrows.keys()):
            if found := walk(other, [*way, file]):
                return found
        done.add(file)
        return []

    return next((found for file in sorted(arrows) if (found := walk(file, []))), [])


def test_a_cycle_is_found():
    assert cycle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]
    assert cycle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


def files_of(folder: Path, room: str, suffix: str) -> list[Path]:
    """The files of a room, be it a folder or one file."""
    return sorted((folder / room).rglob(f"*{suffix}")) or [folder / f"{room}{suffix}"]


@pytest.mark.parametrize("room", sorted(RUST))
def test_a_rust_room_imports_only_from_its_left(room):
    for file in files_of(CORE, room, ".rs"):
        for other in rust_imports(file.read_text(encoding="utf-8")) - {room}:
            assert RUST[other] < RUST[room], (
                f"{file.relative_to(CORE)} imports {other}, which does not stand to its left"
            )


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


@pytest.mark.parametrize("room", sorted(room for room in RUST if (CORE / room).is_dir()))
def test_the_files_of_a_rust_room_do_not_import_each_other_in_a_circle(room):
    files = [file for file in (CORE / room).glob("*.rs") if file.stem != "mod"]
    assert not cycle({f.stem: rust_siblings(f.read_text(encoding="utf-8"), room) - {f.stem} for f in files})


@pytest.mark.parametrize("room", sorted(room for room in PYTHON if (PACKAGE / room).is_dir()))
def test_the_files_of_a_python_room_do_not_import_each_other_in_a_circle(room):
    files = [file for file in (PACKAGE / room).glob("*.py") if file.stem != "__init__"]
    assert not cycle({f.stem: python_siblings(f.read_text(encoding="utf-8"), room) - {f.stem} for f in files})


def test_the_rooms_are_all_known():
    assert {path.stem for path in CORE.iterdir() if path.stem != "lib"} == RUST.keys()


def test_the_oracle_imports_nothing_from_tanager():
    for file in (ROOT / "tests" / "reference").glob("*.py"):
        assert "tanager" not in {name.split(".")[0] for name in imported_modules(file)}


def imported_modules(file: Path) -> set[str]:
    """Every module that a file imports, anywhere in it."""
    return imported_names(file.read_text(encoding="utf-8"))


def imported_names(source: str) -> set[str]:
    """Modules and what is taken from them, with the modules' names in front."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found
