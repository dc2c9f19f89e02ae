"""The fuzzer's corpus of past failures holds, and a first few hundred cases of every target."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FUZZ = Path(__file__).resolve().parent / "fuzz"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits of memory and alarms of POSIX")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The fuzzer in a process of its own, with a limit on its memory."""
    command = [sys.executable, str(FUZZ / "fuzz.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


def test_past_failures_stay_fixed():
    pytest.importorskip("polars")  # which the fuzzer feeds too
    found = run("--replay")
    assert found.returncode == 0, found.stdout + found.stderr


def test_the_first_cases_hold():
    """The same cases every time: a number of rounds, not of seconds."""
    pytest.importorskip("polars")
    found = run("--rounds", "15", "--seed", "17")
    assert found.returncode == 0, found.stdout + found.stderr


def test_the_corpus_covers_every_target():
    names = {path.name for path in (FUZZ / "corpus").iterdir() if path.is_dir()}
    names.remove("core")  # that of the fuzzer in Rust
    assert names == {
        "comparison",
        "csv",
        "genome-gz",
        "gzip",
        "learner",
        "model",
        "motif",
        "parquet",
        "sites",
    }
