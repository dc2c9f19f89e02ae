"""Times the way in beside what it is measured against, in one run: the least CPU time of several.

    python benches/encode.py [ROWS]

MDL beside numpy's sort of the same columns; categoricals beside one pass over their codes; strings beside
pandas.factorize.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from tanager.data import MDLDiscretizer, TableEncoder
from tanager.data.columns import from_array
from tanager.data.series import from_series


def best(action: Callable[[], object], repeats: int = 7) -> float:
    """The least CPU time of several runs, in milliseconds."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return 1000 * min(times)


def show(what: str, ours: float, theirs: float, beside: str) -> None:
    print(f"{what:45} {ours:9.1f} ms   {theirs / ours:6.2f} × as fast as {beside} ({theirs:.1f} ms)")


def numbers(rows: int, rng: np.random.Generator) -> None:
    x = rng.normal(size=(10, rows))
    y = (x[0] + rng.normal(size=rows) > 0).astype(np.int64) + (x[0] > 1)
    # One column tells about the class, then all do; a column's values are neighbours, as in a frame.
    for name, columns in (("1 of 10 columns tells", x), ("10 of 10 columns tell", x + x[0])):
        sort = best(lambda columns=columns: np.sort(columns, axis=1))
        ours = best(lambda columns=columns: MDLDiscretizer().fit(columns.T, y), 5)
        show(f"MDLDiscretizer.fit, {name}", ours, sort, "numpy.sort")
    by_row = np.ascontiguousarray(x.T)
    sort = best(lambda: [np.sort(by_row[:, i]) for i in range(10)])
    ours = best(lambda: MDLDiscretizer().fit(by_row, y), 5)
    show("MDLDiscretizer.fit, row by row in memory", ours, sort, "numpy.sort")
    fitted = MDLDiscretizer().fit(x[:1].T, y)
    cuts = fitted.cut_points_[0]
    search = best(lambda: np.searchsorted(cuts, x[0]))
    ours = best(lambda: fitted.transform(x[:1].T))
    show(f"MDLDiscretizer.transform, {len(cuts)} cut points", ours, search, "searchsorted")


def categoricals(rows: int, rng: np.random.Generator) -> None:
    codes = rng.integers(0, 4, (30, rows)).astype(np.int8)
    levels = pd.Index(list("abcd"))
    frame = pd.DataFrame({f"c{i}": pd.Categorical.from_codes(codes[i], categories=levels) for i in range(30)})
    encoder = TableEncoder().fit(frame)

    def encode() -> object:
        return encoder.transform(frame).data

    ours = best(encode)
    # A data set owns its codes, so a pass reads them and writes a copy; beside it, a pass that only reads.
    copy = best(lambda: [column.astype(np.uint8) for column in codes])
    read = best(lambda: [int(column.sum()) for column in codes])
    show("30 pandas categoricals to a Dataset", ours, copy, "a pass that copies their codes")
    show("", ours, read, "a pass that sums them")


def strings(rows: int, rng: np.random.Generator) -> None:
    fixed = np.array([f"level{i}" for i in range(20)])[rng.integers(0, 20, rows)]
    objects = np.array([str(text) for text in fixed], dtype=object)
    for name, array in (("fixed-width text", fixed), ("Python strings", objects)):
        theirs = best(lambda array=array: pd.factorize(array))
        show(
            f"numpy array of {name}",
            best(lambda array=array: from_array(array, "x")),
            theirs,
            "pandas.factorize",
        )
    series = {
        "pandas object": pd.Series(objects, dtype=object),
        "pandas": pd.Series(objects, dtype="str"),
        "polars": pl.Series(objects.tolist()),
        "pyarrow": pa.chunked_array([objects]),
    }
    for name, native in series.items():
        column = nw.from_native(native, series_only=True)
        theirs = best(
            lambda like="pandas object" if "object" in name else "pandas": pd.factorize(series[like])
        )
        show(
            f"{name} strings",
            best(lambda column=column: from_series(column, "x")),
            theirs,
            "pandas.factorize",
        )


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    rng = np.random.default_rng(0)
    for part in (numbers, categoricals, strings):
        part(rows, rng)


if __name__ == "__main__":
    main()
