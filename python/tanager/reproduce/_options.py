"""What every reproduction can be told, and how it finds its data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tanager.data import Table, load_dataset
from tanager.evaluation.compare import compare
from tanager.evaluation.comparison import Comparison
from tanager.exceptions import DataError

__all__ = ["Options", "available", "how_to_get"]


@dataclass(frozen=True)
class Options:
    """`quick` does less of the same in under two minutes; `data_dir` holds data that are not bundled."""

    quick: bool = True
    data_dir: str | Path | None = None
    random_state: int = 0
    n_jobs: int | None = None
    progress: bool = True
    cache: Path | None = None

    def compare(self, learners: Any, tasks: Any, **plan: Any) -> Comparison:
        """A comparison that is run as the reproduction is told to."""
        run: dict[str, Any] = {"n_jobs": self.n_jobs, "progress": self.progress, "cache": self.cache}
        return compare(learners, tasks, **plan, **run)


def available(names: list[str], options: Options) -> tuple[dict[str, Table], list[str]]:
    """The tables that `load_dataset` finds, and how to get each of the others."""
    found: dict[str, Table] = {}
    missing = []
    for name in names:
        try:
            found[name] = load_dataset(name, data_dir=options.data_dir)
        except DataError:
            missing.append(how_to_get(name))
    return found, missing


def how_to_get(name: str) -> str:
    """One line on where a data set comes from."""
    return (
        f"{name}: UCI repository, https://archive.ics.uci.edu; save it as {name}.csv with a column 'class' "
        "in a folder and name the folder with --data-dir (or TANAGER_DATA)"
    )
