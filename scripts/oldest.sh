#!/usr/bin/env bash
# The tests with the oldest releases that pyproject.toml allows, in an environment of its own (target/oldest): every
# `name>=version` of the dependencies, and of what the tests use of the libraries that tanager talks to, becomes
# `name==version`. Arguments go to pytest. The other test environment, tests/all.sh, has the newest.
# WHEEL names a wheel that is built already; otherwise a quick one is built.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=target/oldest

python3 -m venv "$folder"
python="$PWD/$folder/bin/python"
"$python" - > "$folder/requirements.txt" <<'PYTHON'
import re
import tomllib
from pathlib import Path

# Tools that judge the source, build the documents, or only read what was exported: their age says nothing of tanager's.
LEFT_OUT = {"basedpyright", "mypy", "pgmpy", "pyagrum", "ruff", "scipy-stubs"}
EXTRAS = ("report", "dask", "spark", "test")
project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
extras = project["optional-dependencies"]
for wanted in [*project["dependencies"], *(one for name in EXTRAS for one in extras[name])]:
    found = re.match(r"(([\w-]+)(?:\[.*\])?)>=([\d.]+)", wanted)
    if found and found[2] not in LEFT_OUT:
        print(f"{found[1]}=={found[3]}")
PYTHON
"$python" -m pip install --quiet --requirement "$folder/requirements.txt"

if [ -z "${WHEEL:-}" ]; then
  "$python" -m pip install --quiet 'maturin>=1.9,<2'
  rm -rf "$folder/wheels"
  "$folder/bin/maturin" build --quiet --profile quick --interpreter "$python" --out "$folder/wheels"
  WHEEL=$(ls "$folder"/wheels/*.whl)
fi
"$python" -m pip install --quiet --force-reinstall --no-deps "$WHEEL"
"$python" -m pip list --format freeze | grep -iE '^(joblib|narwhals|numpy|pandas|polars|pyarrow|scikit-learn|scipy)=='
"$python" -m pip check
# What old releases say of each other's ways is not ours to mend.
exec "$python" -m pytest -W ignore::DeprecationWarning -W ignore::PendingDeprecationWarning "$@"
