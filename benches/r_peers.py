"""R's bnlearn and bnclassify, timed inside of R (see peers.R)."""

from __future__ import annotations

import shutil
from pathlib import Path

from data import Table
from outside import measure_outside, skipped
from timing import Outcome

SCRIPT = Path(__file__).with_name("peers.R")
PEERS = ["bnlearn", "bnclassify"]


def measure_r(
    table: Table, budget: float, limit: float, tasks: tuple[str, ...] = ("nb", "tan")
) -> list[Outcome]:
    """What bnlearn and bnclassify need for the tasks; R is stopped after `limit` seconds."""
    if shutil.which("Rscript") is None:
        return skipped(PEERS, "Rscript is not installed")
    return measure_outside(PEERS, ["Rscript", "--vanilla", str(SCRIPT)], table, budget, limit, tasks)
