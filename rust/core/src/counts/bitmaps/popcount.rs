//! Counting bits, compiled for several processors and chosen at run time.

use multiversion::multiversion;

use super::WORD_GROUP;

/// The number of ones.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512vl+avx512vpopcntdq+avx2+bmi1+bmi2+popcnt",
    "x86_64+avx2+bmi1+bmi2+popcnt",
    "x86_64+popcnt",
    "aarch64+neon"
))]
pub fn ones(words: &[u64]) -> u32 {
    words.iter().map(|word| word.count_ones()).sum()
}

/// Two columns whose table is to be counted: bitmaps one behind the other for each, and where the table lies.
#[derive(Debug, Clone, Copy)]
pub struct MappedPair<'a> {
    /// The bitmaps of the column whose values are the table's rows.
    pub left: &'a [u64],
    /// The bitmaps of the column whose values are the table's columns.
    pub right: &'a [u64],
    /// The table's first cell.
    pub cells: usize,
    /// Cells in a row of the table.
    pub row: usize,
}

/// Adds to each pair's cell `a·row + b` the number of rows with value `a` in one column and `b` in the other, for
/// all values that have a bitmap.
///
/// Bitmaps are `width` words long; counted are the words of `segment`, whole groups ([`super::WORD_GROUP`]) of them.
/// All pairs go through one call: choosing the processor's version costs as much as a short bitmap.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512vl+avx512vpopcntdq+avx2+bmi1+bmi2+popcnt",
    "x86_64+avx2+bmi1+bmi2+popcnt",
    "x86_64+popcnt",
    "aarch64+neon"
))]
pub fn and_count_tables(
    pairs: &[MappedPair<'_>],
    width: usize,
    segment: std::ops::Range<usize>,
    cells: &mut [u32],
) {
    for pair in pairs {
        for (a, left) in pair.left.chunks_exact(width).enumerate() {
            let (left, _) = left[segment.clone()].as_chunks::<WORD_GROUP>();
            for (b, right) in pair.right.chunks_exact(width).enumerate() {
                let (right, _) = right[segment.clone()].as_chunks::<WORD_GROUP>();
                let mut counts = [0u64; WORD_GROUP];
                for (left, right) in left.iter().zip(right) {
                    for (count, (left, right)) in counts.iter_mut().zip(left.iter().zip(right)) {
                        *count += u64::from((left & right).count_ones());
                    }
                }
                cells[pair.cells + a * pair.row + b] += counts.iter().sum::<u64>() as u32;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_counted() {
        assert_eq!(ones(&[u64::MAX, 1, 0]), 65);
        let map = |first: u64, last: u64| [first, 0, 0, u64::MAX, last, last, last, last];
        let left = [map(0b1100, 1), map(0b0011, 2)].concat();
        let right = [map(0b0100, 1), map(0b0111, 3)].concat();
        let mut cells = [9, 0, 0, 7, 0, 0, 0];
        let pair = MappedPair { left: &left, right: &right, cells: 1, row: 3 };
        and_count_tables(&[pair], 8, 0..4, &mut cells);
        assert_eq!(cells, [9, 65, 65, 7, 64, 66, 0]);
        and_count_tables(&[pair, pair], 8, 4..8, &mut cells);
        assert_eq!(cells, [9, 73, 73, 7, 64, 74, 0]);
    }
}
