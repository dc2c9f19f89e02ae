"""Where a command writes: looked at before the work begins, so that nothing is lost or done in vain."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import TextIO

from tanager.document import document_kind
from tanager.exceptions import DataError, MissingPackageError
from tanager.output import check_output, is_standard
from tanager.report.figures import plot_path

__all__ = [
    "add_force",
    "check_folder",
    "check_outputs",
    "check_plot",
    "check_replaced",
    "needs_package",
    "talk",
]


def add_force(parser: argparse.ArgumentParser, what: str) -> None:
    """The option that lets a file be replaced that is something else."""
    parser.add_argument("--force", action="store_true", help=f"replace a file that is not {what}")


def check_outputs(
    outputs: Iterable[Path | None], inputs: Iterable[str | Path] = (), json: bool = False
) -> None:
    """Refuses outputs that replace an input or each other, and what cannot be written.

    With `json`, standard output is taken by the result.
    """
    wanted = [path for path in outputs if path is not None]
    if sum(map(is_standard, wanted)) + json > 1:
        raise DataError("standard output is asked for twice")
    given = list(inputs)
    if sum(map(is_standard, given)) > 1:
        raise DataError("standard input is asked for twice")
    seen: list[Path] = []
    for path in wanted:
        if is_standard(path):
            continue
        for other in given:
            if _same(path, Path(other)):
                raise DataError(f"{path} is read: it would be replaced by what is written")
        for before in seen:
            if _same(path, before):
                raise DataError(f"{path} is to be written twice")
        check_output(path)
        seen.append(path)


def check_replaced(path: Path | None, kind: str, what: str, force: bool) -> None:
    """Refuses to replace a file that is not of this kind, unless that is meant."""
    if path is None or force or is_standard(path) or not path.is_file() or not path.stat().st_size:
        return
    if document_kind(path) != kind:
        raise DataError(f"{path} is there and is not {what}: another name, or --force to replace it")


def check_plot(path: Path | None) -> None:
    """Refuses endings that plots do not have, and plots without their library."""
    if path is None:
        return
    plot_path(path)
    needs_package("matplotlib", "plots")


def check_folder(path: Path | None) -> None:
    """Refuses a folder that cannot be made or written to."""
    if path is None:
        return
    needs_package("matplotlib", "plots")
    place = path.absolute()
    while not place.exists() and place != place.parent:
        place = place.parent
    if not place.is_dir():
        raise NotADirectoryError(20, "Not a directory", str(path))
    if not os.access(place, os.W_OK | os.X_OK):
        raise PermissionError(13, "Permission denied", str(path))


def needs_package(name: str, what: str) -> None:
    """Says which package is not there before it is needed."""
    if find_spec(name) is None:
        raise MissingPackageError(f"{what} need {name}: pip install {name}, or tanager-learn[report]")


def talk(outputs: Iterable[Path | None]) -> TextIO:
    """Where lines for people go: to standard error where standard output is a file's."""
    return sys.stderr if any(map(is_standard, outputs)) else sys.stdout


def _same(a: Path, b: Path) -> bool:
    try:
        return a.samefile(b)
    except OSError:  # one of them is not there
        return False
