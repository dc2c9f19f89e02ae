//! The likelihood-equivalent Bayesian Dirichlet score with a uniform prior.

use crate::counts::FamilyShape;
use crate::error::Result;
use crate::options::{Declared, Domain};
use crate::registry::About;
use crate::score::bd::additive;
use crate::score::{Additive, Entry, FamilyScore};

/// The Bayesian Dirichlet score whose pseudo-counts add up to `ess` in every family.
///
/// # Formula
/// ```text
/// φ_i(Π) = Σ_j [ lnΓ(α_ij) − lnΓ(α_ij + N_ij) + Σ_k ( lnΓ(α_ijk + N_ijk) − lnΓ(α_ijk) ) ]
/// α_ijk = ess / (r_i q_i),   α_ij = ess / q_i
/// ```
/// ess > 0 the equivalent sample size, r_i the child's values, q_i the configurations of its parents, N_ijk
/// rows in which the child has value k and its parents configuration j, N_ij = Σ_k N_ijk. Score equivalent.
///
/// # Complexity
/// O(q·r).
///
/// # References
/// buntine1991, heckerman1995
///
/// # Differences
/// The papers on consistent k-graphs list it as not score equivalent; it is (heckerman1995, theorem 3).
#[derive(Debug, Clone, Copy)]
pub struct Bdeu {
    ess: f64,
}

impl Bdeu {
    /// With an equivalent sample size above 0.
    pub fn new(ess: f64) -> Self {
        Self { ess }
    }
}

impl FamilyScore for Bdeu {
    fn is_score_equivalent(&self) -> bool {
        true
    }

    fn additive(&self, shape: &FamilyShape, _total: f64) -> Result<Option<Additive>> {
        let cells = shape.child as f64 * shape.configurations() as f64;
        Ok(Some(additive(self.ess / cells, shape.child)))
    }
}

pub(super) const ENTRY: Entry = Entry {
    about: About {
        name: "bdeu",
        title: "BDeu",
        summary: "likelihood-equivalent Bayesian Dirichlet with a uniform prior",
        formula: "bd with α = ess / (r q) per cell",
        settings: &[Declared::new("ess", Domain::Positive(1.0), "the equivalent sample size: pseudo-rows")],
        needs: &[],
    },
    build: |options| Ok(Box::new(Bdeu::new(options.number("ess")?))),
};
