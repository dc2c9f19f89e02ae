#!/usr/bin/env bash
# An hour of fuzzing with seeds of the day, in an environment that it makes: scripts/fuzz.sh [SECONDS].
set -euo pipefail
cd "$(dirname "$0")/.."
python3 -m venv .venv
.venv/bin/python -m pip install --quiet '.[test]'
exec bash tests/fuzz/long.sh "$@"
