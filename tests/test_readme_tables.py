"""The script that makes the README's tables puts them between their marks, and the README has those marks."""

from __future__ import annotations

import importlib.util
import json
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
            "agrees": "same tree",
        },
    ]
    lines = script.speed_table(times).splitlines()
    assert lines[2] == "| chess | TAN fit | tanager | 400 µs |  | 3 MiB |  |"
    assert lines[3] == "| chess | TAN fit | bnlearn | 1.5 s | 3750.0× |  | same tree |"
    alone = {**times[0], "data": "letter"}
    core = {**times[0], "peer": "tanager, core alone"}
    assert script.ratio_table([*times, core, alone]).splitlines() == [
        "| data | task | tanager | bnlearn |",
        "|:--|:--|--:|--:|",
        "| chess | TAN fit | 400 µs | 3750.0× |",
    ]


def machine(**versions):
    return {"processor": "Some Chip", "cores": 2, "system": "Some OS 1", "versions": versions}


def timed(data, peer, seconds, task="nb fit"):
    return {"data": data, "task": task, "peer": peer, "seconds": seconds, "ratio": 1.0, "agrees": ""}


def test_of_several_files_the_later_counts(script):
    first = {
        "times": [timed("chess", "tanager", 1.0), timed("chess", "pgmpy", 2.0), timed("wide", "tanager", 3.0)]
    }
    second = {"times": [timed("chess", "tanager", 4.0), timed("chess", "Weka", 5.0)]}
    found = [(line["data"], line["peer"], line["seconds"]) for line in script.merged([first, second])]
    assert found == [
        ("chess", "tanager", 4.0),
        ("chess", "pgmpy", 2.0),
        ("chess", "Weka", 5.0),
        ("wide", "tanager", 3.0),
    ]


def test_what_was_measured_with_is_told_once_or_for_each_table(script):
    runs = [
        {"measured_with": machine(Python="3.11.7"), "times": [timed("chess", "tanager", 1.0)]},
        {"measured_with": machine(Python="3.11.7"), "times": [timed("wide", "tanager", 1.0)]},
        {"measured_with": machine(Python="3.12.1", R="4.2.2"), "times": [timed("tall", "tanager", 1.0)]},
        {"times": [timed("letter", "tanager", 1.0)]},
    ]
    told = "on Some Chip, 2 cores, Some OS 1, with Python 3.11.7."
    assert script.origin(script.merged(runs[:2])) == f"Measured {told}"
    assert script.origin(script.merged(runs)).split("\n\n") == [
        f"chess, wide: measured {told}",
        "tall: measured on Some Chip, 2 cores, Some OS 1, with Python 3.12.1, R 4.2.2.",
    ]
    assert script.origin(script.merged(runs[3:])) == ""


def test_tables_are_written_from_several_files(script, monkeypatch, tmp_path):
    for name, marks in (("README", ("speed",)), ("PEERS", ("speed", "times"))):
        page = tmp_path / f"{name}.md"
        page.write_text("".join(f"<!-- {mark}: begin -->\n<!-- {mark}: end -->\n" for mark in marks))
        monkeypatch.setattr(script, name, page)
    files = []
    for data in ("chess", "wide"):
        lines = [timed(data, "tanager", 1.0), {**timed(data, "Weka", 2.0), "agrees": "same tree"}]
        files.append(tmp_path / f"{data}.json")
        files[-1].write_text(json.dumps({"measured_with": machine(Weka="3.9.7"), "times": lines}))
    assert script.main(["speed", *map(str, files)]) == 0
    assert script.README.read_text().count("| nb fit | 1 s | 1.0× |") == 2
    text = script.PEERS.read_text()
    assert text.count("| nb fit | Weka | 2 s | 1.0× |  | same tree |") == 2
    assert "|\n\nMeasured on Some Chip, 2 cores, Some OS 1, with Weka 3.9.7.\n<!-- times: end -->" in text


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
    for page, mark in ((script.README, "speed"), (script.PEERS, "speed"), (script.PEERS, "times")):
        text = page.read_text(encoding="utf-8")
        assert script.replaced(text, mark, "x") != text
