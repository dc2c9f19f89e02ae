//! The combinations of values that occur, numbered level by level.

use crate::data::{Code, Column};
use crate::with_codes;

/// No combination: it does not occur, or a value of it is missing.
pub const NONE: u32 = u32::MAX;

/// One level: which pairs (combination of the level before, value) occur.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    arity: usize,
    /// parent · arity + code of each combination, ascending: its place is its number.
    keys: Vec<u64>,
    /// The number of each key, or nothing where keys are too sparse to list them all.
    lookup: Vec<u32>,
}

impl Level {
    /// The level of ascending keys below `parents` combinations.
    pub fn new(arity: usize, parents: usize, keys: Vec<u64>) -> Self {
        let cells = parents as u128 * arity as u128;
        let mut lookup = Vec::new();
        if cells <= 8 * keys.len() as u128 + 4096 {
            lookup = vec![NONE; cells as usize];
            for (number, &key) in keys.iter().enumerate() {
                lookup[key as usize] = number as u32;
            }
        }
        Self { arity, keys, lookup }
    }

    /// How many combinations there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The combinations, as parent · arity + code, ascending.
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// The combination of the level before that this one continues.
    pub fn parent(&self, number: usize) -> usize {
        (self.keys[number] / self.arity as u64) as usize
    }

    /// The value that this combination adds to it.
    pub fn code(&self, number: usize) -> usize {
        (self.keys[number] % self.arity as u64) as usize
    }

    /// The size of the column's domain.
    pub fn arity(&self) -> usize {
        self.arity
    }

    /// The number of a combination, [`NONE`] where it does not occur.
    pub fn find(&self, parent: u32, code: usize) -> u32 {
        if parent == NONE || code >= self.arity {
            return NONE;
        }
        let key = u64::from(parent) * self.arity as u64 + code as u64;
        if self.lookup.is_empty() {
            return self.keys.binary_search(&key).map_or(NONE, |number| number as u32);
        }
        self.lookup[key as usize]
    }
}

/// Combinations of the values of a list of columns: level d numbers those of the first d + 1 columns that occur.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trie {
    /// The levels, from the first column on.
    pub levels: Vec<Level>,
}

impl Trie {
    /// The combinations in the given rows, and for each level the number of each row's, [`NONE`] where a value of it is
    /// missing.
    ///
    /// # Complexity
    /// O(N) per column, and a sort where combinations are few among those possible.
    pub fn build(columns: &[&Column], rows: usize) -> (Self, Vec<Vec<u32>>) {
        let (mut levels, mut numbers) = (Vec::new(), Vec::<Vec<u32>>::new());
        let mut parents = 1;
        for column in columns {
            let (level, of_rows) = next_level(column, numbers.last().map(Vec::as_slice), parents, rows);
            parents = level.len();
            levels.push(level);
            numbers.push(of_rows);
        }
        (Self { levels }, numbers)
    }
}

fn next_level(column: &Column, before: Option<&[u32]>, parents: usize, rows: usize) -> (Level, Vec<u32>) {
    let arity = column.arity();
    let mut keys = vec![u64::MAX; rows];
    with_codes!(column.codes(), codes => for (row, (key, code)) in keys.iter_mut().zip(codes).enumerate() {
        let parent = before.map_or(0, |before| before[row]);
        if parent != NONE && code.index() < arity {
            *key = u64::from(parent) * arity as u64 + code.index() as u64;
        }
    });
    let cells = parents as u128 * arity as u128;
    let occurring: Vec<u64> = if cells <= 4 * rows as u128 + 4096 {
        let mut occurs = vec![false; cells as usize];
        keys.iter().filter(|&&key| key != u64::MAX).for_each(|&key| occurs[key as usize] = true);
        (0..cells as u64).filter(|&key| occurs[key as usize]).collect()
    } else {
        let mut sorted: Vec<u64> = keys.iter().copied().filter(|&key| key != u64::MAX).collect();
        sorted.sort_unstable();
        sorted.dedup();
        sorted
    };
    let level = Level::new(arity, parents, occurring);
    let number = |&key: &u64| {
        if key == u64::MAX {
            return NONE;
        }
        level.find((key / arity as u64) as u32, (key % arity as u64) as usize)
    };
    let of_rows = keys.iter().map(number).collect();
    (level, of_rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn column(values: &[i64], arity: usize) -> Column {
        Column::from_integers("x", values.iter().copied(), arity, Some(-1)).unwrap()
    }

    proptest! {
        #[test]
        fn rows_share_a_number_where_they_share_the_values(
            rows in prop::collection::vec((-1i64..3, -1i64..1000, -1i64..2), 1..60),
        ) {
            let columns = [
                column(&rows.iter().map(|row| row.0).collect::<Vec<_>>(), 3),
                column(&rows.iter().map(|row| row.1).collect::<Vec<_>>(), 100_000),
                column(&rows.iter().map(|row| row.2).collect::<Vec<_>>(), 2),
            ];
            let (trie, numbers) = Trie::build(&columns.iter().collect::<Vec<_>>(), rows.len());
            let prefix = |row: usize, depth: usize| -> Option<Vec<usize>> {
                columns[..=depth].iter().map(|column| column.get(row)).collect()
            };
            for depth in 0..3 {
                for a in 0..rows.len() {
                    prop_assert_eq!(numbers[depth][a] == NONE, prefix(a, depth).is_none());
                    let before = if depth == 0 { 0 } else { numbers[depth - 1][a] };
                    let code = columns[depth].get(a).unwrap_or(usize::MAX);
                    prop_assert_eq!(trie.levels[depth].find(before, code), numbers[depth][a]);
                    for b in 0..a {
                        let same = prefix(a, depth).is_some() && prefix(a, depth) == prefix(b, depth);
                        let numbered = numbers[depth][a] != NONE && numbers[depth][a] == numbers[depth][b];
                        prop_assert_eq!(same, numbered);
                    }
                }
            }
        }
    }
}
