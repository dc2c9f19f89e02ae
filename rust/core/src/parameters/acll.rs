//! The parameters that maximise the approximate conditional log-likelihood.

use crate::counts::FamilyCounts;
use crate::error::{Error, Result};
use crate::parameters::{Entry, GivenClass, OccurringCounts, ParameterEstimator, Value};
use crate::registry::{About, Need};
use crate::score::AcllSettings;

/// The discriminative counterpart of relative frequencies: rows of other classes speak against a value.
///
/// # Formula
/// ```text
/// θ_jck = M_jck / Σ_k M_jck,   θ_c = M_c / Σ_c M_c
/// M_jck = max(N_jck + β N_j·k, n0),   M_c = max(N_c + β N, n0)
/// ```
/// N_jck rows in which the child has value k, its attribute parents configuration j and the class value c; N_j·k
/// summed over all classes; β < 0 the constant of the approximation (see
/// [`acll_constants`](crate::score::acll_constants::acll_constants)); n0 > 0. Among the θ with θ_jck ≥ n0/Σ_k M_jck these
/// maximise the score of [`Acll`](crate::score::Acll). A configuration without rows has a uniform θ.
///
/// # Complexity
/// O(q·r).
///
/// # References
/// carvalho2013, theorem 3.8
///
/// # Differences
/// The paper's condition `W ≥ n0, else n0` is a maximum. n0 = 0 is refused: the maximum would not be attained where W < 0.
#[derive(Debug, Clone, Copy)]
pub struct AcllParameters {
    settings: AcllSettings,
}

impl AcllParameters {
    /// With these settings.
    pub fn new(settings: AcllSettings) -> Self {
        Self { settings }
    }

    /// M / ΣM of W, with the sums over rows of `r`.
    fn maximum(&self, w: impl Iterator<Item = f64>, r: usize) -> Vec<f64> {
        let mut theta: Vec<f64> = w.map(|w| w.max(self.settings.n0())).collect();
        for row in theta.chunks_exact_mut(r) {
            let sum: f64 = row.iter().sum();
            row.iter_mut().for_each(|m| *m /= sum);
        }
        theta
    }
}

impl ParameterEstimator for AcllParameters {
    fn estimate(&self, family: &FamilyCounts, total: f64) -> Result<Vec<f64>> {
        let Some(classes) = family.shape.class else {
            return Err(Error::NoClass { what: "the estimator acll" });
        };
        let beta = self.settings.beta(classes, total)?;
        let counts = family.cells.to_f64();
        // N_j·k: the class is the slowest axis.
        let over_classes = family.cells.sum_segments(counts.len() / classes).to_f64();
        let w = counts.iter().zip(over_classes.iter().cycle()).map(|(n, sum)| n + beta * sum);
        Ok(self.maximum(w, family.shape.child))
    }

    fn estimate_class(&self, family: &FamilyCounts, total: f64) -> Result<Vec<f64>> {
        let beta = self.settings.beta(family.shape.child, total)?;
        let counts = family.cells.to_f64();
        let over_classes: f64 = counts.iter().sum();
        Ok(self.maximum(counts.iter().map(|n| n + beta * over_classes), counts.len()))
    }

    fn given_class(&self, counts: &OccurringCounts<'_>) -> Result<Box<dyn GivenClass>> {
        let (beta, n0) = (self.settings.beta(counts.classes.len(), counts.total)?, self.settings.n0());
        // An absent value has M = n0 in every class.
        let mut sums = vec![counts.domain * n0; counts.classes.len()];
        (counts.values)(&mut |by_class| {
            let margin: f64 = by_class.iter().sum();
            for (sum, count) in sums.iter_mut().zip(by_class) {
                *sum += (count + beta * margin).max(n0) - n0;
            }
        });
        Ok(Box::new(AcllGivenClass { beta, n0, sums }))
    }
}

struct AcllGivenClass {
    beta: f64,
    n0: f64,
    /// Σ_k M_ck
    sums: Vec<f64>,
}

impl GivenClass for AcllGivenClass {
    fn theta(&self, class: usize, value: Value, count: f64) -> f64 {
        (count + self.beta * value.margin).max(self.n0) / self.sums[class]
    }

    fn absent(&self, class: usize) -> Option<f64> {
        (self.beta <= 0.0).then(|| self.n0 / self.sums[class])
    }
}

