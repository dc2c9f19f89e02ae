"""Writes what follows from the core's registry: tables and navigation of the documents, stubs of types.

    python scripts/registry_tables.py             # writes
    python scripts/registry_tables.py --check     # only says which files are not as they would be written

A table stands between ``<!-- NAME: begin -->`` and ``<!-- NAME: end -->``; a stub is written as a whole.
"""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path

from tanager.estimators import CLASSIFIERS, DENSITIES, BayesianNetworkClassifier, BayesianNetworkDensity
from tanager.registry import LEARNERS, PARAMETERS, SCORES, About
from tanager.specification import docstring

ROOT = Path(__file__).resolve().parents[1]


def table(header: str, rows: list[list[str]]) -> str:
    """A Markdown table."""
    head = header.split(" | ")
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(
        "|" + "|".join(cells) + "|" if cells[0] == "---" else f"| {' | '.join(cells)} |" for cells in lines
    )


def call(about: About) -> str:
    """How the object of a score or estimator is written."""
    return f"`{about.title}({', '.join(one.name for one in about.settings)})`"


def rows_of(registry: Mapping[str, About], *cells: str) -> list[list[str]]:
    """Name, object, and what else is asked for."""
    told = {"summary": lambda about: about.summary, "formula": lambda about: typeset(about.formula)}
    told["score equivalent"] = lambda about: "yes" if about.score_equivalent else "no"
    return [
        [f"`{name}`", call(about), *(told[cell](about) for cell in cells)] for name, about in registry.items()
    ]


def learner_rows(link: str) -> list[list[str]]:
    """Name, class and sentence of every learner."""
    return [
        [link.format(name), f"`{CLASSIFIERS[name].__name__}`", about.summary]
        for name, about in LEARNERS.items()
    ]


def directives(kinds: Mapping[str, type]) -> str:
    """The reference of classes, one after the other; mkdocstrings reads it."""
    options = "\n    options: { heading_level: 3 }\n"
    return "\n".join(f"::: tanager.estimators.{kind.__name__}{options}" for kind in kinds.values())


SYMBOLS = {"Σ": r"\sum", "−": "-", "½": r"\frac{1}{2}", "²": "^2", "·": r"\cdot ", "p̂": r"\hat{p}"}
SYMBOLS["MI"] = r"\mathrm{MI}"
#: What is set as it is: words but for the names of functions, and the commas and semicolons between formulas.
WORDS = re.compile(r"(?<![\w{])(?!ln|max)(?:a|[a-z]{2,})(?![\w])|[,;](?![^(]*\))")
BELOW = re.compile(r"_\{([^}]*)\}|_([\w·]+)|(?<=[A-Za-z])(\d)")


def typeset(formula: str) -> str:
    """A formula of the registry in LaTeX: what stands below the line, functions; words stay outside."""

    def latex(text: str) -> str:
        text = BELOW.sub(lambda found: "_{" + next(filter(None, found.groups())) + "}", text)
        text = text.replace("lnΓ", r"\ln\Gamma").replace("max", r"\max")
        text = re.sub(r"(?<!\\)ln\b", r"\\ln", text)
        for sign, command in SYMBOLS.items():
            text = text.replace(sign, command)
        return text

    parts = re.split(rf"({WORDS.pattern})", formula)
    shown = [
        f"`{part}`"
        if part in SCORES
        else part
        if WORDS.fullmatch(part)
        else f"${latex(part.strip())}$"
        if part.strip()
        else ""
        for part in parts
    ]
    return re.sub(r" ([,;])", r"\1", " ".join(filter(None, shown)))


def navigation() -> str:
    """The learners' pages, in the order of the registry."""
    return "\n".join(f"      - {about.title}: learners/{name}.md" for name, about in LEARNERS.items())


TABLES = {
    "README.md": {
        "scores": lambda: table("name | object | what it is", rows_of(SCORES, "summary")),
        "parameters": lambda: table("name | object | what it is", rows_of(PARAMETERS, "summary")),
        "learners": lambda: table("name | class | in a sentence", learner_rows("`{}`")),
    },
    "docs/scores.md": {
        "scores": lambda: table(
            r"name | object | $\varphi$ | score equivalent", rows_of(SCORES, "formula", "score equivalent")
        )
    },
    "docs/parameters.md": {
        "parameters": lambda: table(r"name | object | $P(x \mid \pi)$", rows_of(PARAMETERS, "formula"))
    },
    "docs/learners/index.md": {
        "learners": lambda: table("name | class | in a sentence", learner_rows("[`{0}`]({0}.md)"))
    },
    "docs/reference/classifiers.md": {"classifiers": lambda: directives(CLASSIFIERS)},
    "docs/reference/densities.md": {"densities": lambda: directives(DENSITIES)},
    "mkdocs.yml": {"learners": navigation},
}

