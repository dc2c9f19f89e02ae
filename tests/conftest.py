"""Settings of all tests."""

import os
import signal

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
