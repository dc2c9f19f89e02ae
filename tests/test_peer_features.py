"""What the page on other libraries says of features: our marks, and scikit-learn's, are tried again here."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    monkeypatch.syspath_prepend(str(ROOT / "benches"))
    import peer_features

    yield peer_features
    for name in [name for name in sys.modules if name.split(".")[0] in ("features", "peer_features")]:
        monkeypatch.delitem(sys.modules, name)


@pytest.fixture
def page(script):
    """The marks of the page by row and column, without the numbers of versions."""
    text = script.PAGE.read_text(encoding="utf-8").partition(script.BEGIN)[2].partition(script.END)[0]
    head, _, *rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.strip().splitlines()]
    columns = [cell.split()[0] for cell in head[1:]]
    return {title: dict(zip(columns, marks, strict=True)) for title, *marks in rows}


def test_the_page_has_a_row_for_each_feature_and_a_column_for_each_library(script, page):
    assert list(page) == list(script.FEATURES.values())
    assert [list(marks) for marks in page.values()] == [list(script.ORDER)] * len(page)
    assert {mark for marks in page.values() for mark in marks.values()} <= {"yes", "—", "(gRain)"}


@pytest.mark.parametrize("library", ["tanager", "scikit-learn"])
def test_a_column_is_what_its_trials_say(script, page, library):
    outcomes = script.python_outcomes(library)
    for feature, title in script.FEATURES.items():
        said = outcomes.get(feature)
        if said is None or not said.startswith("needs "):
            assert script.mark(said) == page[title][library], f"{title}: {said}"


def test_a_trial_that_fails_or_lacks_a_package_says_so(script):
    needs = script.trials_of("common").need

    def fails():
        raise ValueError("no")

    said = [script.outcome(trial) for trial in (lambda: None, fails, lambda: needs("no_such_package"))]
    assert said == ["yes", "ValueError: no", "needs no_such_package"]
    assert [script.mark(what) for what in (*said, None)] == ["yes", "—", "(no_such_package)", "—"]


def test_a_library_that_is_not_here_has_no_column(script, monkeypatch):
    monkeypatch.delenv("WEKA_JAR", raising=False)
    monkeypatch.setattr(script.shutil, "which", lambda name: None)
    assert script.r_versions() == script.weka_version() == {}
    head, line, *rows = script.table({"tanager": ""}, {"tanager": {"sql": "yes"}}).splitlines()
    assert (head, line) == ("| | tanager |", "|---|---|")
    assert rows[-1] == "| prediction in SQL | yes |"
