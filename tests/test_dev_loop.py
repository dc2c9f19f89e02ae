"""The quick loop runs the tests that a change touches, the nearest first, and no longer than it may."""

import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[1]
script = SimpleNamespace(**runpy.run_path(str(ROOT / "scripts" / "touched_tests.py")))
TESTS = sorted((ROOT / "tests").glob("test_*.py"))


def touched(*changed: str) -> list[str]:
    return [test.name for test in script.touched_tests(changed, TESTS)]


def test_a_changed_test_comes_first():
    assert touched("tests/test_rooms.py", "python/tanager/evaluation/metrics.py")[:2] == [
        "test_rooms.py",
        "test_metrics.py",
    ]


@pytest.mark.parametrize(
    ("changed", "test"),
    [
        ("rust/core/src/score/bdeu.rs", "test_scores.py"),
        ("rust/core/src/graph/mod.rs", "test_dev_loop.py"),  # which says graph here
        ("python/tanager/evaluation/splits.py", "test_compare.py"),
        ("python/tanager/network.py", "test_networks.py"),
        ("tests/strategies.py", "test_scores.py"),
    ],
)
def test_a_change_touches_the_tests_that_name_it(changed, test):
    assert test in touched(changed)


def test_documents_touch_nothing():
    assert touched("README.md", "docs/index.md") == []
    assert touched() == []


def test_no_test_begins_when_the_time_is_over(monkeypatch):
    monkeypatch.setenv("TOUCHED_TESTS_END", "inf")
    script.pytest_runtest_setup(None)
    monkeypatch.setenv("TOUCHED_TESTS_END", "0")
    with pytest.raises(pytest.skip.Exception):
        script.pytest_runtest_setup(None)


@pytest.mark.parametrize("more", [[], ["-n", "2"]])
def test_the_rest_is_skipped_and_counted(monkeypatch, capfd, more):
    found = [ROOT / "tests" / "test_dev_loop.py"]
    monkeypatch.setitem(script.main.__globals__, "changed_files", lambda base: [])  # there may be no git
    monkeypatch.setitem(script.main.__globals__, "touched_tests", lambda *given: found)
    assert script.main(["--seconds", "-1", "-k", "documents", *more]) == 0
    assert "1 skipped" in capfd.readouterr().out
