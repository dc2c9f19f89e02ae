"""Times tanager beside other libraries as users call them, in one run, and prints the ratios.

    python benches/compare_peers.py                    # all data, all peers that are installed
    python benches/compare_peers.py --only chess --only letter
    python benches/compare_peers.py --quick            # small versions of the data: does everything work?
    python benches/compare_peers.py --growth           # how tanager's time grows with rows and columns
    python benches/compare_peers.py --wrappers         # searches by accuracy beside those of bnclassify
    python benches/compare_peers.py --json > times.json

Every library gets the very same object: scikit-learn's CategoricalNB and tanager's naive Bayes an array
of int64, the others and tanager's TAN and weighted naive Bayes a pandas frame of categoricals; timed
are `fit(X, y)` and `predict_proba(X)`, of all rows and of one. The core alone, on encoded data, stands
beside them under its own name. Peak memory is what a task needs beyond what was there before it. Before
a ratio is printed the results are compared: trees edge by edge and by their total weight
Σ I(X_i; X_j | C), posteriors number by number. Each time is the best of several runs, the first of them
not counted. Each learner of a library has a process of its own, in which it fits, predicts one row and
then all, and is stopped after `--limit` seconds: what it has been timed in until then counts. Peers:
scikit-learn, pyAgrum, pgmpy and Khiops where they can be imported; R's bnlearn and bnclassify where
`Rscript` has them, timed inside of R, and Weka where WEKA_JAR names its jar, timed inside of Java, with the
data already there as codes; R and Weka use as many threads as they do on their own. Khiops weights
attributes by a criterion of its own: its results are not compared. Searches by accuracy (BSEJ, FSSJ) are
timed on bundled tables. The JSON also tells the processor, the number of cores, the operating system and
the versions of what is there.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass

import numpy as np

from agreement import DIFFERS, agreement, edge_weights
from data import SHAPES, Table, generate
from machine import measured_with
from peers import PYTHON_PEERS, TASKS, Tanager
from r_peers import measure_r
from timing import Outcome, measure
from weka_peer import measure_weka
from wrappers import LEARNERS, SEARCHED, Searched, WrapperLine, bundled, compare_wrappers, wrapper_tables

QUICK = {"chess": (800, None), "letter": (2_000, None), "wide": (1_000, 60), "tall": (30_000, 12)}
"""Rows and columns of the small versions."""

ROW_SIZES = (250_000, 500_000, 1_000_000)
COLUMN_SIZES = (125, 250, 500)


@dataclass
class Line:
    """One line of the result: a peer's time for a task on a table, beside tanager's."""

    data: str
    task: str
    peer: str
    seconds: float
    ratio: float
    agrees: str
    peak_bytes: int | None = None


def compare(table: Table, options: argparse.Namespace) -> tuple[list[Line], list[Outcome]]:
    """All peers on one table; tanager first."""
    ours = measure(Tanager, table, options.threads, options.seconds, options.limit)
    if ours.skipped is not None:
        sys.exit(f"compare_peers: tanager could not be measured on {table.name}: {ours.skipped}")
    outcomes = [ours]
    for peer in PYTHON_PEERS[1:]:
        outcomes.append(measure(peer, table, options.threads, options.seconds, options.limit))
    outcomes += measure_r(table, options.seconds, options.limit)
    outcomes.append(measure_weka(table, options.seconds, options.limit))
    weights = edge_weights(table)
    lines = [
        Line(
            table.name,
            task,
            outcome.peer,
            seconds,
            seconds / ours.seconds[task],
            agreement(task, ours, outcome, weights),
            outcome.peak_bytes.get(task),
        )
        for task in TASKS.values()
        for outcome in outcomes
        if (seconds := outcome.seconds.get(task)) is not None
    ]
    return lines, outcomes


def searches(options: argparse.Namespace) -> list[Line]:
    """Whole searches by accuracy on bundled tables, as they are called; bnclassify's where R has it."""
    lines = []
    for name in SEARCHED[:1] if options.quick else SEARCHED:
        table = Searched(name)
        outcomes = []
        if table.categorical:
            outcomes = measure_r(bundled(name), options.seconds, options.limit, LEARNERS, ("bnclassify",))
        for learner, seconds, peak in table.measure(options.threads, options.seconds):
            lines.append(Line(name, f"{learner} fit", Tanager.name, seconds, 1.0, "", peak))
            for theirs in outcomes:
                if learner in theirs.seconds:
                    peer = theirs.seconds[learner]
                    lines.append(Line(name, f"{learner} fit", theirs.peer, peer, peer / seconds, ""))
    return lines


