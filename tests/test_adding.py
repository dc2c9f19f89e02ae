"""A toy score and a toy learner, added to a copy as CONTRIBUTING says: three files and five, no more.

The copy stands at one place below ``target`` and is built there without optimisation, so that all but the
first run only compile what has changed.
"""

import os
import re
import shutil
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
COPY = ROOT / "target" / "adding"
CARGO = shutil.which("cargo")

SCORE = """//! A toy: the log-likelihood less two for each free parameter.

use crate::counts::FamilyShape;
use crate::error::Result;
use crate::registry::About;
use crate::score::log_likelihood::{additive, free_parameters};
use crate::score::{Additive, Entry, FamilyScore};

struct ToyScore;

impl FamilyScore for ToyScore {
    fn is_score_equivalent(&self) -> bool {
        true
    }

    fn additive(&self, shape: &FamilyShape, _total: f64) -> Result<Option<Additive>> {
        Ok(Some(additive(2.0 * free_parameters(shape))))
    }
}

pub(super) const ENTRY: Entry = Entry {
    about: About {
        name: "toyscore",
        title: "ToyScore",
        summary: "log-likelihood, less two for each free parameter",
        formula: "ll − 2 (r−1) q",
        settings: &[],
        needs: &[],
    },
    build: |_| Ok(Box::new(ToyScore)),
};
"""

LEARNER = """//! A toy: a chain of the attributes as they stand.

use crate::control::Control;
use crate::error::Result;
use crate::registry::{About, Need};
use crate::structure::{Entry, Evidence, Learner, Structure, StructureLearner};

struct Toy;

impl StructureLearner for Toy {
    fn learn(&self, evidence: Evidence<'_>, _control: &Control) -> Result<Structure> {
        let parents = (0..evidence.counts.n()).map(|child| child.checked_sub(1).into_iter().collect());
        Ok(Structure::from_parents(parents.collect()))
    }
}

pub(super) const ENTRY: Entry = Entry {
    about: About {
        name: "toy",
        title: "Toy",
        summary: "every attribute depends on the one before it",
        formula: "Π_i = {i − 1}",
        settings: &[],
        needs: &[Need::Class],
    },
    build: |_| Ok(Learner::Counts(Box::new(Toy))),
};
"""

ESTIMATOR = '''"""A toy."""

from __future__ import annotations

from typing import Unpack

from tanager.estimators.base import BayesianNetworkClassifier, ClassifierSettings
from tanager.parameters import ParametersLike

__all__ = ["ToyClassifier"]


class ToyClassifier(BayesianNetworkClassifier):
    """A chain of the attributes as they stand.

    Parameters:
        parameters: how the tables are estimated.
        **settings: those of `BayesianNetworkClassifier`.
    """

    learner = "toy"

    def __init__(
        self, parameters: ParametersLike = "laplace", **settings: Unpack[ClassifierSettings]
    ) -> None:
        super().__init__(**settings)
        self.parameters = parameters
'''

#: What is written by hand: a new file as a whole, or what is put before which words of an old one.
Edit = str | list[tuple[str, str]]
SCORE_FILES: dict[str, Edit] = {
    "rust/core/src/score/toyscore.rs": SCORE,
    "rust/core/src/score/mod.rs": [
        ("mod scorer;", "mod toyscore;\n"),
        ("acll::ENTRY,", "toyscore::ENTRY,\n    "),
    ],
    "tests/reference/scores.py": [
        (
            "SCORES = {",
            "def toyscore(table: Table, child, parents) -> float:\n"
            "    return ll(table, child, parents) - 2 * free_parameters(table, child, parents)\n\n\n",
        ),
        ('    "ll": ll,', '    "toyscore": toyscore,\n'),
        ('"ll", "aic"', '"toyscore", '),
    ],
}
LEARNER_FILES: dict[str, Edit] = {
    "rust/core/src/structure/toy.rs": LEARNER,
    "rust/core/src/structure/mod.rs": [("mod tanhc;", "mod toy;\n"), ("tanhc::ENTRY,", "toy::ENTRY,\n    ")],
    "python/tanager/estimators/toy.py": ESTIMATOR,
    "tests/reference/learners.py": [
        (
            "LEARNERS = {",
            "def toy(table: Table) -> Structure:\n    return from_parents([[i - 1] if i else [] for i in "
            "range(len(table.arities))])\n\n\n",
        ),
        ('    "nb": naive_bayes,', '    "toy": toy,\n'),
    ],
    "docs/learners/toy.md": "# Toy\n\nA chain of the attributes as they stand.\n",
}

USE = """
import tanager
from tanager.evaluation.counting import COUNT_BASED
X = [["a", "x", "p"], ["b", "y", "p"], ["b", "x", "q"], ["a", "y", "q"]] * 6
y = ["u", "v", "v"] * 8
assert tanager.TANClassifier(score=tanager.ToyScore()).fit(X, y).structure_score_ < tanager.TANClassifier(
    score="aic").fit(X, y).structure_score_
model = tanager.ToyClassifier().fit(X, y)
assert model.network_.edges == [("x0", "x1"), ("x1", "x2")], model.network_.edges
assert "toy" in COUNT_BASED
tanager.save_model(model, "toy.json")
assert (tanager.load_model("toy.json").predict_proba(X) == model.predict_proba(X)).all()
data = tanager.load_dataset("vote")
print(tanager.compare(["toy", "tan:score=toyscore"], [data], cv=2, repeats=1, progress=False).to_markdown())
"""


