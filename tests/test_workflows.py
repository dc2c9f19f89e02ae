"""Workflows do nothing that a person cannot do: what a step runs is a script of the repository."""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
SCRIPTS = sorted(
    [*(ROOT / "scripts").glob("*.sh"), ROOT / "tests" / "all.sh", ROOT / "tests" / "fuzz" / "long.sh"]
)


def steps(workflow: Path) -> list[dict]:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed: it comes with mkdocs")
    jobs = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"]
    return [step for job in jobs.values() for step in job["steps"]]


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_what_a_job_runs_is_a_script_that_a_person_can_run(workflow: Path) -> None:
    for step in steps(workflow):
        assert ("run" in step) != ("uses" in step)
        words = step.get("run", "bash tests/all.sh").split()
        if words[0] == "rustup":
            continue
        assert words[0] == "bash"
        assert (ROOT / words[1]).is_file(), words[1]


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_nothing_may_write_unless_it_says_so(workflow: Path) -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed: it comes with mkdocs")
    document = yaml.safe_load(workflow.read_text(encoding="utf-8"))
    assert document["permissions"] == {"contents": "read"}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_scripts_stop_at_the_first_error_and_parse(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    assert text.startswith("#!/usr/bin/env bash\n# ")
    assert "\nset -euo pipefail\n" in text
    subprocess.run(["bash", "-n", str(script)], check=True)


def test_the_citation_names_the_present_version_and_where_the_source_is() -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed: it comes with mkdocs")
    import tanager

    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["version"] == tanager.__version__
    assert cited["cff-version"] == "1.2.0"
    assert {"message", "title", "abstract", "authors", "license", "repository-code"} <= cited.keys()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["urls"]["Source"] == cited["repository-code"] == cited["url"]
    assert all(url.startswith(cited["repository-code"]) for url in project["urls"].values())
