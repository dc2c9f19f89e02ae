//! Akaike's information criterion.

use crate::counts::FamilyShape;
use crate::error::Result;
use crate::registry::About;
use crate::score::log_likelihood::{additive, free_parameters};
use crate::score::{Additive, Entry, FamilyScore};

/// The log-likelihood less one for each free parameter.
///
/// # Formula
/// ```text
/// φ_i(Π) = ll_i(Π) − (r_i − 1) q_i
/// ```
/// ll the log-likelihood, r_i the child's values, q_i the configurations of its parents, seen or not. Score
/// equivalent.
///
/// # Complexity
/// O(q·r).
///
/// # References
/// akaike1974
#[derive(Debug, Clone, Copy, Default)]
pub struct Aic;

impl FamilyScore for Aic {
    fn is_score_equivalent(&self) -> bool {
        true
    }

    fn additive(&self, shape: &FamilyShape, _total: f64) -> Result<Option<Additive>> {
        Ok(Some(additive(free_parameters(shape))))
    }
}

pub(super) const ENTRY: Entry = Entry {
    about: About {
        name: "aic",
        title: "AIC",
        summary: "log-likelihood, less one for each free parameter",
        formula: "ll − (r−1) q",
        settings: &[],
        needs: &[],
    },
    build: |_| Ok(Box::new(Aic)),
};
