//! The regularised incomplete gamma functions P and Q, and their logarithms.
//!
//! # Formula
//! ```text
//! P(a, x) = γ(a, x) / Γ(a) = (D/a) · Σ_{n≥0} x^n / ((a+1)(a+2)…(a+n))                    x < a + 1
//! Q(a, x) = Γ(a, x) / Γ(a) = D · 1/(x+1−a − 1(1−a)/(x+3−a − 2(2−a)/(x+5−a − …)))         x ≥ a + 1
//! P + Q = 1,   D = x^a e^(−x) / Γ(a)
//! ```
//! The loss of precision of the textbook version lies in `D`: for large `a` its exponent is the difference of numbers
//! near `a ln a`. Here, with λ = x/a and R the remainder of Stirling's formula,
//! ```text
//! ln D = −a (λ − 1 − ln λ) + ½ ln(a / 2π) − R(a)
//! ```
//! which is exact to rounding, as λ − 1 − ln λ is computed without cancellation near 1.
//!
//! # Complexity
//! O(√a) terms at most, near `x = a`; a few dozen elsewhere.
//!
//! # Differences
//! Crates do not reach the accuracy wanted here (1e-10 relative for `a` up to 5e5, and logarithms): against mpmath,
//! `statrs` has relative errors up to 1e-9 there and no logarithm, `puruspe` gives NaN for `a` = 5000.

use std::f64::consts::PI;

use super::gamma::{ln_gamma, stirling_remainder};

/// P(a, x), the lower regularised incomplete gamma function, for `a > 0`, `x ≥ 0`.
#[cfg(test)]
fn gamma_p(a: f64, x: f64) -> f64 {
    match Part::of(a, x) {
        Part::Lower(ln_p) => ln_p.exp(),
        Part::Upper(ln_q) => -ln_q.exp_m1(),
    }
}

/// Q(a, x), the upper regularised incomplete gamma function, for `a > 0`, `x ≥ 0`.
pub fn gamma_q(a: f64, x: f64) -> f64 {
    match Part::of(a, x) {
        Part::Lower(ln_p) => -ln_p.exp_m1(),
        Part::Upper(ln_q) => ln_q.exp(),
    }
}

/// `ln P(a, x)`: finite far below the smallest positive number.
pub fn ln_gamma_p(a: f64, x: f64) -> f64 {
    match Part::of(a, x) {
        Part::Lower(ln_p) => ln_p,
        Part::Upper(ln_q) => (-ln_q.exp()).ln_1p(),
    }
}

/// `ln Q(a, x)`: finite far below the smallest positive number.
pub fn ln_gamma_q(a: f64, x: f64) -> f64 {
    match Part::of(a, x) {
        Part::Lower(ln_p) => (-ln_p.exp()).ln_1p(),
        Part::Upper(ln_q) => ln_q,
    }
}

/// `ln D = ln(x^a e^(−x) / Γ(a))`: the logarithm of the density of `ln X` for `X ~ Gamma(a, 1)`.
pub(crate) fn ln_density(a: f64, x: f64) -> f64 {
    if a < 10.0 {
        return a * x.ln() - x - ln_gamma(a);
    }
    -a * excess(a, x) + 0.5 * (a / (2.0 * PI)).ln() - stirling_remainder(a)
}

/// The part that is computed directly, as a logarithm; the other one is what it leaves of 1.
enum Part {
    Lower(f64),
    Upper(f64),
}

impl Part {
    fn of(a: f64, x: f64) -> Self {
        if a.is_nan() || x.is_nan() || a <= 0.0 || x < 0.0 {
            Part::Lower(f64::NAN)
        } else if x == 0.0 {
            Part::Lower(f64::NEG_INFINITY)
        } else if x == f64::INFINITY {
            Part::Upper(f64::NEG_INFINITY)
        } else if a > HUGE {
            Self::of_huge(a, x)
        } else if x < a + 1.0 {
            Part::Lower(ln_density(a, x) + (lower_series(a, x) / a).ln())
        } else {
            Part::Upper(ln_density(a, x) + upper_fraction(a, x).ln())
        }
    }
}

