//! Numerical integration over the half line.

use std::f64::consts::FRAC_PI_2;

/// The value of an integral and an estimate of its absolute error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Integral {
    /// The value.
    pub value: f64,
    /// How much the last halving of the step changed it: a generous bound, as each halving doubles the number of right digits.
    pub error: f64,
}

/// `∫_0^∞ f(x) dx` by the double exponential rule, until a halving of the step changes less than `tolerance` relative to
/// `∫ |f|`.
///
/// The integrand must be smooth inside (0, ∞); singularities at both ends that can be integrated, and algebraic decay, are fine.
/// It is evaluated between 1e-300 and 1e300 and must be finite there.
///
/// # Formula
/// ```text
/// x = exp(π/2 · sinh t),  ∫_0^∞ f(x) dx ≈ h Σ_m f(x_m) x_m (π/2) cosh(m h)
/// ```
/// As `f` meets the weight `x`, an integrand of the form g(x)/x needs `g` to *absolute* accuracy only: cancellation in `g` near 0
/// does no harm.
///
/// # Complexity
/// 14 · 2^l evaluations for l halvings; usually l is 4 to 6, and never more than 12.
///
/// # References
/// takahasi1974
///
/// ```
/// use tanager_core::math::integrate_0_inf;
/// let gaussian = integrate_0_inf(|x| (-x * x).exp(), 1e-12);
/// assert!((gaussian.value - std::f64::consts::PI.sqrt() / 2.0).abs() < 1e-13);
/// ```
pub fn integrate_0_inf(f: impl Fn(f64) -> f64, tolerance: f64) -> Integral {
    /// Here x is 1e±299.
    const LARGEST_T: f64 = 6.775;
    const MOST_HALVINGS: usize = 12;
    let term = |t: f64| {
        let x = (FRAC_PI_2 * t.sinh()).exp();
        f(x) * x * FRAC_PI_2 * t.cosh()
    };
    // Sums of the terms, and of their absolute values, at (offset + m) · h for all integers m within the range.
    let sums = |h: f64, offset: f64| {
        let steps = (LARGEST_T / h).floor() as i64;
        (-steps..=steps).map(|m| (m as f64 + offset) * h).filter(|t| t.abs() <= LARGEST_T).fold(
            (0.0, 0.0),
            |(sum, size), t| {
                let value = term(t);
                (sum + value, size + value.abs())
            },
        )
    };
    let mut h = 1.0;
    let (mut sum, mut size) = sums(h, 0.0);
    let mut integral = Integral { value: sum * h, error: f64::INFINITY };
    for _ in 0..MOST_HALVINGS {
        let (new_sum, new_size) = sums(h, 0.5);
        h /= 2.0;
        sum += new_sum;
        size += new_size;
        let value = sum * h;
        integral = Integral { value, error: (value - integral.value).abs() };
        if integral.error <= tolerance * size * h {
            break;
        }
    }
    integral
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::ln_gamma;
    use crate::math::testing::assert_relative;
    use proptest::prelude::*;

    #[test]
    fn known_integrals() {
        let pi = std::f64::consts::PI;
        let euler_mascheroni = 0.577_215_664_901_532_9;
        for (name, found, expected) in [
            ("e^-x", integrate_0_inf(|x| (-x).exp(), 1e-12), 1.0),
            ("1/(1+x²)", integrate_0_inf(|x| 1.0 / (1.0 + x * x), 1e-12), pi / 2.0),
            ("√x/(1+x²)", integrate_0_inf(|x| x.sqrt() / (1.0 + x * x), 1e-12), pi / 2f64.sqrt()),
            ("e^-x ln x", integrate_0_inf(|x| (-x).exp() * x.ln(), 1e-12), -euler_mascheroni),
            (
                "(e^-x − 1/(1+x))/x",
                integrate_0_inf(|x| ((-x).exp() - 1.0 / (1.0 + x)) / x, 1e-12),
                -euler_mascheroni,
            ),
        ] {
            assert_relative(found.value, expected, 1e-12, name);
            assert!(found.error < 1e-9, "{name}: {found:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn the_gamma_function(a in 0.05..50.0f64) {
            let found = integrate_0_inf(|x| ((a - 1.0) * x.ln() - x - ln_gamma(a)).exp(), 1e-11);
            assert_relative(found.value, 1.0, 1e-11, "∫ x^(a−1) e^−x / Γ(a)");
        }

        #[test]
        fn the_scale_of_the_variable_does_not_matter(ln_scale in -20.0..20.0f64) {
            let scale = ln_scale.exp();
            let found = integrate_0_inf(|x| (-x * scale).exp() * scale, 1e-11);
            assert_relative(found.value, 1.0, 1e-11, "∫ s e^−sx");
        }
    }
}
