"""Timing in a process of its own, so that a slow peer can be stopped and memory can be told apart."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import multiprocessing
import os
import signal
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from data import Table
from peers import LEARNERS, ORDER, TASKS


@dataclass
class Outcome:
    """What one peer did with one table."""

    peer: str
    seconds: dict[str, float] = field(default_factory=dict)
    peak_bytes: dict[str, int] = field(default_factory=dict)
    arcs: list[tuple[int, int]] | None = None
    probabilities: Any = None
    skipped: str | None = None

    def note(self, learner: str, reason: str | None) -> None:
        """Says why tasks of a learner were left out, where they were."""
        if reason is not None:
            before = "" if self.skipped is None else f"{self.skipped}; "
            self.skipped = f"{before}{learner}: {reason}"


def best_time(run: Callable[[], None], budget: float) -> float:
    """The fastest of the runs that fit in `budget` seconds: at least one, at most 15."""
    best, spent, count = float("inf"), 0.0, 0
    while count == 0 or (spent < budget and count < 15):
        start = time.perf_counter()
        run()
        seconds = time.perf_counter() - start
        best, spent, count = min(best, seconds), spent + seconds, count + 1
    return best


class PeakMemory:
    """The peak of the resident memory above what there was on entry, in bytes (None without /proc)."""

    def __enter__(self) -> PeakMemory:
        gc.collect()
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)  # what earlier runs freed would be used again, and not seen
        self.bytes: int | None = None
        try:
            Path("/proc/self/clear_refs").write_text("5")  # resets the high-water mark
            self.before = self._field("VmRSS")
        except OSError:
            self.before = None
        return self

    def __exit__(self, *_: object) -> None:
        if self.before is not None:
            self.bytes = max(0, self._field("VmHWM") - self.before)

    @staticmethod
    def _field(name: str) -> int:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


def _work(pipe, folder: str, peer_class, tasks: list[str], table: Table, threads: int, budget: float) -> None:
    os.environ["JOBLIB_TEMP_FOLDER"] = folder
    try:
        peer = peer_class()
        peer.prepare(table, threads)
        for task in tasks:
            name = TASKS[task]
            with PeakMemory() as memory:
                getattr(peer, task)()  # once without the clock: caches, imports, thread pools
            pipe.send(("peak", name, memory.bytes))
            pipe.send(("time", name, best_time(getattr(peer, task), budget)))
            if task == "tan_fit":
                pipe.send(("arcs", name, peer.arcs()))
            if task == "nb_predict" and hasattr(peer, "probabilities"):
                pipe.send(("probabilities", name, peer.probabilities()[:1000]))
        pipe.send(("done", None, None))
    except Exception as error:
        pipe.send(("failed", None, f"{type(error).__name__}: {error}"))


def measure(peer_class, table: Table, threads: int, budget: float, limit: float) -> Outcome:
    """All tasks of a peer on a table; each of its learners is stopped after `limit` seconds."""
    outcome = Outcome(peer_class.name)
    if find_spec(peer_class.needs) is None:
        outcome.skipped = f"the Python package {peer_class.needs} is not installed"
        return outcome
    for learner in LEARNERS:
        named = [f"{learner}_{task}" for task in ORDER]
        tasks = [task for task in named if task in TASKS and hasattr(peer_class, task)]
        if tasks:
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
                stopped = _watch(outcome, limit, (folder, peer_class, tasks, table, threads, budget))
            outcome.note(learner, stopped)
    return outcome


def _watch(outcome: Outcome, limit: float, arguments: tuple[Any, ...]) -> str | None:
    """Fills the outcome with what `_work` reports from its own process; why it ended early, if it did."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(sender, *arguments))
    process.start()
    sender.close()
    deadline = time.monotonic() + limit
    reason = None
    try:
        while True:
            if not receiver.poll(max(0.0, deadline - time.monotonic())):
                reason = f"stopped after {limit:g} s"
                break
            kind, name, value = receiver.recv()
            if kind == "done":
                break
            if kind == "failed":
                reason = value
                break
            if kind == "time":
                outcome.seconds[name] = value
            elif kind == "peak" and value is not None:
                outcome.peak_bytes[name] = value
            elif kind == "arcs":
                outcome.arcs = value
            elif kind == "probabilities":
                outcome.probabilities = value
    except EOFError:
        reason = "its process died"
    finally:
        if reason is None:
            process.join(10)
        for started in (*_descendants(process.pid), process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(started, signal.SIGKILL)
        process.join()
    return reason


def _descendants(ancestor: int) -> list[int]:
    """What a process started, also in groups of their own: what is left would slow down who comes next."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has just ended
            parents[int(status.parent.name)] = int(status.read_text().rpartition(")")[2].split()[1])
    found = [ancestor]
    for process in found:
        found += [child for child, parent in parents.items() if parent == process]
    return found[1:]
