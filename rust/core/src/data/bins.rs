//! From numbers and cut points to codes.

use std::hint::select_unpredictable;

use multiversion::multiversion;

use crate::data::Code;

/// Up to so many cut points every value is compared with each of them.
const FEW: usize = 24;
/// Rows that are compared with one cut point after the other while they are in the cache.
const ROWS: usize = 1024;
/// Buckets of the grid for each cut point.
const FINE: usize = 16;
/// The bin of every value, the number of cut points below it; `missing` where it is NaN.
///
/// `cuts` ascend, and the codes' type can number them.
///
/// ```
/// use tanager_core::data::bins;
/// assert_eq!(bins(&[1.0, 2.0, 2.5, f64::NAN], &[2.0], 255u8), vec![0, 0, 1, 255]);
/// ```
pub fn bins<C: Code>(x: &[f64], cuts: &[f64], missing: C) -> Vec<C> {
    let mut codes = vec![missing; x.len()];
    Cuts::new(cuts).bins(x, missing, &mut codes);
    codes
}

/// Cut points, made ready for many values.
///
/// # Formula
/// ```text
/// bin(v) = |{cuts t < v}| = |{t : g(t) < g(v)}| + |{t < v : g(t) = g(v)}|          g(v) = ⌊(v − t_1) · scale⌋, within the grid
/// ```
/// g never descends, so that a cut point in a bucket before that of `v` is below it, and one in a later bucket is not. The
/// first summand is a table; the second is searched for among the `widest` cut points of one bucket.
///
/// # Complexity
/// O(cuts) per value for few cut points; O(1 + log widest) for many. Without a branch that depends on the value.
pub struct Cuts<'a> {
    cuts: &'a [f64],
    grid: Option<Grid>,
}

struct Grid {
    /// The cut points, and after them as many that are above everything as a search may look at.
    cuts: Vec<f64>,
    /// The cut points in the buckets before each.
    before: Vec<u32>,
    scale: f64,
    /// The most cut points of one bucket.
    widest: u32,
}

impl<'a> Cuts<'a> {
    /// `cuts` ascend.
    pub fn new(cuts: &'a [f64]) -> Self {
        Self { cuts, grid: (cuts.len() > FEW).then(|| Grid::new(cuts)) }
    }

    /// The bin of every value, or `missing`.
    pub(super) fn bins<C: Code>(&self, x: &[f64], missing: C, codes: &mut [C]) {
        let blocks = x.chunks(ROWS).zip(codes.chunks_mut(ROWS));
        match &self.grid {
            None => {
                let mut below = [0u8; ROWS];
                blocks.for_each(|(block, codes)| {
                    compare(block, self.cuts, &mut below[..block.len()]);
                    write(block, &below, missing, codes);
                });
            }
            Some(grid) => {
                let mut below = [0u32; ROWS];
                blocks.for_each(|(block, codes)| {
                    grid.below(block, &mut below[..block.len()]);
                    write(block, &below, missing, codes);
                });
            }
        }
    }
}

/// The codes of values of which it is known how many cut points are below each.
#[inline(always)]
fn write<C: Code>(x: &[f64], below: &[impl Copy + Into<u32>], missing: C, codes: &mut [C]) {
    for ((code, &below), value) in codes.iter_mut().zip(below).zip(x) {
        let below: u32 = below.into();
        *code = if value.is_nan() { missing } else { C::from_index(below as usize) };
    }
}

/// The number of cut points below each value.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2", "aarch64+neon"))]
fn compare(x: &[f64], cuts: &[f64], below: &mut [u8]) {
    below.fill(0);
    for &cut in cuts {
        for (below, &value) in below.iter_mut().zip(x) {
            *below += u8::from(cut < value);
        }
    }
}

/// The bucket of each value: ⌊(v − first) · scale⌋ within the grid. Casts saturate and NaN becomes 0, so that distances
/// without bounds, and a scale of 0 or ∞, do no harm.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl+avx2", "x86_64+avx2", "aarch64+neon"))]
fn buckets_of(x: &[f64], first: f64, scale: f64, last: u32, at: &mut [u32]) {
    for (bucket, &value) in at.iter_mut().zip(x) {
        *bucket = (((value - first) * scale) as u32).min(last);
    }
}

impl Grid {
    fn new(cuts: &[f64]) -> Self {
        let buckets = FINE * cuts.len();
        let scale = buckets as f64 / (cuts[cuts.len() - 1] - cuts[0]);
        let mut grid = Self { cuts: cuts.to_vec(), before: vec![0; buckets + 1], scale, widest: 0 };
        let mut at = vec![0; cuts.len()];
        buckets_of(cuts, cuts[0], scale, (buckets - 1) as u32, &mut at);
        at.iter().for_each(|&bucket| grid.before[bucket as usize + 1] += 1);
        grid.widest = grid.before.iter().copied().max().unwrap_or(0);
        for bucket in 1..=buckets {
            grid.before[bucket] += grid.before[bucket - 1];
        }
        grid.cuts.extend(std::iter::repeat_n(f64::INFINITY, grid.widest as usize));
        grid
    }

    /// The number of cut points below each value. Step by step over all of them: while one waits for its cut point, the
    /// others go on.
    fn below(&self, x: &[f64], below: &mut [u32]) {
        buckets_of(x, self.cuts[0], self.scale, (self.before.len() - 2) as u32, below);
        below.iter_mut().for_each(|below| *below = self.before[*below as usize]);
        let mut width = self.widest;
        // Which half is left to be searched hangs on the value, how many steps there are does not.
        while width > 1 {
            let half = width / 2;
            for (below, &value) in below.iter_mut().zip(x) {
                let upper = self.cuts[(*below + half - 1) as usize] < value;
                *below = select_unpredictable(upper, *below + half, *below);
            }
            width -= half;
        }
        for (below, &value) in below.iter_mut().zip(x) {
            *below += u32::from(self.cuts[*below as usize] < value);
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
            x in prop::collection::vec(prop_oneof![Just(f64::NAN), (-1i32..61).prop_map(f64::from)], 0..50),
            cuts in prop::collection::btree_set(0i32..60, 0..60),
        ) {
            let cuts: Vec<f64> = cuts.into_iter().map(f64::from).collect();
            for (value, code) in x.iter().zip(bins(&x, &cuts, 99u16)) {
                let below = cuts.iter().filter(|&cut| cut < value).count();
                prop_assert_eq!(code as usize, if value.is_nan() { 99 } else { below });
            }
        }

        #[test]
        fn whatever_lies_between_cut_points(
            mut cuts in prop::collection::vec(any::<f64>().prop_filter("finite", |cut| cut.is_finite()), 25..80),
            x in prop::collection::vec(any::<f64>(), 0..40),
            shrink in prop_oneof![Just(1.0), Just(1e-300), Just(0.0)],
        ) {
            cuts.iter_mut().for_each(|cut| *cut *= shrink);
            cuts.sort_by(f64::total_cmp);
            let x: Vec<f64> = x.into_iter().chain(cuts.iter().flat_map(|&t| [t, t.next_up(), t.next_down()])).collect();
            for (value, code) in x.iter().zip(bins(&x, &cuts, 99u16)) {
                let below = cuts.iter().filter(|&cut| cut < value).count();
                prop_assert_eq!(code as usize, if value.is_nan() { 99 } else { below });
            }
        }
    }
}
