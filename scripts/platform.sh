#!/usr/bin/env bash
# The tests on a machine where tests/all.sh is too much: the core's, then the package's, installed as users install it.
set -euo pipefail
cd "$(dirname "$0")/.."
export PYTHONUTF8=1 # what programs print is UTF-8, whatever the system's own encoding is
cargo test --quiet -p tanager-core
python3 -m venv .venv
python=.venv/bin/python
[ -x "$python" ] || python=.venv/Scripts/python.exe
"$python" -m pip install --quiet '.[test]'
"$python" -m pytest -n auto --dist loadgroup
