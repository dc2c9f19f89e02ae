"""What the way in costs: `fit` and `predict_proba` from every kind of input beside C, in one run.

    python benches/doors.py                # tall and wide
    python benches/doors.py tall --repeats 9

The floor is pairs.c, the class-conditional pair tables of data that are encoded already, on one thread,
compiled here with the machine's C compiler (`cc`); where there is none, or columns differ in their numbers of
values, the core's own fit on encoded data is the floor. scikit-learn's CategoricalNB gets the very int64
array. Times are the best of several runs; peak memory is what one fit needs beyond what was there before it,
by its allocations where memray is installed (`pip install memray`), else by resident memory, which also sees
what other libraries give back meanwhile.
"""

from __future__ import annotations

import argparse
import ctypes
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from sklearn.naive_bayes import CategoricalNB

import tanager
from data import Table, generate
from peers import TanagerCore
from timing import PeakMemory

THREADS = 2


def best(run: Callable[[], object], repeats: int) -> float:
    """The least time of several runs, in milliseconds; one run before is not counted."""
    run()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return 1000 * min(times)


def c_floor(table: Table, repeats: int) -> float | None:
    """The better way of pairs.c; None without a compiler or with columns of several sizes."""
    compiler = shutil.which("cc")
    if compiler is None or len(set(table.arities)) > 1:
        return None
    source = Path(__file__).with_name("pairs.c")
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder) / "pairs.so"
        subprocess.run(
            [compiler, "-O3", "-march=native", "-shared", "-fPIC", source, "-o", built], check=True
        )
        library = ctypes.CDLL(str(built))
        x, y = np.asfortranarray(table.codes), np.ascontiguousarray(table.classes)
        n, r, s = table.columns, table.arities[0], table.n_classes
        tables = np.zeros(n * (n - 1) // 2 * s * r * r, dtype=np.uint32)
        sizes = [ctypes.c_size_t(size) for size in (table.rows, n, r, s)]
        places = [ctypes.c_void_p(array.ctypes.data) for array in (x, y, tables)]
        ways = [library.pairs_by_histogram, library.pairs_by_bitmaps]
        return min(best(lambda way=way: way(*places[:2], *sizes, places[2]), repeats) for way in ways)


def peak_bytes(run: Callable[[], object]) -> int | None:
    """The most that one run holds at once."""
    if find_spec("memray") is None:
        with PeakMemory() as memory:
            run()
        return memory.bytes
    import memray

    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "record"
        with memray.Tracker(record):
            run()
        return int(memray.FileReader(record).metadata.peak_memory)


def inputs(table: Table) -> dict[str, Any]:
    """The same table in every container that people have."""
    frame, array = table.frame(), table.array()
    text = {name: frame[name].astype(str).to_numpy() for name in frame.columns}
    return {
        "uint8 array": np.ascontiguousarray(table.codes),
        "int64 array": array,
        "float64 array": array.astype(np.float64),
        "pandas categoricals": frame,
        "polars Enum": pl.from_pandas(frame),
        "polars Categorical": pl.DataFrame(text, schema=dict.fromkeys(text, pl.Categorical)),
        "Arrow dictionaries": pa.Table.from_pandas(frame),
    }


def measure(table: Table, repeats: int) -> None:
    """Prints the floor and a line for each input."""
    core = TanagerCore()
    core.prepare(table, THREADS)
    own, own_predict = best(core.tan_fit, repeats), best(core.tan_predict, repeats)
    by_hand = c_floor(table, repeats)
    floor = own if by_hand is None else by_hand
    beside = "core" if by_hand is None else "C"
    print(f"\n{table.name}: {table.rows:,}×{table.columns}, {table.n_classes} classes, {THREADS} threads")
    print(
        f"pair tables in C {'—' if by_hand is None else f'{by_hand:.1f} ms'}; core alone: fit {own:.1f} ms, ",
        end="",
    )
    print(f"predict {own_predict:.1f} ms; encoded data {table.rows * table.columns / 2**20:.0f} MiB")
    print(
        f"{'TAN from':20} {'fit':>9} {'÷ ' + beside:>7} {'predict':>9} {'÷ ' + beside:>7} "
        f"{'one row':>9} {'peak':>9}"
    )
    y = table.classes.astype(np.int64)
    for name, X in inputs(table).items():
        model = tanager.TANClassifier(parameters="laplace", n_jobs=THREADS)
        model.fit(X[:1000], y[:1000])  # libraries and threads are loaded and started before memory is watched
        memory = peak_bytes(lambda model=model, X=X: model.fit(X, y))
        fit = best(lambda model=model, X=X: model.fit(X, y), repeats)
        predict = best(lambda model=model, X=X: model.predict_proba(X), repeats)
        row = X[:1]
        one = best(lambda model=model, row=row: model.predict_proba(row), 30 * repeats)
        peak = "" if memory is None else f"{memory / 2**20:.1f} MiB"
        print(
            f"{name:20} {fit:6.1f} ms {fit / floor:6.1f}× {predict:6.1f} ms {predict / floor:6.1f}× "
            f"{one:6.3f} ms {peak:>9}"
        )
    beside_scikit_learn(table, y, repeats)


def beside_scikit_learn(table: Table, y: np.ndarray, repeats: int) -> None:
    """Naive Bayes on the very array that CategoricalNB gets; one row of a frame too."""
    X, frame = table.array(), table.frame()
    ours, theirs = tanager.NaiveBayesClassifier(n_jobs=THREADS), CategoricalNB(min_categories=table.arities)
    by_name = tanager.NaiveBayesClassifier(n_jobs=THREADS).fit(frame, y)
    print(f"{'NB from int64':20} {'tanager':>10} {'CategoricalNB':>14} {'ratio':>7}")
    few = min(repeats, 3)
    row, named = X[:1], frame[:1]
    for task, mine, other, count in (
        ("fit", lambda: ours.fit(X, y), lambda: theirs.fit(X, y), few),
        ("predict_proba", lambda: ours.predict_proba(X), lambda: theirs.predict_proba(X), few),
        ("one row", lambda: ours.predict_proba(row), lambda: theirs.predict_proba(row), 200),
        ("one row of a frame", lambda: by_name.predict_proba(named), lambda: theirs.predict_proba(row), 200),
    ):
        own, peer = best(mine, max(count, repeats)), best(other, count)
        print(f"{task:20} {own:7.3f} ms {peer:11.3f} ms {peer / own:6.1f}×")


def main() -> None:
    """The tables that were asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tables", nargs="*", default=["tall", "wide"], help="tall, wide, chess, letter")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--rows", type=int, help="another number of rows")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in asked.tables:
        measure(generate(name, asked.rows), asked.repeats)


if __name__ == "__main__":
    sys.exit(main())
