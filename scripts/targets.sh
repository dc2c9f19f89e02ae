#!/usr/bin/env bash
# Everything compiles for processors other than this one: aarch64, and x86-64 as it was at first, without anything that
# later processors can. Needs Rust; rustup fetches the standard library for aarch64.
set -euo pipefail
cd "$(dirname "$0")/.."
rustup target add aarch64-unknown-linux-gnu
cargo check --quiet --workspace --locked --target aarch64-unknown-linux-gnu
RUSTFLAGS="-C target-cpu=x86-64" cargo check --quiet --workspace --locked --target x86_64-unknown-linux-gnu
