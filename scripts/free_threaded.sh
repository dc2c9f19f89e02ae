#!/usr/bin/env bash
# The tests on free-threaded Python, with its global lock off whatever is imported, in an environment of its own
# (target/free-threaded). Tests that need what is left out are skipped, and say so. Arguments go to pytest.
# PYTHON (python3.14t) may be set, and WHEEL, a wheel that is built already; otherwise a quick one is built.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=target/free-threaded

"${PYTHON:-python3.14t}" -m venv "$folder"
python="$PWD/$folder/bin/python"
# polars has no build for it, duckdb only one before a release, which narwhals cannot read; Spark is left to other Pythons.
"$python" scripts/requirements.py --without duckdb polars pyspark > "$folder/requirements.txt"
"$python" -m pip install --quiet --requirement "$folder/requirements.txt"

if [ -z "${WHEEL:-}" ]; then
  python3 -m venv "$folder/tools"
  "$folder/tools/bin/python" -m pip install --quiet 'maturin>=1.9,<2'
  rm -rf "$folder/wheels"
  "$folder/tools/bin/maturin" build --quiet --profile quick --interpreter "$python" --out "$folder/wheels"
  WHEEL=$(ls "$folder"/wheels/*.whl)
fi
"$python" -m pip install --quiet --force-reinstall --no-deps "$WHEEL"
"$python" -c 'import sys, tanager._core; assert not sys._is_gil_enabled(); print(sys.version, "without its lock")'
PYTHON_GIL=0 exec "$python" -m pytest -rs "$@"
