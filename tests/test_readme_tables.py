"""The script that makes the README's tables puts them between their marks, and the README has those marks."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def script():
    specification = importlib.util.spec_from_file_location(
        "readme_tables", ROOT / "scripts" / "readme_tables.py"
    )
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_a_table_stands_between_its_marks(script):
    text = "a\n<!-- speed: begin -->\nold\n<!-- speed: end -->\nb"
    new = script.replaced(text, "speed", "new \\1")
    assert new == "a\n<!-- speed: begin -->\nnew \\1\n<!-- speed: end -->\nb"
    with pytest.raises(ValueError, match="no single pair of marks"):
        script.replaced("a", "speed", "new")


def test_speed_table_from_the_benchmarks_json(script):
    times = [
        {
            "data": "chess",
            "task": "TAN fit",
            "peer": "tanager",
            "seconds": 0.0004,
            "ratio": 1.0,
            "agrees": "",
            "peak_bytes": 3 * 2**20,
        },
        {
            "data": "chess",
            "task": "TAN fit",
            "peer": "bnlearn",
            "seconds": 1.5,
            "ratio": 3750.0,
            "agrees": "",
        },
    ]
    lines = script.speed_table(times).splitlines()
    assert lines[2] == "| chess | TAN fit | tanager | 400 µs |  | 3 MiB |"
    assert lines[3] == "| chess | TAN fit | bnlearn | 1.5 s | 3750.0× |  |"
    alone = {**times[0], "data": "letter"}
    core = {**times[0], "peer": "tanager, core alone"}
    assert script.ratio_table([*times, core, alone]).splitlines() == [
        "| data | task | tanager | bnlearn |",
        "|:--|:--|--:|--:|",
        "| chess | TAN fit | 400 µs | 3750.0× |",
    ]


def test_accuracy_table_of_one_small_set(script, monkeypatch, tmp_path):
    monkeypatch.setenv("TANAGER_CACHE", str(tmp_path))
    monkeypatch.setattr(script, "DATA", ("iris", "wine"))
    monkeypatch.setattr(script, "LEARNERS", {"NB": "nb", "TAN": "tan"})
    lines = script.accuracy_table().splitlines()
    assert lines[0] == "| data set | NB | TAN |"
    assert [line.split(" | ")[0] for line in lines[2:5]] == ["| iris", "| wine", "| average rank"]
    assert "**" in lines[2]
    assert "5 times 5-fold" in lines[-1]


def test_the_readme_has_the_marks_and_a_table_between_them(script):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert script.replaced(text, "accuracy", "x") != text
    between = text.split("<!-- accuracy: begin -->")[1].split("<!-- accuracy: end -->")[0]
    assert all(f"| {name} |" in between for name in script.DATA)
    for page in (script.README, script.PEERS):
        text = page.read_text(encoding="utf-8")
        assert script.replaced(text, "speed", "x") != text
