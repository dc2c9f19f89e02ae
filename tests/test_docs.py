"""The documentation: its examples run, its links lead somewhere, nothing registered lacks a page."""

from __future__ import annotations

import contextlib
import doctest
import importlib.util
import inspect
import os
import pkgutil
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import tanager
import tanager.motifs
from browser import probed
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


def test_the_readme_links_to_files_that_are_there_from_wherever_it_is_shown():
    """On the package index too, where a link relative to the repository leads nowhere."""
    source = "https://github.com/tanager-learn/tanager/blob/main/"
    targets = re.findall(r"\]\(([^)#]+)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert targets
    for target in targets:
        assert target.startswith("https://"), target
        if target.startswith(source):
            assert (ROOT / target.removeprefix(source)).is_file(), target


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


def formulas(page: Path) -> list[str]:
    return re.findall(r"```math\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def test_every_learner_has_its_formula():
    for name in CLASSIFIERS:
        assert formulas(DOCS / "learners" / f"{name}.md"), f"{name}.md has no formula: a fence called math"


def test_pictures_are_small_used_described_and_drawn_by_the_script():
    script = (ROOT / "scripts" / "docs_pictures.py").read_text(encoding="utf-8")
    # Pages of the gallery have their own script and test, and quality.py draws the reliability.
    pages = [page for page in PAGES if page.parent.name != "gallery"]
    texts = [page.read_text(encoding="utf-8").replace("](reliability.svg)", "]") for page in pages]
    shown = {
        Path(target).name: words
        for text in texts
        for words, target in re.findall(r"!\[(.*?)\]\((.*?)\)", text, re.DOTALL)
    }
    found = list((DOCS / "pictures").iterdir())
    assert {path.name for path in found} >= set(shown)
    for path in found:
        assert path.stat().st_size <= 150_000, path.name
        assert len(shown.get(path.name, "")) > 20, f"{path.name} is on no page, or nothing says what it shows"
        assert f'"{path.name}"' in script


def test_words_and_letters_below_the_line_are_typeset():
    tables = runpy.run_path(str(ROOT / "scripts" / "registry_tables.py"))
    typeset = tables["typeset"]
    assert typeset("Σ N_jk ln(N_jk / n0)") == r"$\sum N_{jk} \ln(N_{jk} / n_{0})$"
    assert (
        typeset("bd with α = max(W, n0), a π per cell") == r"`bd` with $α = \max(W, n_{0})$, a $π$ per cell"
    )


def test_examples_of_docstrings_are_code():
    pytest.importorskip("griffe")
    fenced = runpy.run_path(str(ROOT / "scripts" / "docs_examples.py"))["fenced"]
    text = "One line.\n\n>>> 1 + 1\n2\n\n>>> 2 + 2\n4\n\nAnd an end."
    assert fenced(text) == "One line.\n\n```pycon\n>>> 1 + 1\n2\n\n>>> 2 + 2\n4\n```\n\nAnd an end."


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    if importlib.util.find_spec("mkdocs") is None or importlib.util.find_spec("material") is None:
        pytest.skip("mkdocs-material is not installed: pip install 'tanager-learn[docs]'")
    site = tmp_path_factory.mktemp("docs") / "site"
    # Not --quiet: warnings that are not said are not counted either, and --strict lets them pass.
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)]
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=quiet)
    assert built.returncode == 0, built.stderr
    return site


def test_the_site_builds_without_warnings(site):
    pages = {path.relative_to(site).as_posix(): path.read_text("utf-8") for path in site.rglob("*.html")}
    for name in CLASSIFIERS:  # formulas are set, without a script
        assert "<math" in pages[f"learners/{name}/index.html"], name
    for name, text in pages.items():
        assert "arithmatex" not in text, name
        assert "<blockquote>" not in text, f"{name}: an example came out as a quotation"
    assert pages["reference/functions/index.html"].count('<span class="gp">&gt;&gt;&gt; ') > 8
    assert pages["reference/reading/index.html"].count("clf.explain") == 1


@pytest.mark.browser
def test_pages_fit_a_phone_and_their_pictures_stay_readable(site, tmp_path):
    """No page is wider than a phone; a picture is not made smaller than it was drawn, but scrolls.

    All pages stand in frames of one sheet, which is loaded when they and their pictures are. Their own
    scripts stay off.
    """
    pages = [path.as_uri() for path in sorted(site.rglob("index.html"))]
    frame = '<iframe style="width: 390px; border: 0" sandbox="allow-same-origin" src="{}"></iframe>'
    sheet = f"<html><head></head><body>{''.join(map(frame.format, pages))}</body></html>"
    script = """
      return [...document.querySelectorAll("iframe")].map(({src, contentDocument}) => [
        src,
        contentDocument.querySelector(".md-main").scrollWidth,
        [...contentDocument.querySelectorAll(".md-typeset p > img")].map(image =>
          [image.src, image.naturalWidth, image.getBoundingClientRect().width])]);
    """
    found = probed(sheet, script, tmp_path, "--allow-file-access-from-files", settle=0)
    assert len(found) == len(pages) > 40
    assert [(page, wide) for page, wide, _ in found if wide > 390] == []
    pictures = [picture for _, _, images in found for picture in images]
    assert len(pictures) > 15
    assert [picture for picture in pictures if not 0 < picture[1] - 2 <= picture[2]] == []
