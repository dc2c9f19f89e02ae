"""What users may rely on, as docs/stability.md says: names, arguments, commands, options, keys of JSON.

    python scripts/public_names.py --write     # tests/golden/public.json anew, after something was added

The file has a line for each name. tests/test_stability.py compares it with what there is.
"""

from __future__ import annotations

import argparse
import contextlib
import inspect
import io
import json
import re
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import tanager
from tanager.cli import commands, main
from tanager.data import Frame
from tanager.estimators import CLASSIFIERS, DENSITIES
from tanager.reproduce._tables import Figure, ReproducedTable, Reproduction

GOLDEN = Path(__file__).resolve().parents[1] / "tests" / "golden"
PUBLIC = GOLDEN / "public.json"

#: Modules whose `__all__` is public, and the names of others that the reference has.
MODULES: dict[str, tuple[str, ...] | None] = {
    "tanager": None,
    "tanager.motifs": None,
    "tanager.dask": None,
    "tanager.spark": None,
    "tanager.evaluation.metrics": None,
    "tanager.evaluation.statistics": None,
    "tanager.exceptions": (
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
    ),
    "tanager.model_file": ("ModelFile", "read_model_file"),
}

#: Commands that print JSON, and how they are called on files that are made for them.
PRINTED = {
    "datasets": "",
    "datasets NAME": "car",
    "fit": "rows.csv -o model.json",
    "fit --stream": "rows.csv -o parts.json",
    "show": "model.json",
    "show --table": "size model.json",
    "show --strongest": "1 model.json",
    "predict --probabilities": "model.json rows.csv",
    "explain": "model.json rows.csv",
    "explain --what-if": "size model.json rows.csv",
    "compare": "nb tan --data rows.csv --cv 2 --repeats 1 --no-cache --no-progress",
    "motif fit": "sites/a.txt -o motif.json",
    "motif show": "motif.json",
    "motif scan": "motif.json genome.fa",
    "motif compare": "sites --models pssm tree --folds 2",
}
#: Below these, keys are names of the user's data sets, learners and columns, or of packages.
NAMED = re.compile(r"(accuracy|interval|setup\.learners|ranks|mean|loss|given|versions|parents)\.$")
#: Attributes of fitted estimators that are how they work inside.
INSIDE = {"continuous_", "encoder_", "mixture_", "model_", "ordered_"}


def public_names() -> dict[str, Any]:
    """Everything, by its name."""
    found: dict[str, Any] = {}
    for module, names in MODULES.items():
        for name in names or import_module(module).__all__:
            found.update(described(f"{module}.{name}", getattr(import_module(module), name)))
    found.update(fitted_attributes())
    for name, module in commands():
        parser = argparse.ArgumentParser(prog=f"tanager {name}")
        module.add_arguments(parser)
        found.update(options(parser))
    found.update(keys_printed())
    return found


def described(name: str, thing: Any) -> Iterator[tuple[str, Any]]:
    """A name, and those of the members of a class that tanager gives it."""
    if not isinstance(thing, type):
        # Python 3.14 has another class for types that are joined.
        kind = "types" if get_args(thing) else type(thing).__name__
        yield name, {"takes": parameters(thing)} if callable(thing) else kind
        return
    above = [base for base in thing.__mro__[1:-1] if base.__module__ in ("builtins", "sklearn.base")]
    above += [base for base in thing.__mro__[1:] if base.__name__ in tanager.__all__]
    error = issubclass(thing, BaseException)
    yield (
        name,
        {
            "is": sorted({base.__name__ for base in above}),
            **({} if error else {"takes": parameters(thing)}),
        },
    )
    for member in dir(thing):
        owner = next(base for base in thing.__mro__ if member in vars(base) or base is object)
        own = owner.__module__.startswith("tanager") and not re.fullmatch(r"_.*|set_\w+_request", member)
        if own:
            value = inspect.unwrap(getattr(thing, member))
            yield f"{name}.{member}", {"takes": parameters(value)} if callable(value) else "attribute"
    for member in getattr(thing, "__dataclass_fields__", ()):
        if not member.startswith("_"):
            yield f"{name}.{member}", "attribute"


