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


def read_lines(printed: str, outcomes: dict[str, Outcome]) -> None:
    """Fills the outcomes from what a program printed; peers.R says how."""
    for line in printed.splitlines():
        kind, peer, *rest = line.split("\t")
        outcome = outcomes[peer]
        if kind == "time":
            outcome.seconds[rest[0]] = float(rest[1])
        elif kind == "arc":
            outcome.arcs = [*(outcome.arcs or []), (int(rest[0]), int(rest[1]))]
        elif kind == "skip":
            outcome.skipped = rest[0]


def skipped(peers: list[str], reason: str) -> list[Outcome]:
    """Outcomes of peers that could not be asked."""
    return [Outcome(peer, skipped=reason) for peer in peers]


def measure_outside(
    peers: list[str], command: list[str], table: Table, budget: float, limit: float, tasks: tuple[str, ...]
) -> list[Outcome]:
    """What a program's peers need for the tasks; it is stopped after `limit` seconds."""
    outcomes = {peer: Outcome(peer) for peer in peers}
    with tempfile.TemporaryDirectory() as name:
        write_table(table, Path(name))
        try:
            result = subprocess.run(
                [*command, name, str(budget), *tasks],
                capture_output=True,
                text=True,
                timeout=limit,
                check=False,
            )
            printed = result.stdout
            problem = result.stderr.strip().splitlines()[-1:] if result.returncode else []
        except subprocess.TimeoutExpired as stopped:
            printed = (stopped.stdout or b"").decode()
            problem = [f"stopped after {limit:g} s"]
        read_lines(printed, outcomes)
        if (left := Path(name) / POSTERIORS).is_file():
            outcomes[peers[0]].probabilities = np.fromfile(left, dtype=">f8").reshape(-1, table.n_classes)
    for outcome in outcomes.values():
        if problem and outcome.skipped is None:
            outcome.skipped = problem[0]
    return list(outcomes.values())
