#!/usr/bin/env bash
# The source distribution, and from it, offline and with its own lock, the wheel for this kind of machine; both are checked.
# Everything goes to dist/. Needs Python 3.11+ and Rust; zig, which links against an old glibc, comes from a Python package.
# PLATFORM (manylinux2014) and INTERPRETERS (python3; python3.14t builds for free-threaded Python) may be set.
set -euo pipefail
cd "$(dirname "$0")/.."
tools="$PWD/target/wheel-tools"
python3 -m venv "$tools"
"$tools/bin/python" -m pip install --quiet 'maturin[zig]>=1.9,<2' auditwheel twine
export PATH="$tools/bin:$PATH"

rm -rf dist target/from-sdist
maturin sdist --out dist
mkdir -p target/from-sdist
# Files of today: those of the archive are of 2006, and cargo would take what it built before for newer.
tar --extract --touch --gzip --file dist/tanager_learn-*.tar.gz --directory target/from-sdist --strip-components 1
(
  cd target/from-sdist
  cargo fetch --quiet --locked
  # shellcheck disable=SC2086 # a list of interpreters
  CARGO_NET_OFFLINE=true CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-../wheel}" maturin build --release --locked --zig \
    --compatibility "${PLATFORM:-manylinux2014}" --interpreter ${INTERPRETERS:-python3} --out ../../dist
)

twine check --strict dist/*
for wheel in dist/*.whl; do
  bash scripts/wheel_tag.sh "$wheel" "${PLATFORM:-manylinux2014}"
  size=$(stat --format %s "$wheel")
  echo "$wheel: $size bytes"
  [ "$size" -le 6000000 ] || { echo "$wheel is larger than 6 MB"; exit 1; }
done
