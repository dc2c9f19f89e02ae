"""The rooms of the Rust core import only what stands to their left in the walk."""

import re
from pathlib import Path

import pytest

CORE = Path(__file__).resolve().parents[1] / "rust" / "core" / "src"
# Rooms of one rank may use each other's left neighbours, not each other.
RANKS = (
    ("error", "control", "options", "math"),
    ("data",),
    ("counts",),
    ("score",),
    ("graph", "independence"),
    ("search",),
    ("structure",),
    ("parameters",),
    ("model",),
)
RANK = {room: rank for rank, rooms in enumerate(RANKS) for room in rooms}


def imports(source: str) -> set[str]:
    """Rooms named as ``crate::room`` or ``use crate::{room::…}`` before the tests of a file."""
    code = re.sub(r"//.*", "", source.split("#[cfg(test)]")[0])
    names = set(re.findall(r"\bcrate::(\w+)", code))
    for group in re.findall(r"\bcrate::\{([^;]*)\};", code):
        names |= set(re.findall(r"(?:^|,)\s*(\w+)", group))
    return names & RANK.keys()


@pytest.mark.parametrize("room", sorted(RANK))
def test_a_room_imports_only_from_its_left(room: str) -> None:
    files = sorted((CORE / room).rglob("*.rs")) or [CORE / f"{room}.rs"]
    for file in files:
        for other in imports(file.read_text(encoding="utf-8")) - {room}:
            allowed = RANK[other] < RANK[room] or RANK[room] == 0
            assert allowed, f"{file.relative_to(CORE)} imports {other}, which stands to its right"


def test_the_rooms_are_all_known() -> None:
    found = {path.stem for path in CORE.iterdir() if path.stem != "lib"}
    assert found == RANK.keys()
