//! The constants β and γ of the approximate conditional log-likelihood, exactly, for any number of classes.

use std::sync::OnceLock;

use crate::error::{Error, Result, check_parameter};
use crate::math::polygamma::{digamma_increase, trigamma_decrease};
use crate::math::{digamma, integrate_0_inf, trigamma};

/// What is assumed of U_c, the model's joint probability of a row and the class c.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AcllPrior {
    /// (U_1, …, U_s) uniform on [0, p]^s.
    Uniform,
    /// (U_1, …, U_s, rest) ~ Dir(a, …, a, b).
    Dirichlet {
        /// The parameter of every class, above 0.
        a: f64,
        /// The parameter of the rest, above 0.
        b: f64,
    },
}

/// The best approximation `−ln Σ_c U_c ≈ β Σ_c ln U_c + γ` in the mean square.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AcllConstants {
    /// The slope, in [−1, 0).
    pub beta: f64,
    /// The intercept. For [`AcllPrior::Uniform`] that of p = 1; another p adds −(1 + β s) ln p.
    pub gamma: f64,
}

/// β and γ for `n_classes` classes under a prior.
///
/// # Formula
/// With A = −ln Σ_c U_c and B = Σ_c ln U_c over the s classes: `β = Cov(A, B) / Var(B)`, `γ = E[A] − β E[B]`.
/// ```text
/// Dirichlet  β = −[ψ′(sa) − ψ′(sa+b)] / [ψ′(a) − s ψ′(sa+b)]
///            E[A] = ψ(sa+b) − ψ(sa),   E[B] = s [ψ(a) − ψ(sa+b)]          ψ, ψ′: digamma, trigamma
/// uniform    β = ∫_0^∞ φ(t)^(s−1) (φ(t) + ξ(t)) / t dt
///            E[A] = −∫_0^∞ (e^(−t) − φ(t)^s) / t dt,   E[B] = −s
///            φ(t) = (1 − e^(−t)) / t,   ξ(t) = −(γ_E + ln t + E_1(t)) / t   φ = E e^(−tU), ξ = E[ln U e^(−tU)]
/// ```
/// The Dirichlet form: S = ΣU_c is Beta(sa, b) and independent of U/S. Differences of ψ and ψ′ are formed without cancellation,
/// and ψ′(a) − s ψ′(sa+b) as [ψ′(a) − s ψ′(sa)] + s [ψ′(sa) − ψ′(sa+b)], both positive: β keeps 1e-11 relative for s up to 1000,
/// a from 0.01 to 100 and b from 0.5 to 1e9.
///
/// The uniform form: −Cov(ln U_1, ln S) = −E(ln U_1 ln S) − E ln S, the two integrals taken as one, so that nothing cancels where
/// β is as small as −1/(2s).
///
/// # Complexity
/// O(1) and below a microsecond for Dirichlet; some hundred evaluations of the integrands for uniform, once per number of classes.
///
/// # References
/// carvalho2013, section 3.1
///
/// # Differences
/// The paper knows the uniform case for 2 and 3 classes and simulates all others ([`acll_monte_carlo`]). Its formula for three
/// classes has the wrong sign.
///
/// # Errors
/// No classes, or `a` or `b` not positive and finite.
///
/// ```
/// use tanager_core::score::acll_constants::{AcllPrior, acll_constants};
/// let uniform = acll_constants(2, AcllPrior::Uniform)?;
/// assert!((uniform.beta - (std::f64::consts::PI.powi(2) - 18.0) / 24.0).abs() < 1e-12);
/// # Ok::<(), tanager_core::Error>(())
/// ```
///
/// [`acll_monte_carlo`]: crate::score::acll_monte_carlo::acll_monte_carlo
pub fn acll_constants(n_classes: usize, prior: AcllPrior) -> Result<AcllConstants> {
    check(n_classes, prior)?;
    Ok(match prior {
        AcllPrior::Uniform => cached_uniform(n_classes),
        AcllPrior::Dirichlet { a, b } => dirichlet(n_classes as f64, a, b),
    })
}

/// Refuses what is not a prior.
pub(crate) fn check(n_classes: usize, prior: AcllPrior) -> Result<()> {
    if n_classes == 0 {
        return Err(Error::Empty { what: "the number of classes" });
    }
    if let AcllPrior::Dirichlet { a, b } = prior {
        for (name, value) in [("a", a), ("b", b)] {
            let allowed = "a parameter of a Dirichlet distribution is positive and finite";
            check_parameter(name, value, value.is_finite() && value > 0.0, allowed)?;
        }
    }
    Ok(())
}

fn dirichlet(s: f64, a: f64, b: f64) -> AcllConstants {
    let of_sum = trigamma_decrease(s * a, b);
    let of_shares = trigamma(a) - s * trigamma(s * a);
    let beta = -of_sum / (of_shares + s * of_sum);
    let mean_a = digamma_increase(s * a, b);
    let mean_b = s * (digamma(a) - digamma(s * a) - mean_a);
    AcllConstants { beta, gamma: mean_a - beta * mean_b }
}

