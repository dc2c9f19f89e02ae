#!/usr/bin/env bash
# Everything compiles with the oldest Rust that Cargo.toml promises (rust-version), which rustup fetches.
set -euo pipefail
cd "$(dirname "$0")/.."
oldest=$(sed -nE 's/^rust-version = "(.*)"$/\1/p' Cargo.toml)
rustup toolchain install --profile minimal --no-self-update "$oldest"
CARGO_TARGET_DIR=target/oldest-rust cargo "+$oldest" check --quiet --workspace --locked
