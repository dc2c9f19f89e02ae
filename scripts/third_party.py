"""The notices of what is compiled into the wheels: THIRD-PARTY.md, from the sources that cargo has.

    python scripts/third_party.py --write     # anew, after Cargo.lock has changed
    python scripts/third_party.py --check     # fails where the file is not what --write would make

Listed is what is linked, on whatever platform: normal dependencies of the crate tanager-py, no crates that
only build or test, no procedural macros. Where a crate may be had under the MIT licence or others, its MIT
text is enough. Needs cargo, which fetches sources that are not here; with CARGO_NET_OFFLINE=true it fails
instead.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
NOTICES = ROOT / "THIRD-PARTY.md"
NAMES = ("LICENSE", "LICENCE", "UNLICENSE", "COPYING", "COPYRIGHT", "NOTICE")

HEAD = """\
# Third-party notices

tanager's wheels have the crates below compiled in, some of them on some platforms only, and Rust's standard
library. Each stands here with its licence and the texts that come with it; where MIT is one licence among
others, with the MIT text. Made by `python scripts/third_party.py --write`.
"""

STANDARD = """\
The standard library is that of the compiler that made the wheel. Which crates and tables of others it holds,
and under what licences, is told by `COPYRIGHT-library.html`, which comes with that compiler.
"""


class Crate(NamedTuple):
    """What is said of a crate; `texts` are those of its licence."""

    name: str
    version: str
    licence: str
    source: str
    texts: tuple[str, ...]


def metadata() -> dict[str, Any]:
    """What cargo says of all packages of Cargo.lock, for every platform."""
    command = ["cargo", "metadata", "--locked", "--format-version", "1"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    if run.returncode:
        sys.exit(run.stderr)
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def packages(found: dict[str, Any]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Packages of others that are linked into the extension, and those that take part in building it only."""
    known = {package["id"]: package for package in found["packages"]}
    needs = {node["id"]: node["deps"] for node in found["resolve"]["nodes"]}
    (root,) = (key for key in known if known[key]["name"] == "tanager-py")

    def is_macro(key: str) -> bool:
        return any("proc-macro" in target["kind"] for target in known[key]["targets"])

    def reached(kinds: set[str | None], macros: bool) -> set[str]:
        seen: set[str] = set()
        todo = [root]
        while todo:
            key = todo.pop()
            if key not in seen and (macros or not is_macro(key)):
                seen.add(key)
                todo += [
                    need["pkg"] for need in needs[key] if kinds & {kind["kind"] for kind in need["dep_kinds"]}
                ]
        return {key for key in seen if known[key]["source"]}  # ours have none

    linked = reached({None}, macros=False)
    building = reached({None, "build"}, macros=True) - linked
    return [known[key] for key in linked], [known[key] for key in building]


def licence_files(folder: Path, licence: str) -> list[Path]:
    """The files with licences and notices, without those of alternatives to MIT."""
    found = [path for path in folder.iterdir() if path.is_file() and path.name.upper().startswith(NAMES)]
    others = {part.strip(" ()") for part in re.split(r"\sOR\s|/", licence)}
    if "MIT" in others and any("MIT" in path.name.upper() for path in found):
        # Apache-2.0 is in LICENSE-APACHE, BSD-3-Clause in LICENSE-BSD.
        words = {part.partition("-")[0].upper() for part in others - {"MIT"}}
        found = [path for path in found if not any(word in path.name.upper() for word in words)]
    return sorted(found, key=lambda path: path.name)


def crate(package: dict[str, Any]) -> Crate:
    """A crate from what cargo says of it and the files in its folder."""
    licence = package["license"] or "not named"
    source = package["repository"] or f"crate {package['name']}, without a repository"
    files = licence_files(Path(package["manifest_path"]).parent, licence)
    texts = [path.read_text(encoding="utf-8") for path in files]
    if not texts:
        authors = ", ".join(package["authors"]) or f"those of {source}"
        texts = [f"It comes without a text. Its licence: {licence}. Its authors: {authors}."]
    return Crate(package["name"], package["version"], licence, source, tuple(texts))


def standard_library() -> Crate:
    """Rust's own part of every wheel; the terms are those of our own MIT licence, word for word."""
    _, begin, terms = (ROOT / "LICENSE-MIT").read_text(encoding="utf-8").partition("Permission is hereby")
    text = f"Copyright (c) The Rust Project Developers\n\n{begin}{terms}"
    source = "https://github.com/rust-lang/rust"
    return Crate("Rust's standard library", "", "MIT OR Apache-2.0", source, (text,))


def document(linked: list[Crate], building: list[str]) -> str:
    """The whole file."""
    return "\n".join([*table(linked), *building_only(building), *texts_of(linked)]) + "\n"


def table(linked: list[Crate]) -> Iterator[str]:
    """The head, and one row for each crate."""
    yield HEAD
    yield "| crate | version | licence | source |\n|---|---|---|---|"
    for one in linked:
        yield f"| {one.name} | {one.version} | {one.licence} | <{one.source}> |"
    yield f"\n{STANDARD}"


def building_only(names: list[str]) -> Iterator[str]:
    """What the same lock has for building: whoever compares the two need not ask cargo."""
    yield "Crates that take part in building only, and are not linked: " + ", ".join(names) + ".\n"


def texts_of(linked: list[Crate]) -> Iterator[str]:
    """Every text once, however its lines are broken, below the names of those that it serves."""
    serves: dict[str, tuple[str, list[str]]] = {}
    for one in linked:
        for text in one.texts:
            lines = "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")
            serves.setdefault(" ".join(text.split()), (lines, []))[1].append(
                f"{one.name} {one.version}".strip()
            )
    for i, (text, names) in enumerate(serves.values()):
        yield ("" if i == 0 else "\n") + f"## {', '.join(names)}\n\n````text\n{text}\n````"


def main() -> None:
    """Writes, checks or prints the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    wanted = parser.parse_args()
    linked, building = packages(metadata())
    crates = [*sorted(crate(package) for package in linked), standard_library()]
    text = document(crates, sorted({package["name"] for package in building}))
    if wanted.write:
        NOTICES.write_text(text, encoding="utf-8", newline="\n")
    elif not wanted.check:
        sys.stdout.write(text)
    elif not NOTICES.is_file() or NOTICES.read_text(encoding="utf-8") != text:
        sys.exit(f"{NOTICES.name} is not that of Cargo.lock: python scripts/third_party.py --write")


if __name__ == "__main__":
    main()
