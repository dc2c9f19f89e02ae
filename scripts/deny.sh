#!/usr/bin/env bash
# Licences, sources and doubles of all crates, without a network; with `--advisories` also known holes, which are fetched.
# Needs cargo-deny: cargo install cargo-deny
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ "${1:-}" == --advisories ]]; then
    cargo deny check advisories licenses bans sources
else
    cargo deny --offline check licenses bans sources
fi
