//! Sums and products in log space.

/// `x ln x`, with `0 ln 0 = 0`.
///
/// ```
/// use tanager_core::math::x_ln_x;
/// assert_eq!(x_ln_x(0.0), 0.0);
/// assert_eq!(x_ln_x(1.0), 0.0);
/// ```
#[inline]
pub fn x_ln_x(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x * x.ln() }
}

/// `ln Σ e^v` without overflow: the largest term is taken out first.
///
/// The sum of nothing, or of terms that are all `−∞`, is `−∞`; a `+∞` makes it `+∞`; a NaN makes it NaN.
///
/// ```
/// use tanager_core::math::log_sum_exp;
/// assert_eq!(log_sum_exp(&[1000.0, 1000.0]), 1000.0 + 2f64.ln());
/// assert_eq!(log_sum_exp(&[]), f64::NEG_INFINITY);
/// ```
pub fn log_sum_exp(values: &[f64]) -> f64 {
    let mut largest = f64::NEG_INFINITY;
    for &v in values {
        if v.is_nan() {
            return f64::NAN;
        }
        largest = largest.max(v);
    }
    if largest.is_infinite() {
        return largest;
    }
    largest + values.iter().map(|v| (v - largest).exp()).sum::<f64>().ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::testing::assert_relative;
    use proptest::prelude::*;

    #[test]
    fn the_ends_of_the_range_are_exact() {
        assert_eq!(x_ln_x(0.0), 0.0);
        assert_eq!(log_sum_exp(&[f64::NEG_INFINITY; 3]), f64::NEG_INFINITY);
        assert_eq!(log_sum_exp(&[f64::INFINITY, 0.0]), f64::INFINITY);
        assert_eq!(log_sum_exp(&[-5.0, f64::NEG_INFINITY]), -5.0);
        assert!(log_sum_exp(&[0.0, f64::NAN]).is_nan());
        assert!(log_sum_exp(&[f64::INFINITY, f64::NAN]).is_nan());
    }

    proptest! {
        #[test]
        fn log_sum_exp_is_the_sum_and_shifts(
            values in prop::collection::vec(-20.0..20.0f64, 1..20), shift in -1e6..1e6f64,
        ) {
            let plain = values.iter().map(|v| v.exp()).sum::<f64>().ln();
            prop_assert!((log_sum_exp(&values) - plain).abs() < 1e-13);
            let shifted: Vec<f64> = values.iter().map(|v| v + shift).collect();
            prop_assert!((log_sum_exp(&shifted) - shift - plain).abs() < 1e-9);
        }

        #[test]
        fn x_ln_x_is_the_product(x in 1e-300..1e300f64) {
            assert_relative(x_ln_x(x), x * x.ln(), 1e-15, "x ln x");
        }
    }
}