pub(super) const ENTRY: Entry = Entry {
    about: About {
        name: "acll",
        title: "ACLLParameters",
        summary: "the maximum of the approximate conditional log-likelihood",
        formula: "M / Σ_x M, M = max(N_xπc + β N_xπ, n0)",
        settings: &[AcllSettings::PRIOR, AcllSettings::N0, AcllSettings::A, AcllSettings::B],
        needs: &[Need::Class],
    },
    build: |options| Ok(Box::new(AcllParameters::new(AcllSettings::from_options(options)?))),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::{Cells, FamilyShape};
    use crate::options::{Options, Setting};
    use proptest::prelude::*;

    fn estimator(n0: f64) -> AcllParameters {
        let mut options = Options::default();
        options.set("n0", Setting::Number(n0));
        let options = options.resolve("acll", AcllSettings::DECLARED).unwrap();
        AcllParameters::new(AcllSettings::from_options(&options).unwrap())
    }

    fn family(cells: Vec<u32>, class: Option<usize>, child: usize) -> FamilyCounts {
        let shape = FamilyShape { child, class, parents: vec![] };
        FamilyCounts { shape, cells: Cells::Integer(cells) }
    }

    #[test]
    fn two_classes_by_hand() {
        let estimator = estimator(2.0);
        let beta = estimator.settings.beta(2, 100.0).unwrap();
        let theta = estimator.estimate(&family(vec![50, 10, 5, 35], Some(2), 2), 100.0).unwrap();
        let (m0, m1) = (50.0 + 55.0 * beta, 2.0);
        assert!(10.0 + 45.0 * beta < 2.0);
        assert!((theta[0] - m0 / (m0 + m1)).abs() < 1e-15 && (theta[1] - m1 / (m0 + m1)).abs() < 1e-15);
        let (m0, m1) = (2.0, 35.0 + 45.0 * beta);
        assert!((theta[2] - m0 / (m0 + m1)).abs() < 1e-15 && (theta[3] - m1 / (m0 + m1)).abs() < 1e-15);
        let prior = estimator.estimate_class(&family(vec![60, 40], None, 2), 100.0).unwrap();
        let (m0, m1) = (60.0 + 100.0 * beta, (40.0 + 100.0 * beta).max(2.0));
        assert!((prior[0] - m0 / (m0 + m1)).abs() < 1e-15 && (prior[1] - m1 / (m0 + m1)).abs() < 1e-15);
    }

    #[test]
    fn a_family_without_the_class_is_refused() {
        let refused = estimator(5.0).estimate(&family(vec![1, 2], None, 2), 3.0);
        assert!(matches!(refused, Err(Error::NoClass { .. })));
    }

    proptest! {
        /// Theorem 3.8: no θ that keeps the bound gives a larger Σ W ln θ, row by row.
        #[test]
        fn no_feasible_parameters_score_higher(
            cells in prop::collection::vec(0u32..60, 12),
            n0 in 0.1..10.0f64,
            other in prop::collection::vec(0.0..1.0f64, 4),
            step in 0.0..1.0f64,
        ) {
            let (classes, r) = (3, 4);
            let total = f64::from(cells.iter().sum::<u32>()).max(1.0);
            let estimator = estimator(n0);
            let beta = estimator.settings.beta(classes, total).unwrap();
            let theta = estimator.estimate(&family(cells.clone(), Some(classes), r), total).unwrap();
            for c in 0..classes {
                let n = |c: usize, k: usize| f64::from(cells[c * r + k]);
                let w: Vec<f64> = (0..r).map(|k| n(c, k) + beta * (n(0, k) + n(1, k) + n(2, k))).collect();
                let bound = n0 / w.iter().map(|w| w.max(n0)).sum::<f64>();
                // A point of the feasible simplex: the bound everywhere, and the rest shared out at will.
                let sum: f64 = other.iter().sum::<f64>().max(1e-9);
                let rest = 1.0 - bound * r as f64;
                let best = &theta[c * r..][..r];
                let value = |theta: &dyn Fn(usize) -> f64| (0..r).map(|k| w[k] * theta(k).ln()).sum::<f64>();
                let feasible = |k: usize| bound + rest * other[k] / sum;
                let between = |k: usize| best[k] + step * (feasible(k) - best[k]);
                prop_assert!(best.iter().all(|&p| p >= bound * (1.0 - 1e-12)));
                prop_assert!(value(&between) <= value(&|k| best[k]) + 1e-9);
            }
        }
    }
}
