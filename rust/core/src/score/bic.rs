//! The Bayesian information criterion, which is the minimum description length with its sign turned.

use crate::counts::FamilyShape;
use crate::error::Result;
use crate::options::Options;
use crate::score::log_likelihood::{additive, free_parameters};
use crate::score::{Additive, FamilyScore};

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
#[derive(Debug, Clone, Copy)]
pub struct Bic {
    name: &'static str,
}

impl Default for Bic {
    fn default() -> Self {
        Self { name: "bic" }
    }
}

impl FamilyScore for Bic {
    fn name(&self) -> &str {
        self.name
    }

    fn is_score_equivalent(&self) -> bool {
        true
    }

    fn additive(&self, shape: &FamilyShape, total: f64) -> Result<Option<Additive>> {
        Ok(Some(additive(0.5 * total.ln() * free_parameters(shape))))
    }
}

pub(super) fn build(options: &Options) -> Result<Box<dyn FamilyScore>> {
    options.only("bic", &[])?;
    Ok(Box::new(Bic { name: "bic" }))
}

pub(super) fn build_mdl(options: &Options) -> Result<Box<dyn FamilyScore>> {
    options.only("mdl", &[])?;
    Ok(Box::new(Bic { name: "mdl" }))
}
