//! Parameter estimators: from counts to conditional probability tables.
//!
//! An estimator is one file here, which tells all about it in its `ENTRY`, and one line in [`REGISTRY`].

mod acll;
mod dirichlet;
mod given_class;
mod hierarchical;
mod laplace;
mod mle;

use crate::counts::FamilyCounts;
use crate::error::Result;
use crate::options::Options;
use crate::registry;

pub use acll::AcllParameters;
pub use dirichlet::Dirichlet;
pub use given_class::{GivenClass, OccurringCounts, Value, Visit};
pub use hierarchical::{
    Hierarchical, LOG_CONCENTRATION_BOUNDS, Occurrence, PRIOR_DEVIATION, PRIOR_MODE, concentrations,
};
pub use laplace::Laplace;
pub use mle::Mle;

/// Estimates θ, the conditional probabilities of a family.
pub trait ParameterEstimator: Send + Sync {
    /// θ of each cell, laid out as the counts are. `total` is N of the whole data.
    fn estimate(&self, family: &FamilyCounts, total: f64) -> Result<Vec<f64>>;

    /// θ of the class node, whose family has no parents.
    fn estimate_class(&self, family: &FamilyCounts, total: f64) -> Result<Vec<f64>> {
        self.estimate(family, total)
    }

    /// The same as [`estimate`](Self::estimate) for a child whose only parent is the class, cell by cell, so that nobody
    /// pays for values that do not occur.
    fn given_class(&self, counts: &OccurringCounts<'_>) -> Result<Box<dyn GivenClass>> {
        Ok(Box::new(given_class::Dense::new(self, counts)?))
    }

    /// The same θ with the concentrations behind it, for estimators that tune such; `None` for all others.
    fn tuned(&self, _family: &FamilyCounts) -> Result<Option<Tuned>> {
        Ok(None)
    }
}

/// θ of a family with the concentrations that the data asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Tuned {
    /// θ of each cell, laid out as the counts are.
    pub theta: Vec<f64>,
    /// The concentration of each level, from no parent to all.
    pub concentrations: Vec<f64>,
}

/// θ by configurations: `estimate(N_xπ of one configuration, N_π)` for each of them.
fn by_configuration(family: &FamilyCounts, mut estimate: impl FnMut(&[f64], f64, &mut Vec<f64>)) -> Vec<f64> {
    let mut theta = Vec::with_capacity(family.cells.len());
    family.cells.for_each_part(family.shape.child, |row| estimate(row, row.iter().sum(), &mut theta));
    theta
}

/// A registered estimator.
pub type Entry = registry::Entry<Box<dyn ParameterEstimator>>;

/// All estimators.
pub const REGISTRY: &[Entry] =
    &[mle::ENTRY, laplace::ENTRY, dirichlet::ENTRY, hierarchical::ENTRY, acll::ENTRY];

/// The estimator of a name with its settings.
pub fn by_name(name: &str, options: &Options) -> Result<Box<dyn ParameterEstimator>> {
    registry::find("parameters", REGISTRY, name)?.make(options)
}
