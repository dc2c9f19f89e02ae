"""Where the data are that are not bundled, for the tests that need them."""

import os
from pathlib import Path

__all__ = ["ABSENT", "data_folder"]

ABSENT = "data that are not bundled are not here: name their folder in TANAGER_DATA"


def data_folder() -> Path:
    """The folder that ``TANAGER_DATA`` names when the tests begin, or ``shared/data`` beside the repository.

    It may be absent.
    """
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    return Path(os.environ.get("TANAGER_TEST_DATA") or beside)
