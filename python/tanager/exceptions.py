"""What can go wrong. Each exception is tanager's own and the standard one at the same time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType

__all__ = [
    "CapacityError",
    "ColumnError",
    "DataError",
    "DataTypeError",
    "DataWarning",
    "MissingPackageError",
    "NotThereError",
    "RunError",
    "TanagerError",
    "UnknownNameError",
    "imported",
    "own_errors",
]


class TanagerError(Exception):
    """The base of all errors that tanager raises on purpose."""


class DataError(TanagerError, ValueError):
    """The data cannot be used; the message names the place, the value and what is allowed."""


class ColumnError(DataError, IndexError):
    """There is no such column."""


class UnknownNameError(DataError, KeyError):
    """There is nothing of that name; the message lists the names that there are."""

    __str__ = Exception.__str__  # a KeyError puts its message in quotes


class DataTypeError(TanagerError, TypeError):
    """A value is of a type that cannot be used."""


class CapacityError(TanagerError, MemoryError):
    """A table would not fit into memory; nothing was allocated."""


class MissingPackageError(TanagerError, ImportError):
    """What was asked for needs a package that is not installed; the message names it."""


class NotThereError(TanagerError, AttributeError):
    """This model has no such attribute; the message says which have."""


class RunError(TanagerError, RuntimeError):
    """A computation could not be started, or ended without a result: no thread was to be had, for example."""


class DataWarning(UserWarning):
    """The data can be used, but perhaps not as was meant; the message has the numbers.

    Values that were not seen at fit, columns that are nearly unique, rows that were left out.
    """


def imported(name: str, what: str) -> ModuleType:
    """A package that only `what` needs, imported when that is asked for."""
    try:
        return import_module(name)
    except ImportError:
        raise MissingPackageError(f"{what} needs {name}: pip install {name}") from None


@contextmanager
def own_errors() -> Iterator[None]:
    """Tells what scikit-learn's checks refuse in its own words, but as errors of tanager.

    >>> with own_errors():
    ...     raise ValueError("Input y contains NaN.")
    Traceback (most recent call last):
    tanager.exceptions.DataError: Input y contains NaN.
    """
    try:
        yield
    except TanagerError:
        raise
    except ValueError as error:
        raise DataError(str(error)) from error
    except TypeError as error:
        raise DataTypeError(str(error)) from error
