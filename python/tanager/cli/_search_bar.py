"""A bar on standard error while a learner searches for its structure."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["bar", "watched_search"]

WIDTH = 30


def bar(done: int, planned: int) -> str:
    """How far a search is. What is planned grows with every step that it takes.

    >>> bar(45, 90)
    '███████████████░░░░░░░░░░░░░░░ 45 of 90 candidates tried'
    """
    filled = WIDTH * done // max(planned, 1)
    return "█" * filled + "░" * (WIDTH - filled) + f" {done:,} of {planned:,} candidates tried"


@contextmanager
def watched_search(estimator: Any) -> Iterator[Any]:
    """The estimator; a search shows its progress while the block runs, where somebody watches a terminal."""
    if not (hasattr(estimator, "progress") and sys.stderr.isatty()):
        yield estimator
        return
    before = estimator.progress
    estimator.progress = _show
    try:
        yield estimator
    finally:
        estimator.progress = before
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


def _show(done: int, planned: int) -> None:
    sys.stderr.write("\r\x1b[K" + bar(done, planned))
    sys.stderr.flush()
