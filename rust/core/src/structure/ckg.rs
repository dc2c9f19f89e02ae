//! Consistent k-graphs.

use crate::control::Control;
use crate::error::Result;
use crate::graph::ancestors;
use crate::registry::{About, Need};
use crate::structure::k_graph::{self, Root};
use crate::structure::{Entry, Evidence, Learner, Structure, StructureLearner, smoothed};

/// Every attribute depends on the best at most k of its ancestors in an optimal tree.
///
/// # Formula
/// ```text
/// Π*_i = argmax over S ⊆ α_i, |S| ≤ k of  φ_i(S ∪ {C})
/// ```
/// α_i the proper ancestors of X_i in R, the tree that the TAN learner returns for the same score and root; φ
/// the score; C the class, left out where there is none. Ties: the smaller set, then the lowest columns. The
/// graph is acyclic since ancestry is. k larger than the number of ancestors means all of them. The empty
/// set and the parent in R are among the sets, so for k ≥ 1 the graph scores at least as much as naive Bayes
/// and as R.
///
/// # Complexity
/// O(n^(k+1)) families in the worst case, a path; see [`parent_subsets`](crate::search::parent_subsets).
///
/// # References
/// `carvalho2007ckg`
///
/// # Differences
/// `root` may also be `best`: the root whose k-graph scores highest.
#[derive(Debug, Clone, Copy)]
pub struct Ckg {
    /// The most attribute parents.
    pub k: usize,
    /// The root of R.
    pub root: Root,
    /// Pseudo-counts of the mutual information by which R is chosen, in place of the score.
    pub smoothed: Option<f64>,
}

impl StructureLearner for Ckg {
    fn learn(&self, evidence: Evidence<'_>, control: &Control) -> Result<Structure> {
        k_graph::learn(
            evidence,
            self.root,
            self.smoothed,
            self.k,
            &|tree, _| (0..tree.len()).map(|node| ancestors(tree, node)).collect(),
            control,
        )
    }
}

pub(super) const ENTRY: Entry = Entry {
    about: About {
        name: "ckg",
        title: "CkG",
        summary: "at most k parents among the ancestors in the best tree",
        formula: "argmax φ_i(S ∪ {C}) over S ⊆ ancestors of X_i in the tree, |S| ≤ k",
        settings: &[k_graph::K, k_graph::ROOT, smoothed::SMOOTHED],
        needs: &[Need::Score, Need::Families],
    },
    build: |options| {
        let (k, root) = (k_graph::limit(options), Root::from_options(options));
        Ok(Learner::Counts(Box::new(Ckg { k, root, smoothed: smoothed::from_options(options)? })))
    },
};
