"""R's bnlearn and bnclassify, timed inside of R (see peers.R)."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from data import Table
from timing import Outcome

SCRIPT = Path(__file__).with_name("peers.R")
PEERS = ["bnlearn", "bnclassify"]


def write_table(table: Table, folder: Path) -> None:
    """The table as peers.R reads it: the shape as text, the codes as 32-bit integers column by column."""
    shape = [table.rows, table.columns, table.n_classes, *table.arities]
    (folder / "shape.txt").write_text(" ".join(str(number) for number in shape))
    with (folder / "codes.bin").open("wb") as file:
        for column in [*table.codes.T, table.classes]:
            file.write(column.astype(np.int32).tobytes())


def measure_r(
    table: Table, budget: float, limit: float, tasks: tuple[str, ...] = ("nb", "tan")
) -> list[Outcome]:
    """What bnlearn and bnclassify need for the tasks; R is stopped after `limit` seconds."""
    outcomes = {peer: Outcome(peer) for peer in PEERS}
    if shutil.which("Rscript") is None:
        for outcome in outcomes.values():
            outcome.skipped = "Rscript is not installed"
        return list(outcomes.values())
    with tempfile.TemporaryDirectory() as name:
        write_table(table, Path(name))
        command = ["Rscript", "--vanilla", str(SCRIPT), name, str(budget), *tasks]
        try:
            result = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
            printed, problem = (
                result.stdout,
                result.stderr.strip().splitlines()[-1:] if result.returncode else [],
            )
        except subprocess.TimeoutExpired as stopped:
            printed = (stopped.stdout or b"").decode()
            problem = [f"stopped after {limit:g} s"]
    read_lines(printed, outcomes)
    for outcome in outcomes.values():
        if problem and outcome.skipped is None:
            outcome.skipped = problem[0]
    return list(outcomes.values())


def read_lines(printed: str, outcomes: dict[str, Outcome]) -> None:
    """Fills the outcomes from what peers.R printed."""
    for line in printed.splitlines():
        kind, peer, *rest = line.split("\t")
        outcome = outcomes[peer]
        if kind == "time":
            outcome.seconds[rest[0]] = float(rest[1])
        elif kind == "arc":
            outcome.arcs = [*(outcome.arcs or []), (int(rest[0]), int(rest[1]))]
        elif kind == "skip":
            outcome.skipped = rest[0]
