"""k-dependence classifiers, averaged TANs and hierarchical smoothing beside TAN, in one run.

To reach: TAN with hierarchical parameters a small factor of TAN with dirichlet ones; KDB(2) within 6 times
TAN; what the selective kind adds within 3 times the fit of KDB(2); averaged TANs within 2 times TAN. The
seconds are those of all threads together, so that a busy machine changes little; the best of several fits
counts.

    python benches/kdb.py [--quick] [--growth]
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
    return seconds


def show(title: str, seconds: dict[str, float]) -> None:
    """One line for each fit, with its ratio to TAN."""
    print(title)
    for name, value in seconds.items():
        print(f"  {name:<18} {value * 1e3:10.2f} ms   {value / seconds['tan']:6.2f} × tan")
    added = seconds["kdb(2) selective"] - seconds["kdb(2)"]
    print(f"  the selection adds {added * 1e3:10.2f} ms   {added / seconds['kdb(2)']:6.2f} × kdb(2)")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="small tables, to see that it runs")
    parser.add_argument("--growth", action="store_true", help="also growth in rows and in columns")
    options = parser.parse_args()
    budget = 0.05 if options.quick else 3.0
    for name in ("chess", "letter", "wide"):
        table = generate(name, 300, 8) if options.quick else generate(name)
        show(f"{name}: {table.rows:,} rows, {table.columns} columns", measure(table, budget))
    if options.growth:
        for rows, columns in ((10_000, 20), (20_000, 20), (40_000, 20), (10_000, 40), (10_000, 80)):
            table = generate("tall", rows, columns)
            show(f"growth: {rows:,} rows, {columns} columns", measure(table, budget))


if __name__ == "__main__":
    main()
