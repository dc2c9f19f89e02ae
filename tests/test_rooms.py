"""The rooms import only what stands to their left in the walk, in the Rust core and in Python."""

import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[1]
rooms = SimpleNamespace(**runpy.run_path(str(ROOT / "scripts" / "rooms.py")))

# Rooms of one rank may use each other's left neighbours, not each other.
RUST_WALK = (
    ("error", "math"),
    ("control", "options", "memory"),
    ("registry",),
    ("data",),
    ("counts",),
    ("score",),
    ("graph", "independence"),
    ("search",),
    ("structure",),
    ("parameters",),
    ("model",),
    ("refine", "scan"),
)
PYTHON_WALK = (
    ("exceptions", "_core", "escape"),
    ("limits", "output", "registry", "scikit_learn", "settings", "text_table"),
    ("input",),
    ("data", "reading", "specification"),
    ("drawing",),
    ("network", "parameters", "scores"),
    ("export", "functions", "statistics"),
    ("streaming",),
    ("estimators", "workers"),
    ("dask", "document", "model_parameters", "spark"),
    ("model_file",),
    ("evaluation",),
    ("report",),
    ("motifs",),
    ("reproduce",),
    ("public",),
    ("cli",),
    ("__main__",),
)


def ranks(walk) -> dict[str, int]:
    """The place of each room in the walk."""
    return {room: rank for rank, some in enumerate(walk) for room in some}


RUST, PYTHON = ranks(RUST_WALK), ranks(PYTHON_WALK)


def test_imports_are_found_wherever_they_stand():
    source = "import tanager.data\ndef f():\n from tanager.report.html import h\n from tanager import cli\n"
    assert rooms.python_imports(source) == {"data", "report", "cli"}
    assert rooms.python_siblings("from tanager.data import a\nimport tanager.data.b", "data") == {"a", "b"}
    assert rooms.rust_imports("use crate::{data::D, counts};\nfn f() { crate::score::s() }") == {
        "data",
        "counts",
        "score",
    }
    assert rooms.rust_siblings("use super::rule::A;\nuse crate::data::{search::B, join};\n", "data") == {
        "rule",
        "search",
        "join",
    }


def test_a_circle_is_found():
    assert rooms.cycle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]
    assert rooms.cycle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


def test_the_picture_has_no_short_cuts():
    assert rooms.reduced({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == {"a": {"b"}, "b": {"c"}, "c": set()}


@pytest.mark.parametrize("room", rooms.rust_rooms())
def test_a_rust_room_imports_only_from_its_left(room):
    assert room in RUST, f"{room} has no place in RUST_WALK yet"
    for other in rooms.arrows("rust")[room]:
        assert RUST[other] < RUST[room], f"{room} imports {other}, which does not stand to its left"


@pytest.mark.parametrize("room", rooms.python_rooms())
def test_a_python_room_imports_only_from_its_left(room):
    assert room in PYTHON, f"tanager.{room} has no place in PYTHON_WALK yet"
    for other in rooms.arrows("python")[room]:
        assert PYTHON[other] < PYTHON[room], f"{room} imports {other}, which does not stand to its left"


@pytest.mark.parametrize("room", [room for room in rooms.rust_rooms() if (rooms.CORE / room).is_dir()])
def test_the_files_of_a_rust_room_do_not_import_each_other_in_a_circle(room):
    files = [file for file in (rooms.CORE / room).glob("*.rs") if file.stem != "mod"]
    texts = {file.stem: file.read_text(encoding="utf-8") for file in files}
    assert not rooms.cycle({name: rooms.rust_siblings(text, room) - {name} for name, text in texts.items()})


@pytest.mark.parametrize("room", [room for room in rooms.python_rooms() if (rooms.PACKAGE / room).is_dir()])
def test_the_files_of_a_python_room_do_not_import_each_other_in_a_circle(room):
    files = [file for file in (rooms.PACKAGE / room).glob("*.py") if file.stem != "__init__"]
    texts = {file.stem: file.read_text(encoding="utf-8") for file in files}
    assert not rooms.cycle({name: rooms.python_siblings(text, room) - {name} for name, text in texts.items()})


def test_nothing_is_said_of_rooms_that_are_gone():
    assert RUST.keys() == set(rooms.rust_rooms())
    assert PYTHON.keys() - {"_core"} == set(rooms.python_rooms())


def test_the_design_describes_every_room():
    text = rooms.DESIGN.read_text(encoding="utf-8")
    described = {
        name for row in re.findall(r"^\| ([^|]*) \|", text, re.M) for name in re.findall(r"`([\w/]+)`", row)
    }
    wanted = {f"rust/core/src/{room}" for room in rooms.rust_rooms()}
    wanted |= {f"python/tanager/{room}" for room in rooms.python_rooms()}
    assert wanted - described == set()
    gone = {name for name in described if name.startswith(("rust/core/", "python/"))} - wanted
    assert gone == set()


def test_the_picture_of_the_imports_is_current():
    text = rooms.DESIGN.read_text(encoding="utf-8")
    assert rooms.with_picture(text) == text, "draw it anew: python scripts/rooms.py"


def test_the_oracle_imports_nothing_from_tanager():
    for file in (ROOT / "tests" / "reference").glob("*.py"):
        names = rooms.imported_names(file.read_text(encoding="utf-8"))
        assert "tanager" not in {name.split(".")[0] for name in names}
