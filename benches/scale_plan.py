"""What a table past one machine would cost, on paper, from rates that are measured here.

    python benches/scale_plan.py            # prints the tables of docs/guide/scale.md

Measured with one thread, as processor time: rows counted per second with 100 columns of 5 values and 2
classes (rows in memory into the tables of all pairs), bytes of the statistics, and bytes merged per second.
Computed: a billion rows with 100 and with 10,000 columns on 1, 10 and 100 workers of one core each.
"""

from __future__ import annotations

import argparse
import math
import time

import numpy as np

from tanager import Schema, Statistics

VALUES, CLASSES, MEASURED = 5, 2, 100
FAN = 8
WORKER = 16e9  # bytes of memory


def cpu(work) -> float:
    """Processor seconds, the least of three."""
    seconds = []
    for _ in range(3):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return min(seconds)


def measured(rows: int) -> tuple[float, float, int]:
    """Pairs of columns, times rows, counted per second; bytes merged per second; bytes of 100 columns."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, VALUES, (rows, MEASURED))
    y = rng.integers(0, CLASSES, rows)
    schema = Schema.scan([(X, y)], n_jobs=1)
    one = Statistics(schema)
    seconds = cpu(lambda: one.update(X, y, n_jobs=1))
    wide = rng.integers(0, VALUES, (2000, 1000))
    schema = Schema.scan([(wide, y[:2000])], n_jobs=1)
    large, other = (Statistics(schema).update(wide, y[:2000], n_jobs=1) for _ in range(2))
    merging = cpu(lambda: large.merge(other))
    pairs = MEASURED * (MEASURED - 1) / 2
    return rows * pairs / seconds, large.nbytes / merging, one.nbytes


def size(columns: int) -> float:
    """Bytes of the tables of all pairs, four for a cell."""
    return 4 * CLASSES * VALUES**2 * columns * (columns - 1) / 2


def shown(seconds: float) -> str:
    """Seconds for people."""
    for unit, length in (("days", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * length:
            return f"{seconds / length:,.1f} {unit}"
    return f"{seconds:.2g} s"


def bytes_shown(count: float) -> str:
    """Bytes for people."""
    for unit, scale in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if count >= scale:
            return f"{count / scale:,.1f} {unit}"
    return f"{count / 1e3:,.0f} kB"


def main() -> None:
    """Measures, and prints two tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=100_000, help="rows that are counted to measure")
    parser.add_argument("--network", type=float, default=1.25e9, help="bytes a second, assumed (10 Gbit/s)")
    arguments = parser.parse_args()
    pair_rows, merged, bytes_100 = measured(arguments.rows)
    pairs = MEASURED * (MEASURED - 1) / 2
    print(f"- rows counted per second and core, 100 columns: {pair_rows / pairs:,.0f}")
    print(f"- that is pairs of columns per second and core, times rows: {pair_rows:.2g}")
    print(f"- statistics of 100 columns: {bytes_shown(bytes_100)}")
    print(f"- statistics merged per second: {bytes_shown(merged)}; network, assumed: ", end="")
    print(f"{bytes_shown(arguments.network)} a second\n")
    rows = 1e9
    print("| columns | workers | counting | statistics of a worker | sent and merged |")
    print("|---|---|---|---|---|")
    for columns in (100, 10_000):
        for workers in (1, 10, 100):
            counting = rows * columns * (columns - 1) / 2 / pair_rows / workers
            # On the longest way of a tree every level receives and adds FAN − 1 others.
            levels = math.ceil(math.log(workers, FAN)) if workers > 1 else 0
            one = size(columns) * (1 / arguments.network + 1 / merged)
            merging = levels * (min(FAN, workers) - 1) * one
            told = shown(merging) if levels else "nothing"
            print(f"| {columns:,} | {workers} | {shown(counting)} | {bytes_shown(size(columns))} | {told} |")
    quarter = WORKER / 4
    most = int((1 + math.sqrt(1 + 8 * quarter / size(2))) / 2)
    print(f"\n- columns whose statistics are a quarter of a worker's {WORKER / 1e9:.0f} GB: {most:,}")
    print("\n| columns | workers | blocks | pairs of blocks | columns that a worker reads | its statistics |")
    print("|---|---|---|---|---|---|")
    columns = 10_000
    for workers in (1, 10, 100):
        blocks = max(1, int((math.sqrt(8 * workers + 1) - 1) / 2))
        jobs = blocks * (blocks + 1) // 2
        read = min(columns, 2 * columns // blocks)
        print(
            f"| {columns:,} | {workers} | {blocks} | {jobs} | {read:,} "
            f"| {bytes_shown(size(columns) / jobs)} |"
        )
    print(f"\n- weights of the pairs of {columns:,} columns: {bytes_shown(8 * columns * (columns - 1) / 2)}")


if __name__ == "__main__":
    main()
