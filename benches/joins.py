"""Searches that join attributes beside the one that only selects them: FSSJ, BSEJ, ASB over FSS, in one run.

    python benches/joins.py                          # vehicle and segment
    python benches/joins.py letter.csv adult.csv.gz  # files with a column "class"

Through the public classes, numeric columns cut by MDL. CPU time, which other work changes least.
A search that joins may take 40× the time of FSS; memory is that of the process at its peak so far.
"""

from __future__ import annotations

import resource
import sys
import time
import warnings
from pathlib import Path

import tanager

LIMIT = 40.0


def seconds(classifier: tanager.FSSClassifier, table: tanager.Table, repeats: int) -> float:
    """The CPU time of the fastest of some fits."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        classifier.fit(table.X, table.y)
        best = min(best, time.process_time() - start)
    return best


def main(arguments: list[str]) -> int:
    """Prints a line for each table and search; 1 where one exceeds the limit."""
    tables = [
        tanager.read_table(path) if Path(path).exists() else tanager.load_dataset(path) for path in arguments
    ]
    too_slow = False
    warnings.simplefilter("ignore")
    for table in tables or map(tanager.load_dataset, ("vehicle", "segment")):
        fss = seconds(tanager.FSSClassifier(), table, 3)
        print(f"{table.name}  fss {fss:.2f} s")
        for search in (tanager.FSSJClassifier(), tanager.BSEJClassifier(), tanager.ASBClassifier()):
            ratio = seconds(search, table, 1) / fss
            joined = max((len(group) for group in search.network_.groups), default=0)
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(f"  {search.learner:5} {ratio:5.1f}× fss, largest group {joined}, peak {peak:.0f} MB")
            too_slow |= ratio > LIMIT
    return int(too_slow)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
