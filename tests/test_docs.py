"""The documentation: its examples run, its links lead somewhere, nothing registered lacks a page."""

from __future__ import annotations

import contextlib
import doctest
import importlib.util
import inspect
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tanager
import tanager.motifs
from tanager.estimators import CLASSIFIERS, DENSITIES
from tanager.registry import PARAMETERS, SCORES

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


def test_every_learner_has_its_page():
    for name in CLASSIFIERS:
        text = (DOCS / "learners" / f"{name}.md").read_text(encoding="utf-8")
        assert CLASSIFIERS[name].__name__ in text


def test_tables_navigation_and_stubs_are_those_of_the_registry():
    """What `scripts/registry_tables.py` writes; run it after a change of the registry."""
    script = ROOT / "scripts" / "registry_tables.py"
    checked = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert (checked.returncode, checked.stdout) == (0, ""), checked.stderr


@pytest.mark.parametrize("kind", [*CLASSIFIERS.values(), *DENSITIES.values()], ids=lambda kind: kind.__name__)
def test_every_registered_score_and_estimator_serves_unless_it_needs_a_class(kind):
    X, y = [["a", "x"], ["b", "y"], ["b", "x"], ["a", "y"]] * 6, ["p", "q", "q"] * 8
    for parameter, registry in (("score", SCORES), ("parameters", PARAMETERS)):
        if parameter not in kind().get_params():
            continue
        for name, about in registry.items():
            allowed = kind in CLASSIFIERS.values() or "class" not in about.needs
            with contextlib.nullcontext() if allowed else pytest.raises(tanager.DataError):
                kind(**{parameter: name}).fit(X, y)


def test_the_reference_has_every_public_name():
    text = "".join(page.read_text(encoding="utf-8") for page in (DOCS / "reference").glob("*.md"))
    described = {id(tanager.Dataset)} if "`Dataset`" in text else set()  # compiled: described by hand
    for path in re.findall(r"^::: (\S+)", text, re.MULTILINE):
        found = pkgutil.resolve_name(path)
        listed = [getattr(found, name) for name in found.__all__] if inspect.ismodule(found) else [found]
        described |= {id(one) for one in listed}
    for module in (tanager, tanager.motifs):
        absent = [name for name in module.__all__ if id(getattr(module, name)) not in described]
        assert set(absent) <= {"__version__"}, module.__name__


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
