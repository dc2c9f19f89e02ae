"""The settings of encoding, told once: of encoders, of scans, of schemas and of all estimators.

Whoever takes them as ``**settings`` and passes them on shows them in its signature and docstring as its own.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Iterable
from typing import Any, TypedDict, TypeVar

from tanager.exceptions import DataError

__all__ = ["WORDS", "EncodingSettings", "ReadsTables", "ScanSettings", "takes_scan_settings"]

#: The words that are allowed for a setting that is a word.
WORDS = {"missing": ("category", "drop", "available"), "handle_unknown": ("marginalize", "error")}

Function = TypeVar("Function", bound=Callable[..., Any])


class ScanSettings(TypedDict, total=False):
    """The settings of who looks for levels and cuts, for type checkers."""

    discretize: Any
    categorical: Iterable[str | int] | str | None
    numeric: Iterable[str | int] | str | None
    missing: str
    n_jobs: int | None


class EncodingSettings(ScanSettings, total=False):
    """The settings of who turns tables into codes, for type checkers."""

    handle_unknown: str


class ReadsTables:
    """Whatever reads the tables of users.

    Parameters:
        discretize: what cuts numeric columns: "mdl" (without a class: five bins of equal frequency), "none"
            (every distinct number is a value), or a transformer that has `cut_points_` or `bin_edges_` once
            fitted.
        categorical: columns that are categories whatever is in them, by name (without names x0, x1, …) or
            position; or "all".
        numeric: columns that are numbers, in the same way.
        missing: missing values at fit: "category" (where some are missing, that is a value of its own),
            "drop" (learn from complete rows only) or "available" (learn each column from the rows where it is
            known).
        handle_unknown: values unseen at fit: "marginalize" (they count as missing, also where missing is a
            category, and so does a word in a column of numbers) or "error". A number and its text are one
            value: 2 is known where "2" is.
        n_jobs: threads; None for all cores. The result does not depend on it.
    """

    def __init__(
        self,
        *,
        discretize: Any = "mdl",
        categorical: Iterable[str | int] | str | None = None,
        numeric: Iterable[str | int] | str | None = None,
        missing: str = "category",
        handle_unknown: str = "marginalize",
        n_jobs: int | None = None,
    ) -> None:
        self.discretize = discretize
        self.categorical = categorical
        self.numeric = numeric
        self.missing = missing
        self.handle_unknown = handle_unknown
        self.n_jobs = n_jobs

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        _show_settings(cls)

    def _told(self, settings: type[ScanSettings]) -> dict[str, Any]:
        """Its own settings, to be passed on."""
        return {name: getattr(self, name) for name in settings.__annotations__}

    def _check_words(self) -> None:
        """Refuses what is none of the words of a setting."""
        for name, allowed in WORDS.items():
            value = getattr(self, name)
            if not (isinstance(value, str) and value in allowed):
                raise DataError(
                    f"{name} = {value!r} is not allowed, allowed are {', '.join(map(repr, allowed))}"
                )


def takes_scan_settings(function: Function) -> Function:
    """Shows the settings of a scan in the signature and the docstring of a function that passes them on."""
    _show_signature(function, ReadsTables.__init__, ScanSettings.__annotations__)
    _show_lines(function, [ReadsTables], ScanSettings.__annotations__)
    return function


def _show_settings(kind: type) -> None:
    """Shows what a class takes as ``**settings``, and passes on, in its signature and its docstring.

    scikit-learn reads parameters off the signature of `__init__`; type checkers read them off the TypedDict.

    >>> from tanager import TANClassifier
    >>> "discretize" in inspect.signature(TANClassifier).parameters
    True
    >>> "discretize:" in str(TANClassifier.__doc__)
    True
    """
    init = vars(kind).get("__init__")
    if init is not None:
        _show_signature(
            init, next(vars(base)["__init__"] for base in kind.__mro__[1:] if "__init__" in vars(base))
        )
    _show_lines(kind, kind.__mro__)


def _show_signature(function: Any, passed_to: Any, names: Iterable[str] | None = None) -> None:
    signature = inspect.signature(function)
    *own, last = signature.parameters.values()
    if last.kind is last.VAR_KEYWORD:
        shared = inspect.signature(passed_to).parameters.values()
        shown = [one for one in shared if one.kind is one.KEYWORD_ONLY and (not names or one.name in names)]
        function.__signature__ = signature.replace(parameters=[*own, *shown])


def _show_lines(told: Any, tellers: Iterable[type], names: Iterable[str] | None = None) -> None:
    """Puts the lines of the class that a docstring names in the place of its ``**settings``."""
    line = re.compile(r"^( +)\*\*settings: those of `(\w+)`\.\n", re.MULTILINE)
    if marked := line.search(told.__doc__ or ""):
        doc = next(inspect.cleandoc(kind.__doc__ or "") for kind in tellers if kind.__name__ == marked[2])
        lines = textwrap.dedent(doc.partition("Parameters:\n")[2].partition("\n\n")[0])
        entries = re.findall(r"^\w.*\n?(?: .*\n?)*", lines, re.MULTILINE)
        shown = [entry.rstrip() for entry in entries if not names or entry.partition(":")[0] in names]
        text = textwrap.indent("\n".join(shown), marked[1])
        told.__doc__ = line.sub(lambda _: text + "\n", told.__doc__)
