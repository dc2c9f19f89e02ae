"""What is imported when: nobody waits for a library that is not used. No times are asserted."""

import pickle
import subprocess
import sys

import pytest

import tanager
from tanager.evaluation.comparison import Comparison

HEAVY = ["pandas", "polars", "pyarrow", "matplotlib", "jinja2", "rich", "networkx", "duckdb"]
SCIKIT_LEARN = ["sklearn.metrics", "sklearn.model_selection", "sklearn.pipeline", "sklearn.linear_model"]


def imported_by(code: str) -> set[str]:
    """The modules that are there after some code, in an interpreter of its own."""
    code += "\nimport sys\nprint(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_the_package_alone_imports_next_to_nothing() -> None:
    assert not imported_by("import tanager") & {*HEAVY, "numpy", "scipy", "sklearn", "tanager.public"}


def test_help_does_not_wait_for_the_learners() -> None:
    code = "import sys; from tanager.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass"
    assert not imported_by(code) & {*HEAVY, "numpy", "scipy", "sklearn", "tanager.cli.compare"}


def test_a_learner_brings_scikit_learns_base_only() -> None:
    there = imported_by("from tanager import TANClassifier, compare")
    assert {"sklearn.base", "tanager.evaluation.compare"} <= there
    brought = there - imported_by("import sklearn.base")  # scikit-learn imports pandas where it is installed
    assert not brought & {*HEAVY, *SCIKIT_LEARN, "tanager.report"}


def test_all_public_names_and_rooms_are_the_packages_own() -> None:
    from tanager import estimators, public

    assert tanager.__all__ == public.__all__
    assert set(tanager.__all__) <= set(dir(tanager))
    assert all(getattr(tanager, name) is getattr(public, name) for name in public.__all__)
    assert tanager.estimators is estimators
    with pytest.raises(AttributeError, match="module 'tanager' has no attribute 'TanClassifier'"):
        tanager.TanClassifier  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name '_hidden'"):
        from tanager import _hidden  # noqa: F401


def test_reports_are_there_whichever_way_a_comparison_came() -> None:
    """A comparison that another process reads from a pickle has the reports too."""
    found = tanager.compare(["nb"], ["iris"], cv=2, repeats=1, progress=False)
    assert isinstance(found, Comparison)
    code = "import pickle, sys; print(pickle.load(sys.stdin.buffer).to_markdown())"
    done = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps(found), capture_output=True, check=True
    )
    assert done.stdout.decode().strip() == found.to_markdown().strip()
