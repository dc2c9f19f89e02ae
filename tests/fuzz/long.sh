#!/usr/bin/env bash
# An hour of fuzzing on two cores, with seeds of the day: long.sh [SECONDS]. What fails is put into corpus/. A sixth as long goes
# to the core alone (rust/core/tests/fuzz), target after target, before that.
set -euo pipefail
cd "$(dirname "$0")/../.."
day=$(date +%Y%m%d)
targets=$(grep -cE '^    [a-z]+: [a-z]+::[a-z]+;' rust/core/tests/fuzz/main.rs)
TANAGER_FUZZ_SEED="${day}0000" TANAGER_FUZZ_SECONDS=$((${1:-3600} / 6 / targets)) \
  cargo test --quiet -p tanager-core --test fuzz -- --test-threads 1
fuzzers=()
for half in 1 2; do
  .venv/bin/python tests/fuzz/fuzz.py --seconds "${1:-3600}" --seed "$day$half" &
  fuzzers+=($!)
done
failed=0
for fuzzer in "${fuzzers[@]}"; do
  wait "$fuzzer" || failed=1 # the other one goes on: what it finds is wanted too
done
exit "$failed"
