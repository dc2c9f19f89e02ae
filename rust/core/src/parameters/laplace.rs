//! Laplace's correction.

use crate::counts::FamilyCounts;
use crate::error::{Result, check_parameter};
use crate::options::{Declared, Domain};
use crate::parameters::{Entry, GivenClass, OccurringCounts, ParameterEstimator, Value, by_configuration};
use crate::registry::About;

/// Relative frequencies after adding α to every count.
///
/// # Formula
/// ```text
/// θ_{x|π} = (N_xπ + α) / (N_π + α r)
/// ```
/// N_xπ rows with value x in configuration π, N_π = Σ_x N_xπ, r the child's values, α > 0.
#[derive(Debug, Clone, Copy)]
pub struct Laplace {
    alpha: f64,
}

impl Laplace {
    /// With α above 0.
    pub fn new(alpha: f64) -> Self {
        Self { alpha }
    }
}

impl Laplace {
    /// α, where α r is finite.
    fn alpha(&self, r: f64) -> Result<f64> {
        let allowed = "added to every count, it must give a finite sum";
        check_parameter("alpha", self.alpha, (self.alpha * r).is_finite(), allowed)?;
        Ok(self.alpha)
    }
}

impl ParameterEstimator for Laplace {
    fn estimate(&self, family: &FamilyCounts, _total: f64) -> Result<Vec<f64>> {
        let r = family.shape.child as f64;
        let alpha = self.alpha(r)?;
        Ok(by_configuration(family, |counts, sum, theta| {
            theta.extend(counts.iter().map(|count| (count + alpha) / (sum + alpha * r)));
        }))
    }

    fn given_class(&self, counts: &OccurringCounts<'_>) -> Result<Box<dyn GivenClass>> {
        let alpha = self.alpha(counts.domain)?;
        let sums = counts.classes.iter().map(|sum| sum + alpha * counts.domain).collect();
        Ok(Box::new(LaplaceGivenClass { alpha, sums }))
    }
}

struct LaplaceGivenClass {
    alpha: f64,
    /// N_c + α r
    sums: Vec<f64>,
}

impl GivenClass for LaplaceGivenClass {
    fn theta(&self, class: usize, _: Value, count: f64) -> f64 {
        (count + self.alpha) / self.sums[class]
    }

    fn absent(&self, class: usize) -> Option<f64> {
        Some(self.alpha / self.sums[class])
    }
}

pub(super) const ENTRY: Entry = Entry {
    about: About {
        name: "laplace",
        title: "Laplace",
        summary: "alpha added to every count",
        formula: "(N_xπ + α) / (N_π + α r)",
        settings: &[Declared::new("alpha", Domain::Positive(1.0), "what is added to every count")],
        needs: &[],
    },
    build: |options| Ok(Box::new(Laplace::new(options.number("alpha")?))),
};
