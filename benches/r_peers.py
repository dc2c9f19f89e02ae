"""R's bnlearn and bnclassify, timed inside of R (see peers.R)."""

from __future__ import annotations

import shutil
from pathlib import Path

from data import Table
from outside import measure_outside
from timing import Outcome

SCRIPT = Path(__file__).with_name("peers.R")
PEERS = ("bnlearn", "bnclassify")


def measure_r(
    table: Table,
    budget: float,
    limit: float,
    learners: tuple[str, ...] = ("nb", "tan"),
    peers: tuple[str, ...] = PEERS,
) -> list[Outcome]:
    """What the packages need for the learners; R is started for each, and stopped after `limit` seconds."""
    if shutil.which("Rscript") is None:
        return [Outcome(peer, skipped="Rscript is not installed") for peer in peers]
    command = ["Rscript", "--vanilla", str(SCRIPT)]
    return [measure_outside(peer, [*command, peer], table, budget, limit, learners) for peer in peers]
