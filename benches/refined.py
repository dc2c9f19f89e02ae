"""Times of refined networks beside forests, boosting and explainable boosting machines, in one run.

    python benches/refined.py [--tables car,glass,…] [--data FOLDER] [--minutes 10] [--no-million] [--no-ebm]

With two threads. For each table (those of more than 20,000 rows cut to as many), the small ones first:
`RefinedClassifier()` with its automatic choice beside a forest of 500 trees, and a single fit with given
structure and ridge beside gradient boosting. Then one million rows of 30 columns with the automatic choice,
then explainable boosting machines, as long as the minutes last; what they did not last for is named. Ratios
above 1 mean that refined networks take longer.
"""

from __future__ import annotations

import argparse
import os
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


def compare(name: str, X: pd.DataFrame, y: np.ndarray) -> tuple[float, float, float]:
    """One line of times; gives those of the automatic choice, and the ratios to forest and boosting."""
    plain = codes(X)
    # A class of one row cannot be held out to stop early by.
    early: Any = False if np.bincount(y).min() < 2 else "auto"
    automatic = seconds(lambda: RefinedClassifier(n_jobs=2).fit(X, y))
    forest = seconds(lambda: RandomForestClassifier(500, n_jobs=2, random_state=0).fit(plain, y))
    single = seconds(lambda: RefinedClassifier("kdb", ridge=1.0, n_jobs=2).fit(X, y))
    boosting = seconds(
        lambda: HistGradientBoostingClassifier(random_state=0, early_stopping=early).fit(plain, y)
    )
    line = f"{name:26}{automatic:9.2f}{forest:9.2f}{automatic / forest:7.2f}"
    print(f"{line}{single:10.2f}{boosting:9.2f}{single / boosting:7.2f}", flush=True)
    return automatic, automatic / forest, single / boosting


def million() -> None:
    """One million rows × 30 columns, half of them numbers, with the automatic choice."""
    rng = np.random.default_rng(0)
    rows = 1_000_000
    y = rng.integers(0, 2, rows)
    columns: dict[str, Any] = {}
    for i in range(15):
        columns[f"number{i}"] = rng.normal(size=rows) + 0.2 * y
        columns[f"word{i}"] = rng.integers(0, 6, rows) // (1 + (rng.random(rows) < 0.1 + 0.05 * y))
    frame = pd.DataFrame(columns)
    print(f"1,000,000 × 30: {seconds(lambda: RefinedClassifier(n_jobs=2).fit(frame, y)):.1f} s", flush=True)


def additive(X: pd.DataFrame, y: np.ndarray) -> float:
    """Of an explainable boosting machine."""
    from interpret.glassbox import ExplainableBoostingClassifier

    plain = codes(X)
    return seconds(lambda: ExplainableBoostingClassifier(n_jobs=2, random_state=0).fit(plain, y))


def main() -> None:
    """Runs what is asked for, and sums up."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", help="some of the tables, by name")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--no-million", action="store_true")
    parser.add_argument("--no-ebm", action="store_true")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    end = time.perf_counter() + 60.0 * asked.minutes
    # Half of the time is for the tables, the rest for the million and the machines.
    half = time.perf_counter() + 30.0 * asked.minutes
    loaded = {
        name: rows_of(load())
        for name, load in tables(asked.data).items()
        if not asked.tables or name in asked.tables.split(",")
    }
    work = {name: X.size * int(y.max() + 1) for name, (X, y) in loaded.items()}
    print(f"{'seconds':26}{'refined':>9}{'forest':>9}{'ratio':>7}{'one fit':>10}{'boosting':>9}{'ratio':>7}")
    found: dict[str, tuple[float, float, float]] = {}
    left = sorted(loaded, key=work.__getitem__)
    while left and time.perf_counter() < half:
        found[left[0]] = compare(left[0], *loaded[left[0]])
        left.pop(0)
    if found:
        forest = np.array([ratio for _, ratio, _ in found.values()])
        boosting = np.array([ratio for _, _, ratio in found.values()])
        print(
            f"no longer than the forest on {(forest <= 1).sum()} of {len(forest)}, "
            f"at most {forest.max():.2f} ×"
        )
        print(
            f"one fit no longer than boosting on {(boosting <= 1).sum()} of {len(boosting)}, "
            f"at most {boosting.max():.2f} ×"
        )
    print(f"not timed: {', '.join(left) or 'none'}", flush=True)
    if not asked.no_million:
        million()
    names = [] if asked.no_ebm else list(found)
    ratios = []
    while names and time.perf_counter() < end:
        time_of_others = additive(*loaded[names[0]])
        ratios.append(found[names[0]][0] / time_of_others)
        print(f"{names[0]:26} EBM {time_of_others:8.2f} s, ratio {ratios[-1]:.3f}", flush=True)
        names.pop(0)
    if ratios:
        print(f"less than a tenth of an EBM's time on {sum(r < 0.1 for r in ratios)} of {len(ratios)}")
        print(f"EBM not timed: {', '.join(names) or 'none'}")


if __name__ == "__main__":
    main()
