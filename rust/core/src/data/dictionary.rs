//! Distinct values of a column of byte strings.

/// The code of each value, −1 for none, and the first row of each code; codes number values as they first occur.
///
/// ```
/// use tanager_core::data::factorize;
/// let values = [Some(b"b".as_slice()), None, Some(b"a"), Some(b"b")];
/// assert_eq!(factorize(values), (vec![0, -1, 1, 0], vec![0, 2]));
/// ```
///
/// # Complexity
/// O(N · width), in one pass over an open-addressing table.
pub fn factorize<'a>(values: impl IntoIterator<Item = Option<&'a [u8]>>) -> (Vec<i32>, Vec<u32>) {
    let mut dictionary = Dictionary::new();
    let mut codes = Vec::new();
    let mut first = Vec::new();
    for (row, value) in values.into_iter().enumerate() {
        codes.push(match value {
            None => -1,
            Some(value) => {
                let code = dictionary.code(value);
                if code as usize == first.len() {
                    first.push(row as u32);
                }
                code as i32
            }
        });
    }
    (codes, first)
}

/// An empty place of the table.
const EMPTY: u32 = u32::MAX;

struct Dictionary<'a> {
    /// Codes by hash, with linear probing; never more than half full.
    slots: Vec<u32>,
    keys: Vec<(u64, &'a [u8])>,
}

impl<'a> Dictionary<'a> {
    fn new() -> Self {
        Self { slots: vec![EMPTY; 64], keys: Vec::new() }
    }

    fn code(&mut self, key: &'a [u8]) -> u32 {
        let hash = hash(key);
        let place = self.find(hash, key);
        if self.slots[place] != EMPTY {
            return self.slots[place];
        }
        let code = self.keys.len() as u32;
        self.slots[place] = code;
        self.keys.push((hash, key));
        if self.keys.len() * 2 > self.slots.len() {
            self.grow();
        }
        code
    }

    /// The slot of a key, or the empty one where it belongs.
    fn find(&self, hash: u64, key: &[u8]) -> usize {
        let mask = self.slots.len() - 1;
        let mut place = hash as usize & mask;
        loop {
            match self.slots[place] {
                EMPTY => return place,
                code if self.keys[code as usize] == (hash, key) => return place,
                _ => place = (place + 1) & mask,
            }
        }
    }

    fn grow(&mut self) {
        self.slots = vec![EMPTY; self.slots.len() * 4];
        for (code, &(hash, key)) in self.keys.iter().enumerate() {
            let place = self.find(hash, key);
            self.slots[place] = code as u32;
        }
    }
}

/// Multiplies and rotates eight bytes at a time; the high bits, the best mixed, are folded into the low ones.
fn hash(key: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let (words, rest) = key.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let mut hash = key.len() as u64;
    for word in words.iter().chain([&last]) {
        hash = (hash.rotate_left(5) ^ u64::from_le_bytes(*word)).wrapping_mul(FACTOR);
    }
    hash ^ (hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn numbers_values_as_they_first_occur(values in prop::collection::vec(prop::option::of("[a-d]{0,12}"), 0..300)) {
            let (codes, first) = factorize(values.iter().map(|v| v.as_deref().map(str::as_bytes)));
            let mut known: HashMap<&str, i32> = HashMap::new();
            let mut expected_first = Vec::new();
            for (row, value) in values.iter().enumerate() {
                let expected = value.as_deref().map_or(-1, |value| {
                    let next = known.len() as i32;
                    *known.entry(value).or_insert_with(|| {
                        expected_first.push(row as u32);
                        next
                    })
                });
                prop_assert_eq!(codes[row], expected);
            }
            prop_assert_eq!(first, expected_first);
        }
    }
}
