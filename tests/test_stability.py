"""What docs/stability.md promises: public names stay, and files of earlier releases are read."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path

import numpy as np
import pytest

from tanager import Comparison, DataError, Statistics, load_model
from tanager.document import read_document, write_document
from tanager.motifs import load_motif

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = ROOT / "tests" / "golden"
FILES = sorted(path for path in GOLDEN.glob("version-*/*") if path.suffix != ".answers")
READERS = {"model": load_model, "motif": load_motif, "comparison": Comparison.from_json}


def stays(kept, now):
    """Whether what was public still is: more may have come, but nothing is gone or needed."""
    if isinstance(kept, dict) and isinstance(now, dict):
        new = [value for name, value in now.items() if name not in kept]
        needed = [
            value for value in new if isinstance(value, str) and " = " not in value and value[:4] != "more"
        ]
        return not needed and all(name in now and stays(kept[name], now[name]) for name in kept)
    if isinstance(kept, list) and isinstance(now, list):
        return set(kept) <= set(now)
    return kept == now


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        ({"is": ["A"], "takes": {"x": "place 1", "k": "place 2 = 2"}}, True),
        ({"is": ["A", "B"], "takes": {"x": "place 1", "k": "place 2 = 2", "n": "keyword = None"}}, True),
        ({"is": ["A"], "takes": {"x": "place 1", "k": "place 2 = 2", "more": "more keywords"}}, True),
        ({"is": ["A"], "takes": {"x": "place 1", "k": "place 2 = 2", "n": "keyword"}}, False),
        ({"is": ["A"], "takes": {"x": "place 1", "k": "place 2 = 3"}}, False),
        ({"is": ["A"], "takes": {"x": "place 1", "k": "keyword = 2"}}, False),
        ({"is": ["A"], "takes": {"x": "place 1"}}, False),
        ({"is": ["B"], "takes": {"x": "place 1", "k": "place 2 = 2"}}, False),
        ("attribute", False),
        (None, False),
    ],
)
def test_what_counts_as_staying(now, expected):
    assert stays({"is": ["A"], "takes": {"x": "place 1", "k": "place 2 = 2"}}, now) is expected


def test_public_names_arguments_options_and_keys_stay():
    kept = json.loads((GOLDEN / "public.json").read_text(encoding="utf-8"))
    now = runpy.run_path(str(ROOT / "scripts" / "public_names.py"))["public_names"]()
    gone = {name: now.get(name, "not there") for name in kept if not stays(kept[name], now.get(name))}
    assert not gone, "docs/stability.md promises that these stay as tests/golden/public.json has them"
    new = {name for name in now if now[name] != kept.get(name)}
    assert not new, "what is new becomes public with `python scripts/public_names.py --write`"


def test_the_oldest_releases_are_told_as_they_are_tested():
    told = (ROOT / "docs" / "stability.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"^\| ([\w-]+) \| ([\d.]+) \|$", told, re.MULTILINE))
    assert {"numpy", "scikit-learn", "pandas", "polars", "pyarrow"} <= told.keys()
    lines = runpy.run_path(str(ROOT / "scripts" / "requirements.py"))["requirements"](oldest=True)
    tested = dict(re.sub(r"\[.*\]", "", line).split("==") for line in lines)
    assert told == {name: tested[name] for name in told}


def agree(found, expected):
    """The same, but for the last digits of numbers."""
    if isinstance(expected, dict):
        return found.keys() == expected.keys() and all(agree(found[key], expected[key]) for key in expected)
    if isinstance(expected, list):
        return len(found) == len(expected) and all(map(agree, found, expected))
    if isinstance(expected, float):
        return bool(np.isclose(found, expected, rtol=0, atol=1e-12))
    return found == expected


def test_there_are_files_of_every_kind():
    assert {path.stem.partition("-")[0] for path in FILES} == {*READERS, "statistics"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_files_of_every_version_give_the_same_answers(path):
    found = runpy.run_path(str(ROOT / "scripts" / "golden_files.py"))["answers"](path)
    expected = json.loads(path.with_name(f"{path.name}.answers").read_text(encoding="utf-8"))
    assert agree(json.loads(json.dumps(found)), expected), found


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_files_of_a_later_version_are_refused(path, tmp_path):
    later = tmp_path / path.name
    if path.suffix == ".bin":
        data = bytearray(path.read_bytes())
        data[8:12] = (99).to_bytes(4, "little")
        with pytest.raises(DataError, match="written by a later release: they have version 99"):
            Statistics.from_bytes(data)
        return
    later.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | {"version": 99}))
    with pytest.raises(DataError, match=r"written by a later release: it has version 99 .* update tanager"):
        READERS[path.stem.partition("-")[0]](later)


def test_documents_of_every_earlier_version_are_read(tmp_path):
    for version in (1, 2, 3):
        write_document(tmp_path / "one.json", "tanager-model", version, {"learner": "nb"})
        assert read_document(tmp_path / "one.json", "tanager-model", 3) == {"learner": "nb"}
