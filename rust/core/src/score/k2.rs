//! The K2 score: the Bayesian Dirichlet score with α = 1.

use crate::error::Result;
use crate::options::Options;
use crate::score::{Bd, FamilyScore};

/// The Bayesian Dirichlet score with one pseudo-count in every cell.
///
/// # Formula
/// ```text
/// φ_i(Π) = Σ_j [ ln (r_i − 1)! − ln (N_ij + r_i − 1)! + Σ_k ln N_ijk! ]
/// ```
/// which is [`Bd`] with α = 1; its doc comment defines the symbols. Not score equivalent.
///
/// # References
/// cooper1992
pub fn k2() -> Bd {
    Bd::named("k2", 1.0)
}

pub(super) fn build(options: &Options) -> Result<Box<dyn FamilyScore>> {
    options.only("k2", &[])?;
    Ok(Box::new(k2()))
}
