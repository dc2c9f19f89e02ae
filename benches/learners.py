"""Learners beside TAN and naive Bayes, in one run: fits, what selection adds, predictions, growth.

To reach: KDB(2) within 6 times TAN, what the selective kind adds within 3 times the fit of KDB(2), averaged
TANs within 2 times TAN; AODE's fit within 1.5 times TAN, its predictions within 2 n times those of naive
Bayes, n the number of columns; TAN-HC on chess within a second. The seconds are those of all threads
together, so that a busy machine changes little; the best of several runs counts.

    python benches/learners.py [--quick] [--growth] [--only chess,letter]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

from data import Table, generate

#: What is fitted: a learner, its settings, its parameters.
FITS: dict[str, tuple[str, dict[str, Any], str]] = {
    "tan": ("tan", {}, "dirichlet"),
    "tan hierarchical": ("tan", {}, "hierarchical"),
    "kdb(2) dirichlet": ("kdb", {"k": 2}, "dirichlet"),
    "kdb(2)": ("kdb", {"k": 2}, "hierarchical"),
    "kdb(2) selective": ("kdb", {"k": 2, "selective": True}, "hierarchical"),
}
#: What may be reached, as a multiple of TAN's fit.
MOST = {"kdb(2)": 6.0, "atan": 2.0, "aode": 1.5}


def cpu_time(call: Callable[[], object], budget: float) -> float:
    """The least processor time of a call; as many calls as the budget allows, and at least three."""
    times: list[float] = []
    while len(times) < 3 or (sum(times) < budget and len(times) < 50):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def measure(table: Table, budget: float) -> dict[str, float]:
    """Processor seconds by name."""
    from tanager import _core

    data = _core.Dataset(table.codes, table.arities, table.classes, table.n_classes)
    seconds = {
        name: cpu_time(lambda fit=fit: _core.fit(data, fit[0], fit[1], "ll", fit[2], 2), budget)
        for name, fit in FITS.items()
    }
    seconds["atan"] = cpu_time(lambda: _core.fit_averaged_tan(data, 2), budget)
    seconds["aode"] = cpu_time(lambda: _core.fit_aode(data, {}, 2), budget)
    for weights in ("manb", "wanbia", "awnb"):
        seconds[weights] = cpu_time(lambda w=weights: _core.fit_weighted_nb(data, {"weights": w}, 2), 0.0)
    naive, _ = _core.fit(data, "nb", {}, "ll", "laplace", 2)
    aode = _core.fit_aode(data, {}, 2)
    seconds["nb predict"] = cpu_time(lambda: naive.posterior(data, 2), budget)
    seconds["aode predict"] = cpu_time(lambda: aode.posterior(data, 2), budget)
    return seconds


def show(table: Table, title: str, seconds: dict[str, float]) -> None:
    """One line for each fit, with its ratio to TAN, then what is compared otherwise."""
    print(title)
    for name, value in seconds.items():
        if "predict" not in name:
            most = f"   to reach {MOST[name]:g}" if name in MOST else ""
            print(f"  {name:<18} {value * 1e3:10.2f} ms   {value / seconds['tan']:7.2f} × tan{most}")
    added = seconds["kdb(2) selective"] - seconds["kdb(2)"]
    share = added / seconds["kdb(2)"]
    print(f"  the selection adds {added * 1e3:10.2f} ms   {share:7.2f} × kdb(2)   to reach 3")
    naive, aode = seconds["nb predict"], seconds["aode predict"]
    ratio = aode / naive / table.columns
    print(f"  nb predicts in     {naive * 1e3:10.2f} ms")
    print(f"  aode predicts in   {aode * 1e3:10.2f} ms   {ratio:7.2f} × n nb   to reach 2")


def hill_climbing(budget: float) -> None:
    """TAN-HC on the real table."""
    from tanager import TANHCClassifier, load_dataset

    chess = load_dataset("chess")
    seconds = cpu_time(lambda: TANHCClassifier().fit(chess.X, chess.y), budget)
    print(f"tanhc on the table chess {seconds:.2f} s   to reach 1")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="small tables, to see that it runs")
    parser.add_argument("--growth", action="store_true", help="also growth in rows and in columns")
    parser.add_argument("--only", default="chess,letter,wide", help="which shapes")
    options = parser.parse_args()
    budget = 0.05 if options.quick else 3.0
    for name in options.only.split(","):
        table = generate(name, 300, 8) if options.quick else generate(name)
        title = f"{name}: {table.rows:,} rows, {table.columns} columns"
        show(table, title, measure(table, budget))
    hill_climbing(0.0)
    if options.growth:
        for rows, columns in ((10_000, 20), (20_000, 20), (40_000, 20), (10_000, 40), (10_000, 80)):
            table = generate("tall", rows, columns)
            show(table, f"growth: {rows:,} rows, {columns} columns", measure(table, budget))


if __name__ == "__main__":
    main()