/// The quadrature once per number of classes and process.
fn cached_uniform(n_classes: usize) -> AcllConstants {
    const CACHED: usize = 1024;
    static CACHE: [OnceLock<AcllConstants>; CACHED] = [const { OnceLock::new() }; CACHED];
    match CACHE.get(n_classes) {
        Some(cell) => *cell.get_or_init(|| uniform(n_classes as f64)),
        None => uniform(n_classes as f64),
    }
}

fn uniform(s: f64) -> AcllConstants {
    const TOLERANCE: f64 = 1e-13;
    // φ^m through its logarithm: m may be 1000, and φ within 1e-10 of 1 or below 1e-100.
    let phi_power = |t: f64, m: f64| (m * ln_phi(t)).exp();
    let beta = integrate_0_inf(|t| phi_power(t, s - 1.0) * phi_plus_xi(t) / t, TOLERANCE).value;
    let mean_ln_s = integrate_0_inf(|t| ((-t).exp() - phi_power(t, s)) / t, TOLERANCE).value;
    AcllConstants { beta, gamma: -mean_ln_s + beta * s }
}

/// `ln φ(t) = ln((1 − e^(−t)) / t)`.
fn ln_phi(t: f64) -> f64 {
    if t < 1e-5 { t * (t / 24.0 - 0.5) } else { (-(-t).exp_m1() / t).ln() }
}

/// `φ(t) + ξ(t)`, negative; near 0 it is −t/4 while both terms are near ±1.
fn phi_plus_xi(t: f64) -> f64 {
    const EULER_MASCHERONI: f64 = 0.577_215_664_901_532_9;
    if t < 2.0 {
        // Σ_{k≥1} (−t)^k / (k+1)! · k/(k+1)
        let mut power = 1.0;
        let mut sum = 0.0;
        for k in 1..=24 {
            let k = f64::from(k);
            power *= -t / (k + 1.0);
            sum += power * k / (k + 1.0);
        }
        return sum;
    }
    (-(-t).exp_m1() - EULER_MASCHERONI - t.ln() - exponential_integral(t)) / t
}