def parameters(function: Callable[..., Any]) -> dict[str, str]:
    """Each parameter's place, or that it is given by keyword, and its default."""
    found = {}
    listed = [one for one in inspect.signature(function).parameters.values() if one.name != "self"]
    for place, one in enumerate(listed, 1):
        default = one.default
        shown = default.__name__ if callable(default) and hasattr(default, "__name__") else repr(default)
        kind = {
            one.POSITIONAL_ONLY: f"only place {place}",
            one.POSITIONAL_OR_KEYWORD: f"place {place}",
            one.VAR_POSITIONAL: "more places",
            one.KEYWORD_ONLY: "keyword",
            one.VAR_KEYWORD: "more keywords",
        }[one.kind]
        found[one.name] = kind if default is one.empty else f"{kind} = {shown}"
    return found


def fitted_attributes() -> Iterator[tuple[str, Any]]:
    """What fitted models and discretisers have of the attributes that their classes and docstrings name."""
    table = tanager.read_table(GOLDEN / "rows.csv", target="class")
    codes = Frame({name: table.X.raw(name) for name in ("colour", "size")})
    fitted: list[Any] = [made().fit(codes, table.y) for made in CLASSIFIERS.values()]
    fitted += [made().fit(codes) for made in DENSITIES.values()]
    numbers = [[float(row)] for row in range(len(table.y))]
    cutting = tanager.MDLDiscretizer, tanager.EqualWidth, tanager.EqualFrequency
    fitted += [made().fit(numbers, table.y) for made in cutting]
    for model in fitted:
        made = type(model)
        told = {name for base in made.__mro__ for name in inspect.get_annotations(base)}
        told.update(*(re.findall(r"`(\w+)`", base.__doc__ or "") for base in made.__mro__))
        for name in told - INSIDE:
            if re.fullmatch(r"[a-z]\w*[a-z]_", name) and hasattr(model, name):
                yield f"tanager.{made.__name__}.{name}", "attribute"


def options(parser: argparse.ArgumentParser) -> Iterator[tuple[str, Any]]:
    """The options of a command and of the commands below it, each choice by itself."""
    place = 0
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from options(below)
            continue
        place += not action.option_strings
        takes = "nothing" if action.nargs == 0 else "a value" if action.nargs is None else str(action.nargs)
        for word in action.option_strings or [f"<{action.dest}>"]:
            name = f"{parser.prog} {word}"
            if word not in ("-h", "--help"):
                where = {} if action.option_strings else {"place": place}
                needed = {"required": True} if action.required else {"default": repr(action.default)}
                yield name, {**where, "takes": takes, **needed}
                yield from ((f"{name} {choice}", "choice") for choice in action.choices or ())


def keys_printed() -> Iterator[tuple[str, Any]]:
    """The keys of the JSON that commands print."""
    with tempfile.TemporaryDirectory() as made, contextlib.chdir(made):
        folder = Path(made)
        (folder / "sites").mkdir()
        sites = "ACGTA\nACGTC\nTCGAA\nTCGAC\nACGTA\nGCGCA\nTCTAA\nACGAA\n"
        (folder / "sites" / "a.txt").write_text(sites)
        (folder / "sites" / "b.txt").write_text(sites)
        (folder / "genome.fa").write_text(">one\nTTACGTATCGAAGG\n")
        (folder / "rows.csv").write_bytes((GOLDEN / "rows.csv").read_bytes())
        for command, given in PRINTED.items():
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                if main(f"{command.removesuffix(' NAME')} {given} --json".split()) != 0:
                    raise RuntimeError(f"tanager {command} failed on {given}")
            for key in keys(json.loads(printed.getvalue())):
                yield f"tanager {command} --json: {key}", "key"
    shown = Reproduction("", "", "", (ReproducedTable("", (Figure("", "", None, None),)),))
    yield from ((f"tanager reproduce --json: {key}", "key") for key in keys(shown.as_dict()))


def keys(value: Any, above: str = "") -> set[str]:
    """The keys of objects, and of those in them; `[]` stands for the elements of a list."""
    found: set[str] = set()
    if isinstance(value, dict) and not NAMED.search(above):
        for key, inner in value.items():
            found |= {f"{above}{key}"} | keys(inner, f"{above}{key}.")
    elif isinstance(value, list):
        for inner in value:
            found |= keys(inner, f"{above.removesuffix('.')}[].")
    return found


def text(found: dict[str, Any]) -> str:
    """One line for each name, in their order."""
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(found[name])}" for name in sorted(found))
    return f"{{\n{lines}\n}}\n"


if __name__ == "__main__":
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    reader.add_argument("--write", action="store_true")
    warnings.simplefilter("ignore", tanager.DataWarning)
    names = text(public_names())
    if reader.parse_args().write:
        PUBLIC.write_text(names, encoding="utf-8")
    else:
        sys.stdout.write(names)