/// Beyond this `a` the series and the fraction need about √a terms where `x` is near `a`.
const HUGE: f64 = 1e10;

impl Part {
    /// The smaller part for a large `a`, in a time that does not depend on it.
    ///
    /// # Formula
    /// ```text
    /// Q = ½ erfc(η √(a/2)) + e^(−aη²/2) / √(2πa) · c_0,   η²/2 = λ − 1 − ln λ,   c_0 = 1/μ − 1/η,   λ = x/a = 1 + μ
    /// ```
    /// P by the other signs; the next term is smaller by a factor of about 1/a.
    ///
    /// # References
    /// DLMF §8.12
    fn of_huge(a: f64, x: f64) -> Self {
        let (mu, excess) = ((x - a) / a, excess(a, x));
        let (square, eta) = (a * excess, (2.0 * excess).sqrt());
        let (z, side) = (square.sqrt(), if mu < 0.0 { -1.0 } else { 1.0 });
        let scale = (2.0 * PI * a).sqrt();
        // e^(aη²/2) times the part.
        let part = if z < 5.0 {
            let eta = side * eta;
            let c_0 = -1.0 / 3.0 + eta * (1.0 / 12.0 - eta * (2.0 / 135.0));
            0.5 * libm::erfc(z) * square.exp() + side * c_0 / scale
        } else {
            // erfc's continued fraction, of which 1/η falls out against c_0.
            let t = (1..=40).rev().fold(0.0, |t, k| 0.5 * f64::from(k) / (z + t));
            (1.0 / mu.abs() - t / (z + t) / eta) / scale
        };
        let ln = if square.is_finite() { part.ln() - square } else { f64::NEG_INFINITY };
        if side < 0.0 { Part::Lower(ln) } else { Part::Upper(ln) }
    }
}

/// `λ − 1 − ln λ` for `λ = x/a > 0`, never negative, without cancellation near 1.
fn excess(a: f64, x: f64) -> f64 {
    let mu = (x - a) / a;
    if mu.abs() > 0.1 {
        return mu - (x / a).ln();
    }
    // Σ_{k≥2} (−μ)^k / k with μ = λ − 1; at |μ| = 0.1 the terms after k = 17 are below rounding.
    let sum = (2..=17).rev().fold(0.0, |sum, k| sum * -mu + 1.0 / f64::from(k));
    sum * mu * mu
}

/// `Σ_{n≥0} x^n / ((a+1)…(a+n))`, all terms positive, for `x < a + 1`.
fn lower_series(a: f64, x: f64) -> f64 {
    let mut term = 1.0;
    let mut sum = 1.0;
    let mut denominator = a;
    while term > f64::EPSILON * sum {
        denominator += 1.0;
        term *= x / denominator;
        sum += term;
    }
    sum
}

