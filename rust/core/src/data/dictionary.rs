//! Distinct values of a column of byte strings.

use crate::data::hash::{fold, secret};

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
    let values = values.into_iter();
    let mut dictionary = Dictionary::new();
    let mut codes = Vec::with_capacity(values.size_hint().0);
    let mut first = Vec::new();
    for (row, value) in values.enumerate() {
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

/// A byte string with its ends at hand, which are all of it up to 16 bytes.
#[derive(Clone, Copy)]
struct Key<'a> {
    head: u64,
    tail: u64,
    text: &'a [u8],
}

impl<'a> Key<'a> {
    fn new(text: &'a [u8]) -> Self {
        let word = |bytes: &[u8; 4]| u64::from(u32::from_le_bytes(*bytes));
        let (head, tail) = match (text.first_chunk(), text.last_chunk()) {
            (Some(head), Some(tail)) => (u64::from_le_bytes(*head), u64::from_le_bytes(*tail)),
            _ => match (text.first_chunk(), text.last_chunk()) {
                (Some(head), Some(tail)) => (word(head), word(tail)),
                _ => match text {
                    [] => (0, 0),
                    // Of three bytes at most, these are all.
                    [head, .., tail] => {
                        (u64::from(*head) << 8 | u64::from(text[text.len() / 2]), u64::from(*tail))
                    }
                    [head] => (u64::from(*head), 0),
                },
            },
        };
        Self { head, tail, text }
    }

    fn is(&self, other: &Self) -> bool {
        (self.head, self.tail, self.text.len()) == (other.head, other.tail, other.text.len())
            && (self.text.len() <= 16 || self.text == other.text)
    }

    /// The secret keeps strings apart that were crafted to meet.
    fn hash(&self, secret: [u64; 2]) -> u64 {
        let hash = fold(self.head ^ secret[0], self.tail ^ secret[1] ^ self.text.len() as u64);
        if self.text.len() <= 16 {
            return hash;
        }
        let (words, _) = self.text[8..].as_chunks();
        words.iter().fold(hash, |hash, &word| fold(hash ^ u64::from_le_bytes(word), secret[0]))
    }
}

/// An empty place of the table.
const EMPTY: u32 = u32::MAX;

struct Dictionary<'a> {
    /// Codes by hash, with linear probing; never more than a quarter full, so that a first look mostly finds.
    slots: Vec<u32>,
    keys: Vec<Key<'a>>,
    secret: [u64; 2],
}

impl<'a> Dictionary<'a> {
    fn new() -> Self {
        Self { slots: vec![EMPTY; 256], keys: Vec::new(), secret: secret() }
    }

    fn code(&mut self, text: &'a [u8]) -> u32 {
        let key = Key::new(text);
        let place = self.find(&key);
        if self.slots[place] != EMPTY {
            return self.slots[place];
        }
        let code = self.keys.len() as u32;
        self.slots[place] = code;
        self.keys.push(key);
        if self.keys.len() * 4 > self.slots.len() {
            self.grow();
        }
        code
    }

    /// The place of a key, or the empty one where it belongs.
    fn find(&self, key: &Key<'_>) -> usize {
        let mask = self.slots.len() - 1;
        let mut place = key.hash(self.secret) as usize & mask;
        loop {
            match self.slots[place] {
                EMPTY => return place,
                code if self.keys[code as usize].is(key) => return place,
                _ => place = (place + 1) & mask,
            }
        }
    }

    fn grow(&mut self) {
        self.slots = vec![EMPTY; self.slots.len() * 4];
        for (code, key) in self.keys.iter().enumerate() {
            let place = self.find(key);
            self.slots[place] = code as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn numbers_values_as_they_first_occur(values in prop::collection::vec(prop::option::of("[ab]{0,4}|[a-d]{0,30}"), 0..600)) {
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
