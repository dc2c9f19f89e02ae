//! Laplace's correction.

use crate::counts::FamilyCounts;
use crate::error::{Error, Result};
use crate::options::Options;
use crate::parameters::{ParameterEstimator, by_configuration};

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
    fn name(&self) -> &str {
        "laplace"
    }

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

pub(super) fn build(options: &Options) -> Result<Box<dyn ParameterEstimator>> {
    options.only("laplace", &["alpha"])?;
    Ok(Box::new(Laplace::new(options.positive("alpha", 1.0)?)))
}
