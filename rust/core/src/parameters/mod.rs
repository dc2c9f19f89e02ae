//! Parameter estimators: from counts to conditional probability tables.
//!
//! An estimator is one file here and one line in [`REGISTRY`].

mod acll;
mod dirichlet;
mod laplace;
mod mle;

use crate::counts::FamilyCounts;
use crate::error::{Error, Result};
use crate::options::Options;

pub use acll::AcllParameters;
pub use dirichlet::Dirichlet;
pub use laplace::Laplace;
pub use mle::Mle;

/// Estimates θ, the conditional probabilities of a family.
pub trait ParameterEstimator: Send + Sync {
    /// The registry's name.
    fn name(&self) -> &str;

    /// θ of each cell, laid out as the counts are. `total` is N of the whole data.
    fn estimate(&self, family: &FamilyCounts, total: f64) -> Result<Vec<f64>>;

    /// θ of the class node, whose family has no parents.
    fn estimate_class(&self, family: &FamilyCounts, total: f64) -> Result<Vec<f64>> {
        self.estimate(family, total)
    }
}

/// θ by configurations: `estimate(N_xπ of one configuration, N_π)` for each of them.
fn by_configuration(family: &FamilyCounts, mut estimate: impl FnMut(&[f64], f64, &mut Vec<f64>)) -> Vec<f64> {
    let cells = family.cells.to_f64();
    let mut theta = Vec::with_capacity(cells.len());
    for row in cells.chunks_exact(family.shape.child) {
        estimate(row, row.iter().sum(), &mut theta);
    }
    theta
}

/// A registered estimator.
pub struct Entry {
    /// Its name: file stem, Python string, value on the command line.
    pub name: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// Makes it from its settings.
    pub build: fn(&Options) -> Result<Box<dyn ParameterEstimator>>,
}

/// All estimators.
pub const REGISTRY: &[Entry] = &[
    Entry { name: "mle", summary: "relative frequencies", build: mle::build },
    Entry { name: "laplace", summary: "α added to every count", build: laplace::build },
    Entry { name: "dirichlet", summary: "n0 pseudo-rows with the child's marginal", build: dirichlet::build },
    Entry {
        name: "acll",
        summary: "the maximum of the approximate conditional log-likelihood",
        build: acll::build,
    },
];

/// The estimator of a name with its settings.
pub fn by_name(name: &str, options: &Options) -> Result<Box<dyn ParameterEstimator>> {
    match REGISTRY.iter().find(|entry| entry.name == name) {
        Some(entry) => (entry.build)(options),
        None => {
            let known: Vec<&str> = REGISTRY.iter().map(|entry| entry.name).collect();
            Err(Error::UnknownName { kind: "parameters", name: name.into(), known: known.join(", ") })
        }
    }
}