/// The continued fraction of Q / D for `x ≥ a + 1`, by the modified Lentz method.
fn upper_fraction(a: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away_from_zero = |v: f64| if v.abs() < TINY { TINY } else { v };
    let mut b = x + 1.0 - a;
    let mut c = 1.0 / TINY;
    let mut d = 1.0 / away_from_zero(b);
    let mut value = d;
    let mut i = 0.0;
    loop {
        i += 1.0;
        let numerator = -i * (i - a);
        b += 2.0;
        d = 1.0 / away_from_zero(numerator * d + b);
        c = away_from_zero(b + numerator / c);
        let factor = c * d;
        value *= factor;
        // The factors approach 1 steadily; the bound on i only guards against their never settling to the last bit.
        if (factor - 1.0).abs() <= f64::EPSILON || i > 1e4 + 20.0 * a.sqrt() {
            return value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_ends_of_the_range_are_exact() {
        assert_eq!((gamma_p(2.5, 0.0), gamma_q(2.5, 0.0)), (0.0, 1.0));
        assert_eq!((gamma_p(2.5, f64::INFINITY), gamma_q(2.5, f64::INFINITY)), (1.0, 0.0));
        assert_eq!((ln_gamma_p(2.5, 0.0), ln_gamma_q(2.5, 0.0)), (f64::NEG_INFINITY, 0.0));
        assert!(
            gamma_p(0.0, 1.0).is_nan() && gamma_q(1.0, -1.0).is_nan() && ln_gamma_q(f64::NAN, 1.0).is_nan()
        );
    }

    #[test]
    fn the_excess_is_continuous_where_the_formula_changes() {
        for lambda in [1.0999, 1.1001, 0.9001, 0.8999f64] {
            let (found, direct) = (excess(1e4, 1e4 * lambda), lambda - 1.0 - lambda.ln());
            assert!(((found - direct) / direct).abs() < 1e-13, "{found} {direct}");
        }
    }

    #[test]
    fn huge_shapes_take_no_longer_and_stay_in_range() {
        for a in [1e12, 1e100, 1e290] {
            assert!((gamma_q(a, a) - 0.5).abs() < 1e-6);
            assert_eq!((gamma_q(a, 2.0 * a), gamma_q(a, 0.5 * a)), (0.0, 1.0));
            for x in [1e-300, 1.0, 0.9 * a, 1.0001 * a, 1e300] {
                assert!((0.0..=1.0).contains(&gamma_q(a, x)), "{a} {x}");
                assert!(ln_gamma_q(a, x) <= 0.0 && ln_gamma_p(a, x) <= 0.0, "{a} {x}");
            }
        }
    }

    proptest! {
        /// Where both serve: beside the series and the fraction.
        #[test]
        fn large_shapes_are_as_near(a in 1e6..1e8f64, z in -30.0..30.0f64) {
            let x = a + z * a.sqrt();
            let ln = |part| match part { Part::Lower(ln) => (true, ln), Part::Upper(ln) => (false, ln) };
            let ((lower, found), (_, expected)) = (ln(Part::of_huge(a, x)), ln(Part::of(a, x)));
            prop_assume!((x < a) == lower && (x < a || x >= a + 1.0));
            prop_assert!((found - expected).abs() <= 1e-8 * expected.abs().max(1.0), "{found} {expected}");
        }

        #[test]
        fn for_one_it_is_the_exponential_distribution(x in 1e-10..700.0f64) {
            prop_assert!((ln_gamma_q(1.0, x) + x).abs() <= 1e-13 * x.max(1e-2));
            prop_assert!((gamma_p(1.0, x) + (-x).exp_m1()).abs() <= 1e-14);
        }

        #[test]
        fn for_one_half_it_is_the_error_function(x in 1e-10..600.0f64) {
            let expected = libm::erfc(x.sqrt());
            prop_assert!((gamma_q(0.5, x) - expected).abs() <= 1e-12 * expected);
        }

        #[test]
        fn satisfies_the_recurrence(a in 0.5..5e3f64, z in -8.0..30.0f64) {
            // Q(a + 1, x) = Q(a, x) + D(a, x) / a
            let x = (a + z * a.sqrt()).max(0.1 * a);
            let (left, right) = (gamma_q(a + 1.0, x), gamma_q(a, x) + ln_density(a, x).exp() / a);
            // Below the smallest normal number there is no relative precision.
            let allowed = 1e-11 * right + f64::MIN_POSITIVE;
            prop_assert!((left - right).abs() <= allowed, "{left:e} {right:e}");
        }

        #[test]
        fn the_parts_sum_to_one(a in 0.5..5e4f64, z in -8.0..8.0f64) {
            let x = (a + z * a.sqrt()).max(0.0);
            prop_assert!((gamma_p(a, x) + gamma_q(a, x) - 1.0).abs() <= 1e-15);
        }
    }
}
