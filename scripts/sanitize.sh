#!/usr/bin/env bash
# The unsafe blocks of the core under two referees: Miri interprets the tests that reach them and checks every access;
# AddressSanitizer watches all tests of counts and data. Needs a nightly Rust with miri and rust-src:
#   rustup toolchain install nightly --component miri --component rust-src
# Each has a target folder of its own; the first run takes some minutes. `miri` or `address` runs only one.
set -euo pipefail
cd "$(dirname "$0")/.."
which="${1:-both}"
if [[ "$which" != address ]]; then
    # Miri has no processor to ask what it can do: without the features the ways that need them would not be taken.
    CARGO_TARGET_DIR=target/miri MIRIFLAGS="-Zmiri-disable-isolation" \
        RUSTFLAGS="-C target-feature=+avx2,+bmi2,+popcnt" \
        cargo +nightly miri test --quiet --locked -p tanager-core --lib -- --exact \
        counts::bitmaps::build::tests::bits_moved_together_are_bits_set_one_by_one \
        data::source::tests::a_walk_meets_each_value_of_each_column_once_and_in_order \
        data::source::tests::columns_of_a_row_are_read_together
fi
if [[ "$which" != miri ]]; then
    CARGO_TARGET_DIR=target/address RUSTFLAGS="-Z sanitizer=address" \
        cargo +nightly test --quiet --locked --target "$(rustc -vV | sed -n 's/^host: //p')" -p tanager-core --lib -- counts:: data::
fi
