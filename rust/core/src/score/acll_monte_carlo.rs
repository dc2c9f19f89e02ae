//! The constants of the approximate conditional log-likelihood by simulation: a cross-check of the exact ones.

use crate::control::Control;
use crate::error::{Result, check_parameter};
use crate::math::{Random, log_sum_exp};
use crate::memory::with_room;
use crate::score::acll_constants::{AcllConstants, AcllPrior, check};

/// Simulated constants with their standard errors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AcllEstimate {
    /// β̂ and γ̂.
    pub constants: AcllConstants,
    /// The standard errors of β̂ and γ̂.
    pub standard_errors: AcllConstants,
}

/// Estimates β and γ by the least-squares line through `samples` simulated points (B, A).
///
/// # Formula
/// ```text
/// repeat m times: draw (u_1, …, u_s);  B = Σ_c ln u_c,  A = −ln Σ_c u_c
/// β̂ = Σ (B − B̄)(A − Ā) / Σ (B − B̄)²,  γ̂ = Ā − β̂ B̄
/// ```
/// Uniform (the paper's Algorithm 1): each u_c uniform on (0, 1). Dirichlet (its Algorithm 2): u_c = y_c / Σ y with y_1..y_s ~
/// Gamma(a), y_(s+1) ~ Gamma(b). The standard errors are the sandwich ones, as the residuals' spread depends on B.
///
/// # Complexity
/// O(m s) time, O(m) memory.
///
/// # References
/// carvalho2013, Algorithms 1 and 2
///
/// # Differences
/// Gamma numbers come from Marsaglia and Tsang's method and as logarithms, not from inverting their distribution function: the same
/// distribution, faster, and without underflow for small `a`.
///
/// # Errors
/// Fewer than 3 samples, no classes, or `a` or `b` not positive and finite.
pub fn acll_monte_carlo(
    n_classes: usize,
    prior: AcllPrior,
    samples: usize,
    seed: u64,
    control: &Control,
) -> Result<AcllEstimate> {
    check(n_classes, prior)?;
    check_parameter("samples", samples as f64, samples >= 3, "a line and its error need at least 3")?;
    let mut random = Random::new(seed);
    let mut ln_u = vec![0.0; n_classes];
    let mut points: Vec<(f64, f64)> = with_room(|| format!("{samples} simulated points"), samples)?;
    for sample in 0..samples {
        if sample.is_multiple_of(256) {
            control.check()?;
        }
        draw(&mut random, prior, &mut ln_u);
        points.push((ln_u.iter().sum(), -log_sum_exp(&ln_u)));
    }
    Ok(line(&points))
}

/// Fills `ln_u` with the logarithms of one (u_1, …, u_s).
fn draw(random: &mut Random, prior: AcllPrior, ln_u: &mut [f64]) {
    match prior {
        AcllPrior::Uniform => ln_u.fill_with(|| random.uniform().ln()),
        AcllPrior::Dirichlet { a, b } => {
            ln_u.fill_with(|| random.ln_gamma_variate(a));
            let ln_total = log_sum_exp(&[log_sum_exp(ln_u), random.ln_gamma_variate(b)]);
            ln_u.iter_mut().for_each(|v| *v -= ln_total);
        }
    }
}

/// The least-squares line of A on B through the points (B, A), with heteroscedasticity-consistent errors.
fn line(points: &[(f64, f64)]) -> AcllEstimate {
    let m = points.len() as f64;
    let mean_b = points.iter().map(|p| p.0).sum::<f64>() / m;
    let mean_a = points.iter().map(|p| p.1).sum::<f64>() / m;
    let square: f64 = points.iter().map(|p| (p.0 - mean_b).powi(2)).sum();
    let beta = points.iter().map(|p| (p.0 - mean_b) * (p.1 - mean_a)).sum::<f64>() / square;
    let gamma = mean_a - beta * mean_b;
    // Each point's influence on β̂ is (B − B̄) e / Σ(B − B̄)², on γ̂ it is e/m − B̄ times that; e is its residual.
    let (mut variance_beta, mut variance_gamma) = (0.0, 0.0);
    for &(b, a) in points {
        let residual = a - beta * b - gamma;
        let on_beta = (b - mean_b) * residual / square;
        variance_beta += on_beta.powi(2);
        variance_gamma += (residual / m - mean_b * on_beta).powi(2);
    }
    AcllEstimate {
        constants: AcllConstants { beta, gamma },
        standard_errors: AcllConstants { beta: variance_beta.sqrt(), gamma: variance_gamma.sqrt() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::score::acll_constants::acll_constants;

    #[test]
    fn agrees_with_the_exact_constants_within_four_standard_errors() {
        for s in [2, 3, 26] {
            for prior in [
                AcllPrior::Uniform,
                AcllPrior::Dirichlet { a: 1.0, b: 1000.0 },
                AcllPrior::Dirichlet { a: 0.05, b: 3.0 },
                AcllPrior::Dirichlet { a: 20.0, b: 0.5 },
            ] {
                let exact = acll_constants(s, prior).unwrap();
                let AcllEstimate { constants, standard_errors } =
                    acll_monte_carlo(s, prior, 20_000, 11, &Control::new()).unwrap();
                let z_beta = (constants.beta - exact.beta) / standard_errors.beta;
                let z_gamma = (constants.gamma - exact.gamma) / standard_errors.gamma;
                assert!(z_beta.abs() < 4.0 && z_gamma.abs() < 4.0, "s {s} {prior:?}: {z_beta} {z_gamma}");
                assert!(
                    standard_errors.beta < 0.1 * exact.beta.abs(),
                    "s {s} {prior:?}: {standard_errors:?}"
                );
            }
        }
    }

    #[test]
    fn the_standard_errors_are_those_of_repeated_simulation() {
        let prior = AcllPrior::Dirichlet { a: 1.0, b: 1000.0 };
        let runs: Vec<AcllEstimate> =
            (0..200).map(|seed| acll_monte_carlo(2, prior, 1000, seed, &Control::new()).unwrap()).collect();
        let spread = |value: fn(&AcllConstants) -> f64| {
            let mean = runs.iter().map(|run| value(&run.constants)).sum::<f64>() / 200.0;
            (runs.iter().map(|run| (value(&run.constants) - mean).powi(2)).sum::<f64>() / 199.0).sqrt()
        };
        let ratio_beta = runs[0].standard_errors.beta / spread(|c| c.beta);
        let ratio_gamma = runs[0].standard_errors.gamma / spread(|c| c.gamma);
        assert!(
            (0.7..1.4).contains(&ratio_beta) && (0.7..1.4).contains(&ratio_gamma),
            "{ratio_beta} {ratio_gamma}"
        );
    }

    #[test]
    fn the_seed_decides() {
        let run = |seed| acll_monte_carlo(3, AcllPrior::Uniform, 100, seed, &Control::new()).unwrap();
        assert_eq!(run(5), run(5));
        assert_ne!(run(5), run(6));
    }

    #[test]
    fn too_few_samples_are_refused() {
        let refused = acll_monte_carlo(2, AcllPrior::Uniform, 2, 0, &Control::new());
        assert!(matches!(refused, Err(Error::ParameterOutOfRange { name: "samples", .. })));
    }
}
