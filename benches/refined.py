"""Times of refined networks beside forests, boosting and explainable boosting machines.

    python benches/refined.py --times FILE [--tables car,glass,…] [--data FOLDER] [--minutes 10] [--write]

Wall times with two threads. For each table (those of more than 20,000 rows cut to as many), the small ones
first: `RefinedClassifier()` with its automatic choice beside a forest of 500 trees, and a single fit with
given structure and ridge beside gradient boosting; then one million rows of 30 columns with the automatic
choice, then explainable boosting machines, which are stopped where they have taken more than ten times as
long: "> 1.2" is such a time. Times are kept in FILE as they come: what it has is not timed again, so that the
minutes may be spent in pieces, and whoever changes a learner deletes its lines. Ratios above 1 mean that
refined networks take longer. `--write` puts what FILE has into docs/learners/refined.md.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import re
import signal
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "2")

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

import tanager
from tanager import RefinedClassifier

MOST_ROWS = 20_000
MILLION = "1,000,000 × 30"


def seconds(fit: Callable[[], Any]) -> float:
    """Of one call."""
    start = time.perf_counter()
    fit()
    return time.perf_counter() - start


def codes(frame: pd.DataFrame) -> np.ndarray:
    """Numbers as they are, words as whole numbers: what the others take."""
    frame = frame.copy()
    for name in frame.select_dtypes(exclude="number"):
        frame[name] = frame[name].astype("category").cat.codes
    return frame.astype("float64").to_numpy()


def tables(folder: Path | None) -> dict[str, Callable[[], Any]]:
    """The bundled tables and, where given, those of a folder."""
    found: dict[str, Callable[[], Any]] = {}
    for path in sorted(folder.iterdir()) if folder else ():
        if ".csv" in path.suffixes and path.name != "MANIFEST.csv":
            found[path.name.split(".")[0]] = lambda path=path: tanager.read_table(path)
    for info in tanager.list_datasets():
        if info.classes and info.origin == "bundled":
            found[info.name] = lambda name=info.name: tanager.load_dataset(name)
    return found


def rows_of(table: Any) -> tuple[pd.DataFrame, np.ndarray]:
    """At most MOST_ROWS rows."""
    X, y = table.X.to_pandas(), np.unique(np.asarray(table.y).astype(str), return_inverse=True)[1]
    if len(y) > MOST_ROWS:
        kept = np.sort(np.random.default_rng(0).choice(len(y), MOST_ROWS, replace=False))
        X, y = X.iloc[kept].reset_index(drop=True), y[kept]
    return X, y


def fits(X: pd.DataFrame, y: np.ndarray) -> dict[str, Callable[[], Any]]:
    """What is timed, by name."""
    plain = codes(X)
    # A class of one row cannot be held out to stop early by.
    early: Any = False if np.bincount(y).min() < 2 else "auto"
    boosting = HistGradientBoostingClassifier(random_state=0, early_stopping=early)
    return {
        "refined": lambda: RefinedClassifier(n_jobs=2).fit(X, y),
        "forest": lambda: RandomForestClassifier(500, n_jobs=2, random_state=0).fit(plain, y),
        "one fit": lambda: RefinedClassifier("kdb", ridge=1.0, n_jobs=2).fit(X, y),
        "boosting": lambda: boosting.fit(plain, y),
    }


def additive(X: pd.DataFrame, y: np.ndarray, most: float) -> tuple[float, bool]:
    """Seconds of an explainable boosting machine, and whether they were the most that it was given."""
    answers: Any = multiprocessing.get_context("spawn").SimpleQueue()
    process = multiprocessing.get_context("spawn").Process(target=_additive, args=(codes(X), y, answers))
    process.start()
    answers.get()  # what it needs is imported
    start = time.perf_counter()
    process.join(most)
    taken = time.perf_counter() - start
    if process.is_alive():
        os.killpg(process.pid, signal.SIGKILL)  # it has workers of its own
        process.join()
        return most, True
    if process.exitcode != 0:
        raise SystemExit("the explainable boosting machine failed")
    return taken, False


def _additive(plain: np.ndarray, y: np.ndarray, answers: Any) -> None:
    from interpret.glassbox import ExplainableBoostingClassifier

    os.setpgid(0, 0)
    warnings.simplefilter("ignore")
    answers.put("ready")
    ExplainableBoostingClassifier(n_jobs=2, random_state=0).fit(plain, y)
    os._exit(0)  # without waiting for its workers to go


def million() -> tuple[pd.DataFrame, np.ndarray]:
    """One million rows × 30 columns, half of them numbers."""
    rng = np.random.default_rng(0)
    rows = 1_000_000
    y = rng.integers(0, 2, rows)
    columns: dict[str, Any] = {}
    for i in range(15):
        columns[f"number{i}"] = rng.normal(size=rows) + 0.2 * y
        columns[f"word{i}"] = rng.integers(0, 6, rows) // (1 + (rng.random(rows) < 0.1 + 0.05 * y))
    return pd.DataFrame(columns), y


#: Pairs of which the first is to take no longer than a multiple of the second.
RATIOS = (("refined", "forest", 1.0), ("one fit", "boosting", 1.0), ("refined", "EBM", 0.1))


class Times:
    """Seconds by table and name, kept in a file of one JSON line each."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.seconds: dict[str, dict[str, float]] = {}
        self.stopped: set[tuple[str, str]] = set()
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
            self._know(*json.loads(line))

    def _know(self, table: str, name: str, seconds: float, stopped: bool = False) -> None:
        self.seconds.setdefault(table, {})[name] = seconds
        if stopped:
            self.stopped.add((table, name))

    def keep(self, table: str, name: str, seconds: float, stopped: bool = False) -> None:
        """Writes down what was timed."""
        self._know(table, name, seconds, stopped)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([table, name, seconds, stopped]) + "\n")

    def shown(self, table: str, name: str) -> str:
        """The seconds in words."""
        if name not in self.seconds[table]:
            return "not timed"
        return ("> " if (table, name) in self.stopped else "") + f"{self.seconds[table][name]:.2f}"

    def ratios(self, one: str, other: str) -> dict[str, float]:
        """Of all tables that have both."""
        both = {table: of for table, of in self.seconds.items() if one in of and other in of}
        return {table: of[one] / of[other] for table, of in both.items()}

    def report(self) -> str:
        """Sentences, then a table."""
        lines = []
        for one, other, most in RATIOS:
            ratios = self.ratios(one, other)
            if ratios:
                within = sum(ratio <= most for ratio in ratios.values())
                worst = max(ratios, key=ratios.__getitem__)
                lines.append(
                    f"- {one} ≤ {most:g} × {other} on {within} of {len(ratios)} tables; "
                    f"at most {ratios[worst]:.2g} × ({worst})"
                )
        large = self.seconds.get(MILLION, {}).get("refined")
        if large is not None:
            lines.append(f"- {MILLION}, with the automatic choice: {large:.0f} s")
        names = ("refined", "forest", "one fit", "boosting", "EBM")
        table = [f"| seconds | {' | '.join(names)} |", f"| --- |{' ---: |' * len(names)}"]
        for name in sorted(set(self.seconds) - {MILLION}):
            table.append(f"| {name} | {' | '.join(self.shown(name, one) for one in names)} |")
        return "\n".join([*lines, "", *table])


