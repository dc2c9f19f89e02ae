"""Bayesian network classifiers: naive Bayes, optimal TANs and what is built on them.

What is public stands in `tanager.public`, and is imported when any of it is first asked for: nobody waits for
scikit-learn who only wants to know what `tanager --help` says.
"""

import importlib
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tanager.public import *  # noqa: F403
    from tanager.public import __all__ as __all__
    from tanager.public import __version__ as __version__

# Whoever asks for `__main__` by name, as test runners do, does not want the command line to run.
_ROOMS = frozenset(found.name for found in iter_modules([str(Path(__file__).parent)])) - {"__main__"}


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return importlib.import_module(f"{__name__}.{name}")
    if name == "__path__" or (name.startswith("_") and name not in ("__all__", "__version__")):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    public = importlib.import_module(f"{__name__}.public")
    try:
        found = getattr(public, name)
    except AttributeError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_ROOMS, *importlib.import_module(f"{__name__}.public").__all__})
