"""Makes the tables of README.md anew, between their marks; of speeds also those of docs/compare-libraries.md.

    python scripts/readme_tables.py accuracy                # compares learners on bundled data (minutes)
    python scripts/readme_tables.py speed times.json        # from `python benches/compare_peers.py --json`,
                                                            # or several files, one for each `--only`

Of the same data, task and library the later file counts. A table stands between ``<!-- NAME: begin -->`` and
``<!-- NAME: end -->``.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import textwrap
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
    """Times, ratios, peak memory and agreement of compare_peers.py, as Markdown."""
    lines = [
        "| data | task | library | time | ÷ tanager's | peak memory | agrees |",
        "|:--|:--|:--|--:|--:|--:|:--|",
    ]
    for line in times:
        shown = shown_time(float(line["seconds"]))
        ratio = "" if line["peer"] == "tanager" else shown_ratio(line["ratio"])
        peak = line.get("peak_bytes")
        memory = "" if peak is None else f"{peak / 2**20:.0f} MiB"
        cells = (line["data"], line["task"], line["peer"], shown, ratio, memory, line.get("agrees", ""))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def merged(runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lines of all runs, each with what it was measured with; the later where two are of the same."""
    kept = {}
    for run in runs:
        for line in run["times"]:
            told = {**line, "measured_with": run.get("measured_with")}
            kept[line["data"], line["task"], line["peer"]] = told
    # A later run may know of a task or a library that an earlier one did not: it belongs beside its like.
    places = [list(dict.fromkeys(column)) for column in zip(*kept, strict=True)]
    order = sorted(
        kept, key=lambda line: [names.index(name) for names, name in zip(places, line, strict=True)]
    )
    return [kept[line] for line in order]


def origin(times: list[dict[str, Any]]) -> str:
    """What machine and versions the times are of, and which where there are several."""
    data: dict[str, dict[str, None]] = {}
    for line in times:
        data.setdefault(described(line["measured_with"]), {})[line["data"]] = None
    if len(data) == 1:
        found = [f"Measured {how}." for how in data if how]
    else:
        found = [f"{', '.join(names)}: measured {how}." for how, names in data.items() if how]
    return "\n\n".join(textwrap.fill(text, 140, break_on_hyphens=False) for text in found)


def described(measured_with: dict[str, Any] | None) -> str:
    """A machine and versions in words; none of files of before they were told."""
    if measured_with is None:
        return ""
    cores = "1 core" if measured_with["cores"] == 1 else f"{measured_with['cores']} cores"
    machine = f"{measured_with['processor']}, {cores}, {measured_with['system']}"
    versions = [f"{library} {number}" for library, number in measured_with["versions"].items()]
    return f"on {machine}, with {', '.join(versions)}"


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
        times = merged(runs)
        put(README, "speed", ratio_table([line for line in times if line["task"] in SHOWN]))
        put(PEERS, "speed", ratio_table(times))
        put(PEERS, "times", f"{speed_table(times)}\n\n{origin(times)}".rstrip())
    else:
        put(README, "accuracy", accuracy_table())
    return 0


if __name__ == "__main__":
    sys.exit(main())