def main() -> None:
    """Times what is asked for and not known yet, and sums up."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=Path, required=True)
    parser.add_argument("--tables", help="some of the tables, by name")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--no-million", action="store_true")
    parser.add_argument("--no-ebm", action="store_true")
    parser.add_argument("--write", action="store_true", help="write into docs/learners/refined.md")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    end = time.perf_counter() + 60.0 * asked.minutes
    times = Times(asked.times)
    loaded = {
        name: rows_of(load())
        for name, load in tables(asked.data).items()
        if not asked.tables or name in asked.tables.split(",")
    }
    sizes = {name: X.size * int(y.max() + 1) for name, (X, y) in loaded.items()}
    ordered = sorted(loaded, key=sizes.__getitem__)
    work: list[tuple[str, str]] = [
        (t, n) for t in ordered for n in ("refined", "forest", "one fit", "boosting")
    ]
    work += [] if asked.no_million else [(MILLION, "refined")]
    work += [] if asked.no_ebm else [(table, "EBM") for table in ordered]
    while work and time.perf_counter() < end:
        table, name = work.pop(0)
        if name in times.seconds.get(table, {}):
            continue
        if name == "EBM":
            if "refined" in times.seconds.get(table, {}):
                times.keep(table, name, *additive(*loaded[table], 10.0 * times.seconds[table]["refined"]))
            continue
        X, y = million() if table == MILLION else loaded[table]
        times.keep(table, name, seconds(fits(X, y)[name]))
    left = [f"{table} {name}" for table, name in work if name not in times.seconds.get(table, {})]
    text = times.report()
    print(text)
    print(f"\nnot timed: {', '.join(left) or 'none'}")
    if asked.write:
        path = Path(__file__).resolve().parents[1] / "docs" / "learners" / "refined.md"
        marks = r"(<!-- times: begin -->\n).*?(<!-- times: end -->)"
        old = path.read_text(encoding="utf-8")
        new = re.sub(marks, lambda found: f"{found[1]}{text}\n{found[2]}", old, flags=re.DOTALL)
        path.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
