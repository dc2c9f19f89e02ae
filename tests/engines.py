"""Dask and Spark: a test that needs one is skipped where it is absent, and fails where CI says so."""

from __future__ import annotations

import importlib.util
import os
import shutil

import pytest


def require_engine(*packages: str, java: bool = False) -> None:
    """Skips, or fails, with what is missing."""
    missing = [f"no {name}" for name in packages if importlib.util.find_spec(name) is None]
    home = os.environ.get("JAVA_HOME")
    if java and not (shutil.which("java") or (home and shutil.which("java", path=f"{home}/bin"))):
        missing.append("no Java runtime")
    if missing and os.environ.get("TANAGER_ENGINES") == "required":
        pytest.fail(f"there is {' and '.join(missing)}, and TANAGER_ENGINES=required")
    if missing:
        pytest.skip(f"there is {' and '.join(missing)}")
