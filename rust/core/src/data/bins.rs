//! From numbers and cut points to codes.

use crate::data::Code;

/// Above this many cut points a binary search beats comparing with each of them.
const FEW: usize = 24;
/// Rows that are compared with one cut point after the other while they are in the cache.
const ROWS: usize = 1024;

/// The bin of every value, the number of cut points below it; `missing` where it is NaN.
///
/// `cuts` ascend, and the codes' type can number them.
///
/// # Complexity
/// O(N · cuts) for few cut points, without a branch, O(N log cuts) for many.
///
/// ```
/// use tanager_core::data::bins;
/// assert_eq!(bins(&[1.0, 2.0, 2.5, f64::NAN], &[2.0], 255u8), vec![0, 0, 1, 255]);
/// ```
pub fn bins<C: Code>(x: &[f64], cuts: &[f64], missing: C) -> Vec<C> {
    let mut codes = vec![missing; x.len()];
    bins_into(x, cuts, missing, &mut codes);
    codes
}

/// [`bins`] into codes that are there already.
pub(super) fn bins_into<C: Code>(x: &[f64], cuts: &[f64], missing: C, codes: &mut [C]) {
    if cuts.len() <= FEW {
        for (block, codes) in x.chunks(ROWS).zip(codes.chunks_mut(ROWS)) {
            let mut below = [0u8; ROWS];
            for &cut in cuts {
                for (below, &value) in below.iter_mut().zip(block) {
                    *below += u8::from(cut < value);
                }
            }
            for ((code, &below), value) in codes.iter_mut().zip(&below).zip(block) {
                *code = if value.is_nan() { missing } else { C::from_index(below as usize) };
            }
        }
    } else {
        for (code, &value) in codes.iter_mut().zip(x) {
            *code = match value.is_nan() {
                true => missing,
                false => C::from_index(cuts.partition_point(|&cut| cut < value)),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn counts_the_cut_points_below(
            x in prop::collection::vec(prop_oneof![Just(f64::NAN), (0i32..40).prop_map(f64::from)], 0..50),
            cuts in prop::collection::btree_set(0i32..40, 0..40),
        ) {
            let cuts: Vec<f64> = cuts.into_iter().map(f64::from).collect();
            for (value, code) in x.iter().zip(bins(&x, &cuts, 99u16)) {
                let below = cuts.iter().filter(|&cut| cut < value).count();
                prop_assert_eq!(code as usize, if value.is_nan() { 99 } else { below });
            }
        }
    }
}
