"""Checks types as users meet them, in the examples of README, documents, gallery and public docstrings.

python scripts/check_types.py

mypy and pyright are asked. The examples of each page or module become one module in target/types, with code
that is shown but not run, such as that for clusters. pyright is the basedpyright package, which brings its
own JavaScript engine, with the rules that pyright calls basic.
"""

from __future__ import annotations

import ast
import doctest
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import tanager
import tanager.dask
import tanager.motifs
import tanager.spark

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "target" / "types"
PYRIGHT = {
    "include": [str(FOLDER), str(ROOT / "gallery")],
    "pythonVersion": "3.11",
    "typeCheckingMode": "basic",
    "reportUnusedExpression": False,  # an example shows the value of an expression
}
# A page's later example may take or import a name anew. Libraries without types are not what is looked at.
MYPY = ["--config-file=", "--allow-redefinition", "--disable-error-code=no-redef", "--ignore-missing-imports"]


#: Code in a fence that is no example: nothing of it has a prompt.
PLAIN = re.compile(r"^```python\n((?!>>>).*?)^```$", re.DOTALL | re.MULTILINE)


def prompted(code: str) -> str:
    """Code as an example.

    >>> prompted("import os\\nif os:\\n    pass")
    '>>> import os\\n>>> if os:\\n...     pass\\n'
    """
    statements = [ast.unparse(node) for node in ast.parse(code).body]
    return "".join(f">>> {one}".replace("\n", "\n... ") + "\n" for one in statements)


def code_of(text: str) -> str:
    """The statements of all examples in a text, without what they print, and of its plain code."""
    text = PLAIN.sub(lambda found: prompted(found[1]), text)
    examples = doctest.DocTestParser().get_examples(text.replace("\n```", "\n\n```"))
    return "".join(example.source for example in examples)


def public_modules() -> list[Path]:
    """The files in which public names are defined."""
    named = [
        getattr(package, name).__module__
        for package in (tanager, tanager.motifs, tanager.dask, tanager.spark)
        for name in package.__all__
        if callable(getattr(package, name))
    ]
    files = {ROOT / "python" / Path(*name.split(".")).with_suffix(".py") for name in named}
    return sorted(path for path in files if path.is_file())


def namespace(source: Path) -> str:
    """What the examples of a module see: what it imports, and its own names."""
    own, imports = set(), ""
    for node in ast.parse(source.read_text(encoding="utf-8")).body:
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                own.add(name)
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                own.add(name)
            case ast.Import() | ast.ImportFrom():
                imports += ast.unparse(node) + "\n"
    module = ".".join(source.relative_to(ROOT / "python").with_suffix("").parts).removesuffix(".__init__")
    own.discard("__all__")
    return imports + (f"from {module} import {', '.join(sorted(own))}\n" if own else "")


def main() -> int:
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    # The pages of the gallery are made of modules that are checked themselves.
    written = [page for page in (ROOT / "docs").rglob("*.md") if page.parent.name != "gallery"]
    for page in [ROOT / "README.md", *written, *public_modules()]:
        if code := code_of(page.read_text(encoding="utf-8")):
            name = re.sub(r"\W", "_", page.relative_to(ROOT).with_suffix("").as_posix())
            before = namespace(page) if page.suffix == ".py" else ""
            (FOLDER / f"{name}.py").write_text(before + code, encoding="utf-8")
    settings = FOLDER / "pyrightconfig.json"
    settings.write_text(json.dumps(PYRIGHT), encoding="utf-8")
    pyright = [
        sys.executable,
        "-m",
        "basedpyright",
        "--pythonpath",
        sys.executable,
        "--project",
        str(settings),
    ]
    mypy = [sys.executable, "-m", "mypy", *MYPY, "target/types", "gallery"]
    return max(subprocess.run(command, cwd=ROOT).returncode for command in (mypy, pyright))


if __name__ == "__main__":
    sys.exit(main())
