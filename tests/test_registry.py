"""Everything that is registered has its oracle, its Python name and its one line for people."""

import re
from pathlib import Path

import pytest

from reference.learners import LEARNERS
from reference.parameters import PARAMETERS
from reference.scores import SCORE_EQUIVALENT, SCORES
from tanager import _core
from tanager.specification import Specification

CORE = Path(__file__).resolve().parents[1] / "rust" / "core" / "src"

REGISTERED = {
    "score": [name for name, _ in _core.scores()],
    "parameters": [name for name, _ in _core.parameter_estimators()],
    "structure": [name for name, *_ in _core.learners()],
}
ORACLES = {"score": SCORES, "parameters": PARAMETERS, "structure": LEARNERS}


@pytest.mark.parametrize("room", REGISTERED)
def test_every_registered_name_has_an_oracle(room):
    assert set(REGISTERED[room]) <= set(ORACLES[room])


@pytest.mark.parametrize("room", REGISTERED)
def test_names_are_unique_and_described(room):
    names = REGISTERED[room]
    assert len(set(names)) == len(names)
    entries = {"score": _core.scores, "parameters": _core.parameter_estimators, "structure": _core.learners}
    assert all(summary and len(summary) < 100 for _, summary, *_ in entries[room]())


def test_every_score_and_estimator_is_an_object_too():
    objects = {kind.name for kind in Specification.__subclasses__()}
    assert objects == {*REGISTERED["score"], *REGISTERED["parameters"]}


def test_equivalence_flags_agree_with_the_oracle():
    """The flags in the source are those of the specification."""
    for path in sorted((CORE / "score").glob("*.rs")):
        found = re.search(
            r"fn is_score_equivalent\(&self\) -> bool \{\s*(true|false)", path.read_text("utf-8")
        )
        stem = {"log_likelihood": "ll"}.get(path.stem, path.stem)
        if found and stem in SCORES:
            assert (found.group(1) == "true") == (stem in SCORE_EQUIVALENT), stem