def growth(options: argparse.Namespace) -> list[dict[str, float | str]]:
    """tanager's TAN fit over three numbers of rows and three of columns; the exponent between neighbours."""
    small = 50 if options.quick else 1
    sizes = [("tall", "rows", size // small) for size in ROW_SIZES]
    sizes += [("wide", "columns", size // (5 if options.quick else 1)) for size in COLUMN_SIZES]
    found: list[dict[str, float | str]] = []
    for name, dimension, size in sizes:
        table = generate(name, **{dimension: size})
        outcome = measure(Tanager, table, options.threads, options.seconds, options.limit)
        if outcome.skipped is not None:
            sys.exit(f"compare_peers: tanager could not be measured on {name}: {outcome.skipped}")
        seconds = outcome.seconds[TASKS["tan_fit"]]
        line: dict[str, float | str] = {
            "data": name,
            "dimension": dimension,
            "size": size,
            "seconds": seconds,
        }
        if found and found[-1]["dimension"] == dimension:
            line["exponent"] = float(np.log2(seconds / float(found[-1]["seconds"])))
        found.append(line)
    return found


def show_seconds(seconds: float) -> str:
    """Three significant digits with a unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def show_ratio(ratio: float) -> str:
    """One digit behind the point, and two where that would be none."""
    return f"{ratio:.1f}×" if ratio >= 0.1 else f"{ratio:.2f}×"


def print_rows(rows: list[list[str]], right: tuple[int, ...]) -> None:
    """Aligned columns, those in `right` to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        cells = [
            c.rjust(w) if i in right else c.ljust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())


def print_comparison(table: Table, lines: list[Line], outcomes: list[Outcome]) -> None:
    """One table's times, ratios and what was left out."""
    print(f"\n{table.name}: {table.rows:,}×{table.columns}, {table.n_classes} classes")
    rows = [["task", "library", "time", "ratio", "peak memory", "result"]]
    for line in lines:
        ratio = show_ratio(line.ratio) if line.peer != Tanager.name else ""
        peak = "" if line.peak_bytes is None else f"{line.peak_bytes / 2**20:.1f} MiB"
        rows.append([line.task, line.peer, show_seconds(line.seconds), ratio, peak, line.agrees])
    print_rows(rows, right=(2, 3, 4))
    for outcome in outcomes:
        if outcome.skipped is not None:
            print(f"  {outcome.peer}: {outcome.skipped}")


def print_growth(found: list[dict[str, float | str]]) -> None:
    """Times and exponents: 1 is linear, 2 quadratic."""
    print("\ngrowth of tanager's TAN fit (exponent: 1 linear, 2 quadratic)")
    rows = [["data", "varied", "size", "time", "exponent"]]
    for line in found:
        exponent = f"{line['exponent']:.2f}" if "exponent" in line else ""
        rows.append(
            [
                str(line["data"]),
                str(line["dimension"]),
                f"{line['size']:,}",
                show_seconds(float(line["seconds"])),
                exponent,
            ]
        )
    print_rows(rows, right=(2, 3, 4))


def print_wrappers(lines: list[WrapperLine], skipped: str | None) -> None:
    """Times of whole searches, of a round of them beside naive Bayes, and bnclassify's over ours."""
    print("\nsearches by accuracy, five folds (a round tries every operation once)")
    rows = [["data", "learner", "time", "rounds", "round / nb fit and predict", "bnclassify"]]
    for line in lines:
        peer = "" if line.bnclassify is None else f"{line.bnclassify:.0f}×"
        seconds = show_seconds(line.seconds)
        rows.append([line.data, line.learner, seconds, str(line.rounds), f"{line.round_to_nb:.1f}×", peer])
    print_rows(rows, right=(2, 3, 4, 5))
    if skipped is not None:
        print(f"  bnclassify: {skipped}")


def print_json(**found: object) -> None:
    """What was found, and with what it was measured."""
    print(json.dumps({"measured_with": measured_with(), **found}, indent=2))


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    shapes = "; ".join(f"{name}: {shape}" for name, shape in SHAPES.items())
    parser.add_argument(
        "--only",
        action="append",
        choices=[*SHAPES, "searches"],
        metavar="DATA",
        help=f"only this table, may be repeated ({shapes}; searches: by accuracy, on bundled tables)",
    )
    parser.add_argument("--quick", action="store_true", help="small versions of the tables, short runs")
    parser.add_argument("--growth", action="store_true", help="measure growth in rows and columns instead")
    parser.add_argument("--wrappers", action="store_true", help="measure searches by accuracy instead")
    parser.add_argument(
        "--threads", type=int, default=2, help="threads for every library that can use them (default 2)"
    )
    parser.add_argument(
        "--seconds", type=float, help="repeat a task for about this long (default 2, quick 0.2)"
    )
    parser.add_argument(
        "--limit",
        type=float,
        help="stop a library's learner on a table after this long (default 120, quick 60)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    options = parser.parse_args(arguments)
    if options.seconds is None:
        options.seconds = 0.2 if options.quick else 2.0
    if options.limit is None:
        options.limit = 60.0 if options.quick else 120.0
    return options


def main(arguments: list[str] | None = None) -> int:
    """Runs what was asked for; 1 where a result differs from tanager's."""
    options = parse(arguments)
    if options.growth:
        found = growth(options)
        print_json(growth=found) if options.json else print_growth(found)
        return 0
    if options.wrappers:
        measured = [
            compare_wrappers(table, options.threads, options.seconds, options.limit)
            for table in wrapper_tables(options.quick)
        ]
        wrappers = [line for lines, _ in measured for line in lines]
        reason = next((reason for _, reason in measured if reason is not None), None)
        if options.json:
            print_json(wrappers=[vars(line) for line in wrappers], skipped=reason)
        else:
            print_wrappers(wrappers, reason)
        return 0
    collected, skipped = [], []
    wanted = options.only or [*SHAPES, "searches"]
    for name in wanted:
        if name == "searches":
            continue
        table = generate(name, *(QUICK[name] if options.quick else ()))
        lines, outcomes = compare(table, options)
        collected += [vars(line) for line in lines]
        skipped += [{"data": name, "peer": o.peer, "reason": o.skipped} for o in outcomes if o.skipped]
        if not options.json:
            print_comparison(table, lines, outcomes)
    if "searches" in wanted:
        found = searches(options)
        collected += [vars(line) for line in found]
        if not options.json:
            print("\nsearches by accuracy on bundled tables")
            print_rows(
                [[line.data, line.task, line.peer, show_seconds(line.seconds)] for line in found], right=(3,)
            )
    if options.json:
        print_json(times=collected, skipped=skipped)
    return 1 if any(line["agrees"].startswith(DIFFERS) for line in collected) else 0


if __name__ == "__main__":
    sys.exit(main())
