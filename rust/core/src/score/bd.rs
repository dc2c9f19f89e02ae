//! The Bayesian Dirichlet score with the same pseudo-count in every cell.

use crate::counts::FamilyShape;
use crate::error::Result;
use crate::options::{Declared, Domain};
use crate::registry::About;
use crate::score::{Additive, Entry, FamilyScore, Term};

/// The logarithm of the probability of a family's data under Dirichlet priors.
///
/// # Formula
/// ```text
/// φ_i(Π) = Σ_j [ lnΓ(r_i α) − lnΓ(r_i α + N_ij) + Σ_k ( lnΓ(α + N_ijk) − lnΓ(α) ) ]
/// ```
/// α > 0 the pseudo-count of each cell, r_i the child's values, N_ijk rows in which the child has value k and
/// its parents configuration j, N_ij = Σ_k N_ijk. Configurations never seen add nothing. Not score equivalent.
///
/// # Complexity
/// O(q·r), q configurations.
///
/// # References
/// cooper1992, heckerman1995
#[derive(Debug, Clone, Copy)]
pub struct Bd {
    alpha: f64,
}

impl Bd {
    /// With α above 0.
    pub fn new(alpha: f64) -> Self {
        Self { alpha }
    }
}

/// The additive form with α in each cell: what `bd`, `k2` and `bdeu` share.
pub(super) fn additive(alpha: f64, r: usize) -> Additive {
    Additive {
        cell: Term::LnGamma { offset: alpha },
        row: Term::LnGamma { offset: alpha * r as f64 },
        margin: Term::Zero,
        constant: 0.0,
    }
}

impl FamilyScore for Bd {
    fn is_score_equivalent(&self) -> bool {
        false
    }

    fn additive(&self, shape: &FamilyShape, _total: f64) -> Result<Option<Additive>> {
        Ok(Some(additive(self.alpha, shape.child)))
    }
}

pub(super) const ENTRY: Entry = Entry {
    about: About {
        name: "bd",
        title: "BD",
        summary: "Bayesian Dirichlet, alpha pseudo-counts in each cell",
        formula: "Σ_j [ lnΓ(rα) − lnΓ(rα + N_j) + Σ_k (lnΓ(α + N_jk) − lnΓ(α)) ]",
        settings: &[Declared::new("alpha", Domain::Positive(1.0), "the pseudo-count of each cell")],
        needs: &[],
    },
    build: |options| Ok(Box::new(Bd::new(options.number("alpha")?))),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::{Cells, FamilyCounts};

    #[test]
    fn a_hand_computed_family() {
        // α = 1, one configuration with counts 2 and 1: Γ(2)/Γ(5) · Γ(3) Γ(2) = 2/24.
        let shape = FamilyShape { child: 2, class: None, parents: vec![] };
        let family = FamilyCounts { shape, cells: Cells::Integer(vec![2, 1]) };
        let score = Bd::new(1.0).score(&family, 3.0).unwrap();
        assert!((score - (2.0f64 / 24.0).ln()).abs() < 1e-12, "{score}");
    }
}
