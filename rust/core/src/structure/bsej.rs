//! Backward sequential elimination and joining.

use crate::control::Control;
use crate::error::{Error, Result};
use crate::options::Options;
use crate::structure::grouping::{Groups, deletions, merges, singletons};
use crate::structure::objective::{SearchPath, Split, independent, search};
use crate::structure::{Accuracy, Evidence, Structure, StructureLearner};

/// Semi-naive Bayes that a greedy search by accuracy carves out of naive Bayes.
///
/// # Formula
/// ```text
/// S ← {{1}, …, {n}};   repeat S ← the best of
///     every deletion of an attribute (the rest of its group stays),   every merge of two groups,
/// while the accuracy rises strictly
/// ```
/// S the groups, each one compound variable. Accuracy and folds as in [`Fss`](super::Fss). Ties: deletion before
/// merge, then the lowest attribute or the lowest pair of groups.
///
/// # Complexity
/// O((n + g²)·N·s) a step for g groups: no model is refitted.
///
/// # References
/// pazzani1996, mihaljevic2013
#[derive(Debug, Clone, Copy)]
pub struct Bsej {
    /// The folds.
    pub split: Split,
}

impl Bsej {
    /// The groups, and how they were found.
    pub(super) fn groups(
        &self,
        n: usize,
        accuracy: &dyn Accuracy,
        control: &Control,
    ) -> Result<(Groups, SearchPath)> {
        let start = singletons(n);
        let candidates = |groups: &[Vec<usize>]| [deletions(groups), merges(groups)].concat();
        search(accuracy, self.split, start, &candidates, control)
    }
}

impl StructureLearner for Bsej {
    fn name(&self) -> &str {
        "bsej"
    }

    fn learn(&self, _: Evidence<'_>, _: &Control) -> Result<Structure> {
        Err(Error::NoAccuracy { learner: "bsej" })
    }

    fn search(
        &self,
        evidence: Evidence<'_>,
        accuracy: &dyn Accuracy,
        control: &Control,
    ) -> Result<(Structure, Option<SearchPath>)> {
        let (groups, path) = self.groups(evidence.counts.n(), accuracy, control)?;
        Ok((independent(groups), Some(path)))
    }
}

pub(super) fn build(options: &Options) -> Result<Box<dyn StructureLearner>> {
    options.only("bsej", &["cv", "random_state"])?;
    Ok(Box::new(Bsej { split: Split::from_options(options)? }))
}
