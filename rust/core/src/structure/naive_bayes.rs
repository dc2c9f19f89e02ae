//! Naive Bayes.

use crate::control::Control;
use crate::error::Result;
use crate::registry::About;
use crate::structure::{Entry, Evidence, Learner, Structure, StructureLearner};

/// Every attribute depends on the class alone.
///
/// # Formula
/// ```text
/// P(c, x) = P(c) Π_i P(x_i | c)
/// ```
/// c the class, x_i the attributes' values.
///
/// # References
/// duda1973, minsky1961
#[derive(Debug, Clone, Copy, Default)]
pub struct NaiveBayes;

impl StructureLearner for NaiveBayes {
    fn learn(&self, evidence: Evidence<'_>, _control: &Control) -> Result<Structure> {
        Ok(Structure::from_parents(vec![Vec::new(); evidence.counts.n()]))
    }
}

pub(super) const ENTRY: Entry = Entry {
    about: About {
        name: "nb",
        title: "Naive Bayes",
        summary: "every attribute depends on the class alone",
        formula: "P(c) Π_i P(x_i | c)",
        settings: &[],
        needs: &[],
    },
    build: |_| Ok(Learner::Counts(Box::new(NaiveBayes))),
};
