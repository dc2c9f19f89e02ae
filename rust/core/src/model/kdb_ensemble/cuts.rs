//! Cuts of a column of numbers, drawn.

use crate::data::mdl_margin;
use crate::math::Random;

/// Where a column of `bins` ordered values is cut: cut t lies behind value t.
///
/// # Formula
/// ```text
/// P(t) ∝ max(0, gain(t) − threshold(t))
/// ```
/// over the cuts t of an interval, gain and threshold those of the MDL rule. An interval without a cut above 0 stays whole; else
/// one is drawn, and the same is asked of both sides, the left one first.
///
/// # References
/// zhang2020
pub(super) fn drawn_cuts(table: &[f64], arity: usize, bins: usize, random: &mut Random) -> Vec<usize> {
    let s = table.len() / arity.max(1);
    let counts = |from: usize, to: usize| -> Vec<f64> {
        (0..s).map(|c| table[c * arity + from..c * arity + to].iter().sum()).collect()
    };
    let mut cuts = Vec::new();
    let mut intervals = vec![(0, bins)];
    while let Some((start, end)) = intervals.pop() {
        let (mut left, mut right) = (vec![0.0; s], counts(start, end));
        let mut margins = Vec::with_capacity(end - start);
        for value in start..end.saturating_sub(1) {
            for c in 0..s {
                let cell = table[c * arity + value];
                left[c] += cell;
                right[c] = (right[c] - cell).max(0.0);
            }
            let margin = mdl_margin(&left, &right);
            margins.push(if margin > 0.0 { margin } else { 0.0 });
        }
        if margins.iter().any(|&margin| margin > 0.0) {
            let cut = start + random.weighted(&margins);
            cuts.push(cut);
            intervals.extend([(cut + 1, end), (start, cut + 1)]);
        }
    }
    cuts.sort_unstable();
    cuts
}

/// The interval of each of `arity` values, the first `bins` of which are ordered; what is behind them stays behind.
pub(super) fn intervals(cuts: &[usize], arity: usize, bins: usize) -> Vec<u32> {
    let of_value = |value: usize| match value < bins {
        true => cuts.partition_point(|&cut| cut < value) as u32,
        false => (cuts.len() + 1 + value - bins) as u32,
    };
    (0..arity).map(of_value).collect()
}
