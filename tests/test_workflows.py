"""Workflows do nothing that a person cannot do: what a step runs is a script of the repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
OTHERS = [ROOT / name for name in ("tests/all.sh", "tests/fuzz/long.sh", ".ci/run")]
SCRIPTS = sorted([*(ROOT / "scripts").glob("*.sh"), *OTHERS])


posix = pytest.mark.skipif(sys.platform == "win32", reason="programs that are scripts of bash")


def steps(workflow: Path) -> list[dict]:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed: it comes with mkdocs")
    jobs = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"]
    called = [job["uses"] for job in jobs.values() if "uses" in job]
    assert all(name.startswith("./") and (ROOT / name).is_file() for name in called)
    return [step for job in jobs.values() for step in job.get("steps", [])]


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_what_a_job_runs_is_a_script_that_a_person_can_run(workflow: Path) -> None:
    for step in steps(workflow):
        assert ("run" in step) != ("uses" in step)
        words = step.get("run", "bash tests/all.sh").split()
        assert words[0] == "bash"
        assert (ROOT / words[1]).is_file(), words[1]


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_nothing_may_write_unless_it_says_so(workflow: Path) -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed: it comes with mkdocs")
    document = yaml.safe_load(workflow.read_text(encoding="utf-8"))
    assert document["permissions"] == {"contents": "read"}


@posix
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_scripts_stop_at_the_first_error_and_parse(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    assert text.startswith("#!/usr/bin/env bash\n# ")
    assert "\nset -euo pipefail\n" in text
    subprocess.run(["bash", "-n", str(script)], check=True)


def stub(path: Path, text: str) -> None:
    """A program that stands in for another."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/usr/bin/env bash\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


def copied(root: Path, *names: str) -> None:
    """Puts files of the repository into another folder."""
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)


def scripted(root: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Runs a script of a copy, with the stubs in its folder `programs` before all other programs."""
    path = os.pathsep.join([str(root / "programs"), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path}
    return subprocess.run(["bash", *command], cwd=root, env=environment, capture_output=True, text=True)


@posix
@pytest.mark.parametrize("failing", ["1", "2", "none"])
def test_a_long_fuzz_fails_with_either_fuzzer_and_waits_for_both(tmp_path: Path, failing: str) -> None:
    copied(tmp_path, "tests/fuzz/long.sh", "rust/core/tests/fuzz/main.rs")
    stub(tmp_path / "programs" / "cargo", "exit 0")
    # the one that fails is done at once, the other later, without keeping anybody's pipe open
    fails = f'[[ "${{@: -1}}" == *{failing} ]] && exit 1'
    fuzzer = f'{fails}; exec &>/dev/null; sleep 0.5; touch "done${{@: -1}}"'
    stub(tmp_path / ".venv" / "bin" / "python", fuzzer)
    found = scripted(tmp_path, "tests/fuzz/long.sh", "6")
    assert found.returncode == (failing != "none"), found.stderr
    assert len(list(tmp_path.glob("done*"))) == (2 if failing == "none" else 1)


@posix
@pytest.mark.parametrize(
    ("tag", "platform", "fits"),
    [
        ("manylinux_2_17_x86_64", "manylinux2014", True),
        ("manylinux_2_5_x86_64", "manylinux2014", True),
        ("manylinux_2_34_x86_64", "manylinux2014", False),
        ("manylinux_2_34_x86_64", "manylinux_2_34", True),
        ("linux_x86_64", "manylinux2014", False),
        ("", "manylinux2014", False),
    ],
)
def test_a_wheel_that_needs_a_later_glibc_fails(tmp_path: Path, tag: str, platform: str, fits: bool) -> None:
    copied(tmp_path, "scripts/wheel_tag.sh")
    shown = f'one.whl is consistent with the following platform tag:\n\\"{tag}\\".\n\nMore of \\"linux\\".'
    stub(tmp_path / "programs" / "auditwheel", f'echo -e "{shown}"')
    found = scripted(tmp_path, "scripts/wheel_tag.sh", "one.whl", platform)
    assert (found.returncode == 0) == fits, found.stdout + found.stderr
    if not fits:
        assert ("is wanted" if tag.startswith("many") else "is no tag") in found.stdout + found.stderr


def test_some_job_skips_nothing_for_want_of_a_browser_an_engine_or_r() -> None:
    run = [step.get("run") for step in steps(ROOT / ".github" / "workflows" / "tests.yml")]
    assert {"bash .ci/run", "bash scripts/r_agreement.sh"} <= set(run)
    told = "".join((ROOT / name).read_text("utf-8") for name in (".ci/run", "scripts/r_agreement.sh"))
    for name in ("TANAGER_BROWSER", "TANAGER_ENGINES", "TANAGER_R"):
        assert f"{name}=required" in told


def test_nothing_is_published_that_was_not_tested_and_installed() -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed: it comes with mkdocs")
    text = (ROOT / ".github" / "workflows" / "wheels.yml").read_text(encoding="utf-8")
    jobs = yaml.safe_load(text)["jobs"]
    assert jobs["tests"] == {"uses": "./.github/workflows/tests.yml"}
    assert set(jobs["publish"]["needs"]) == jobs.keys() - {"publish"}
    for name in ("linux", "others"):
        assert "scripts/try_wheel.sh" in str(jobs[name]["steps"])


@posix
def test_a_tag_is_the_version_of_source_citation_and_changelog(tmp_path: Path) -> None:
    names = ("scripts/check_version.sh", "Cargo.toml", "CITATION.cff")
    copied(tmp_path, *names)
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
    version = cargo["workspace"]["package"]["version"]
    changes = tmp_path / "CHANGELOG.md"

    def check(tag: str) -> list[str]:
        found = scripted(tmp_path, "scripts/check_version.sh", tag)
        lines = [line.removeprefix(f"{tag}: ") for line in found.stdout.splitlines()]
        assert found.returncode == (f"{tag} is" not in found.stdout)
        return lines

    changes.write_text(f"# Changelog\n\n## Unreleased\n\n- Not {version}.\n", encoding="utf-8")
    assert check(f"v{version}") == [f"CHANGELOG.md has no heading '## {version}'"]
    changes.write_text(f"# Changelog\n\n## {version} (2030-01-31)\n\n- All of it.\n", encoding="utf-8")
    assert len(check(f"v{version}")) == 1
    assert check(version) == ["a tag is a v and a version, such as v0.1.0"]
    assert check("v99.0.0") == [
        f"Cargo.toml has version {version}",
        f"CITATION.cff has version {version}",
        "CHANGELOG.md has no heading '## 99.0.0'",
    ]


def test_the_citation_names_the_present_version_and_where_the_source_is() -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed: it comes with mkdocs")
    import tanager

    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["version"] == tanager.__version__
    assert cited["cff-version"] == "1.2.0"
    assert {"message", "title", "abstract", "authors", "license", "repository-code"} <= cited.keys()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["urls"]["Source"] == cited["repository-code"] == cited["url"]
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["site_url"]
    assert project["urls"].pop("Documentation") == site
    assert all(url.startswith(cited["repository-code"]) for url in project["urls"].values())
    assert project["maintainers"] == cited["authors"]
