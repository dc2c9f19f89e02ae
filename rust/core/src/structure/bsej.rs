//! Backward sequential elimination and joining.

use crate::control::Control;
use crate::counts::CountSource;
use crate::registry::{About, Need};
use crate::structure::grouping::{deletions, merges, singletons};
use crate::structure::objective::{self, Terms, independent, search};
use crate::structure::{Accuracy, AccuracySearch, Entry, Learner, Searched};

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
/// O((n + g²)·N·s) per step for g groups: no model is refitted.
///
/// # References
/// pazzani1996, mihaljevic2013
#[derive(Debug, Clone, Copy)]
pub struct Bsej {
    /// The folds, and what counts as better.
    pub terms: Terms,
}

impl AccuracySearch for Bsej {
    fn search(&self, counts: &dyn CountSource, accuracy: &dyn Accuracy, control: &Control) -> Searched {
        let candidates = |groups: &[Vec<usize>]| [deletions(groups), merges(groups)].concat();
        let (groups, path) = search(accuracy, self.terms, singletons(counts.n()), &candidates, control)?;
        Ok((independent(groups), path))
    }
}

pub(super) const ENTRY: Entry = Entry {
    about: About {
        name: "bsej",
        title: "BSEJ",
        summary: "naive Bayes with attributes dropped and joined",
        formula: "delete or merge what raises accuracy most, while something does",
        settings: &[objective::CV, objective::SEED, objective::EPSILON],
        needs: &[Need::Class, Need::Accuracy],
    },
    build: |options| Ok(Learner::Accuracy(Box::new(Bsej { terms: Terms::from_options(options)? }))),
};
