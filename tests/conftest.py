"""Settings of all tests."""

import os
import signal
import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# No deadline: no test depends on wall time. The same examples every run: a failure is never a surprise.
settings.register_profile(
    "tanager",
    deadline=None,
    derandomize=True,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("tanager")

# Some tests look for more data there (more_data.py); all others must not find what is not bundled.
if "TANAGER_DATA" in os.environ:
    os.environ["TANAGER_TEST_DATA"] = os.environ.pop("TANAGER_DATA")


def pytest_configure() -> None:
    """Ctrl-C interrupts, as in a terminal: a shell starts background jobs with the signal ignored."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def connect() -> Iterator[Callable[..., Any]]:
    """Opens a database in memory, of the engine that is named; the test is skipped where that is absent."""
    opened = []

    def open_one(engine: str = "sqlite") -> Any:
        library = sqlite3 if engine == "sqlite" else pytest.importorskip(engine)
        opened.append(library.connect(":memory:"))
        return opened[-1]

    yield open_one
    for base in opened:
        base.close()  # from Python 3.13 on a connection that is left open is warned of
