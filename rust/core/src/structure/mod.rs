//! Structures, and the learners that find them.
//!
//! A learner is one file here, which tells all about it in its `ENTRY`, and one line in [`REGISTRY`].

mod asb;
mod bckg;
mod bsej;
mod chi2_forest;
mod ckg;
mod ffss;
mod fss;
mod fssj;
mod given;
pub mod grouping;
mod k_graph;
mod kdb;
mod kdb_selection;
mod naive_bayes;
mod network;
mod objective;
mod order;
mod smoothed;
mod stan;
mod tan;
mod tanhc;
mod wide_tree;

use crate::control::Control;
use crate::counts::{CountSource, FoldCounts};
use crate::error::Result;
use crate::registry;
use crate::score::FamilyScore;

pub use asb::{Asb, Stage};
pub use bckg::{Bckg, LevelOrder};
pub use bsej::Bsej;
pub use chi2_forest::{Roots, Significance, chi2_forest};
pub use ckg::Ckg;
pub use ffss::Ffss;
pub use fss::Fss;
pub use fssj::Fssj;
pub use given::{Given, GivenPart};
pub use grouping::{Groups, Operation};
pub use k_graph::Root;
pub use kdb::{Kdb, ParentInformation};
pub use kdb_selection::Loss;
pub use naive_bayes::NaiveBayes;
pub use network::{Node, Structure};
pub use objective::{Accuracy, Objective, SearchPath, Split, Terms};
pub use order::OrderSearch;
pub use stan::Stan;
pub use tan::{Tan, optimal_tree};
pub use tanhc::TanHc;

/// What a learner may look at.
#[derive(Clone, Copy)]
pub struct Evidence<'a> {
    /// The tables of any family.
    pub counts: &'a dyn CountSource,
    /// The score to maximise; learners that need none do not look at it.
    pub score: &'a dyn FamilyScore,
}

/// Finds a structure from counts.
pub trait StructureLearner: Send + Sync {
    /// The structure for what is counted.
    fn learn(&self, evidence: Evidence<'_>, control: &Control) -> Result<Structure>;

    /// The structures for the training sets of a cross-validation, one for each part that is held out. Learners that
    /// look at all pairs do so for all of them at once.
    fn learn_folds(&self, folds: &FoldCounts<'_>, score: &dyn FamilyScore, control: &Control) -> OfFolds {
        folds.trainings().map(|counts| self.learn(Evidence { counts: &counts, score }, control)).collect()
    }
}

/// The structures for the training sets of a cross-validation.
pub type OfFolds = Result<Vec<Structure>>;

/// The structure, and how it was found.
pub type Searched = Result<(Structure, SearchPath)>;

/// Finds a structure by cross-validated accuracy.
pub trait AccuracySearch: Send + Sync {
    /// The structure, and how it was found.
    fn search(&self, counts: &dyn CountSource, accuracy: &dyn Accuracy, control: &Control) -> Searched;
}

/// A learner of structures, by what it looks at.
pub enum Learner {
    /// Counts, and a score.
    Counts(Box<dyn StructureLearner>),
    /// Cross-validated accuracy.
    Accuracy(Box<dyn AccuracySearch>),
}

/// A registered learner.
pub type Entry = registry::Entry<Learner>;

/// All learners of structures.
pub const REGISTRY: &[Entry] = &[
    naive_bayes::ENTRY,
    tan::ENTRY,
    ckg::ENTRY,
    bckg::ENTRY,
    order::ENTRY,
    given::ENTRY,
    kdb::ENTRY,
    stan::ENTRY,
    ffss::ENTRY,
    fss::ENTRY,
    fssj::ENTRY,
    bsej::ENTRY,
    asb::ENTRY,
    tanhc::ENTRY,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use crate::registry::Need;

    #[test]
    fn learners_need_what_they_are_made_for() {
        for entry in REGISTRY {
            let learner = entry.make(&Options::default()).unwrap();
            let by_accuracy = entry.about.needs.contains(&Need::Accuracy);
            assert_eq!(matches!(learner, Learner::Accuracy(_)), by_accuracy, "{}", entry.about.name);
        }
    }
}
