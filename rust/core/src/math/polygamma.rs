//! Digamma ψ = (ln Γ)′, trigamma ψ′, and their differences without cancellation.

/// Above this the asymptotic series are exact to rounding; below, the recurrence climbs up to it.
const ASYMPTOTIC_FROM: f64 = 10.0;

/// `B_2k / 2k` for k = 1, 2, …: the coefficients of `1/x^2k` in `ln x − 1/(2x) − ψ(x)`.
const DIGAMMA: [f64; 8] = [
    1.0 / 12.0,
    -1.0 / 120.0,
    1.0 / 252.0,
    -1.0 / 240.0,
    1.0 / 132.0,
    -691.0 / 32_760.0,
    1.0 / 12.0,
    -3617.0 / 8160.0,
];

/// `B_2k` for k = 1, 2, …: the coefficients of `1/x^(2k+1)` in `ψ′(x) − 1/x − 1/(2x²)`.
const TRIGAMMA: [f64; 8] = [
    1.0 / 6.0,
    -1.0 / 30.0,
    1.0 / 42.0,
    -1.0 / 30.0,
    5.0 / 66.0,
    -691.0 / 2730.0,
    7.0 / 6.0,
    -3617.0 / 510.0,
];

/// `Σ_k coefficients[k] y^(k+1)`.
fn series(coefficients: &[f64], y: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| (sum + c) * y)
}

/// `1/x^m − 1/(x+h)^m` for `x, h > 0`.
fn power_difference(x: f64, h: f64, m: i32) -> f64 {
    -(-f64::from(m) * (h / x).ln_1p()).exp_m1() / x.powi(m)
}

/// The digamma function ψ(x) for `x > 0`; not a number elsewhere, `−∞` at 0.
///
/// # Formula
/// ```text
/// ψ(x) = ψ(x + 1) − 1/x                                   up to x ≥ 10, then
/// ψ(x) = ln x − 1/(2x) − Σ_{k≥1} B_2k / (2k x^2k)         B_2k the Bernoulli numbers
/// ```
/// Absolute error below 1e-14, or relative where |ψ| > 1.
///
/// ```
/// use tanager_core::math::digamma;
/// let euler_mascheroni = 0.5772156649015329;
/// assert!((digamma(1.0) + euler_mascheroni).abs() < 1e-15);
/// ```
pub fn digamma(x: f64) -> f64 {
    if x.is_nan() || x < 0.0 {
        return f64::NAN;
    }
    let mut x = x;
    let mut climbed = 0.0;
    while x < ASYMPTOTIC_FROM {
        climbed += 1.0 / x;
        x += 1.0;
    }
    x.ln() - 0.5 / x - series(&DIGAMMA, 1.0 / (x * x)) - climbed
}

/// The trigamma function ψ′(x) for `x > 0`; not a number elsewhere, `+∞` at 0.
///
/// # Formula
/// ```text
/// ψ′(x) = ψ′(x + 1) + 1/x²                                up to x ≥ 10, then
/// ψ′(x) = 1/x + 1/(2x²) + Σ_{k≥1} B_2k / x^(2k+1)         B_2k the Bernoulli numbers
/// ```
/// Relative error below 1e-14.
///
/// ```
/// use tanager_core::math::trigamma;
/// let expected = std::f64::consts::PI.powi(2) / 6.0;
/// assert!((trigamma(1.0) - expected).abs() < 1e-14);
/// ```
pub fn trigamma(x: f64) -> f64 {
    if x.is_nan() || x < 0.0 {
        return f64::NAN;
    }
    let mut x = x;
    let mut climbed = 0.0;
    while x < ASYMPTOTIC_FROM {
        climbed += 1.0 / (x * x);
        x += 1.0;
    }
    (1.0 + 0.5 / x + series(&TRIGAMMA, 1.0 / (x * x))) / x + climbed
}

/// `ψ(x + h) − ψ(x)` for `x, h > 0`, to 1e-13 relative however small `h` is beside `x`.
///
/// The recurrence and the series of [`digamma`], each term's difference taken in closed form.
pub fn digamma_increase(x: f64, h: f64) -> f64 {
    let mut x = x;
    let mut climbed = 0.0;
    while x < ASYMPTOTIC_FROM {
        climbed += h / (x * (x + h));
        x += 1.0;
    }
    let mut difference = (h / x).ln_1p() + 0.5 * power_difference(x, h, 1);
    for (c, m) in DIGAMMA.iter().zip((2..).step_by(2)) {
        difference += c * power_difference(x, h, m);
    }
    climbed + difference
}

