"""What ran where: versions, platform, seeds. Enough to run it again."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib import metadata
from typing import Any

from tanager import _core
from tanager.evaluation.cache import code_fingerprint

__all__ = ["provenance"]


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def provenance() -> dict[str, Any]:
    """Versions of what computed the results, and of the machine's kind (not its name)."""
    packages = ("numpy", "scipy", "scikit-learn", "pandas", "polars", "pyarrow")
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors",
        "versions": {
            "tanager": _core.__version__,
            **{name: found for name in packages if (found := _version(name))},
        },
        "code": code_fingerprint(),
    }
