"""Makes the tables of README.md anew, between their marks.

    python scripts/readme_tables.py accuracy                # compares learners on bundled data (minutes)
    python scripts/readme_tables.py speed times.json        # from `python benches/compare_peers.py --json`,
                                                            # or several files, one per `--only` table

A table stands between ``<!-- NAME: begin -->`` and ``<!-- NAME: end -->``.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

README = Path(__file__).resolve().parents[1] / "README.md"
DATA = (
    "balance-scale",
    "car",
    "chess",
    "iris",
    "lymphography",
    "nursery",
    "splice",
    "tic-tac-toe",
    "vehicle",
    "vote",
)
LEARNERS = {"NB": "nb", "TAN": "tan", "BC2G": "bckg:k=2,score=bic", "ASB": "asb", "forest": "forest"}


def replaced(text: str, name: str, table: str) -> str:
    """The text with another table between the marks of `name`."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    if text.count(begin) != 1 or text.count(end) != 1:
        raise ValueError(f"the text has no single pair of marks {begin} and {end}")
    return re.sub(
        f"{re.escape(begin)}.*?{re.escape(end)}", lambda _: f"{begin}\n{table}\n{end}", text, flags=re.S
    )


def accuracy_table() -> str:
    """Accuracies by 5 × 5-fold cross-validation on bundled data, as Markdown."""
    from tanager import compare
    from tanager.evaluation.cache import default_cache_folder
    from tanager.report.format import rows

    result = compare(LEARNERS, list(DATA), n_jobs=1, cache=default_cache_folder() / "cells")
    lines = [f"| data set | {' | '.join(LEARNERS)} |", "|:--|" + "--:|" * len(LEARNERS)]
    for row in rows(result):
        cells = [f"**{text}**" if best else text for text, best in zip(row.texts, row.best, strict=True)]
        lines.append(f"| {row.dataset} | {' | '.join(cells)} |")
    lines.append(f"| average rank | {' | '.join(f'{rank:.2f}' for rank in result.ranks.values())} |")
    how = f"Accuracy in percent; {result.setup['splits']}; numbers cut within the training parts."
    return "\n".join([*lines, "", how])


def speed_table(times: list[dict[str, Any]]) -> str:
    """Times, ratios and peak memory of compare_peers.py, as Markdown."""
    lines = [
        "| data | task | library | time | slower than tanager by | peak memory |",
        "|:--|:--|:--|--:|--:|--:|",
    ]
    for line in times:
        seconds = float(line["seconds"])
        unit, size = ("s", 1.0) if seconds >= 1 else ("ms", 1e-3) if seconds >= 1e-3 else ("µs", 1e-6)
        shown = f"{seconds / size:.3g} {unit}"
        ratio = "" if line["peer"] == "tanager" else f"{line['ratio']:.1f}×"
        peak = line.get("peak_bytes")
        memory = "" if peak is None else f"{peak / 2**20:.0f} MiB"
        lines.append(f"| {line['data']} | {line['task']} | {line['peer']} | {shown} | {ratio} | {memory} |")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Make one table and put it in its place."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("table", choices=("accuracy", "speed"))
    parser.add_argument("times", nargs="*", type=Path, help="the JSON of compare_peers.py, for speed")
    options = parser.parse_args(arguments)
    if options.table == "speed":
        if not options.times:
            parser.error("speed needs the JSON file that compare_peers.py wrote")
        runs = [json.loads(path.read_text(encoding="utf-8")) for path in options.times]
        table = speed_table([line for run in runs for line in run["times"]])
    else:
        table = accuracy_table()
    README.write_text(replaced(README.read_text(encoding="utf-8"), options.table, table), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