/// `ψ′(x) − ψ′(x + h)` for `x, h > 0`, to 1e-13 relative however small `h` is beside `x`.
///
/// The recurrence and the series of [`trigamma`], each term's difference taken in closed form.
pub fn trigamma_decrease(x: f64, h: f64) -> f64 {
    let mut x = x;
    let mut climbed = 0.0;
    while x < ASYMPTOTIC_FROM {
        climbed += h / (x * (x + h)) * (1.0 / x + 1.0 / (x + h));
        x += 1.0;
    }
    let mut difference = power_difference(x, h, 1) + 0.5 * power_difference(x, h, 2);
    for (c, m) in TRIGAMMA.iter().zip((3..).step_by(2)) {
        difference += c * power_difference(x, h, m);
    }
    climbed + difference
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::testing::assert_relative;
    use proptest::prelude::*;

    /// x, `mpmath.psi(0, x)`, `mpmath.psi(1, x)`.
    const POLYGAMMA: [(f64, f64, f64); 12] = [
        (1.0e-6, -1_000_000.577_214_020_1, 1_000_000_000_001.645),
        (0.01, -100.560_885_457_868_68, 10_001.621_213_528_313),
        (0.5, -1.963_510_026_021_423_5, 4.934_802_200_544_679),
        (1.0, -0.577_215_664_901_532_9, 1.644_934_066_848_226_4),
        (1.461_632_144_968_362_2, -9.241_265_521_729_427e-17, 0.967_672_245_447_621_2),
        (2.0, 0.422_784_335_098_467_13, 0.644_934_066_848_226_4),
        (5.5, 1.611_093_148_581_751_2, 0.199_342_386_989_627_67),
        (9.99, 2.250_700_372_831_201, 0.105_276_950_148_241_79),
        (10.0, 2.251_752_589_066_721, 0.105_166_335_681_685_75),
        (42.0, 3.725_717_617_937_282, 0.024_095_219_843_670_565),
        (1003.0, 6.910_252_200_639_829, 0.000_997_506_151_702_548_5),
        (1_000_000_000.0, 20.723_265_836_446_412, 1.000_000_000_5e-9),
    ];

    /// x, h, `mpmath.psi(0, x + h) - mpmath.psi(0, x)`, `mpmath.psi(1, x) - mpmath.psi(1, x + h)`.
    const DIFFERENCES: [(f64, f64, f64, f64); 9] = [
        (0.02, 0.5, 48.676_734_501_958_805, 2_496.981_389_813_314_3),
        (0.02, 1_000_000_000.0, 71.268_055_146_922_59, 2_501.598_118_190_868),
        (2.0, 1000.0, 6.486_469_861_549_346, 0.643_935_564_684_555_8),
        (3.0, 1.0e-6, 3.949_339_897_913_431e-7, 1.541_137_468_495_101_5e-7),
        (9.5, 1.0, 0.105_263_157_894_736_84, 0.011_080_332_409_972_3),
        (30.0, 1.0e-9, 3.389_506_035_716_556e-11, 1.148_765_203_689_669_8e-12),
        (100_000.0, 0.5, 5.000_012_5e-6, 5.000_024_999_999_999e-11),
        (100_000.0, 1_000_000_000.0, 9.210_445_366_484_9, 9.999_050_100_156_168e-6),
        (100.0, 1_000_000_000.0, 16.123_104_083_708_32, 0.010_050_165_663_333_67),
    ];

    #[test]
    fn agree_with_mpmath() {
        for (x, psi, psi_1) in POLYGAMMA {
            assert!((digamma(x) - psi).abs() <= 1e-14 * psi.abs().max(1.0), "ψ({x}) = {}", digamma(x));
            assert_relative(trigamma(x), psi_1, 1e-14, &format!("ψ′({x})"));
        }
    }

    #[test]
    fn differences_agree_with_mpmath() {
        for (x, h, increase, decrease) in DIFFERENCES {
            assert_relative(digamma_increase(x, h), increase, 1e-13, &format!("ψ({x} + {h}) − ψ({x})"));
            assert_relative(trigamma_decrease(x, h), decrease, 1e-13, &format!("ψ′({x}) − ψ′({x} + {h})"));
        }
    }

    #[test]
    fn outside_of_the_domain_there_is_no_value() {
        assert!(digamma(-1.0).is_nan() && trigamma(-1.0).is_nan());
        assert!(digamma(f64::NAN).is_nan() && trigamma(f64::NAN).is_nan());
        assert_eq!(digamma(0.0), f64::NEG_INFINITY);
        assert_eq!(trigamma(0.0), f64::INFINITY);
    }

    proptest! {
        #[test]
        fn satisfy_their_recurrences(x in 0.01..1e6f64) {
            prop_assert!((digamma(x + 1.0) - digamma(x) - 1.0 / x).abs() <= 1e-14 * (1.0 + digamma(x).abs()));
            let error = trigamma(x) - trigamma(x + 1.0) - 1.0 / (x * x);
            prop_assert!(error.abs() <= 1e-14 * trigamma(x));
        }

        #[test]
        fn satisfy_their_duplication_formulas(x in 0.01..1e6f64) {
            // 2 ψ(2x) = ψ(x) + ψ(x + ½) + 2 ln 2, and its derivative 4 ψ′(2x) = ψ′(x) + ψ′(x + ½)
            let error = 2.0 * digamma(2.0 * x) - digamma(x) - digamma(x + 0.5) - 2.0 * 2f64.ln();
            prop_assert!(error.abs() <= 1e-14 * (4.0 + digamma(x).abs()));
            let error = 4.0 * trigamma(2.0 * x) - trigamma(x) - trigamma(x + 0.5);
            prop_assert!(error.abs() <= 2e-14 * trigamma(x));
        }

        #[test]
        fn differences_of_one_are_the_recurrences(x in 0.01..1e9f64) {
            assert_relative(digamma_increase(x, 1.0), 1.0 / x, 1e-13, "ψ(x + 1) − ψ(x)");
            assert_relative(trigamma_decrease(x, 1.0), 1.0 / (x * x), 1e-13, "ψ′(x) − ψ′(x + 1)");
        }
    }
}
