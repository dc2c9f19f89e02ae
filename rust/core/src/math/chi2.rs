//! The χ² distribution: tail and quantile.

use super::gamma::ln_gamma;
use super::incomplete_gamma::{gamma_q, ln_density, ln_gamma_p, ln_gamma_q};

/// The tail P(χ²_df > x) = Q(df/2, x/2) for `df > 0`.
///
/// Relative error below 1e-11 from df 1 to 1e6 and down to 1e-300; `x ≤ 0` gives 1.
///
/// ```
/// use tanager_core::math::chi2_tail;
/// assert!((chi2_tail(3.841458820694124, 1.0) - 0.05).abs() < 1e-15);
/// ```
pub fn chi2_tail(x: f64, df: f64) -> f64 {
    if x <= 0.0 && df > 0.0 { 1.0 } else { gamma_q(df / 2.0, x.max(0.0) / 2.0) }
}

/// The logarithm of [`chi2_tail`].
#[cfg(test)]
fn chi2_ln_tail(x: f64, df: f64) -> f64 {
    ln_gamma_q(df / 2.0, x.max(0.0) / 2.0)
}

/// The x with P(χ²_df ≤ x) = `probability`: the quantile of a lower-tail probability in [0, 1].
///
/// Not a number outside of that range or for `df ≤ 0`. Relative error below 1e-12 from df 1 to 1e6.
///
/// # Formula
/// Newton's method on `g(u) = ln Q(df/2, e^u) − ln tail` (or on ln P for tails above ½), `u = ln(x/2)`:
/// ```text
/// g′(u) = −D / Q,  D = e^(au) e^(−e^u) / Γ(a),  a = df/2
/// ```
/// The density D of `u` is log-concave for every `a > 0`, hence so are its two tails: the tangent lies above `g`, every step
/// ends on the same side of the root, and from there the steps are monotone. No bracket is needed, and the start (Wilson and
/// Hilferty's cube root) only decides how many steps there are.
///
/// # Complexity
/// Typically 4 to 8 evaluations of the tail.
///
/// ```
/// use tanager_core::math::chi2_quantile;
/// assert!((chi2_quantile(0.999, 1.0) - 10.827566170662733).abs() < 1e-12);
/// ```
pub fn chi2_quantile(probability: f64, df: f64) -> f64 {
    // 1 − p is exact for p ≥ ½.
    if probability > 0.5 { from_upper(1.0 - probability, df) } else { from_lower(probability, df) }
}

/// The quantile of an upper-tail probability, as far down as 1e-300.
#[cfg(test)]
fn chi2_upper_quantile(tail: f64, df: f64) -> f64 {
    if tail > 0.5 { from_lower(1.0 - tail, df) } else { from_upper(tail, df) }
}

fn from_upper(tail: f64, df: f64) -> f64 {
    if !(0.0..=1.0).contains(&tail) || df.is_nan() || df <= 0.0 {
        return f64::NAN;
    }
    if tail == 0.0 {
        return f64::INFINITY;
    }
    let a = df / 2.0;
    let ln_tail = tail.ln();
    // P(X ≤ x) ≤ x^a / Γ(a+1) keeps the start sensible where the cube root fails: few degrees of freedom.
    let bound = ((-tail).ln_1p() + ln_gamma(a + 1.0)) / a;
    let start = wilson_hilferty(a, normal_deviate(ln_tail)).ln().max(bound);
    newton(start, |u| {
        let x = u.exp();
        let ln_q = ln_gamma_q(a, x);
        (ln_q - ln_tail, -(ln_density(a, x) - ln_q).exp())
    })
}

fn from_lower(probability: f64, df: f64) -> f64 {
    if !(0.0..=1.0).contains(&probability) || df.is_nan() || df <= 0.0 {
        return f64::NAN;
    }
    let a = df / 2.0;
    let ln_probability = probability.ln();
    // P(X ≤ x) ≤ x^a / Γ(a+1), and equal to rounding when x is tiny.
    let bound = (ln_probability + ln_gamma(a + 1.0)) / a;
    if bound < -40.0 {
        return 2.0 * bound.exp();
    }
    let start = wilson_hilferty(a, -normal_deviate(ln_probability)).ln().max(bound);
    newton(start, |u| {
        let x = u.exp();
        let ln_p = ln_gamma_p(a, x);
        (ln_p - ln_probability, (ln_density(a, x) - ln_p).exp())
    })
}

