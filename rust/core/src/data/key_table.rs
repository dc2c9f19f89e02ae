//! Codes of keys while a column is read.

use crate::data::hash::KeyMap;
use crate::data::source::Scratch;
use crate::data::{Code, Source};

/// Codes of keys in the order in which they are met, behind a small cache without collisions to resolve.
pub(super) struct KeyTable {
    cache: Cache,
    map: KeyMap,
    /// The keys by their codes.
    pub(super) keys: Vec<u64>,
    limit: usize,
    /// Whether a row was missing.
    pub(super) has_missing: bool,
}

impl KeyTable {
    /// A table of so many keys at most.
    pub(super) fn new(limit: usize) -> Self {
        Self { cache: Cache::new(), map: KeyMap::default(), keys: Vec::new(), limit, has_missing: false }
    }

    /// The code of a key that was met.
    pub(super) fn code_of(&self, key: u64) -> Option<u32> {
        self.map.get(&key).copied()
    }

    /// The code of a key, a new one where it is met first; none where there would be too many.
    pub(super) fn insert(&mut self, key: u64) -> Option<u32> {
        let next = self.keys.len() as u32;
        let code = *self.map.entry(key).or_insert(next);
        if code == next {
            if self.keys.len() == self.limit {
                return None;
            }
            self.keys.push(key);
        }
        self.cache.put(key, code);
        Some(code)
    }

    /// Writes the codes of a block; false where there are too many keys.
    pub(super) fn fill<T: Code>(
        &mut self,
        source: &dyn Source,
        start: usize,
        codes: &mut [T],
        scratch: &mut Scratch,
    ) -> bool {
        let (keys, mask) = scratch.read(source, start, codes.len());
        let missing = source.missing_key();
        for (row, (code, &key)) in codes.iter_mut().zip(keys).enumerate() {
            let masked = mask.is_some_and(|mask| mask[row]);
            *code = match self.cache.get(key) {
                Some(known) if !masked => T::from_index(known as usize),
                _ if missing == Some(key) || masked => {
                    self.has_missing = true;
                    T::MISSING
                }
                _ => match self.insert(key) {
                    Some(code) => T::from_index(code as usize),
                    None => return false,
                },
            };
        }
        true
    }
}

/// A small table from keys to codes where a key has one place and the last one to come keeps it.
pub(super) struct Cache {
    entries: [(u64, u32); 256],
}

impl Cache {
    pub(super) fn new() -> Self {
        // A place that was not taken holds a key that belongs elsewhere.
        let mut entries = [(0, 0); 256];
        entries[Self::place(0)] = (1, 0);
        Self { entries }
    }

    #[inline(always)]
    fn place(key: u64) -> usize {
        // Golden ratio: neighbouring integers, and reals that are whole, get different places.
        (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as usize
    }

    #[inline(always)]
    pub(super) fn get(&self, key: u64) -> Option<u32> {
        let (known, code) = self.entries[Self::place(key)];
        (known == key).then_some(code)
    }

    pub(super) fn put(&mut self, key: u64, code: u32) {
        self.entries[Self::place(key)] = (key, code);
    }
}
