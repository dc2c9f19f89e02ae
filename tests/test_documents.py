"""Documents stay true to the code: what is cited exists, what the README shows is what happens."""

import re
from pathlib import Path

import pytest

from tanager.cli import main

ROOT = Path(__file__).resolve().parents[1]
KEY = r"[a-z]+\d{4}[a-z]*"


def keys_in_bibliography() -> set[str]:
    return set(re.findall(r"^@\w+\{(" + KEY + "),", (ROOT / "references.bib").read_text("utf-8"), re.M))


def cited_keys() -> dict[str, Path]:
    """Keys in the `# References` sections of doc comments."""
    cited = {}
    for file in sorted((ROOT / "rust" / "core" / "src").rglob("*.rs")):
        for section in re.findall(
            r"//[/!] # References\n((?:\s*//[/!] [^#\n]*\n)+)", file.read_text("utf-8")
        ):
            for key in re.findall(rf"\b{KEY}\b", section):
                cited[key] = file
    return cited


def test_every_cited_work_is_in_the_bibliography() -> None:
    cited = cited_keys()
    assert len(cited) > 10
    unknown = {
        key: str(file.relative_to(ROOT)) for key, file in cited.items() if key not in keys_in_bibliography()
    }
    assert not unknown


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
