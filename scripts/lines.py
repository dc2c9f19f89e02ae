"""Counts lines of code, room by room: without tests, comments, docstrings, blank lines and stubs.

    python scripts/lines.py [--base REVISION]

With a revision, files are divided into those that the revision has and those that came later.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import subprocess
import tokenize
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLACES = {"rust core": "rust/core/src", "rust bindings": "rust/py/src", "python": "python/tanager"}


def rust_lines(source: str) -> int:
    """Lines of Rust that are neither blank nor comments, up to the tests of the file.

    >>> rust_lines('//! Doc.\\n\\nfn f() {} // why\\n/* a\\nb */\\n#[cfg(test)]\\nmod tests {\\n}\\n')
    1
    """
    source = re.split(r"^#\[cfg\(test\)\]\n(?:pub\(\w+\) )?mod \w+ \{", source, maxsplit=1, flags=re.M)[0]
    source = re.sub(r"/\*.*?\*/", "", source, flags=re.S)
    return sum(1 for line in source.splitlines() if line.strip() and not line.strip().startswith("//"))


def python_lines(source: str) -> int:
    """Lines of Python that hold a token which is neither a comment nor part of a docstring.

    >>> python_lines('\"\"\"Doc.\"\"\"\\n\\nx = 1  # why\\n# more\\ny = (\\n    2\\n)\\n')
    4
    """
    lines: set[int] = set()
    passed = (
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENDMARKER,
    )
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in passed:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
            first = node.body[0]
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                lines -= set(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return len(lines)


def count(path: Path) -> int:
    """The lines of code of a file."""
    source = path.read_text(encoding="utf-8")
    return rust_lines(source) if path.suffix == ".rs" else python_lines(source)


def files(place: str) -> list[Path]:
    """The files of a place that are code: no tests, no stubs of types."""
    return sorted(
        path
        for path in (ROOT / place).rglob("*")
        if path.suffix in (".rs", ".py") and path.stem != "tests" and not path.stem.startswith("test_")
    )


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--base", help="files that this revision lacks are counted apart")
    base = parser.parse_args().base
    known = None
    if base:
        command = ["git", "ls-tree", "-r", "--name-only", base]
        known = set(
            subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
        )
    for name, place in PLACES.items():
        old, new = Counter[str](), Counter[str]()
        for path in files(place):
            inside = path.relative_to(ROOT / place)
            room = inside.parts[0] if len(inside.parts) > 1 else inside.stem
            there = known is None or path.relative_to(ROOT).as_posix() in known
            (old if there else new)[room] += count(path)
        print(
            f"{name}: {old.total() + new.total():,}" + (f" ({new.total():,} in later files)" if base else "")
        )
        for room in sorted(old.keys() | new.keys()):
            print(f"  {room:<20}{old[room] + new[room]:>7,}" + (f"{new[room]:>9,}" if base else ""))


if __name__ == "__main__":
    main()
