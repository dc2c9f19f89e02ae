//! The Bayesian information criterion, which is the minimum description length with its sign turned.

use crate::counts::FamilyShape;
use crate::error::Result;
use crate::registry::About;
use crate::score::log_likelihood::{additive, free_parameters};
use crate::score::{Additive, Entry, FamilyScore};

/// The log-likelihood less half of ln N for each free parameter.
///
/// # Formula
/// ```text
/// φ_i(Π) = ll_i(Π) − ½ ln(N) (r_i − 1) q_i
/// ```
/// ll the log-likelihood, N the rows, r_i the child's values, q_i the configurations of its parents, seen or
/// not. Score equivalent.
///
/// # Complexity
/// O(q·r).
///
/// # References
/// schwarz1978, lam1994
#[derive(Debug, Clone, Copy, Default)]
pub struct Bic;

impl FamilyScore for Bic {
    fn is_score_equivalent(&self) -> bool {
        true
    }

    fn additive(&self, shape: &FamilyShape, total: f64) -> Result<Option<Additive>> {
        Ok(Some(additive(0.5 * total.ln() * free_parameters(shape))))
    }
}

pub(super) const ENTRY: Entry = Entry {
    about: About {
        name: "bic",
        title: "BIC",
        summary: "log-likelihood, less ½ ln N for each free parameter",
        formula: "ll − ½ ln(N) (r−1) q",
        settings: &[],
        needs: &[],
    },
    build: |_| Ok(Box::new(Bic)),
};

pub(super) const MDL: Entry = Entry {
    about: About {
        name: "mdl",
        title: "MDL",
        summary: "minimum description length; the same as bic",
        formula: "ll − ½ ln(N) (r−1) q",
        settings: &[],
        needs: &[],
    },
    build: |_| Ok(Box::new(Bic)),
};
