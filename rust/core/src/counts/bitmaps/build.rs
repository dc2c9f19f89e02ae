//! Filling the bitmaps of a column.

use super::popcount::ones;
use super::{ClassLayout, ColumnMaps};
use crate::data::{Codes, Column, Dataset};
use crate::with_codes;

/// Where the rows go, shared by all columns of a data set.
pub(super) enum RowPlaces {
    /// For each row, the position of its bit.
    Scatter(Vec<u32>),
    /// For each block of 64 rows and each class, the rows of that class: `[block·s + c]`.
    #[cfg(target_arch = "x86_64")]
    Masks(Vec<u64>),
}

impl RowPlaces {
    pub(super) fn of(data: &Dataset, layout: &ClassLayout) -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(masks) = avx2::class_masks(data, layout) {
            return Self::Masks(masks);
        }
        Self::Scatter(bit_positions(data, layout))
    }
}

/// The bit of each row: its class's first bit plus the number of rows of that class before it.
fn bit_positions(data: &Dataset, layout: &ClassLayout) -> Vec<u32> {
    match data.class() {
        None => (0..data.rows() as u32).collect(),
        Some(class) => {
            let mut next: Vec<u32> = layout.word_offsets.iter().map(|&word| word as u32 * 64).collect();
            with_codes!(class.codes(), codes => codes
                .iter()
                .map(|&code| {
                    let place = next[code as usize];
                    next[code as usize] += 1;
                    place
                })
                .collect())
        }
    }
}

/// The maps of one column, or `None` where its codes are wider than 8 bits.
pub(super) fn column_maps(column: &Column, layout: &ClassLayout, places: &RowPlaces) -> Option<ColumnMaps> {
    let Codes::U8(codes) = column.codes() else { return None };
    let arity = column.arity();
    let stored = if column.has_missing() { arity } else { arity - 1 };
    let width = layout.words();
    let mut words = vec![0u64; stored * width];
    match places {
        RowPlaces::Scatter(positions) => scatter(codes, positions, stored, width, &mut words),
        #[cfg(target_arch = "x86_64")]
        RowPlaces::Masks(masks) => avx2::compress(codes, masks, layout, stored, &mut words),
    }
    let margin = margin(layout, arity, stored, &words);
    Some(ColumnMaps { arity, stored, words, margin })
}

/// One bit per row; any number of classes and values.
fn scatter(codes: &[u8], positions: &[u32], stored: usize, width: usize, words: &mut [u64]) {
    for (&code, &position) in codes.iter().zip(positions) {
        if usize::from(code) < stored {
            words[usize::from(code) * width + position as usize / 64] |= 1 << (position % 64);
        }
    }
}

/// Rows with each value, class by class; the value without a bitmap by subtraction.
fn margin(layout: &ClassLayout, arity: usize, stored: usize, words: &[u64]) -> Vec<u32> {
    let width = layout.words();
    let mut margin = vec![0; layout.n_classes() * arity];
    for (class, &rows) in layout.rows.iter().enumerate() {
        let segment = layout.word_offsets[class]..layout.word_offsets[class + 1];
        let margin = &mut margin[class * arity..(class + 1) * arity];
        for (value, count) in margin.iter_mut().enumerate().take(stored) {
            *count = ones(&words[value * width..][segment.clone()]);
        }
        if stored < arity {
            margin[stored] = rows - margin[..stored].iter().sum::<u32>();
        }
    }
    margin
}

