"""The documentation: its examples run, its links lead somewhere, nothing registered lacks a page."""

from __future__ import annotations

import doctest
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tanager import _core
from tanager.estimators import CLASSIFIERS

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))


def name_of(page: Path) -> str:
    return page.relative_to(DOCS).as_posix() if page.is_relative_to(DOCS) else page.name


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=name_of)
def test_examples_run(page):
    text = page.read_text(encoding="utf-8").replace("\n```", "\n\n```")  # a fence ends what is expected
    example = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(example)
    assert runner.summarize(verbose=False).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
        if not target.startswith("http"):
            assert (page.parent / target).is_file(), f"{page.name} links to {target}"


def test_every_page_is_in_the_navigation_and_the_other_way_round():
    listed = set(re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8")))
    assert listed == {name_of(page) for page in PAGES}


def test_every_learner_score_and_parameter_estimator_is_described():
    for name in CLASSIFIERS:
        text = (DOCS / "learners" / f"{name}.md").read_text(encoding="utf-8")
        assert CLASSIFIERS[name].__name__ in text
    for function, page in ((_core.scores, "scores.md"), (_core.parameter_estimators, "parameters.md")):
        text = (DOCS / page).read_text(encoding="utf-8")
        for name, _ in function():
            assert f"`{name}`" in text, f"{page} lacks {name}"


@pytest.mark.skipif(
    importlib.util.find_spec("mkdocs") is None or importlib.util.find_spec("material") is None,
    reason="mkdocs-material is not installed: pip install 'tanager[docs]'",
)
def test_the_site_builds_without_warnings(tmp_path):
    site = tmp_path / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(site)]
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=quiet)
    assert built.returncode == 0, built.stderr
    assert (site / "learners" / "tan" / "index.html").is_file()
