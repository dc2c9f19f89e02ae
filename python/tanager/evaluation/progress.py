"""A bar on standard error with the time left: one line, rewritten, where somebody watches a terminal."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tanager.escape import printable

__all__ = ["Progress", "bar", "progress_bar", "show_line", "watched_search"]

_WIDTH = 30


def bar(done: int, planned: int) -> str:
    """How much of what is planned is done.

    >>> bar(45, 90)
    '███████████████░░░░░░░░░░░░░░░ 45 of 90'
    """
    filled = _WIDTH * min(done, planned) // max(planned, 1)
    return "█" * filled + "░" * (_WIDTH - filled) + f" {done:,} of {planned:,}"


def fitted(parts: list[str]) -> str:
    """As many parts as one line of the terminal holds: what goes on in the next line is not wiped away.

    >>> fitted(["x" * 30, " of 90", " and this, which the narrowest terminal does not hold" * 9])
    'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx of 90'
    """
    width = shutil.get_terminal_size((80, 24)).columns - 1
    while len(parts) > 1 and sum(map(len, parts)) > width:
        parts = parts[:-1]
    return "".join(parts)


def show_line(line: str) -> None:
    """Writes a line of the terminal anew."""
    sys.stderr.write(f"\r\x1b[K{line}")
    sys.stderr.flush()


class Progress:
    """How far a long job is; silent where the bar is not shown."""

    def __init__(self, planned: int, shown: bool) -> None:
        self.planned, self.done, self.shown = planned, 0, shown
        self.start = time.monotonic()
        self._doing = ""
        self._lock = threading.Lock()  # threads of a comparison share a bar

    def begin(self, doing: str) -> None:
        """What is being done from now on."""
        with self._lock:
            self._doing = doing
            self.update(self.done, self.planned, doing)

    def advance(self, done: int = 1, doing: str | None = None) -> None:
        """So many more steps are finished; `doing` names the latest, where nobody said so before."""
        with self._lock:
            self.update(self.done + done, self.planned, self._doing if doing is None else doing)

    def update(self, done: int, planned: int, doing: str) -> None:
        """So many steps are finished of those planned by now, which may grow."""
        self.done, self.planned = done, planned
        if self.shown:
            left = (time.monotonic() - self.start) / max(done, 1) * (planned - done)
            line = fitted([bar(done, planned), f" {printable(doing):.40}", f", {left:.0f} s left"])
            show_line(line)


@contextmanager
def progress_bar(planned: int, wanted: bool) -> Iterator[Progress]:
    """A bar for so many steps, gone at the end; silent where it is not wanted or nobody watches."""
    progress = Progress(planned, wanted and sys.stderr.isatty())
    try:
        yield progress
    finally:
        if progress.shown:
            show_line("")


@contextmanager
def watched_search(estimator: Any) -> Iterator[Any]:
    """The estimator; one that searches shows its progress while the block runs."""
    if not (hasattr(estimator, "progress") and sys.stderr.isatty()):
        yield estimator
        return
    before = estimator.progress
    with progress_bar(0, True) as shown:
        estimator.progress = lambda done, planned: shown.update(done, planned, "candidates tried")
        try:
            yield estimator
        finally:
            estimator.progress = before