/// Solves `g(u) = 0` for a concave `g` given with its derivative; returns `2 e^u`.
fn newton(start: f64, g: impl Fn(f64) -> (f64, f64)) -> f64 {
    // Convergence is quadratic: a step below 1e-9 leaves an error of its square times √df.
    const SMALL: f64 = 1e-9;
    const MOST_STEPS: usize = 100;
    let mut u = start;
    for _ in 0..MOST_STEPS {
        let (value, slope) = g(u);
        let step = value / slope;
        u -= step;
        if step.abs() < SMALL || step.is_nan() {
            break;
        }
    }
    2.0 * u.exp()
}

/// The standard normal deviate `z ≥ 0` whose upper tail is `p ≤ ½`, to three digits, from `ln p`.
///
/// Hastings' rational approximation; only a start for [`newton`].
///
/// # References
/// hastings1955
fn normal_deviate(ln_p: f64) -> f64 {
    let t = (-2.0 * ln_p).sqrt();
    t - (2.30753 + 0.27061 * t) / (1.0 + t * (0.99229 + 0.04481 * t))
}

/// Wilson and Hilferty: the cube root of a Gamma(a) variable is nearly normal.
///
/// # References
/// wilson1931
fn wilson_hilferty(a: f64, z: f64) -> f64 {
    a * (1.0 - 1.0 / (9.0 * a) + z / (3.0 * a.sqrt())).max(0.0).powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::testing::assert_relative;
    use proptest::prelude::*;

    /// df, x, `mpmath.log(mpmath.gammainc(df/2, x/2, mpmath.inf, regularized=True))`.
    const LN_TAIL: [(f64, f64, f64); 23] = [
        (1.0, 1.0e-6, -0.000_798_202_907_019_869_3),
        (1.0, 0.5, -0.735_011_129_837_084_4),
        (1.0, 3.841_458_820_694_124, -2.995_732_273_553_99),
        (1.0, 1372.0, -689.838_531_296_409_1),
        (2.0, 1.0, -0.5),
        (3.0, 100.0, -47.913_352_111_990_12),
        (10.0, 18.3, -2.993_553_420_749_434_3),
        (10.0, 1500.0, -726.692_420_566_153_6),
        (100.0, 60.0, -0.000_519_026_133_311_341_5),
        (100.0, 124.3, -2.990_418_450_946_908_3),
        (100.0, 1900.0, -758.546_210_191_271_3),
        (1000.0, 900.0, -0.010_775_081_338_570_533),
        (1000.0, 1074.7, -2.996_635_888_759_721_8),
        (1000.0, 4000.0, -811.978_728_488_252_8),
        (100_000.0, 99_000.0, -0.012_556_823_600_440_99),
        (100_000.0, 101_000.0, -4.352_946_364_212_648),
        (100_000.0, 118_000.0, -728.892_834_189_134_9),
        (1_000_000.0, 995_000.0, -0.000_199_347_728_073_828_25),
        (1_000_000.0, 1_000_000.0, -0.693_523_377_706_430_1),
        (1_000_000.0, 1_000_002.0, -0.694_652_817_330_076_6),
        (1_000_000.0, 1_003_000.0, -4.073_555_778_205_027),
        (1_000_000.0, 1_050_000.0, -609.403_141_675_633_8),
        (1_000_000.0, 2_000_000.0, -153_433.889_844_415_88),
    ];

    /// df, tail, x: the root of `mpmath.gammainc(df/2, x/2, inf, regularized=True) - tail`, by
    /// Newton's method at 50 digits.
    const UPPER_QUANTILE: [(f64, f64, f64); 17] = [
        (1.0, 0.05, 3.841_458_820_694_126),
        (1.0, 1.0e-300, 1_373.872_631_222_394_1),
        (1.0, 0.5, 0.454_936_423_119_572_8),
        (1.0, 0.999, 1.570_797_149_262_492_7e-6),
        (2.0, 1.0e-10, 46.051_701_859_880_914),
        (3.0, 0.05, 7.814_727_903_251_18),
        (7.0, 0.9, 2.833_106_917_815_343_6),
        (10.0, 1.0e-300, 1_427.771_956_129_888_6),
        (100.0, 0.05, 124.342_113_404_004_08),
        (100.0, 1.0e-100, 752.877_564_727_371_8),
        (1000.0, 0.95, 927.594_363_020_979),
        (1000.0, 1.0e-300, 3_672.366_544_556_647),
        (100_000.0, 0.05, 100_736.736_177_319),
        (100_000.0, 1.0e-300, 117_494.582_078_357_34),
        (1_000_000.0, 0.001, 1_004_375.948_746_141_7),
        (1_000_000.0, 1.0e-300, 1_053_310.777_586_22),
        (1_000_000.0, 0.75, 999_045.764_418_775_4),
    ];

    /// df, probability, x: the root of `mpmath.gammainc(df/2, 0, x/2, regularized=True) - probability`, by
    /// Newton's method at 50 digits.
    const QUANTILE: [(f64, f64, f64); 13] = [
        (1.0, 0.999, 10.827_566_170_662_731),
        (1.0, 0.001, 1.570_797_149_262_49e-6),
        (1.0, 1.0e-100, 1.570_796_326_794_896_6e-200),
        (2.0, 0.999, 13.815_510_557_964_272),
        (4.0, 0.999, 18.466_826_952_903_17),
        (6.0, 1.0e-300, 3.634_241_185_664_279_5e-100),
        (75.0, 0.999, 118.599_094_763_795_26),
        (100.0, 1.0e-300, 3.896_652_334_013_555_7e-5),
        (500.0, 0.999, 603.446_005_795_177_6),
        (1000.0, 1.0e-20, 640.374_297_734_500_7),
        (10_000.0, 0.999, 10_442.730_565_410_178),
        (1_000_000.0, 0.999, 1_004_375.948_746_141_7),
        (1_000_000.0, 1.0e-300, 948_517.816_299_761_4),
    ];

    #[test]
    fn the_tail_agrees_with_mpmath() {
        for (df, x, expected) in LN_TAIL {
            let what = format!("tail of {x:e} with df {df:e}");
            assert_relative(chi2_ln_tail(x, df), expected, 1e-10, &what);
            if expected > -690.0 {
                assert_relative(chi2_tail(x, df), expected.exp(), 1e-11, &what);
            }
        }
    }

    #[test]
    fn the_upper_quantile_agrees_with_mpmath() {
        for (df, tail, expected) in UPPER_QUANTILE {
            let what = format!("upper quantile {tail:e} with df {df:e}");
            assert_relative(chi2_upper_quantile(tail, df), expected, 1e-12, &what);
        }
    }

    #[test]
    fn the_lower_quantile_agrees_with_mpmath() {
        for (df, probability, expected) in QUANTILE {
            let what = format!("quantile {probability:e} with df {df:e}");
            assert_relative(chi2_quantile(probability, df), expected, 1e-12, &what);
        }
    }

    #[test]
    fn the_ends_of_the_range_are_exact() {
        assert_eq!(chi2_tail(-1.0, 3.0), 1.0);
        assert_eq!(chi2_tail(f64::INFINITY, 3.0), 0.0);
        assert_eq!((chi2_quantile(0.0, 3.0), chi2_quantile(1.0, 3.0)), (0.0, f64::INFINITY));
        assert_eq!((chi2_upper_quantile(1.0, 3.0), chi2_upper_quantile(0.0, 3.0)), (0.0, f64::INFINITY));
        // 5e-601 is not a double
        assert_eq!(chi2_quantile(1e-300, 1.0), 0.0);
        for (p, df) in [(-0.1, 3.0), (1.1, 3.0), (f64::NAN, 3.0), (0.5, 0.0), (0.5, f64::NAN)] {
            assert!(chi2_quantile(p, df).is_nan() && chi2_upper_quantile(p, df).is_nan(), "{p} {df}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn the_quantile_inverts_the_tail(ln_df in 0.0..13.8f64, ln_tail in -690.0..-0.7f64) {
            let df = ln_df.exp();
            let x = chi2_upper_quantile(ln_tail.exp(), df);
            // ln tail has slope ½ and more in ln x here, so that its error bounds that of x
            prop_assert!((chi2_ln_tail(x, df) - ln_tail.exp().ln()).abs() <= 1e-10, "df {df} x {x}");
        }

        #[test]
        fn the_tail_inverts_the_quantile(ln_df in 0.0..13.8f64, z in -5.0..30.0f64) {
            let df = ln_df.exp();
            let x = 2.0 * wilson_hilferty(df / 2.0, z);
            prop_assume!(x > 0.0);
            let tail = chi2_tail(x, df);
            prop_assume!(tail > 1e-300 && tail < 0.999);
            assert_relative(chi2_upper_quantile(tail, df), x, 1e-11, "upper quantile of the tail");
        }

        #[test]
        fn lower_and_upper_quantiles_agree(df in 1.0..1e4f64, eighths in 1u32..8) {
            let p = f64::from(eighths) / 8.0;
            assert_relative(chi2_quantile(p, df), chi2_upper_quantile(1.0 - p, df), 1e-12, "the same quantile");
        }

        #[test]
        fn the_quantile_grows_with_the_probability(df in 1.0..1e4f64, p in 0.001..0.999f64, q in 0.001..0.999f64) {
            prop_assume!((p - q).abs() > 1e-6);
            prop_assert_eq!(p < q, chi2_quantile(p, df) < chi2_quantile(q, df));
        }
    }
}
