"""Times of refined networks beside forests and boosting, in one run with two threads.

    python benches/refined.py [--tables car,glass,…] [--million] [--ebm]

For each bundled table: `RefinedClassifier()` with its automatic choice beside a forest of 500 trees (and, if
asked for, an explainable boosting machine), and a single fit with given structure and ridge beside gradient
boosting. With `--million`, one million rows of 30 columns. Ratios above 1 mean that the other takes longer.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from collections.abc import Callable
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "2")

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

import tanager
from tanager import RefinedClassifier


def seconds(fit: Callable[[], Any]) -> float:
    """Of one call."""
    start = time.perf_counter()
    fit()
    return time.perf_counter() - start


def codes(table: Any) -> np.ndarray:
    """Numbers as they are, words as whole numbers: what the others take."""
    frame = table.X.to_pandas()
    for name in frame.select_dtypes(exclude="number"):
        frame[name] = frame[name].astype("category").cat.codes
    return frame.astype("float64").to_numpy()


def compare(name: str, ebm: bool) -> None:
    """One line of times."""
    table = tanager.load_dataset(name)
    X = codes(table)
    y = np.unique(table.y, return_inverse=True)[1]
    automatic = seconds(lambda: RefinedClassifier(n_jobs=2).fit(table.X, table.y))
    forest = seconds(lambda: RandomForestClassifier(500, n_jobs=2, random_state=0).fit(X, y))
    single = seconds(lambda: RefinedClassifier("kdb", ridge=1.0, n_jobs=2).fit(table.X, table.y))
    boosting = seconds(lambda: HistGradientBoostingClassifier(random_state=0).fit(X, y))
    line = f"{name:26}{automatic:9.2f}{forest:9.2f}{forest / automatic:7.2f}"
    line += f"{single:10.2f}{boosting:9.2f}{boosting / single:7.2f}"
    if ebm:
        from interpret.glassbox import ExplainableBoostingClassifier

        additive = seconds(lambda: ExplainableBoostingClassifier(n_jobs=2, random_state=0).fit(X, y))
        line += f"{additive:10.2f}{additive / automatic:7.2f}"
    print(line, flush=True)


def million() -> None:
    """One million rows × 30 columns, half of them numbers, with the automatic choice."""
    rng = np.random.default_rng(0)
    rows = 1_000_000
    y = rng.integers(0, 2, rows)
    columns: dict[str, Any] = {}
    for i in range(15):
        columns[f"number{i}"] = rng.normal(size=rows) + 0.2 * y
        columns[f"word{i}"] = rng.integers(0, 6, rows) // (1 + (rng.random(rows) < 0.1 + 0.05 * y))
    import pandas as pd

    frame = pd.DataFrame(columns)
    print(f"1,000,000 × 30: {seconds(lambda: RefinedClassifier(n_jobs=2).fit(frame, y)):.1f} s")


def main() -> None:
    """Runs what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    bundled = [info.name for info in tanager.list_datasets() if info.classes and info.origin == "bundled"]
    parser.add_argument("--tables", default=",".join(bundled))
    parser.add_argument("--million", action="store_true")
    parser.add_argument("--ebm", action="store_true")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{'seconds':26}{'refined':>9}{'forest':>9}{'ratio':>7}{'one fit':>10}{'boosting':>9}{'ratio':>7}")
    for name in filter(None, asked.tables.split(",")):
        compare(name, asked.ebm)
    if asked.million:
        million()


if __name__ == "__main__":
    main()
