//! Forward sequential selection and joining.

use crate::control::Control;
use crate::error::{Error, Result};
use crate::options::Options;
use crate::structure::grouping::{additions, joins};
use crate::structure::objective::{SearchPath, Split, independent, search};
use crate::structure::{Accuracy, Evidence, Structure, StructureLearner};

/// Semi-naive Bayes that a greedy search by accuracy builds up from no attribute.
///
/// # Formula
/// ```text
/// S ← ∅;   repeat S ← the best of   S ∪ {{i}},   S \ {g} ∪ {g ∪ {i}}     for i in no group of S, g ∈ S,
/// while the accuracy rises strictly
/// ```
/// S the groups, each one compound variable. Accuracy and folds as in [`Fss`](super::Fss). Ties: addition before
/// joining, then the lowest attribute, then the lowest group.
///
/// # Complexity
/// O(n·g·N·s) a step for g groups.
///
/// # References
/// pazzani1996
#[derive(Debug, Clone, Copy)]
pub struct Fssj {
    /// The folds.
    pub split: Split,
}

impl StructureLearner for Fssj {
    fn name(&self) -> &str {
        "fssj"
    }

    fn learn(&self, _: Evidence<'_>, _: &Control) -> Result<Structure> {
        Err(Error::NoAccuracy { learner: "fssj" })
    }

    fn search(
        &self,
        evidence: Evidence<'_>,
        accuracy: &dyn Accuracy,
        control: &Control,
    ) -> Result<(Structure, Option<SearchPath>)> {
        let n = evidence.counts.n();
        let candidates = |groups: &[Vec<usize>]| [additions(groups, n), joins(groups, n)].concat();
        let (groups, path) = search(accuracy, self.split, Vec::new(), &candidates, control)?;
        Ok((independent(groups), Some(path)))
    }
}

pub(super) fn build(options: &Options) -> Result<Box<dyn StructureLearner>> {
    options.only("fssj", &["cv", "random_state"])?;
    Ok(Box::new(Fssj { split: Split::from_options(options)? }))
}
