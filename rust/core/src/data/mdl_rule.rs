//! Fayyad and Irani's rule: does a cut shorten the description?

use std::ops::{AddAssign, Sub};

/// A number of rows: whole, or a sum of weights.
pub(super) trait Amount:
    Copy + Default + PartialOrd + AddAssign + Sub<Output = Self> + Into<f64>
{
    /// A half, or the whole number above it.
    fn half(self) -> Self;
}

impl Amount for u32 {
    fn half(self) -> Self {
        self.div_ceil(2)
    }
}

impl Amount for f64 {
    fn half(self) -> Self {
        self / 2.0
    }
}

/// Class counts of an interval with the three figures that the MDL rule needs.
pub(super) struct Tally {
    /// Σ_c n_c log2 n_c.
    spread: f64,
    /// Number of rows.
    pub(super) size: f64,
    /// size log2 size.
    pub(super) size_term: f64,
    /// Number of classes present.
    pub(super) present: f64,
}

impl Tally {
    pub(super) fn new<A: Amount>(counts: &[A], term: impl Fn(A) -> f64) -> Self {
        let mut total = A::default();
        let (mut spread, mut present) = (0.0, 0.0);
        for &n in counts {
            if n > A::default() {
                total += n;
                spread += term(n);
                present += 1.0;
            }
        }
        Self { spread, size: total.into(), size_term: term(total), present }
    }

    /// |S| · Ent(S).
    pub(super) fn bits(&self) -> f64 {
        (self.size_term - self.spread).max(0.0)
    }

    /// κ(S) · Ent(S).
    fn class_bits(&self) -> f64 {
        if self.size > 0.0 { self.present * self.bits() / self.size } else { 0.0 }
    }
}

/// The MDL rule: is the description shorter with the cut than without it?
pub(super) fn accepts(whole: &Tally, left: &Tally, right: &Tally) -> bool {
    let gain = whole.bits() - left.bits() - right.bits();
    gain > least_gain(whole) + left.class_bits() + right.class_bits()
}

/// By how many bits a cut between these class counts shortens the description; negative where it does not.
pub fn mdl_margin(left: &[f64], right: &[f64]) -> f64 {
    let whole: Vec<f64> = left.iter().zip(right).map(|(left, right)| left + right).collect();
    let tally = |counts: &[f64]| Tally::new(counts, x_log2_x);
    let (whole, left, right) = (tally(&whole), tally(left), tally(right));
    whole.bits() - left.bits() - right.bits() - (least_gain(&whole) + left.class_bits() + right.class_bits())
}

/// No cut is accepted, whatever its sides, that saves no more than so many bits.
pub(super) fn least_gain(whole: &Tally) -> f64 {
    // log2(3^κ − 2), where 3^κ may be beyond all numbers.
    let log2_choices =
        whole.present * 3f64.log2() + (-2.0 * 3f64.powf(-whole.present)).ln_1p() / std::f64::consts::LN_2;
    (whole.size - 1.0).log2() + log2_choices - whole.class_bits()
}

/// n log2 n, 0 for a weighted count that rounding left just below 0.
pub(super) fn x_log2_x(x: f64) -> f64 {
    if x > 0.0 { x * x.log2() } else { 0.0 }
}
