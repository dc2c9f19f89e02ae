//! Powers of e, several at a time.

use multiversion::multiversion;

/// Replaces each number x ≤ 709 by eˣ; below −708 by 0.
///
/// The exponential is that of fdlibm (error below one unit in the last place), written without branches so that the
/// compiler evaluates several at a time. The probabilities of refined networks, one for each row and class in every step of
/// their optimiser, live on it. The same result on every processor: no fused operations.
///
/// ```
/// use tanager_core::math::exp_in_place;
/// let mut values = [0.0, -1.0, f64::NEG_INFINITY];
/// exp_in_place(&mut values);
/// assert_eq!(values, [1.0, (-1f64).exp(), 0.0]);
/// ```
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl+avx2", "x86_64+avx2", "aarch64+neon"))]
pub fn exp_in_place(values: &mut [f64]) {
    for value in values {
        *value = exp(*value);
    }
}

/// `eˣ` for x ≤ 709: x = k ln 2 + r with |r| ≤ ½ ln 2, eʳ = 1 + r + r c / (2 − c), c = r less a minimax polynomial of r
/// coth(r/2) in r².
#[inline(always)]
fn exp(x: f64) -> f64 {
    const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
    const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    /// 1.5 · 2^52: a number that it is added to is rounded to an integer in its low bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    /// Smaller numbers have no normal power.
    const LEAST: f64 = -708.0;
    let bounded = x.max(LEAST);
    let rounded = bounded * std::f64::consts::LOG2_E + ROUND;
    let k = rounded - ROUND;
    let (high, low) = (bounded - k * LN2_HIGH, k * LN2_LOW);
    let r = high - low;
    let z = r * r;
    let c = r - z
        * (1.666_666_666_666_660_2e-1
            + z * (-2.777_777_777_701_559_3e-3
                + z * (6.613_756_321_437_934e-5
                    + z * (-1.653_390_220_546_525_2e-6 + z * 4.138_136_797_057_238_5e-8))));
    let power = 1.0 - ((low - (r * c) / (2.0 - c)) - high);
    let scale = f64::from_bits(rounded.to_bits().wrapping_add(1023) << 52);
    if x < LEAST { 0.0 } else { power * scale }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_the_standard_exponential(values in prop::collection::vec(-720.0..709.0f64, 1..40)) {
            let mut powers = values.clone();
            exp_in_place(&mut powers);
            for (x, found) in values.into_iter().zip(powers) {
                let known = if x < -708.0 { 0.0 } else { x.exp() };
                prop_assert!((found - known).abs() <= 2.0 * f64::EPSILON * known, "e^{x} is {known:e}, not {found:e}");
            }
        }
    }

    #[test]
    fn the_ends_of_the_range_and_of_the_reduction() {
        let half = 0.5 * std::f64::consts::LN_2;
        let values = [0.0, -0.0, 1e-300, -1e-20, half, -half, 1.0, -708.0, -708.1, 709.0, f64::NEG_INFINITY];
        let mut powers = values;
        exp_in_place(&mut powers);
        for (x, found) in values.into_iter().zip(powers) {
            let known = if x < -708.0 { 0.0 } else { x.exp() };
            assert!((found - known).abs() <= 2.0 * f64::EPSILON * known, "e^{x} is {known:e}, not {found:e}");
        }
        exp_in_place(&mut []);
    }
}
