"""Runs the tests that a change touches, the nearest first, for at most a minute.

    python scripts/touched_tests.py [--base REVISION] [--seconds N] [--list] [argument of pytest …]

A change is what differs from REVISION (by default the last commit), new files included. It touches a test
file that it changes, and one that names a changed file, be it of Python, of the core (``bdeu`` for
``score/bdeu.rs``) or of the tests themselves, or a class or function of a changed module. What is not begun
within the time is skipped, and counted as such; `tests/all.sh` runs everything.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
HERE_NAME = Path(__file__).stem
ROOT = HERE.parent
_END = "TOUCHED_TESTS_END"  # when no test begins any more, in seconds since 1970


def changed_files(base: str) -> list[str]:
    """Paths that differ from a revision, and those that git does not know yet."""
    found = []
    for command in (["diff", "--name-only", base], ["ls-files", "--others", "--exclude-standard"]):
        out = subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        found += out.split("\n")
    return [path for path in found if path]


def names_of(path: str) -> set[str]:
    """What a test says that has to do with a file: its name, the classes and functions of a module."""
    file = Path(path)
    stem = file.parent.name if file.stem in ("mod", "__init__") else file.stem
    names = {stem.lstrip("_")}
    if file.suffix == ".py" and path.startswith("python/") and (ROOT / file).exists():
        source = (ROOT / file).read_text(encoding="utf-8")
        names |= set(re.findall(r"^(?:class|def) ([A-Za-z]\w+)", source, re.M))
    return {name for name in names if len(name) > 1}


def touched_tests(changed: Iterable[str], tests: Iterable[Path]) -> list[Path]:
    """The test files that a change touches: those it changes first, then by how much of it they name."""
    changed = list(changed)
    names = set().union(
        *(names_of(path) for path in changed if path.endswith((".py", ".rs", ".toml"))), set()
    )
    pattern = re.compile(r"\b(?:" + "|".join(sorted(map(re.escape, names))) + r")\b", re.I) if names else None
    near: dict[Path, float] = {}
    for test in tests:
        if test.relative_to(ROOT).as_posix() in changed:
            near[test] = float("inf")
        elif pattern is not None:
            said = {
                word.lower() for word in pattern.findall(f"{test.stem} {test.read_text(encoding='utf-8')}")
            }
            titled = sum(name.lower() in test.stem for name in names)
            if said:
                near[test] = 10.0 * titled + len(said)
    return sorted(near, key=lambda test: (-near[test], test))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips what is not begun in time; this file is a plugin of pytest, in every worker of a run with -n."""
    if time.time() > float(os.environ.get(_END, "inf")):
        pytest.skip("the time is over")


def main(arguments: list[str] | None = None) -> int:
    """Find the tests, and run them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base", default="HEAD", help="revision to compare with (default: HEAD)")
    parser.add_argument("--seconds", type=float, default=40.0, help="no test begins later (default: 40)")
    parser.add_argument("--list", action="store_true", help="only say which tests they are")
    options, others = parser.parse_known_args(arguments)
    tests = touched_tests(changed_files(options.base), sorted((ROOT / "tests").glob("test_*.py")))
    if options.list or not tests:
        print("\n".join(str(test.relative_to(ROOT)) for test in tests) or "the change touches no test")
        return 0
    os.environ[_END] = str(time.time() + options.seconds)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", HERE_NAME, *others, *map(str, tests)]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
