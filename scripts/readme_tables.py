"""Makes the tables of README.md anew, between their marks; of speeds also those of docs/compare-libraries.md.

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

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
PEERS = ROOT / "docs" / "compare-libraries.md"
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
#: What the README shows of the speeds; docs/compare-libraries.md has all.
SHOWN = ("nb fit", "nb predict_proba", "tan fit", "tan predict_proba")
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


def shown_time(seconds: float) -> str:
    """Seconds for people."""
    units = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))
    unit, size = next((pair for pair in units if seconds >= pair[1]), units[-1])
    return f"{seconds / size:.3g} {unit}"


def shown_ratio(ratio: float) -> str:
    """How many times as long, with two digits behind the point where one would be none."""
    return f"{ratio:.1f}×" if ratio >= 0.1 else f"{ratio:.2f}×"


def speed_table(times: list[dict[str, Any]]) -> str:
    """Times, ratios and peak memory of compare_peers.py, as Markdown."""
    lines = [
        "| data | task | library | time | ÷ tanager's | peak memory |",
        "|:--|:--|:--|--:|--:|--:|",
    ]
    for line in times:
        shown = shown_time(float(line["seconds"]))
        ratio = "" if line["peer"] == "tanager" else shown_ratio(line["ratio"])
        peak = line.get("peak_bytes")
        memory = "" if peak is None else f"{peak / 2**20:.0f} MiB"
        lines.append(f"| {line['data']} | {line['task']} | {line['peer']} | {shown} | {ratio} | {memory} |")
    return "\n".join(lines)


def ratio_table(times: list[dict[str, Any]]) -> str:
    """How many times as long as tanager others take, one line for each task that somebody else has."""
    peers = [peer for peer in dict.fromkeys(line["peer"] for line in times) if not peer.startswith("tanager")]
    lines = [f"| data | task | tanager | {' | '.join(peers)} |", "|:--|:--|--:|" + "--:|" * len(peers)]
    for data, task in dict.fromkeys((line["data"], line["task"]) for line in times):
        own = {line["peer"]: line for line in times if (line["data"], line["task"]) == (data, task)}
        if any(peer in own for peer in peers):
            cells = [shown_ratio(own[peer]["ratio"]) if peer in own else "" for peer in peers]
            ours = shown_time(float(own["tanager"]["seconds"]))
            lines.append(f"| {data} | {task} | {ours} | {' | '.join(cells)} |")
    return "\n".join(lines)


def put(page: Path, name: str, table: str) -> None:
    """Another table between the marks of a page."""
    page.write_text(replaced(page.read_text(encoding="utf-8"), name, table), encoding="utf-8")


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
        times = [line for run in runs for line in run["times"]]
        put(README, "speed", ratio_table([line for line in times if line["task"] in SHOWN]))
        put(PEERS, "speed", ratio_table(times))
        put(PEERS, "times", speed_table(times))
    else:
        put(README, "accuracy", accuracy_table())
    return 0


if __name__ == "__main__":
    sys.exit(main())