/// Byte comparisons give the mask of 64 rows at once, and PEXT moves the bits of one class together.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{ClassLayout, Codes, Dataset};
    use std::arch::x86_64::{
        __m256i, _mm256_cmpeq_epi8, _mm256_movemask_epi8, _mm256_set_epi64x, _mm256_set1_epi8, _pext_u64,
    };

    /// Beyond this number of classes a bit per row is cheaper than a PEXT per class (bench `bitmaps`).
    const MOST_CLASSES: usize = 12;
    /// A code that no value of a column with 8-bit codes has: 255 is the missing code.
    const NO_VALUE: u8 = u8::MAX;

    fn available() -> bool {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt")
    }

    /// The rows of each class in each block of 64, or `None` where this way is not to be taken.
    pub(super) fn class_masks(data: &Dataset, layout: &ClassLayout) -> Option<Vec<u64>> {
        if !available() || layout.n_classes() > MOST_CLASSES {
            return None;
        }
        let rows = data.rows();
        match data.class().map(|class| class.codes()) {
            None => Some((0..rows.div_ceil(64)).map(|block| low_bits(rows - block * 64)).collect()),
            // SAFETY: `available` has seen that the processor has the features the function is compiled for.
            Some(Codes::U8(codes)) => Some(unsafe { masks_of_values(codes, layout.n_classes()) }),
            Some(_) => None,
        }
    }

    fn low_bits(count: usize) -> u64 {
        if count >= 64 { u64::MAX } else { (1 << count) - 1 }
    }

    /// Fills the bitmaps of a column.
    pub(super) fn compress(
        codes: &[u8],
        masks: &[u64],
        layout: &ClassLayout,
        stored: usize,
        words: &mut [u64],
    ) {
        assert!(available());
        // SAFETY: the line above has seen that the processor has the features the function is compiled for.
        unsafe { compress_by_pext(codes, masks, layout, stored, words) }
    }

    /// 64 rows; what is behind the last row has no value.
    fn block(codes: &[u8], index: usize) -> [u8; 64] {
        let rest = &codes[index * 64..];
        match rest.first_chunk::<64>() {
            Some(whole) => *whole,
            None => {
                let mut padded = [NO_VALUE; 64];
                padded[..rest.len()].copy_from_slice(rest);
                padded
            }
        }
    }

    #[target_feature(enable = "avx2,bmi2,popcnt")]
    fn load(block: &[u8; 64]) -> [__m256i; 2] {
        let word = |index: usize| {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&block[index * 8..index * 8 + 8]);
            i64::from_le_bytes(bytes)
        };
        [
            _mm256_set_epi64x(word(3), word(2), word(1), word(0)),
            _mm256_set_epi64x(word(7), word(6), word(5), word(4)),
        ]
    }

    #[target_feature(enable = "avx2,bmi2,popcnt")]
    fn rows_with(value: u8, block: &[__m256i; 2]) -> u64 {
        let value = _mm256_set1_epi8(value as i8);
        let [low, high] = block.map(|half| _mm256_movemask_epi8(_mm256_cmpeq_epi8(half, value)) as u32);
        u64::from(low) | u64::from(high) << 32
    }

    #[target_feature(enable = "avx2,bmi2,popcnt")]
    fn masks_of_values(codes: &[u8], values: usize) -> Vec<u64> {
        let mut masks = Vec::with_capacity(codes.len().div_ceil(64) * values);
        for index in 0..codes.len().div_ceil(64) {
            let rows = load(&block(codes, index));
            masks.extend((0..values).map(|value| rows_with(value as u8, &rows)));
        }
        masks
    }

    #[target_feature(enable = "avx2,bmi2,popcnt")]
    fn compress_by_pext(codes: &[u8], masks: &[u64], layout: &ClassLayout, stored: usize, words: &mut [u64]) {
        let classes = layout.n_classes();
        let width = layout.words();
        let mut next: Vec<usize> = layout.word_offsets[..classes].iter().map(|word| word * 64).collect();
        for (index, masks) in masks.chunks_exact(classes).enumerate() {
            let rows = load(&block(codes, index));
            for value in 0..stored {
                let ones = rows_with(value as u8, &rows);
                let map = &mut words[value * width..(value + 1) * width];
                for (&mask, &place) in masks.iter().zip(&next) {
                    let bits = _pext_u64(ones, mask);
                    let (word, shift) = (place / 64, place % 64);
                    // A class whose rows are all placed may stand at the end of the last word.
                    if bits != 0 {
                        map[word] |= bits << shift;
                        let carry = if shift == 0 { 0 } else { bits >> (64 - shift) };
                        if carry != 0 {
                            map[word + 1] |= carry;
                        }
                    }
                }
            }
            for (place, mask) in next.iter_mut().zip(masks) {
                *place += mask.count_ones() as usize;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows and classes at and around the ends of words, small enough for an interpreter that checks every access.
    #[test]
    fn bits_moved_together_are_bits_set_one_by_one() {
        for rows in [1, 63, 64, 65, 130, 193] {
            for classes in [None, Some(1), Some(3), Some(12), Some(13)] {
                let codes =
                    |step: usize, arity: usize| (0..rows).map(move |row| (row * step / 2 % arity) as i64);
                let plain = Column::from_integers("plain", codes(3, 4), 4, None).unwrap();
                let missing =
                    Column::from_integers("missing", codes(5, 4).map(|code| code - 1), 3, Some(-1)).unwrap();
                let class = classes.map(|s| Column::from_integers("class", codes(7, s), s, None).unwrap());
                let data = Dataset::new(vec![plain, missing], class).unwrap();
                let layout = ClassLayout::of(&data);
                let together = RowPlaces::of(&data, &layout);
                let one_by_one = RowPlaces::Scatter(bit_positions(&data, &layout));
                for column in data.columns() {
                    let fast = column_maps(column, &layout, &together).unwrap();
                    let slow = column_maps(column, &layout, &one_by_one).unwrap();
                    assert_eq!(fast.words, slow.words, "{rows} rows, {classes:?} classes");
                    assert_eq!(fast.margin, slow.margin, "{rows} rows, {classes:?} classes");
                    assert_eq!(
                        slow.margin.iter().sum::<u32>() as usize,
                        (0..rows).filter(|&row| column.get(row).is_some()).count()
                    );
                }
            }
        }
    }
}
