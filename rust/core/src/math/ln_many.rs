//! Logarithms, several at a time.

use multiversion::multiversion;

/// Replaces each normal positive number by its natural logarithm.
///
/// The logarithm is that of fdlibm (error below one unit in the last place), written without branches so that the
/// compiler evaluates several at a time: about 2 ns each, where a call costs 4 to 6. Scores that need one logarithm
/// a cell and cannot tabulate them live on it. The same result on every processor: no fused operations.
///
/// ```
/// use tanager_core::math::ln_in_place;
/// let mut values = [1.0, 9.0];
/// ln_in_place(&mut values);
/// assert_eq!(values, [0.0, 9f64.ln()]);
/// ```
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl+avx2", "x86_64+avx2", "aarch64+neon"))]
pub fn ln_in_place(values: &mut [f64]) {
    for value in values {
        *value = ln(*value);
    }
}

/// `ln x` for a normal positive x: x = 2^k (1 + f) with √½ ≤ 1 + f < √2, s = f/(2 + f), and a minimax polynomial
/// of ln(1 + f) − f + f²/2 in s.
#[inline(always)]
fn ln(x: f64) -> f64 {
    const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
    const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    /// The bits of √½, rounded down.
    const SQRT_HALF: u64 = 0x3fe6_a09e_0000_0000;
    const EXPONENT: u64 = 0xfff0_0000_0000_0000;
    /// Keeps exponents positive: most vector units have no shift with sign.
    const BIAS: u64 = 1024 << 52;
    /// 2^52: an integer in its low bits becomes a number by subtracting it.
    const TWO_52: f64 = 4_503_599_627_370_496.0;
    let offset = x.to_bits().wrapping_sub(SQRT_HALF);
    let k = f64::from_bits((offset.wrapping_add(BIAS) >> 52) | TWO_52.to_bits()) - (TWO_52 + 1024.0);
    let f = f64::from_bits(x.to_bits().wrapping_sub(offset & EXPONENT)) - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let even =
        w * (3.999_999_999_940_942e-1 + w * (2.222_219_843_214_978_4e-1 + w * 1.531_383_769_920_937_3e-1));
    let odd = z
        * (6.666_666_666_666_735e-1
            + w * (2.857_142_874_366_239e-1
                + w * (1.818_357_216_161_805e-1 + w * 1.479_819_860_511_658_6e-1)));
    let half_square = 0.5 * f * f;
    k * LN2_HIGH - ((half_square - (s * (half_square + (even + odd)) + k * LN2_LOW)) - f)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

    fn assert_close(x: f64, found: f64) {
        let error = (found - x.ln()).abs();
        assert!(error <= 2.0 * f64::EPSILON * x.ln().abs(), "ln {x:e} is {}, not {found}", x.ln());
    }

    #[test]
    fn the_ends_of_the_range_and_of_the_reduction() {
        let ends = [f64::MIN_POSITIVE, 1e-300, 0.1, 0.5, 1.0, 2.0, 5.0, 1e9, f64::MAX];
        let roots = [FRAC_1_SQRT_2, SQRT_2].map(|root| [root * (1.0 - 1e-7), root, root * (1.0 + 1e-7)]);
        let values = [ends.as_slice(), roots.as_flattened()].concat();
        let mut logarithms = values.clone();
        ln_in_place(&mut logarithms);
        for (x, found) in values.into_iter().zip(logarithms) {
            assert_close(x, found);
        }
        ln_in_place(&mut []);
    }

    proptest! {
        #[test]
        fn agrees_with_the_standard_logarithm(exponents in prop::collection::vec(-700.0..700.0f64, 1..40)) {
            let values: Vec<f64> = exponents.iter().map(|exponent| exponent.exp()).collect();
            let mut logarithms = values.clone();
            ln_in_place(&mut logarithms);
            for (x, found) in values.into_iter().zip(logarithms) {
                assert_close(x, found);
            }
        }
    }
}
