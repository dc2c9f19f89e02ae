#!/usr/bin/env bash
# What a user does: installs a wheel where there is no Rust, and runs the README's example and its first command.
# usage: scripts/try_wheel.sh dist/tanager_learn-….whl        PYTHON (python3) may be set
set -euo pipefail
# as this system's programs, Python among them, write a path
path() {
  if command -v cygpath >/dev/null; then cygpath --mixed --absolute "$1"; else realpath "$1"; fi
}
wheel=$(path "$1")
readme=$(path "$(dirname "$0")/../README.md")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv .venv
bin="$folder/.venv/bin"
[ -d "$bin" ] || bin="$folder/.venv/Scripts"
# neither Rust nor a compiler can be found: what has to be built fails
PATH="$bin" python -m pip install --quiet "${wheel}[report]"
PATH="$bin" python - "$readme" <<'PYTHON'
import doctest
import sys
from pathlib import Path

text = Path(sys.argv[1]).read_text(encoding="utf-8").replace("\n```", "\n\n```")
runner = doctest.DocTestRunner()
runner.run(doctest.DocTestParser().get_doctest(text, {}, "README", sys.argv[1], 0))
print(runner.summarize())
sys.exit(runner.failures > 0 or runner.tries == 0)
PYTHON
PATH="$bin" tanager compare nb tan --data car --no-progress
