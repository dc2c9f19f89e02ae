"""One module per paper; each has `reproduce(options)` and gives a `Reproduction`.

The name of the module is the name on the command line.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable

from tanager.exceptions import DataError
from tanager.reproduce._options import Options
from tanager.reproduce._tables import Reproduction

__all__ = ["Options", "papers", "reproduce"]


def papers() -> list[str]:
    """Names of the papers that can be reproduced."""
    return sorted(found.name for found in pkgutil.iter_modules(__path__) if not found.name.startswith("_"))


def reproduce(paper: str, options: Options | None = None) -> Reproduction:
    """Reproduce one paper's tables on the data that are there."""
    if paper not in papers():
        raise DataError(f"unknown paper {paper!r}; known: {', '.join(papers())}")
    work: Callable[[Options], Reproduction] = importlib.import_module(f"{__name__}.{paper}").reproduce
    return work(options or Options())
