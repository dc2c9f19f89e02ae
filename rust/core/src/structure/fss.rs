//! Forward sequential selection.

use crate::control::Control;
use crate::error::{Error, Result};
use crate::options::Options;
use crate::structure::grouping::additions;
use crate::structure::objective::{SearchPath, Split, independent, search};
use crate::structure::{Accuracy, Evidence, Structure, StructureLearner};

/// Naive Bayes over the attributes that a greedy search by accuracy selects.
///
/// # Formula
/// ```text
/// A ← ∅;   repeat A ← A ∪ {i*},   i* = argmax_{i ∉ A} accuracy(A ∪ {i}),   while the accuracy rises strictly
/// ```
/// accuracy(A): the share of rows that naive Bayes over A classifies correctly in a stratified cross-validation, whose
/// folds are fixed before the search. Ties: the lowest attribute.
///
/// # Complexity
/// O(n·N·s) a step.
///
/// # References
/// langley1994
#[derive(Debug, Clone, Copy)]
pub struct Fss {
    /// The folds.
    pub split: Split,
}

impl StructureLearner for Fss {
    fn name(&self) -> &str {
        "fss"
    }

    fn learn(&self, _: Evidence<'_>, _: &Control) -> Result<Structure> {
        Err(Error::NoAccuracy { learner: "fss" })
    }

    fn search(
        &self,
        evidence: Evidence<'_>,
        accuracy: &dyn Accuracy,
        control: &Control,
    ) -> Result<(Structure, Option<SearchPath>)> {
        let n = evidence.counts.n();
        let candidates = |groups: &[Vec<usize>]| additions(groups, n);
        let (groups, path) = search(accuracy, self.split, Vec::new(), &candidates, control)?;
        Ok((independent(groups), Some(path)))
    }
}

pub(super) fn build(options: &Options) -> Result<Box<dyn StructureLearner>> {
    options.only("fss", &["cv", "random_state"])?;
    Ok(Box::new(Fss { split: Split::from_options(options)? }))
}
