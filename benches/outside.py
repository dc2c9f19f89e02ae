"""Peers that run outside of Python: a program is given a table in files, and prints what it needed."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import numpy as np

from data import Table
from timing import Outcome

#: P(class | row) of naive Bayes as a program may leave it: doubles, the highest byte first, row by row.
POSTERIORS = "posteriors.bin"


def write_table(table: Table, folder: Path) -> None:
    """The table as the programs read it: the shape as text, the codes as 32-bit integers column by column."""
    shape = [table.rows, table.columns, table.n_classes, *table.arities]
    (folder / "shape.txt").write_text(" ".join(str(number) for number in shape))
    with (folder / "codes.bin").open("wb") as file:
        for column in [*table.codes.T, table.classes]:
            file.write(column.astype("<i4").tobytes())


def read_lines(printed: str, outcome: Outcome) -> None:
    """Fills the outcome from what a program printed; peers.R says how."""
    for line in printed.splitlines():
        kind, *rest = line.split("\t")
        if kind == "time":
            outcome.seconds[rest[0]] = float(rest[1])
        elif kind == "arc":
            outcome.arcs = [*(outcome.arcs or []), (int(rest[0]), int(rest[1]))]
        elif kind == "skip":
            outcome.skipped = rest[0]


def measure_outside(
    peer: str, command: list[str], table: Table, budget: float, limit: float, learners: tuple[str, ...]
) -> Outcome:
    """What a peer needs for each learner, in a program of its own that is stopped after `limit` seconds."""
    outcome = Outcome(peer)
    with tempfile.TemporaryDirectory() as name:
        write_table(table, Path(name))
        for learner in learners:
            reason = None
            try:
                result = subprocess.run(
                    [*command, name, str(budget), learner],
                    capture_output=True,
                    text=True,
                    timeout=limit,
                    check=False,
                )
                printed = result.stdout
                if result.returncode:
                    reason = (result.stderr.strip().splitlines() or ["failed"])[-1]
            except subprocess.TimeoutExpired as stopped:
                printed = (stopped.stdout or b"").decode()
                reason = f"stopped after {limit:g} s"
            read_lines(printed, outcome)
            outcome.note(learner, reason)
        if (left := Path(name) / POSTERIORS).is_file():
            outcome.probabilities = np.fromfile(left, dtype=">f8").reshape(-1, table.n_classes)
    return outcome
