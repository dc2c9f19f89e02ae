#!/usr/bin/env bash
# The documentation site, strictly: a warning is an error. It goes to site/.
set -euo pipefail
cd "$(dirname "$0")/.."
python3 -m venv target/docs
target/docs/bin/python -m pip install --quiet '.[docs]'
target/docs/bin/python -m mkdocs build --strict --site-dir site
