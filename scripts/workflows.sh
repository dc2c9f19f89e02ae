#!/usr/bin/env bash
# The workflows, linted: by their schema, by zizmor (permissions, pins, what may be injected), by actionlint and, with the
# scripts that they run, by shellcheck. These two are taken from the PATH, or from Python packages that download them.
set -euo pipefail
cd "$(dirname "$0")/.."
tools="$PWD/target/workflow-tools"
python3 -m venv "$tools"
"$tools/bin/python" -m pip install --quiet check-jsonschema zizmor
"$tools/bin/check-jsonschema" --builtin-schema vendor.github-workflows .github/workflows/*.yml
"$tools/bin/zizmor" --offline --quiet .github/workflows
export PATH="$PATH:$tools/bin"
for name in actionlint shellcheck; do
  command -v "$name" >/dev/null || "$tools/bin/python" -m pip install --quiet "$name-py" ||
    { echo "$name is neither on the PATH nor to be had: the schema and zizmor alone have spoken"; exit 1; }
done
actionlint
shellcheck scripts/*.sh scripts/dev tests/all.sh tests/fuzz/long.sh .ci/run
