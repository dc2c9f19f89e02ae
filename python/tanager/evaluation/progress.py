"""A progress bar with time left, on standard error: rich where it is installed, one plain line otherwise."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any, Protocol

__all__ = ["Progress", "progress_bar"]


class Progress(Protocol):
    """What a long job tells its watcher."""

    def __enter__(self) -> Progress: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def advance(self, done: int, doing: str) -> None:
        """`done` more steps are finished; `doing` names the latest."""
        ...


class _Silent:
    def __enter__(self) -> Progress:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        return None

    def advance(self, done: int, doing: str) -> None:
        return None


class _Plain:
    """Rewrites one line of a terminal that has no rich."""

    def __init__(self, total: int) -> None:
        self.total, self.done, self.start = total, 0, time.monotonic()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        sys.stderr.write("\n" if self.done else "")

    def advance(self, done: int, doing: str) -> None:
        self.done += done
        passed = time.monotonic() - self.start
        left = passed / self.done * (self.total - self.done) if self.done else 0.0
        sys.stderr.write(f"\r{self.done}/{self.total}  {left:5.0f} s left  {doing:<50.50}")
        sys.stderr.flush()


class _Rich:
    def __init__(self, total: int, columns: Any) -> None:
        self.bar, self.total, self.task = columns, total, None

    def __enter__(self) -> Progress:
        self.bar.start()
        self.task = self.bar.add_task("starting", total=self.total)
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self.bar.stop()

    def advance(self, done: int, doing: str) -> None:
        self.bar.update(self.task, advance=done, description=f"{doing:<32.32}")


def progress_bar(total: int, show: bool) -> Progress:
    """A bar for `total` steps; silent where it is not wanted or nobody watches a terminal."""
    if not show or not sys.stderr.isatty():
        return _Silent()
    try:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )
        from rich.progress import Progress as RichProgress
    except ImportError:
        return _Plain(total)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    return _Rich(total, RichProgress(*columns, console=Console(stderr=True), transient=True))
