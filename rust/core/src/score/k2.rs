//! The K2 score: the Bayesian Dirichlet score with α = 1.

use crate::registry::About;
use crate::score::{Bd, Entry};

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
    Bd::new(1.0)
}

pub(super) const ENTRY: Entry = Entry {
    about: About {
        name: "k2",
        title: "K2",
        summary: "Bayesian Dirichlet, one pseudo-count in each cell",
        formula: "bd with α = 1",
        settings: &[],
        needs: &[],
    },
    build: |_| Ok(Box::new(k2())),
};
