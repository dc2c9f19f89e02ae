//! Counting bits, compiled for several processors and chosen at run time.

use multiversion::multiversion;

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

/// Adds to `cells[a·row + b]` the number of rows with value `a` in one column and `b` in the other, for all
/// values that have a bitmap.
///
/// `left` and `right` hold bitmaps of `width` words one behind the other; counted are the words of `segment`.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512vl+avx512vpopcntdq+avx2+bmi1+bmi2+popcnt",
    "x86_64+avx2+bmi1+bmi2+popcnt",
    "x86_64+popcnt",
    "aarch64+neon"
))]
pub fn and_count_cells(
    left: &[u64],
    right: &[u64],
    width: usize,
    segment: std::ops::Range<usize>,
    cells: &mut [u32],
    row: usize,
) {
    for (a, left) in left.chunks_exact(width).enumerate() {
        let left = &left[segment.clone()];
        for (b, right) in right.chunks_exact(width).enumerate() {
            let right = &right[segment.clone()];
            let count: u64 =
                left.iter().zip(right).map(|(&left, &right)| u64::from((left & right).count_ones())).sum();
            cells[a * row + b] += count as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_counted() {
        assert_eq!(ones(&[u64::MAX, 1, 0]), 65);
        let left = [0b1100, 0, 0b0011, 0];
        let right = [0b0100, 1, 0b0111, 1];
        let mut cells = [0, 0, 7, 0, 0, 0];
        and_count_cells(&left, &right, 2, 0..1, &mut cells, 3);
        assert_eq!(cells, [1, 1, 7, 0, 2, 0]);
    }
}
