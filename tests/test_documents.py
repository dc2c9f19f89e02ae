"""Documents stay true to the code: what is cited exists, what the README shows is what happens."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tanager.cli import main

ROOT = Path(__file__).resolve().parents[1]
KEY = r"[a-z]+\d{4}[a-z]*"


#: Under what a work came out, by the kind of its entry.
OUTLETS = {
    "article": "journal",
    "book": "publisher",
    "inproceedings": "booktitle",
    "misc": "howpublished",
    "phdthesis": "school",
    "techreport": "institution",
}


def bibliography() -> dict[str, tuple[str, set[str]]]:
    """The kind of every entry, one a line, and the fields that say something; the keys ascend."""
    entries = []
    for line in (ROOT / "references.bib").read_text("utf-8").splitlines():
        entry = re.fullmatch(rf"@(\w+)\{{({KEY}), (.*)\}}", line)
        assert entry, line
        entries.append(entry)
    keys = [entry[2] for entry in entries]
    assert keys == sorted(set(keys))
    return {entry[2]: (entry[1], set(re.findall(r"(\w+) = \{[^}]", entry[3]))) for entry in entries}


def documents() -> Iterator[tuple[str, str]]:
    """The pages, and the docstrings of the package: where each stands, and its text."""
    for file in sorted((ROOT / "docs").rglob("*.md")):
        yield str(file.relative_to(ROOT)), file.read_text("utf-8")
    for file in sorted((ROOT / "python").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                yield str(file.relative_to(ROOT)), ast.get_docstring(node) or ""


def cited_keys() -> dict[str, str]:
    """Keys in the `# References` sections of Rust's doc comments, and between backticks in documents."""
    cited = {key: place for place, text in documents() for key in re.findall(rf"`({KEY})\b", text)}
    for file in sorted((ROOT / "rust").rglob("*.rs")):
        text = file.read_text("utf-8")
        for section in re.findall(r"//[/!] # References\n((?:\s*//[/!] [^#\n]*\n)+)", text):
            cited |= dict.fromkeys(re.findall(rf"\b{KEY}\b", section), str(file.relative_to(ROOT)))
    return cited


def test_the_bibliography_has_what_is_cited_and_nothing_else() -> None:
    cited, entries = cited_keys(), bibliography()
    assert {key: place for key, place in cited.items() if key not in entries} == {}
    assert entries.keys() - cited.keys() == set()


def test_an_entry_says_who_what_when_and_where() -> None:
    wanted = {"author", "title", "year"}
    lacking = {key: (wanted | {OUTLETS[kind]}) - fields for key, (kind, fields) in bibliography().items()}
    assert {key: fields for key, fields in lacking.items() if fields} == {}


def test_works_that_documents_name_by_their_year_have_their_key_beside_it() -> None:
    name_and_year = r"(?:\b[A-Z][^\W\d_]+|\bet al\.)(?:\s|\s\()((?:1[89]|20)\d\d)\b"
    without = re.compile(rf"{name_and_year}(?!,?\s\(?`[a-z]+\1)")
    named = [(place, found[0]) for place, text in documents() for found in without.finditer(text)]
    assert named == []


def crates_of_the_lock() -> set[tuple[str, str]]:
    """Names and versions of the crates of others that the extension needs, to be built or linked."""
    crates = tomllib.loads((ROOT / "Cargo.lock").read_text("utf-8"))["package"]
    # A need is a name, with a version where the lock has more than one.
    known = {name: one for one in crates for name in (one["name"], f"{one['name']} {one['version']}")}
    todo = []
    for ours in ("core", "py"):  # not what only their tests need, from which the lock does not tell it apart
        todo += tomllib.loads((ROOT / "rust" / ours / "Cargo.toml").read_text("utf-8"))["dependencies"]
    found = set()
    while todo:
        one = known[todo.pop()]
        if "source" in one and (one["name"], one["version"]) not in found:
            found.add((one["name"], one["version"]))
            todo += one.get("dependencies", [])
    return found


def test_the_notices_name_every_crate_of_the_lock_with_its_version() -> None:
    text = (ROOT / "THIRD-PARTY.md").read_text("utf-8")
    linked = set(re.findall(r"^\| ([\w-]+) \| (\d\S+) \| ", text, re.MULTILINE))
    (building,) = re.findall(r"^Crates that take part in building only.*: (.*)\.$", text, re.MULTILINE)
    wanted = {crate for crate in crates_of_the_lock() if crate[0] not in building.split(", ")}
    assert linked == wanted, "python scripts/third_party.py --write"
    headings = set(", ".join(re.findall(r"^## (.*)", text, re.MULTILINE)).split(", "))
    assert headings == {*(" ".join(crate) for crate in linked), "Rust's standard library"}


def test_the_check_that_ci_runs_is_the_one_in_the_readme() -> None:
    command = "bash tests/all.sh"
    assert command in (ROOT / "README.md").read_text("utf-8")
    assert command in (ROOT / ".ci" / "run").read_text("utf-8")


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_a_front_page_shows_what_its_first_command_prints(
    page: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / page).read_text("utf-8")
    (command,) = re.findall(r"^(?:.*\.venv/bin/)?tanager (compare .*)", text, re.MULTILINE)
    (shown,) = re.findall(r"```text\n(.*?)```", text, re.DOTALL)
    monkeypatch.setenv("COLUMNS", "120")
    assert main([*command.split(), "--no-cache", "--no-progress"]) == 0
    printed = capsys.readouterr().out

    def without_times(text: str) -> list[str]:
        return [re.sub(r"\s+\S+ (µs|ms|s)$", "", line.rstrip()) for line in text.strip().splitlines()]

    assert without_times(printed) == without_times(shown)
