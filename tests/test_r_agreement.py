"""R's bnlearn and bnclassify learn the same structures, scores and probabilities from the same table.

CONTRIBUTING.md says how the two packages are installed; without R these tests are skipped, or fail where
TANAGER_R=required.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

import tanager

BENCHES = Path(__file__).resolve().parents[1] / "benches"
SCORES = {"ll": "ll", "aic": "aic", "bic": "bic", "k2": "k2", "bdeu": tanager.BDeu(ess=10.0)}


def absent(what: str) -> None:
    """A test that needs it is skipped, and fails where CI says so."""
    if os.environ.get("TANAGER_R") == "required":
        pytest.fail(f"{what}, and TANAGER_R=required")
    pytest.skip(f"{what}: CONTRIBUTING.md says how R, bnlearn and bnclassify are installed")


@pytest.fixture(scope="module")
def table():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHES))
        from data import generate

        return generate("letter", rows=1500, columns=7)


@pytest.fixture(scope="module")
def said(table, tmp_path_factory):
    """What agreement.R prints, as lists by kind and peer."""
    if shutil.which("Rscript") is None:
        absent("R is not installed")
    folder = tmp_path_factory.mktemp("table")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHES))
        from outside import write_table

        write_table(table, folder)
    command = ["Rscript", "--no-init-file", str(BENCHES / "agreement.R"), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = defaultdict(list)
    for line in done.stdout.splitlines():
        kind, peer, *rest = line.split("\t")
        found[kind, peer].append(rest)
    return found


def of(said, kind: str, peer: str) -> list[list[str]]:
    if ("skip", peer) in said:
        absent(said["skip", peer][0][0])
    return said[kind, peer]


@pytest.fixture
def data(table):
    return tanager.Dataset(table.codes, table.arities, table.classes, table.n_classes)


@pytest.mark.parametrize("score", SCORES)
def test_scores_of_families_are_those_of_bnlearn(said, data, score):
    lines = {
        int(child): float(value) for name, child, value in of(said, "family", "bnlearn") if name == score
    }
    assert len(lines) == 7
    for child, theirs in lines.items():
        parents = ["class"] if child == 0 else [child - 1, "class"]
        ours = tanager.family_score(data, child, parents, SCORES[score])
        assert ours == pytest.approx(theirs, rel=1e-11), child


def edges(lines: list[list[str]], task: str) -> set[frozenset[int]]:
    return {frozenset((int(a), int(b))) for name, a, b in lines if name == task}


@pytest.mark.parametrize("peer", ["bnlearn", "bnclassify"])
def test_the_tree_of_likelihood_is_theirs(said, table, peer):
    theirs = edges(of(said, "arc", peer), "tan:ll")
    model = tanager.TANClassifier(score="ll").fit(table.frame(), table.classes)
    assert len(theirs) == 6
    assert {frozenset((int(a[1:]), int(b[1:]))) for a, b in model.network_.edges} == theirs


@pytest.mark.parametrize("score", ["aic", "bic"])
def test_forests_of_penalised_scores_are_those_of_bnclassify(said, table, score):
    theirs = edges(of(said, "arc", "bnclassify"), f"tan:{score}")
    model = tanager.TANClassifier(score=score, forest=True).fit(table.frame(), table.classes)
    assert {frozenset((int(a[1:]), int(b[1:]))) for a, b in model.network_.edges} == theirs


def test_the_tree_without_a_class_is_bnlearns(said, table):
    theirs = edges(of(said, "arc", "bnlearn"), "tree")
    model = tanager.TreeDensity(score="ll").fit(table.frame())
    assert len(theirs) == 6
    assert {frozenset((int(a[1:]), int(b[1:]))) for a, b in model.network_.edges} == theirs


@pytest.mark.parametrize("kind", [tanager.NaiveBayesClassifier, tanager.TANClassifier])
def test_probabilities_are_those_of_bnclassify(said, table, kind):
    task = "nb" if kind is tanager.NaiveBayesClassifier else "tan"
    lines = [line for line in of(said, "posterior", "bnclassify") if line[0] == task]
    theirs = np.array([[float(value) for value in values] for _, _, *values in lines])
    model = kind(parameters="laplace").fit(table.frame(), table.classes)
    assert theirs.shape == (5, table.n_classes)
    assert model.predict_proba(table.frame()[:5]) == pytest.approx(theirs, rel=1e-9)