/// `E_1(t) = ∫_t^∞ e^(−u)/u du` for `t ≥ 2`, by its continued fraction.
fn exponential_integral(t: f64) -> f64 {
    // E_1(t) = e^(−t) / (t + 1 − 1²/(t + 3 − 2²/(t + 5 − …))), from the far end: 60 levels give 1e-16 at t = 2.
    const LEVELS: u32 = 60;
    let tail = (1..=LEVELS).rev().map(f64::from).fold(0.0, |tail, k| k * k / (t + 2.0 * k + 1.0 - tail));
    (-t).exp() / (t + 1.0 - tail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::testing::assert_relative;
    use proptest::prelude::*;
    use std::f64::consts::PI;

    /// s, a, b, β, γ: the closed form by `mpmath.psi` at 60 digits.
    const DIRICHLET: [(usize, f64, f64, f64, f64); 24] = [
        (2, 1.0, 1_000.0, -0.391_941_711_812_451_13, 0.617_950_235_613_396_3),
        (2, 0.01, 0.5, -0.249_888_360_079_028_04, -0.647_644_703_098_454_3),
        (2, 0.01, 1_000_000_000.0, -0.250_119_262_145_988_56, 10.597_050_283_439_524),
        (2, 100.0, 0.5, -0.249_688_681_094_746_5, -0.346_140_454_076_704_63),
        (2, 100.0, 1_000_000_000.0, -0.498_750_020_635_637_06, -0.655_346_335_443_605_5),
        (2, 0.5, 20.0, -0.329_972_559_028_403_3, 0.308_550_738_561_588_66),
        (3, 1.0, 1_000.0, -0.239_921_184_211_489_59, 0.598_261_394_402_888_5),
        (3, 0.01, 0.5, -0.110_952_436_843_144_72, -0.826_122_498_787_499_5),
        (3, 0.01, 1_000_000_000.0, -0.111_250_637_498_726_68, 14.106_702_807_131_45),
        (3, 100.0, 0.5, -0.110_906_078_165_137_42, -0.365_526_803_359_617_24),
        (3, 100.0, 1_000_000_000.0, -0.332_222_854_628_338_45, -1.048_239_937_430_141_7),
        (3, 0.5, 20.0, -0.185_141_344_382_632_4, 0.226_492_862_479_512_53),
        (26, 1.0, 1_000.0, -0.023_608_290_727_077_05, -0.915_654_602_354_733_8),
        (26, 0.01, 0.5, -0.001_357_292_875_235_586_9, -0.510_327_021_712_147_4),
        (26, 0.01, 1_000_000_000.0, -0.001_597_449_907_977_854, 19.747_586_587_018_553),
        (26, 100.0, 0.5, -0.001_474_655_364_336_980_1, -0.124_918_506_726_071_67),
        (26, 100.0, 1_000_000_000.0, -0.038_276_912_879_293_7, -3.185_517_364_795_877_4),
        (26, 0.5, 20.0, -0.011_896_548_227_195_67, -0.728_844_722_983_279_4),
        (1000, 1.0, 1_000.0, -0.000_437_081_754_005_279_84, -2.880_999_691_689_876),
        (1000, 0.01, 0.5, -5.301_491_022_213_908e-7, -0.003_284_751_843_859_784),
        (1000, 0.01, 1_000_000_000.0, -1.051_492_877_474_218_3e-5, 17.196_219_044_909_764),
        (1000, 100.0, 0.5, -9.966_827_888_169_126e-7, -0.006_884_832_502_975_758),
        (1000, 100.0, 1_000_000_000.0, -0.000_995_012_853_866_669, -6.832_349_837_844_484),
        (1000, 0.5, 20.0, -2.560_708_103_199_261_6e-5, -0.171_138_231_557_005_58),
    ];

    /// s, β, γ: the two integrals separately, by `mpmath.quad` at 40 digits.
    const UNIFORM: [(usize, f64, f64); 7] = [
        (2, -0.338_766_483_287_943_4, -0.563_827_327_695_777_4),
        (3, -0.200_173_155_726_862_62, -0.938_352_710_613_966_9),
        (4, -0.142_314_291_220_051_13, -1.214_386_508_712_671_5),
        (10, -0.052_407_246_633_256_63, -2.115_945_620_241_592),
        (26, -0.019_569_357_092_633_043, -3.067_215_624_692_158_5),
        (100, -0.005_022_390_544_306_096_6, -4.412_587_000_085_999),
        (1000, -0.000_500_222_389_052_774_7, -6.714_663_737_415_656),
    ];

    #[test]
    fn dirichlet_agrees_with_mpmath() {
        for (s, a, b, beta, gamma) in DIRICHLET {
            let found = acll_constants(s, AcllPrior::Dirichlet { a, b }).unwrap();
            assert_relative(found.beta, beta, 1e-11, &format!("β of s {s} a {a} b {b}"));
            assert!(
                (found.gamma - gamma).abs() <= 1e-11 * gamma.abs().max(1.0),
                "γ of s {s} a {a} b {b}: {found:?}"
            );
        }
    }

    #[test]
    fn uniform_agrees_with_mpmath() {
        for (s, beta, gamma) in UNIFORM {
            let found = acll_constants(s, AcllPrior::Uniform).unwrap();
            assert_relative(found.beta, beta, 1e-11, &format!("β of s {s}"));
            assert_relative(found.gamma, gamma, 1e-11, &format!("γ of s {s}"));
        }
    }

    #[test]
    fn the_closed_forms_for_few_classes() {
        // s = 2: (π² − 18)/24. One class: A = −B.
        assert_relative(uniform(2.0).beta, (PI * PI - 18.0) / 24.0, 1e-13, "two classes");
        for one in [uniform(1.0), dirichlet(1.0, 0.3, 17.0)] {
            assert!((one.beta + 1.0).abs() < 1e-12 && one.gamma.abs() < 1e-11, "{one:?}");
        }
    }

    #[test]
    fn what_is_no_prior_is_refused() {
        assert!(matches!(acll_constants(0, AcllPrior::Uniform), Err(Error::Empty { .. })));
        for (a, b) in [(0.0, 1.0), (-1.0, 1.0), (1.0, 0.0), (f64::NAN, 1.0), (1.0, f64::INFINITY)] {
            let refused = acll_constants(2, AcllPrior::Dirichlet { a, b });
            assert!(matches!(refused, Err(Error::ParameterOutOfRange { .. })), "{a} {b}");
        }
    }

    #[test]
    fn the_integrand_is_continuous_where_its_formula_changes() {
        assert_relative(phi_plus_xi(2.0 - 1e-15), phi_plus_xi(2.0), 1e-13, "φ + ξ at 2");
        assert_relative(ln_phi(1e-5 - 1e-20), ln_phi(1e-5), 1e-9, "ln φ at 1e-5");
        // mpmath.e1(2), mpmath.e1(50)
        assert_relative(exponential_integral(2.0), 0.048_900_510_708_061_12, 1e-14, "E_1(2)");
        assert_relative(exponential_integral(50.0), 3.783_264_029_550_459e-24, 1e-14, "E_1(50)");
    }

    proptest! {
        #[test]
        fn beta_lies_between_minus_one_over_s_and_zero(
            s in 2usize..1000, ln_a in -4.6..4.6f64, ln_b in -0.69..20.7f64,
        ) {
            // Var B > −s Cov(A, B): the shares of the classes vary, too.
            let found = acll_constants(s, AcllPrior::Dirichlet { a: ln_a.exp(), b: ln_b.exp() }).unwrap();
            prop_assert!(found.beta < 0.0 && found.beta > -1.0 / s as f64, "{found:?}");
        }

        #[test]
        fn a_large_b_has_a_limit(s in 2usize..100, a in 0.1..10.0f64) {
            // b → ∞: the U_c become independent Gamma(a) up to scale, β → −ψ′(sa)/ψ′(a).
            let found = acll_constants(s, AcllPrior::Dirichlet { a, b: 1e15 }).unwrap();
            assert_relative(found.beta, -trigamma(s as f64 * a) / trigamma(a), 1e-10, "β of a large b");
        }
    }
}
