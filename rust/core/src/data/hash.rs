//! Hashes with a secret of the process, so that nobody can craft values that all meet in one place.
//!
//! Results never depend on the secret: tables number values by their order in the data or by their size.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::OnceLock;

/// Two odd numbers that differ from process to process.
pub(super) fn secret() -> [u64; 2] {
    static SECRET: OnceLock<[u64; 2]> = OnceLock::new();
    *SECRET.get_or_init(|| {
        let state = RandomState::new();
        [state.hash_one(0u8) | 1, state.hash_one(1u8) | 1]
    })
}

/// Multiplies to twice the width and folds the halves, so that every bit reaches the low ones.
#[inline(always)]
pub(super) fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product >> 64) as u64 ^ product as u64
}

/// A table from keys of 64 bits.
pub(super) type KeyMap = HashMap<u64, u32, Secret>;

/// Makes hashers of single 64-bit keys.
#[derive(Debug, Clone, Copy)]
pub struct Secret([u64; 2]);

impl Default for Secret {
    fn default() -> Self {
        Self(secret())
    }
}

impl BuildHasher for Secret {
    type Hasher = KeyHasher;
    fn build_hasher(&self) -> KeyHasher {
        KeyHasher { secret: self.0, hash: 0 }
    }
}

/// The hash of one key.
pub struct KeyHasher {
    secret: [u64; 2],
    hash: u64,
}

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.hash
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }
    fn write_u64(&mut self, key: u64) {
        self.hash = fold(self.hash ^ key ^ self.secret[0], self.secret[1]).rotate_left(17);
    }
}
