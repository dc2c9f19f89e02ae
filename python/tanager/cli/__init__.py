"""The command line. Every module here whose name does not begin with an underscore is a command.

A command is a file with three names: its docstring, whose first line is its summary; `add_arguments(parser)`;
and `run(arguments)`, which prints and returns nothing. It raises for bad input: `main` turns that into one
line on standard error and exit code 2. A warning becomes one line too.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import os
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import NoReturn

from tanager.escape import NEAREST, printable
from tanager.exceptions import DataWarning, TanagerError

__all__ = ["commands", "main"]

_HERE = Path(__file__).parent

# What Python and other libraries raise for bad input, beside tanager's own errors.
_BAD_INPUT = (ValueError, TypeError, LookupError, ArithmeticError, ImportError, MemoryError, OSError)

# What argparse says of a command or a word that there is not.
_UNKNOWN = re.compile(r"(argument .*?): invalid choice: '(.*)' \(choose from (.*)\)$", re.DOTALL)


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints are one line."""

    def error(self, message: str) -> NoReturn:
        unknown = _UNKNOWN.match(message)
        if unknown is not None:
            from tanager.settings import did_you_mean

            choices = [choice.strip("' ") for choice in unknown[3].split(",")]
            near = did_you_mean(unknown[2], choices)
            message = f"{unknown[1]}: invalid choice: {unknown[2]!r}{near}, choose from {', '.join(choices)}"
        self.exit(2, f"{self.prog}: error: {printable(message)} (see {self.prog} --help)\n")


def commands() -> Iterator[tuple[str, ModuleType]]:
    """Name and module of every command, in alphabetical order."""
    for name in _names():
        yield name, _module(name)


def _names() -> list[str]:
    return sorted(path.stem.replace("_", "-") for path in _HERE.glob("*.py") if not path.stem.startswith("_"))


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"{__name__}.{name.replace('-', '_')}")


def _summary(name: str) -> str:
    """The first line of a command's docstring, read from its file: to import all commands takes long."""
    text = (_HERE / f"{name.replace('-', '_')}.py").read_text(encoding="utf-8")
    return text.removeprefix('"""').partition("\n")[0].removesuffix('"""')


def _parser(arguments: Sequence[str]) -> _Parser:
    """The parser of these arguments: only the command that they choose is imported, and has its own."""
    parser = _Parser(prog="tanager", description="Bayesian network classifiers: learn, compare, reproduce.")
    parser.add_argument("--version", action="version", version=f"tanager {_version()}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command", required=True)
    chosen = next((word for word in arguments if not word.startswith("-")), None)
    for name in _names():
        summary = _summary(name)
        one = commands.add_parser(
            name,
            help=summary.rstrip("."),
            description=summary,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if name == chosen:
            module = _module(name)
            one.epilog = (module.__doc__ or "").strip().partition("\n")[2].strip() or None
            module.add_arguments(one)
            one.set_defaults(run=module.run)
    return parser


def _version() -> str:
    from tanager._core import __version__

    return __version__


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 when it worked, 2 for bad input, 130 when interrupted."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a letter that the terminal does not have ends nothing
            stream.reconfigure(errors=NEAREST)
    given = sys.argv[1:] if arguments is None else arguments
    chosen = _parser(given).parse_args(given)
    try:
        with _plain_warnings(chosen.command):
            chosen.run(chosen)
    except KeyboardInterrupt:
        print("tanager: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # the reader has gone, as in `tanager datasets | head`: nothing is wrong
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (TanagerError, *_BAD_INPUT) as error:
        print(f"tanager {chosen.command}: error: {printable(_one_line(error))}", file=sys.stderr)
        return 2
    return 0


@contextlib.contextmanager
def _plain_warnings(command: str) -> Iterator[None]:
    """Warnings as one line on standard error, without the place in the source that gave them."""

    said: set[str] = set()

    def show(message: Warning | str, *place: object, **more: object) -> None:
        text = printable(" ".join(str(message).split()))
        if text not in said:
            said.add(text)
            over = "\r\x1b[K" if sys.stderr.isatty() else ""  # a line that tells how far the work is
            print(f"{over}tanager {command}: warning: {text}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.simplefilter("always", DataWarning)  # whatever the environment says
        before, warnings.showwarning = warnings.showwarning, show
        try:
            yield
        finally:
            warnings.showwarning = before  # which free-threaded Python does not do by itself


def _one_line(error: Exception) -> str:
    """The message of an error on one line."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    text = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    return " ".join(text.split()) or type(error).__name__
