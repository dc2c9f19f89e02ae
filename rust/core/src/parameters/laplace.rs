//! Laplace's correction.

use crate::counts::FamilyCounts;
use crate::error::{Error, Result};
use crate::options::{Declared, Domain};
use crate::parameters::{Entry, ParameterEstimator, by_configuration};
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

impl ParameterEstimator for Laplace {
    fn estimate(&self, family: &FamilyCounts, _total: f64) -> Result<Vec<f64>> {
        let r = family.shape.child as f64;
        if !(self.alpha * r).is_finite() {
            let allowed = "added to every count, it must give a finite sum";
            return Err(Error::ParameterOutOfRange { name: "alpha", value: self.alpha, allowed });
        }
        Ok(by_configuration(family, |counts, sum, theta| {
            theta.extend(counts.iter().map(|count| (count + self.alpha) / (sum + self.alpha * r)));
        }))
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
