//! Decomposable scores of a family: a child given its parents.
//!
//! A network's score is the sum of its families' scores, the class node included. Natural logarithms,
//! `0·ln 0 = 0`, larger is better.
//!
//! A score is one file here, which tells all about it in its `ENTRY`, and one line in [`REGISTRY`]. Most of them are sums over cells; those give their
//! [`Additive`] form and get their value, and the fast paths of the searches, from it.

mod acll;
pub mod acll_constants;
mod acll_kernel;
pub mod acll_monte_carlo;
mod additive;
mod aic;
mod bd;
mod bde;
mod bdeu;
mod bic;
mod edge_weights;
mod k2;
mod log_likelihood;
mod mit;
mod scorer;
#[cfg(test)]
mod tests;

use crate::counts::{FamilyCounts, PairTable};
use crate::error::{Error, Result};
use crate::options::Options;
use crate::registry;

pub use acll::{Acll, AcllSettings};
pub use additive::{Additive, Term, TermTable};
pub use aic::Aic;
pub use bd::Bd;
pub use bde::{Bde, BdePrior};
pub use bdeu::Bdeu;
pub use bic::Bic;
pub use edge_weights::{
    EdgeVisitor, EdgeWeights, edge_weights, edge_weights_of_folds, edge_weights_visiting, visit_edge_weights,
    weights_fit,
};
pub use k2::k2;
pub use log_likelihood::LogLikelihood;
pub use mit::Mit;
pub use scorer::{PreparedFamily, Scorer};

use crate::counts::FamilyShape;

/// A score that decomposes over the families of a network.
pub trait FamilyScore: Send + Sync {
    /// Whether networks that encode the same independences have the same score. Then, and only then, the
    /// weight of an edge does not depend on its direction.
    fn is_score_equivalent(&self) -> bool;

    /// The score as a sum over cells, for families of this shape in data of `total` rows; `None` where it is
    /// no such sum.
    fn additive(&self, _shape: &FamilyShape, _total: f64) -> Result<Option<Additive>> {
        Ok(None)
    }

    /// φ of both directions of a pair, (φ_j({X_i, C}), φ_i({X_j, C})), where they are cheaper together than apart;
    /// `None` where they are not.
    fn pair(&self, _table: PairCells<'_>, _total: f64) -> Result<Option<(f64, f64)>> {
        Ok(None)
    }

    /// φ of a family. `total` is N, the rows of the whole data (or the sum of their weights).
    fn score(&self, family: &FamilyCounts, total: f64) -> Result<f64> {
        match self.additive(&family.shape, total)? {
            Some(additive) => Ok(additive.evaluate(family)),
            None => Err(Error::Callback {
                message: "it is neither a sum over cells nor a function of tables".into(),
            }),
        }
    }

    /// φ of the class node. Only scores that treat the class differently from attributes differ here.
    fn score_class(&self, family: &FamilyCounts, total: f64) -> Result<f64> {
        self.score(family, total)
    }
}

/// A pair's table of either kind.
#[derive(Debug, Clone, Copy)]
pub enum PairCells<'a> {
    /// Numbers of rows.
    Integer(PairTable<'a, u32>),
    /// Sums of row weights.
    Weighted(PairTable<'a, f64>),
}

/// A registered score.
pub type Entry = registry::Entry<Box<dyn FamilyScore>>;

/// All scores.
pub const REGISTRY: &[Entry] = &[
    log_likelihood::ENTRY,
    aic::ENTRY,
    bic::ENTRY,
    bic::MDL,
    k2::ENTRY,
    bd::ENTRY,
    bde::ENTRY,
    bdeu::ENTRY,
    mit::ENTRY,
    acll::ENTRY,
];

/// The score of a name with its settings.
pub fn by_name(name: &str, options: &Options) -> Result<Box<dyn FamilyScore>> {
    registry::find("score", REGISTRY, name)?.make(options)
}
