//! Forward sequential selection and joining.

use crate::control::Control;
use crate::counts::CountSource;
use crate::registry::{About, Need};
use crate::structure::grouping::{additions, joins};
use crate::structure::objective::{self, Terms, independent, search};
use crate::structure::{Accuracy, AccuracySearch, Entry, Learner, Searched};

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
/// O(n·g·N·s) per step for g groups.
///
/// # References
/// pazzani1996
#[derive(Debug, Clone, Copy)]
pub struct Fssj {
    /// The folds, and what counts as better.
    pub terms: Terms,
}

impl AccuracySearch for Fssj {
    fn search(&self, counts: &dyn CountSource, accuracy: &dyn Accuracy, control: &Control) -> Searched {
        let n = counts.n();
        let candidates = |groups: &[Vec<usize>]| [additions(groups, n), joins(groups, n)].concat();
        let (groups, path) = search(accuracy, self.terms, Vec::new(), &candidates, control)?;
        Ok((independent(groups), path))
    }
}

pub(super) const ENTRY: Entry = Entry {
    about: About {
        name: "fssj",
        title: "FSSJ",
        summary: "the same, joining attributes as it goes",
        formula: "add or join the attribute that raises accuracy most, while one does",
        settings: &[objective::CV, objective::SEED, objective::EPSILON],
        needs: &[Need::Class, Need::Accuracy],
    },
    build: |options| Ok(Learner::Accuracy(Box::new(Fssj { terms: Terms::from_options(options)? }))),
};
