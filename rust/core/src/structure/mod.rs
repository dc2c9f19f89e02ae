//! Structures, and the learners that find them.
//!
//! A learner is one file here and one line in [`REGISTRY`].

mod asb;
mod bckg;
mod bsej;
mod chi2_forest;
mod ckg;
mod ffss;
mod fss;
mod fssj;
pub mod grouping;
mod k_graph;
mod naive_bayes;
mod network;
mod objective;
mod stan;
mod tan;

use crate::control::Control;
use crate::counts::{CountSource, FoldCounts};
use crate::error::{Error, Result};
use crate::options::Options;
use crate::score::FamilyScore;

pub use asb::Asb;
pub use bckg::{Bckg, LevelOrder};
pub use bsej::Bsej;
pub use chi2_forest::{Roots, Significance, chi2_forest};
pub use ckg::Ckg;
pub use ffss::Ffss;
pub use fss::Fss;
pub use fssj::Fssj;
pub use grouping::{Groups, Operation};
pub use k_graph::Root;
pub use naive_bayes::NaiveBayes;
pub use network::{Node, Structure};
pub use objective::{Accuracy, Objective, SearchPath, Split};
pub use stan::Stan;
pub use tan::{Tan, optimal_tree};

/// What a learner may look at.
#[derive(Clone, Copy)]
pub struct Evidence<'a> {
    /// The tables of any family.
    pub counts: &'a dyn CountSource,
    /// The score to maximise; learners that need none do not look at it.
    pub score: &'a dyn FamilyScore,
}

/// Finds a structure.
pub trait StructureLearner: Send + Sync {
    /// The registry's name.
    fn name(&self) -> &str;

    /// The structure for what is counted.
    fn learn(&self, evidence: Evidence<'_>, control: &Control) -> Result<Structure>;

    /// The structures for the training sets of a cross-validation, one for each part that is held out. Learners that
    /// look at all pairs do so for all of them at once.
    fn learn_folds(
        &self,
        folds: &FoldCounts<'_>,
        score: &dyn FamilyScore,
        control: &Control,
    ) -> Result<Vec<Structure>> {
        folds.trainings().map(|counts| self.learn(Evidence { counts: &counts, score }, control)).collect()
    }

    /// The structure, found with the help of cross-validated accuracy by learners that climb by it, and how these
    /// found it. Others learn from the evidence alone.
    fn search(
        &self,
        evidence: Evidence<'_>,
        _accuracy: &dyn Accuracy,
        control: &Control,
    ) -> Result<(Structure, Option<SearchPath>)> {
        Ok((self.learn(evidence, control)?, None))
    }
}

/// A registered learner.
pub struct Entry {
    /// Its name: file stem, Python string, value on the command line.
    pub name: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// Whether it maximises a score that the user chooses.
    pub uses_score: bool,
    /// Makes it from its settings.
    pub build: fn(&Options) -> Result<Box<dyn StructureLearner>>,
}

/// All learners.
pub const REGISTRY: &[Entry] = &[
    Entry { name: "nb", summary: "naive Bayes", uses_score: false, build: naive_bayes::build },
    Entry { name: "tan", summary: "optimal tree-augmented naive Bayes", uses_score: true, build: tan::build },
    Entry {
        name: "ckg",
        summary: "at most k of an attribute's ancestors in the optimal tree",
        uses_score: true,
        build: ckg::build,
    },
    Entry {
        name: "bckg",
        summary: "at most k of the attributes before it in the breadth-first order of the optimal tree",
        uses_score: true,
        build: bckg::build,
    },
    Entry {
        name: "stan",
        summary: "forest of significant dependences",
        uses_score: false,
        build: stan::build,
    },
    Entry { name: "ffss", summary: "attributes that pass a test", uses_score: false, build: ffss::build },
    Entry { name: "fss", summary: "attributes selected by accuracy", uses_score: false, build: fss::build },
    Entry { name: "fssj", summary: "groups built up by accuracy", uses_score: false, build: fssj::build },
    Entry { name: "bsej", summary: "groups carved out by accuracy", uses_score: false, build: bsej::build },
    Entry {
        name: "asb",
        summary: "bsej with a forest over its groups",
        uses_score: false,
        build: asb::build,
    },
];

/// The learner of a name with its settings.
pub fn by_name(name: &str, options: &Options) -> Result<Box<dyn StructureLearner>> {
    match REGISTRY.iter().find(|entry| entry.name == name) {
        Some(entry) => (entry.build)(options),
        None => {
            let known: Vec<&str> = REGISTRY.iter().map(|entry| entry.name).collect();
            Err(Error::UnknownName { kind: "learner", name: name.into(), known: known.join(", ") })
        }
    }
}
