"""What the tests need beside tanager, one requirement per line, as pyproject.toml names it.

    python scripts/requirements.py --oldest               # every `name>=version` becomes `name==version`
    python scripts/requirements.py --without polars duckdb

Tools that judge the source, build the documents, or only read what was exported are left out: their age says
nothing of tanager's.
"""

from __future__ import annotations

import argparse
import re
import tomllib
from pathlib import Path

TOOLS = {"basedpyright", "mypy", "pgmpy", "pyagrum", "ruff", "scipy-stubs"}
EXTRAS = ("report", "dask", "spark", "test")


def requirements(*, oldest: bool = False, without: frozenset[str] = frozenset()) -> list[str]:
    """The requirements of the package and of its tests, without those named."""
    text = (Path(__file__).resolve().parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    extras = project["optional-dependencies"]
    found = []
    for wanted in [*project["dependencies"], *(one for name in EXTRAS for one in extras[name])]:
        parts = re.match(r"(([\w-]+)(?:\[.*\])?)>=([\d.]+)", wanted)
        if parts and parts[2] not in TOOLS | without:
            found.append(f"{parts[1]}=={parts[3]}" if oldest else wanted)
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--oldest", action="store_true")
    parser.add_argument("--without", nargs="+", default=[], metavar="NAME")
    arguments = parser.parse_args()
    print(*requirements(oldest=arguments.oldest, without=frozenset(arguments.without)), sep="\n")
