//! Filter forward sequential selection.

use rayon::prelude::*;

use crate::control::Control;
use crate::data::Variable;
use crate::error::{Error, Result};
use crate::independence::{GTest, g_test};
use crate::registry::{About, Need};
use crate::structure::chi2_forest::{self, Significance};
use crate::structure::objective::independent;
use crate::structure::{Entry, Evidence, Learner, Structure, StructureLearner};
use crate::with_cells;

/// Naive Bayes over the attributes that a test finds dependent on the class.
///
/// # Formula
/// ```text
/// keep X_i iff p(G) ≤ α and N / (r_i s) ≥ min_cell,   G = 2 N I(X_i; C),   df = (r_i − 1)(s − 1)
/// ```
/// C the class with s values, r_i the values of X_i, N rows. An attribute whose test is unreliable is dropped.
///
/// # Complexity
/// O(n·N).
///
/// # References
/// mihaljevic2013
#[derive(Debug, Clone, Copy, Default)]
pub struct Ffss {
    /// When an attribute counts as dependent on the class.
    pub significance: Significance,
}

impl StructureLearner for Ffss {
    fn learn(&self, evidence: Evidence<'_>, control: &Control) -> Result<Structure> {
        let tests = (0..evidence.counts.n()).into_par_iter().map(|attribute| {
            control.check()?;
            class_test(evidence, attribute, self.significance.min_cell)
        });
        let tests = tests.collect::<Result<Vec<GTest>>>()?.into_iter().enumerate();
        let kept = tests.filter(|(_, test)| test.is_dependent(self.significance.alpha));
        Ok(independent(kept.map(|(attribute, _)| vec![attribute]).collect()))
    }
}

/// The test of an attribute against the class.
fn class_test(evidence: Evidence<'_>, attribute: usize, min_cell: f64) -> Result<GTest> {
    let Some(classes) = evidence.counts.n_classes() else { return Err(Error::NoClass { what: "ffss" }) };
    let family = evidence.counts.family(Variable::Attribute(attribute), &[], true)?;
    let shape = [1, classes, family.shape.child];
    Ok(with_cells!(&family.cells, cells => g_test(cells, shape, min_cell)))
}

pub(super) const ENTRY: Entry = Entry {
    about: About {
        name: "ffss",
        title: "FFSS",
        summary: "naive Bayes on attributes that depend on the class",
        formula: "keep X_i iff p(2 N I(X_i; C)) ≤ alpha",
        settings: &[chi2_forest::ALPHA, chi2_forest::MIN_CELL],
        needs: &[Need::Class],
    },
    build: |options| {
        Ok(Learner::Counts(Box::new(Ffss { significance: Significance::from_options(options)? })))
    },
};
