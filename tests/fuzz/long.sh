#!/usr/bin/env bash
# An hour of fuzzing on two cores, with seeds of the day: long.sh [SECONDS]. What fails is put into corpus/.
set -euo pipefail
cd "$(dirname "$0")/../.."
day=$(date +%Y%m%d)
.venv/bin/python tests/fuzz/fuzz.py --seconds "${1:-3600}" --seed "${day}1" &
.venv/bin/python tests/fuzz/fuzz.py --seconds "${1:-3600}" --seed "${day}2"
wait $!
