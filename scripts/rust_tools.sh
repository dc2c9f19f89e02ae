#!/usr/bin/env bash
# What tests/all.sh needs beside a Rust toolchain: the formatter and the linter of that toolchain.
set -euo pipefail
rustup component add rustfmt clippy
