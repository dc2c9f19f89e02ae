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
  # Zig would link an unwinder of its own. Before 3.14 Python ends daemon threads by unwinding them when a program ends,
  # with that of gcc's library: the two do not understand each other, and the program dies of it.
  mkdir -p unwinder
  ln -sf "$(cc -print-file-name=libgcc_s.so.1)" unwinder
  export RUSTFLAGS="${RUSTFLAGS:-} -L native=$PWD/unwinder -l dylib:+verbatim=libgcc_s.so.1"
  # shellcheck disable=SC2086 # a list of interpreters
  CARGO_NET_OFFLINE=true CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-../wheel}" maturin build --release --locked --zig \
    --compatibility "${PLATFORM:-manylinux2014}" --interpreter ${INTERPRETERS:-python3} --out ../../dist
)

twine check --strict dist/*
for wheel in dist/*.whl; do
  bash scripts/wheel_tag.sh "$wheel" "${PLATFORM:-manylinux2014}"
  "$tools/bin/python" - "$wheel" <<'PYTHON'
import sys
import zipfile

with zipfile.ZipFile(sys.argv[1]) as wheel:
    modules = [wheel.read(name) for name in wheel.namelist() if name.endswith(".so")]
sys.exit(None if modules and all(b"libgcc_s.so.1" in module for module in modules) else "another unwinder than gcc's")
PYTHON
  size=$(stat --format %s "$wheel")
  echo "$wheel: $size bytes"
  [ "$size" -le 6000000 ] || { echo "$wheel is larger than 6 MB"; exit 1; }
done
