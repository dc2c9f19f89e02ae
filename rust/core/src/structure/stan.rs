//! Selective tree-augmented naive Bayes.

use crate::control::Control;
use crate::counts::FoldCounts;
use crate::error::Result;
use crate::options::{Declared, Domain};
use crate::registry::{About, Need};
use crate::score::FamilyScore;
use crate::structure::chi2_forest::{self, Roots, Significance, chi2_forest, chi2_forests};
use crate::structure::ffss::Ffss;
use crate::structure::grouping::singletons;
use crate::structure::{Entry, Evidence, Learner, OfFolds, Structure, StructureLearner};

/// Naive Bayes augmented by the forest of the dependences between attributes that a test finds significant.
///
/// # Formula
/// ```text
/// maximum weighted forest over { X_i — X_j : X_i, X_j dependent given C },   weight I(X_i; X_j | C)
/// ```
/// See [`chi2_forest`] for the test, its reliability, ties and roots. `select` first drops the attributes that
/// [`Ffss`] drops, those that the test against the class alone does not find dependent on it.
///
/// # Complexity
/// O(n²·N/64) or O(n²·N) for the counts, O(n² log n) for the forest.
///
/// # References
/// blanco2005, mihaljevic2013
///
/// # Differences
/// Blanco et al. used a heuristic of their own; as in Mihaljević et al. the test is that of conditional independence.
/// Mihaljević et al. do not speak of a selection; their accuracies on primary-tumor are those with it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stan {
    /// When two attributes count as dependent.
    pub significance: Significance,
    /// Where the trees are rooted.
    pub roots: Roots,
    /// Whether attributes that do not depend on the class are dropped first.
    pub select: bool,
}

impl StructureLearner for Stan {
    fn learn(&self, evidence: Evidence<'_>, control: &Control) -> Result<Structure> {
        let groups = if self.select {
            let kept = Ffss { significance: self.significance }.learn(evidence, control)?;
            kept.nodes.into_iter().map(|node| node.members).collect()
        } else {
            singletons(evidence.counts.n())
        };
        let forest = chi2_forest(evidence.counts, &groups, self.significance, self.roots, control)?;
        Ok(Structure::from_forest(&groups, &forest))
    }

    fn learn_folds(&self, folds: &FoldCounts<'_>, score: &dyn FamilyScore, control: &Control) -> OfFolds {
        if self.select {
            let learn = |counts| self.learn(Evidence { counts: &counts, score }, control);
            return folds.trainings().map(learn).collect();
        }
        let trees = chi2_forests(folds, self.significance, self.roots, control)?;
        Ok(trees.iter().map(|tree| Structure::from_tree(tree)).collect())
    }
}

pub(super) const ENTRY: Entry = Entry {
    about: About {
        name: "stan",
        title: "STAN",
        summary: "a forest of significant dependencies",
        formula: "the heaviest forest over { X_i — X_j dependent given C }",
        settings: &[
            chi2_forest::ALPHA,
            chi2_forest::MIN_CELL,
            chi2_forest::ROOTS,
            chi2_forest::SEED,
            Declared::new("select", Domain::Flag, "whether attributes independent of the class are dropped"),
        ],
        needs: &[Need::Class],
    },
    build: |options| {
        let significance = Significance::from_options(options)?;
        let (roots, select) = (Roots::from_options(options), options.flag("select"));
        Ok(Learner::Counts(Box::new(Stan { significance, roots, select })))
    },
};