def original() -> dict[str, bytes]:
    """The files that belong into the copy."""
    wanted = {"Cargo.toml", "Cargo.lock", "README.md", "mkdocs.yml", "pyproject.toml"}
    for folder in ("rust", "python", "benches", "scripts", "docs", "tests/reference"):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and path.suffix not in (".so", ".pyc"):
                wanted.add(path.relative_to(ROOT).as_posix())
    wanted |= {path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").glob("*.py")}
    return {name: (ROOT / name).read_bytes() for name in wanted}


def write(name: str, content: bytes) -> None:
    path = COPY / name
    if not path.is_file() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def edited(name: str, edit: Edit, old: bytes | None) -> bytes:
    if isinstance(edit, str):
        assert old is None
        return edit.encode()
    assert old is not None
    text = old.decode()
    for words, new in edit:
        assert text.count(words) == 1, f"{name}: {words}"
        text = text.replace(words, new + words)
    return text.encode()


def run(*command: str) -> str:
    path = os.pathsep.join([str(COPY / "python"), str(COPY / "tests")])
    environment = os.environ | {"PYTHONPATH": path, "CARGO_TARGET_DIR": str(ROOT / "target")}
    environment |= {"PYO3_PYTHON": sys.executable}  # whichever runs the tests, not the first on the PATH
    environment |= {"CARGO_PROFILE_DEV_OPT_LEVEL": "0", "CARGO_PROFILE_DEV_DEBUG": "false"}
    done = subprocess.run(
        command, cwd=COPY, env=environment, capture_output=True, text=True, check=False, timeout=1800
    )
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def grow(cargo: str, files: dict[str, bytes]) -> set[str]:
    """Writes what differs, lest all be compiled anew, and builds; gives what the generator wrote."""
    by_hand = SCORE_FILES | LEARNER_FILES
    extension = f"python/tanager/_core{EXTENSION_SUFFIXES[-1]}"
    for path in [path for path in COPY.rglob("*") if path.is_file()]:
        if path.relative_to(COPY).as_posix() not in files.keys() | by_hand.keys() | {extension}:
            path.unlink()
    for name in files.keys() - by_hand.keys():
        write(name, files[name])
    for name, edit in by_hand.items():
        write(name, edited(name, edit, files.get(name)))
    run(cargo, "build", "--quiet", "-p", "tanager-py", "--features", "pyo3/extension-module")
    library = (
        "_core.dll" if os.name == "nt" else "lib_core.dylib" if sys.platform == "darwin" else "lib_core.so"
    )
    write(extension, (ROOT / "target" / "debug" / library).read_bytes())
    return set(run(sys.executable, "scripts/registry_tables.py").split())


def listed_in_contributing(heading: str) -> list[str]:
    told = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    start = told.index(heading)
    return re.findall(r"^\d\. `([^`]+)`", told[start : told.index("\n## ", start)], re.MULTILINE)


@pytest.mark.skipif(CARGO is None, reason="adding to a copy needs cargo")
def test_three_files_make_a_score_and_five_a_learner():
    score = listed_in_contributing("## Adding a score: three files")
    assert [path.replace("NAME", "toyscore") for path in score] == list(SCORE_FILES)
    learner = listed_in_contributing("## Adding a learner: five files")
    assert [path.replace("NAME", "toy") for path in learner] == list(LEARNER_FILES)
    assert (len(SCORE_FILES), len(LEARNER_FILES)) == (3, 5)
    # Everything else that differs from the original was written by the generator.
    files = original()
    generated = grow(str(CARGO), files)
    assert generated == {
        "README.md",
        "docs/learners/index.md",
        "docs/reference/classifiers.md",
        "docs/scores.md",
        "mkdocs.yml",
        "python/tanager/estimators/__init__.pyi",
        "python/tanager/scores.pyi",
    }
    same = {name for name, content in files.items() if (COPY / name).read_bytes() == content}
    by_hand = SCORE_FILES.keys() | LEARNER_FILES.keys()
    assert not same & by_hand
    assert files.keys() - same - generated == by_hand & files.keys()
    # Both work: objects and classes, files, comparisons, help.
    out = run(sys.executable, "-c", USE)
    assert "toy" in out
    assert "tan:score=toyscore" in out
    shown = run(sys.executable, "-m", "tanager", "compare", "--help")
    assert re.search(r"^  toy +every attribute depends on the one before it$", shown, re.MULTILINE)
    assert re.search(r"\btoyscore\b", shown)
    # Whatever is registered has its oracle, object, settings and line for people.
    tests = ["-q", "-p", "no:cacheprovider", "-c", os.devnull, "tests/test_registry.py"]
    assert " passed" in run(sys.executable, "-m", "pytest", *tests)
