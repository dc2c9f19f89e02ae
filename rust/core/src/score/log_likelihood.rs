//! The log-likelihood.

use crate::counts::FamilyShape;
use crate::error::Result;
use crate::registry::About;
use crate::score::{Additive, Entry, FamilyScore, Term};

/// The maximised log-likelihood of a family.
///
/// # Formula
/// ```text
/// φ_i(Π) = Σ_jk N_ijk ln(N_ijk / N_ij)
/// ```
/// N_ijk rows in which the child has value k and its parents configuration j; N_ij = Σ_k N_ijk. Empty cells
/// add nothing. Never decreases when a parent is added. Score equivalent.
///
/// # Complexity
/// O(q·r), q configurations and r values.
///
/// # References
/// chowliu1968, friedman1997
#[derive(Debug, Clone, Copy, Default)]
pub struct LogLikelihood;

/// Σ_jk x ln x − Σ_j x ln x: what all penalised likelihoods share.
pub(super) fn additive(penalty: f64) -> Additive {
    let x_ln_x = Term::XLnX { scale: 1.0 };
    Additive { cell: x_ln_x, row: x_ln_x, margin: Term::Zero, constant: -penalty }
}

/// (r − 1)·q: the free parameters of a family.
pub(super) fn free_parameters(shape: &FamilyShape) -> f64 {
    (shape.child - 1) as f64 * shape.configurations() as f64
}

impl FamilyScore for LogLikelihood {
    fn is_score_equivalent(&self) -> bool {
        true
    }

    fn additive(&self, _shape: &FamilyShape, _total: f64) -> Result<Option<Additive>> {
        Ok(Some(additive(0.0)))
    }
}

pub(super) const ENTRY: Entry = Entry {
    about: About {
        name: "ll",
        title: "LL",
        summary: "log-likelihood",
        formula: "Σ N_jk ln(N_jk / N_j)",
        settings: &[],
        needs: &[],
    },
    build: |_| Ok(Box::new(LogLikelihood)),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::{Cells, FamilyCounts};

    #[test]
    fn a_hand_computed_family() {
        let shape = FamilyShape { child: 2, class: None, parents: vec![2] };
        let family = FamilyCounts { shape, cells: Cells::Integer(vec![1, 3, 2, 0]) };
        let expected = 0.25f64.ln() + 3.0 * 0.75f64.ln();
        assert!((LogLikelihood.score(&family, 6.0).unwrap() - expected).abs() < 1e-12);
    }
}
