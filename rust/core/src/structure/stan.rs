//! Selective tree-augmented naive Bayes.

use crate::control::Control;
use crate::counts::FoldCounts;
use crate::error::Result;
use crate::options::Options;
use crate::score::FamilyScore;
use crate::structure::chi2_forest::{Roots, Significance, chi2_forest, chi2_forests};
use crate::structure::grouping::singletons;
use crate::structure::{Evidence, Structure, StructureLearner};

/// Naive Bayes augmented by the forest of the dependences between attributes that a test finds significant.
///
/// # Formula
/// ```text
/// maximum weighted forest over { X_i — X_j : X_i, X_j dependent given C },   weight I(X_i; X_j | C)
/// ```
/// See [`chi2_forest`] for the test, its reliability, ties and roots.
///
/// # Complexity
/// O(n²·N/64) or O(n²·N) for the counts, O(n² log n) for the forest.
///
/// # References
/// blanco2005, mihaljevic2013
///
/// # Differences
/// Blanco et al. used a heuristic of their own; as in Mihaljević et al. the test is that of conditional independence.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stan {
    /// When two attributes count as dependent.
    pub significance: Significance,
    /// Where the trees are rooted.
    pub roots: Roots,
}

impl StructureLearner for Stan {
    fn name(&self) -> &str {
        "stan"
    }

    fn learn(&self, evidence: Evidence<'_>, control: &Control) -> Result<Structure> {
        let groups = singletons(evidence.counts.n());
        let tree = chi2_forest(evidence.counts, &groups, self.significance, self.roots, control)?;
        Ok(Structure::from_tree(&tree))
    }

    fn learn_folds(
        &self,
        folds: &FoldCounts<'_>,
        _: &dyn FamilyScore,
        control: &Control,
    ) -> Result<Vec<Structure>> {
        let trees = chi2_forests(folds, self.significance, self.roots, control)?;
        Ok(trees.iter().map(|tree| Structure::from_tree(tree)).collect())
    }
}

pub(super) fn build(options: &Options) -> Result<Box<dyn StructureLearner>> {
    options.only("stan", &["alpha", "min_cell", "roots", "random_state"])?;
    let significance = Significance::from_options(options)?;
    Ok(Box::new(Stan { significance, roots: Roots::from_options(options)? }))
}
