//! Forward sequential selection.

use crate::control::Control;
use crate::counts::CountSource;
use crate::registry::{About, Need};
use crate::structure::grouping::additions;
use crate::structure::objective::{self, Terms, independent, search};
use crate::structure::{Accuracy, AccuracySearch, Entry, Learner, Searched};

/// Naive Bayes over the attributes that a greedy search by accuracy selects.
///
/// # Formula
/// ```text
/// A ← ∅;   repeat A ← A ∪ {i*},   i* = argmax_{i ∉ A} accuracy(A ∪ {i}),   while the accuracy rises strictly
/// ```
/// accuracy(A): the share of rows that naive Bayes over A classifies correctly in a stratified cross-validation, whose
/// folds are fixed before the search. A rise below ε, where that is set, does not count. Ties: the lowest attribute.
///
/// # Complexity
/// O(n·N·s) per step.
///
/// # References
/// langley1994
#[derive(Debug, Clone, Copy)]
pub struct Fss {
    /// The folds, and what counts as better.
    pub terms: Terms,
}

impl AccuracySearch for Fss {
    fn search(&self, counts: &dyn CountSource, accuracy: &dyn Accuracy, control: &Control) -> Searched {
        let n = counts.n();
        let candidates = |groups: &[Vec<usize>]| additions(groups, n);
        let (groups, path) = search(accuracy, self.terms, Vec::new(), &candidates, control)?;
        Ok((independent(groups), path))
    }
}

pub(super) const ENTRY: Entry = Entry {
    about: About {
        name: "fss",
        title: "FSS",
        summary: "naive Bayes on attributes that a greedy search finds useful",
        formula: "add the attribute that raises accuracy most, while one does",
        settings: &[objective::CV, objective::SEED, objective::EPSILON],
        needs: &[Need::Class, Need::Accuracy],
    },
    build: |options| Ok(Learner::Accuracy(Box::new(Fss { terms: Terms::from_options(options)? }))),
};
