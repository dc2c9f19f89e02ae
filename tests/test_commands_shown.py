"""Commands that documents and help show: bash and the parser take them, and they run where they can."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tanager import list_datasets
from tanager.cli import _parser, commands, main
from tanager.evaluation.learner import as_learner

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
#: The bash that Windows finds first is that of another system, which may not be there.
NEEDS_BASH = pytest.mark.skipif(
    sys.platform == "win32" or shutil.which("bash") is None, reason="there is no bash"
)
BUNDLED = {info.name for info in list_datasets()}
QUICK = {"compare": ["--cv", "2", "--repeats", "1", "--no-progress", "--no-cache"]}


def blocks(page: Path) -> list[str]:
    return re.findall(r"```sh\n(.*?)```", page.read_text("utf-8"), re.DOTALL)


def shown(text: str) -> Iterator[tuple[list[str], str | None]]:
    """Arguments of tanager in each line that begins with it, and the file that the output goes to."""
    for line in text.splitlines():
        words = shlex.split(line.partition(" | ")[0])
        if words[:1] == ["tanager"]:
            target = words[words.index(">") + 1] if ">" in words else None
            yield (words[1 : words.index(">")] if target else words[1:]), target


def examples() -> list[tuple[str, str]]:
    """Every line of the help's examples."""
    return [
        (name, line.strip())
        for name, module in commands()
        for line in (module.__doc__ or "").splitlines()
        if line.startswith("  tanager ")
    ]


def checked(words: list[str]) -> argparse.Namespace:
    """What the parser makes of it; learners have to exist and to differ."""
    parsed = _parser(words).parse_args(words)
    learners = getattr(parsed, "learners", None) or [getattr(parsed, "learner", "nb")]
    labels = [as_learner(learner).label for learner in learners]
    assert len(set(labels)) == len(labels), words
    return parsed


def can_run(parsed: argparse.Namespace) -> bool:
    """Whether everything that the command reads is there."""
    inputs = [getattr(parsed, name, None) for name in ("model", "sites", "motif", "genome", "folder")]
    if parsed.command == "motif" and parsed.action == "fit":
        inputs[0] = None  # there it is a kind of motif
    data = getattr(parsed, "data", [])
    needed = [Path(path) for path in inputs if path is not None]
    needed += [Path(name) for name in ([data] if isinstance(data, str) else data) if name not in BUNDLED]
    return all(path.exists() for path in needed)


@NEEDS_BASH
def test_bash_takes_every_command():
    texts = [(page.name, block) for page in PAGES for block in blocks(page)] + examples()
    assert len(texts) > 20
    for where, text in texts:
        done = subprocess.run(["bash", "-n", "-c", text], capture_output=True, text=True)
        assert done.returncode == 0, f"{where}: {done.stderr}"


def test_the_parser_takes_every_example_of_the_help():
    found = [words for _, line in examples() for words, _ in shown(line)]
    assert len(found) > 10
    assert all(checked(words).command == words[0] for words in found)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if "\ntanager " in page.read_text("utf-8")], ids=lambda page: page.stem
)
def test_commands_of_a_page_run_one_after_the_other(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TANAGER_CACHE", str(tmp_path / "cache"))
    found = [one for block in blocks(page) for one in shown(block)]
    assert found
    for words, target in found:
        if can_run(checked(words)):
            assert main([*words, *QUICK.get(words[0], [])]) == 0, words
            output = capsys.readouterr().out
            if target is not None:
                Path(target).write_text(output, encoding="utf-8")


@NEEDS_BASH
def test_the_tutorial_makes_every_file_that_it_uses_and_shows_what_is_printed(tmp_path):
    """From an empty folder, block by block: what is shown below a block is what it prints, times apart."""
    text = (ROOT / "docs" / "tutorial.md").read_text("utf-8")
    found = re.findall(r"```sh\n(.*?)```\n(?:\n```text\n(.*?)```)?", text, re.DOTALL)
    assert sum(bool(output) for _, output in found) >= 6
    (tmp_path / "bin").mkdir()
    script = tmp_path / "bin" / "tanager"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tanager "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    work = tmp_path / "work"
    work.mkdir()
    path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
    own = {"PATH": path, "PYTHONUTF8": "1", "TANAGER_CACHE": str(tmp_path / "cache")}
    for commands_, output in found:
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", commands_],
            cwd=work,
            env={**os.environ, **own},
            capture_output=True,
            encoding="utf-8",
        )
        assert done.returncode == 0, commands_ + done.stderr
        if output:
            assert without_times(done.stdout) == without_times(output), commands_
    assert {"vote.csv", "vote.html", "vote.json", "vote.svg", "new.csv"} <= {p.name for p in work.iterdir()}


def without_times(text: str) -> list[str]:
    lines = text.strip().splitlines()
    kept = [line.rstrip() for line in lines if not line.startswith("wrote ")]
    return [re.sub(r"\s+\S+ (µs|ms|s)$", "", line) for line in kept]
