"""A table larger than memory: made, learned from within 1 GiB, and deleted.

    python benches/stream.py                          # 20 GB, Dask and Spark with one worker and with two
    python benches/stream.py --gigabytes 0.5 --dask 2e6 --spark 2e6    # a try
    python benches/stream.py --table FOLDER --learners TAN --no-ratio --dask 0 --spark 0    # a step; it stays

1. On a small table, streamed TAN and BC2G have the bits of the same learners in memory.
2. A folder of Parquet files is written: 8 columns of text, 8 of small integers, 24 of floats, 3 classes.
3. TAN and BC2G learn from it, each in a process of its own, whose private writable memory the system
   limits to 1 GiB (RLIMIT_DATA: what exceeds it fails); printed is also the peak of its resident memory.
4. In one process, after one another and twice: pyarrow reads the columns alone, and TAN learns from them. The
   ratio of their times is printed, as wall and as processor time.
5. Dask and Spark learn TAN from as many rows as --dask and --spark say, with one worker of one thread on one
   core of this machine, and with two on two; scheduler and driver share these cores.

Everything that was written is deleted, also after an error, unless --table says where it stays.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

LIMIT = 1 << 30
BLOCK = 1 << 19
REALS = 24
LEARNERS = {"TAN": "TANClassifier()", "BC2G": "BCkGClassifier(k=2)"}


def block(rows: int, seed: int):
    """Some rows: every column depends on the class, a little, and on its left neighbour."""
    import pyarrow as pa

    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, rows)
    columns, before = {}, y
    for i in range(16):
        values = 2 + i % 6
        own = rng.integers(0, values, rows, dtype=np.int64)
        own = np.where(rng.random(rows) < 0.2, (before + y) % values, own)
        before = own
        words = pa.array([f"value {k}" for k in range(values)])
        text = words.take(pa.array(own)) if i % 2 else own
        columns[f"{'text' if i % 2 else 'whole'}{i}"] = text
    for i in range(REALS):
        columns[f"real{i}"] = rng.normal(size=rows) + (0.02 * y if i % 2 else 0.0)
    columns["class"] = pa.array(["a", "b", "c"]).take(pa.array(y))
    return pa.table(columns)


def write(folder: Path, gigabytes: float, different: int) -> None:
    """Files of about 1 GB, after those that are there already."""
    import pyarrow.parquet as pq

    while (left := gigabytes * 1e9 - sum(path.stat().st_size for path in folder.iterdir())) > 0:
        number = len(list(folder.iterdir()))
        path, seed = folder / f"part{number:04}.parquet", 1000 * number
        if number >= different:
            shutil.copyfile(folder / f"part{number % different:04}.parquet", path)
            continue
        with pq.ParquetWriter(path, block(1, 0).schema) as writer:
            while path.stat().st_size < min(1e9, left):
                writer.write_table(block(BLOCK, seed))
                seed += 1


def same_bits() -> None:
    """Streamed and in memory, on a table that fits both ways."""
    import pyarrow.parquet as pq

    import tanager

    table = block(50_000, 1)
    # As many different numbers as are cut exactly in parts too.
    for i in range(REALS):
        place = table.schema.get_field_index(f"real{i}")
        table = table.set_column(place, f"real{i}", [np.round(table.column(place).to_numpy(), 2)])
    X, y = table.drop(["class"]), table.column("class")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "small.parquet"
        pq.write_table(table, path)
        for name, code in LEARNERS.items():
            learner = eval(code, vars(tanager.public))
            whole = learner.fit(X, y).predict_proba(X)
            same = np.array_equal(learner.fit(path, target="class").predict_proba(X), whole)
            print(f"{name}: streamed {'has' if same else 'DOES NOT HAVE'} the bits of memory, 50000 rows")
            assert same


def limited(folder: Path, name: str) -> None:
    """A fit in a process whose memory is limited."""
    code = (
        "import time; start = time.monotonic(); from tanager.public import *\n"
        f"model = {LEARNERS[name]}.fit({str(folder)!r}, target='class', memory=1 << 27)\n"
        "import json, resource; own = resource.getrusage(resource.RUSAGE_SELF)\n"
        "wall, cpu = time.monotonic() - start, own.ru_utime + own.ru_stime\n"
        "print(json.dumps([model.rows_, own.ru_maxrss * 1024, wall, cpu]))"
    )
    # glibc's allocator reserves 64 MB a thread, which counts as memory though nobody has touched it.
    environment = {**os.environ, "MALLOC_ARENA_MAX": "2", "ARROW_DEFAULT_MEMORY_POOL": "system"}
    environment |= {"OPENBLAS_NUM_THREADS": "1"}

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT))

    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, preexec_fn=limit
    )
    if answer.returncode:
        raise SystemExit(f"{name} failed within {LIMIT >> 20} MiB:\n{answer.stderr[-2000:]}")
    rows, peak, wall, cpu = json.loads(answer.stdout)
    print(
        f"{name}: {rows:,} rows within RLIMIT_DATA {LIMIT >> 20} MiB, peak resident {peak / 2**20:,.0f} MiB, "
        f"{wall:,.0f} s, {cpu:,.0f} s of processor, {rows / wall:,.0f} rows a second",
        flush=True,
    )
    assert peak <= LIMIT


def ratio(files: list[Path]) -> None:
    """Streamed TAN beside pyarrow alone."""
    import pyarrow.parquet as pq

    from tanager import TANClassifier

    folder = files[0].parent

    def read() -> None:
        for path in files:
            with pq.ParquetFile(path) as file:
                for _ in file.iter_batches(1 << 18):
                    pass

    def learn() -> None:
        TANClassifier().fit(folder, target="class")

    for turn in range(2):
        seconds = []
        for work in (read, learn):
            wall, cpu = time.perf_counter(), time.process_time()
            work()
            seconds.append((time.perf_counter() - wall, time.process_time() - cpu))
        (read_wall, read_cpu), (wall, cpu) = seconds
        print(
            f"turn {turn + 1}: pyarrow {read_wall:.1f} s ({read_cpu:.1f} of processor), "
            f"TAN {wall:.1f} s ({cpu:.1f}): rate of TAN ÷ rate of reading "
            f"{read_wall / wall:.2f} wall, {read_cpu / cpu:.2f} processor",
            flush=True,
        )


def engine_rate(engine: str, folder: Path, rows: float) -> None:
    """One worker and two, over the same files: each in a process of its own, on as many cores as workers."""
    import pyarrow.parquet as pq

    taken, seen = [], 0
    for path in sorted(folder.iterdir()):
        if seen < rows:
            taken.append(str(path))
            seen += pq.read_metadata(path).num_rows
    for path in taken:  # so that nobody has to wait for the disk
        with open(path, "rb") as file:
            while file.read(1 << 24):
                pass
    seconds = {}
    for workers in (1, 2):
        cores = sorted(os.sched_getaffinity(0))[:workers]
        if len(cores) < workers:
            raise SystemExit(f"{workers} workers need as many cores, here are {len(cores)}")
        answer = subprocess.run(
            [sys.executable, __file__, "--worker", engine, str(workers), *taken],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            preexec_fn=lambda cores=cores: os.sched_setaffinity(0, cores),
        )
        counted, seconds[workers] = json.loads(answer.stdout.splitlines()[-1])
        print(
            f"{engine}, {workers} worker(s) of one thread, {workers} core(s) for all of it: "
            f"{counted:,} rows in {seconds[workers]:.1f} s",
            flush=True,
        )
    print(f"{engine}: two workers have {seconds[1] / seconds[2]:.2f} times the rate of one", flush=True)


def with_dask(workers: int, files: list[str]) -> tuple[int, float]:
    """Rows, and seconds for them."""
    import dask.dataframe as dd
    from dask.distributed import Client, LocalCluster

    import tanager.dask
    from tanager import TANClassifier

    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster,
        Client(cluster) as client,
    ):
        client.run(lambda: __import__("tanager.public"))
        table = dd.read_parquet(files, split_row_groups=True)
        start = time.perf_counter()
        model = tanager.dask.fit(TANClassifier(), table, target="class")
        return model.rows_, time.perf_counter() - start


def with_spark(workers: int, files: list[str]) -> tuple[int, float]:
    """Rows, and seconds for them."""
    from pyspark.sql import SparkSession

    import tanager.spark
    from tanager import TANClassifier

    os.environ["PYSPARK_PYTHON"] = sys.executable
    with tempfile.TemporaryDirectory() as folder:
        builder = SparkSession.builder.master(f"local[{workers}]").appName("tanager")
        settings = {
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.driver.memory": "2g",
            "spark.driver.host": "127.0.0.1",
            "spark.local.dir": folder,
            "spark.sql.warehouse.dir": folder,
            "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
        }
        for name, value in settings.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("ERROR")
        # What starts and is compiled once is not what is measured.
        tanager.spark.fit(TANClassifier(), session.read.parquet(*files).limit(100_000), target="class")
        start = time.perf_counter()
        model = tanager.spark.fit(TANClassifier(), session.read.parquet(*files), target="class")
        seconds = time.perf_counter() - start
        session.stop()
    return model.rows_, seconds


def main() -> None:
    """All of it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gigabytes", type=float, default=20, help="size of the table")
    parser.add_argument("--dask", type=float, default=50e6, help="rows for Dask; 0 for none")
    parser.add_argument("--spark", type=float, default=50e6, help="rows for Spark; 0 for none")
    parser.add_argument("--different", type=int, default=1000, help="files; further ones are copies of them")
    parser.add_argument("--table", type=Path, help="where the table is or is made, and stays; else deleted")
    parser.add_argument("--learners", nargs="*", default=list(LEARNERS), choices=list(LEARNERS))
    parser.add_argument("--no-ratio", action="store_true", help="do not time pyarrow beside TAN")
    parser.add_argument("--worker", nargs="+", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        engine, workers, *files = arguments.worker
        print(json.dumps({"Dask": with_dask, "Spark": with_spark}[engine](int(workers), files)))
        return
    folder = arguments.table or Path(tempfile.mkdtemp(prefix="tanager-stream-"))
    folder.mkdir(exist_ok=True)
    try:
        if arguments.learners:
            same_bits()
        start = time.monotonic()
        write(folder, arguments.gigabytes, arguments.different)
        size = sum(path.stat().st_size for path in folder.iterdir())
        print(f"the table has {size / 1e9:.1f} GB, made in {time.monotonic() - start:.0f} s", flush=True)
        for name in arguments.learners:
            limited(folder, name)
        if not arguments.no_ratio:
            ratio(sorted(folder.iterdir()))
        for engine, rows in (("Dask", arguments.dask), ("Spark", arguments.spark)):
            if rows:
                engine_rate(engine, folder, rows)
    finally:
        if arguments.table is None:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
