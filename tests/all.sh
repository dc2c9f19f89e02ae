#!/usr/bin/env bash
# Everything that has to hold before a change lands: lints, Rust tests, type checks, Python tests.
# Needs Python 3.11+ and a Rust toolchain with rustfmt and clippy; installs the rest into .venv.
set -euo pipefail
cd "$(dirname "$0")/.."

python3 -m venv .venv
.venv/bin/python -m pip install --quiet --upgrade pip
.venv/bin/python -m pip install --quiet '.[test]'

cargo fmt --all --check
cargo clippy --quiet --workspace --all-targets -- -D warnings
cargo clippy --quiet --manifest-path benches/Cargo.toml --all-targets -- -D warnings
RUSTDOCFLAGS="-D warnings" cargo doc --quiet --no-deps -p tanager-core
cargo test --quiet -p tanager-core

.venv/bin/ruff check .
.venv/bin/ruff format --check .
.venv/bin/mypy
.venv/bin/python -m mypy.stubtest tanager._core
.venv/bin/python scripts/check_types.py
.venv/bin/python scripts/third_party.py --check

# The installed package, not the source tree: what is missing from the wheel is missing here.
.venv/bin/python -m pytest -n auto --dist loadgroup
.venv/bin/python -m pytest --doctest-modules --pyargs tanager

# Changed files and odd tables, the same on every machine; tests/fuzz/long.sh looks for new ones for an hour.
TANAGER_FUZZ_CASES=1000 cargo test --quiet -p tanager-core --test fuzz
.venv/bin/python tests/fuzz/fuzz.py --rounds 500
