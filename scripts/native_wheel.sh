#!/usr/bin/env bash
# The wheel for this machine as its own tools build it, for systems other than Linux; checked, in dist/.
set -euo pipefail
cd "$(dirname "$0")/.."
python3 -m venv target/wheel-tools
bin=target/wheel-tools/bin
[ -d "$bin" ] || bin=target/wheel-tools/Scripts
"$bin/python" -m pip install --quiet 'maturin>=1.9,<2' twine
rm -rf dist
"$bin/maturin" build --release --locked --out dist
"$bin/twine" check --strict dist/*
