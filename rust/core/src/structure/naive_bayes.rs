//! Naive Bayes.

use crate::control::Control;
use crate::error::Result;
use crate::options::Options;
use crate::structure::{Evidence, Structure, StructureLearner};

/// Every attribute depends on the class alone.
///
/// # Formula
/// ```text
/// P(c, x) = P(c) Π_i P(x_i | c)
/// ```
/// c the class, x_i the attributes' values.
///
/// # References
/// duda1973
#[derive(Debug, Clone, Copy, Default)]
pub struct NaiveBayes;

impl StructureLearner for NaiveBayes {
    fn name(&self) -> &str {
        "nb"
    }

    fn learn(&self, evidence: Evidence<'_>, _control: &Control) -> Result<Structure> {
        Ok(Structure::from_parents(vec![Vec::new(); evidence.counts.n()]))
    }
}

pub(super) fn build(options: &Options) -> Result<Box<dyn StructureLearner>> {
    options.only("nb", &[])?;
    Ok(Box::new(NaiveBayes))
}