STUB = '"""{first}"""\n\n# Written by scripts/registry_tables.py from the core\'s registry.\n'


def all_names(names: list[str]) -> list[str]:
    """`__all__` as ruff writes and sorts it: constants, classes, the rest."""
    ordered = sorted(names, key=lambda name: (not name.isupper(), name))
    return ["__all__ = [", *(f'    "{name}",' for name in ordered), "]", ""]


def specification_stub(first: str, registry: Mapping[str, About], like: str) -> str:
    """The classes of scores or parameter estimators, with their settings."""
    parts = [STUB.format(first=first)]
    parts += ["from collections.abc import Callable"] if "Callable" in like else []
    literal = ", Literal" if any(one.words for about in registry.values() for one in about.settings) else ""
    parts += ["from dataclasses import dataclass"]
    parts += [f"from typing import {'Any, ' if 'Any' in like else ''}ClassVar{literal}", ""]
    parts += ["import numpy as np", "from numpy.typing import NDArray", ""] if "NDArray" in like else []
    parts += ["from tanager.specification import Specification", ""]
    parts += all_names([*(about.title for about in registry.values()), like.split(" ")[0]])
    for about in registry.values():
        text = textwrap.indent('"""' + docstring(about) + '\n"""', "    ")
        parts += ["@dataclass(frozen=True)", f"class {about.title}(Specification):", text, ""]
        parts += ["    kind: ClassVar[str]", "    name: ClassVar[str]"]
        fields = [f"    {one.name}: {one.annotation} = {one.default!r}" for one in about.settings]
        parts += [*(line.replace("'", '"') for line in fields), ""]
    return "\n".join([*parts, like, ""])


def estimators_stub() -> str:
    """The classes of `tanager.estimators`, by the file that each stands in."""
    kinds = [*CLASSIFIERS.values(), *DENSITIES.values()]
    bases = (BayesianNetworkClassifier, BayesianNetworkDensity)
    first = "Classifiers and densities with scikit-learn's contract, one class per file."
    imports = [
        f"from {kind.__module__} import {kind.__name__} as {kind.__name__}" for kind in (*kinds, *bases)
    ]
    return "\n".join(
        [
            STUB.format(first=first),
            *sorted(imports),
            "",
            *all_names([kind.__name__ for kind in kinds]),
            "CLASSIFIERS: dict[str, type[BayesianNetworkClassifier]]",
            "DENSITIES: dict[str, type[BayesianNetworkDensity]]",
            "",
        ]
    )


STUBS = {
    "python/tanager/scores.pyi": lambda: specification_stub(
        "Decomposable scores, each with its settings.",
        SCORES,
        "ScoreLike = str | Specification | Callable[[NDArray[np.int64]], float] | Any",
    ),
    "python/tanager/parameters.pyi": lambda: specification_stub(
        "Parameter estimators with their settings.", PARAMETERS, "ParametersLike = str | Specification"
    ),
    "python/tanager/estimators/__init__.pyi": estimators_stub,
}


def replaced(text: str, name: str, content: str) -> str:
    """The text with another content between the marks of `name`, be they of Markdown or of YAML."""
    for begin, end in (
        (f"<!-- {name}: begin -->", f"<!-- {name}: end -->"),
        (f"# {name}: begin", f"# {name}: end"),
    ):
        if text.count(begin) == text.count(end) == 1:
            inner = rf"(?<={re.escape(begin)}\n).*?(?=^ *{re.escape(end)})"
            return re.sub(inner, lambda _: content + "\n", text, flags=re.S | re.M)
    raise ValueError(f"the text has no single pair of marks of {name}")


def written() -> dict[Path, str]:
    """Every file that follows from the registry, as it should be."""
    files = {}
    for name, tables in TABLES.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        for mark, content in tables.items():
            text = replaced(text, mark, content())
        files[ROOT / name] = text
    return files | {ROOT / name: content() for name, content in STUBS.items()}


def stale() -> list[Path]:
    """The files that are not as they should be."""
    return [
        path
        for path, text in written().items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    found = stale()
    for path in found:
        print(path.relative_to(ROOT))
        if not check:
            path.write_text(written()[path], encoding="utf-8")
    return int(check and bool(found))


if __name__ == "__main__":
    sys.exit(main())
