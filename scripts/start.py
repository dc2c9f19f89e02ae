"""Measures how long it takes to begin: CPU time of imports and of `tanager --help`, each on its own.

python scripts/start.py             # five rounds
python scripts/start.py 15
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys

HELP = "from tanager.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass"
CASES = {
    "python alone": "pass",
    "import sklearn.naive_bayes": "import sklearn.naive_bayes",
    "import tanager": "import tanager",
    "from tanager import TANClassifier": "from tanager import TANClassifier",
    "tanager --help": HELP,
}


def seconds(code: str) -> float:
    """CPU time, of user and system, of an interpreter that runs some code."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    found = [[seconds(code) for code in CASES.values()] for _ in range(rounds)]  # in turn: load is fair
    medians = [statistics.median(times) for times in zip(*found, strict=True)]
    for name, median in zip(CASES, medians, strict=True):
        print(f"{name:<36} {median:6.3f} s  {median / medians[1]:5.2f} × sklearn.naive_bayes")


if __name__ == "__main__":
    main()
