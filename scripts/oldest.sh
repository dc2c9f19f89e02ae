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
"$python" scripts/requirements.py --oldest > "$folder/requirements.txt"
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
