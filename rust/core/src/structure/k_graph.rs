//! What k-graphs share: a tree, candidates read off it, and the best parents among them.

use crate::control::Control;
use crate::error::Result;
use crate::graph::{Branchings, Tree, reroot};
use crate::options::{Declared, Domain, Options};
use crate::score::Scorer;
use crate::search::parent_subsets::{ParentSet, Pruning, Task, best_parent_sets};
use crate::structure::{Evidence, Structure, optimal_tree, smoothed};

/// The root of the tree that a k-graph starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Root {
    /// As the optimal tree has it: the first column for a score-equivalent score, else the best of all.
    #[default]
    Free,
    /// This column.
    Column(usize),
    /// The root whose k-graph scores highest, the lowest column of several: one search for each column.
    Best,
}

/// The setting `k`.
pub(super) const K: Declared = Declared::new("k", Domain::Whole(2), "the most attribute parents");

/// The setting `root`.
pub(super) const ROOT: Declared = Declared::new("root", Domain::Column(&["best"]), "the root of the tree");

/// The most attribute parents.
pub(super) fn limit(options: &Options) -> usize {
    options.whole("k").unwrap_or_default()
}

impl Root {
    /// From the setting `root`.
    pub(super) fn from_options(options: &Options) -> Self {
        let best = options.word("root") == "best";
        if best { Root::Best } else { options.whole("root").map_or(Root::Free, Root::Column) }
    }
}

/// The candidates of every attribute, from a tree and the weights of arcs that it was made of.
pub(super) type Candidates<'a> = dyn Fn(&Tree, &[f64]) -> Result<Vec<Vec<usize>>> + 'a;

/// The k-graph of an optimal tree, or of that of smoothed information: for every attribute the best at most `k` parents
/// among its candidates.
pub(super) fn learn(
    evidence: Evidence<'_>,
    root: Root,
    smoothed: Option<f64>,
    k: usize,
    candidates: &Candidates<'_>,
    control: &Control,
) -> Result<Structure> {
    let given = if let Root::Column(column) = root { Some(column) } else { None };
    let (tree, weights) = match smoothed {
        Some(alpha) => smoothed::tree(evidence.counts, alpha, given, control)?,
        None => {
            let (tree, weights) = optimal_tree(evidence, given, control)?;
            (tree, weights.weights)
        }
    };
    // Smoothed information has no direction.
    let symmetric = smoothed.is_some() || evidence.score.is_score_equivalent();
    let weights = &weights;
    let n = tree.len();
    let best = if root == Root::Best {
        let mut best: Option<(f64, Vec<ParentSet>)> = None;
        for tree in trees_of_all_roots(symmetric, &tree, weights)? {
            let sets = best_parents(evidence, &candidates(&tree, weights)?, k, control)?;
            let total = sets.iter().map(|set| set.score).sum();
            if best.as_ref().is_none_or(|(known, _)| total > *known) {
                best = Some((total, sets));
            }
        }
        best.map_or(Vec::new(), |(_, sets)| sets)
    } else {
        best_parents(evidence, &candidates(&tree, weights)?, k, control)?
    };
    debug_assert_eq!(best.len(), n);
    Ok(structure(best))
}

/// The attributes before each in an order.
pub(super) fn before(order: &[usize]) -> Vec<Vec<usize>> {
    let mut before = vec![Vec::new(); order.len()];
    for (place, &attribute) in order.iter().enumerate() {
        before[attribute] = order[..place].to_vec();
    }
    before
}

/// The structure of these parents.
pub(super) fn structure(best: Vec<ParentSet>) -> Structure {
    Structure::from_parents(best.into_iter().map(|set| set.parents).collect())
}

/// The optimal tree of every root, in the order of the columns.
fn trees_of_all_roots(symmetric: bool, tree: &Tree, weights: &[f64]) -> Result<Vec<Tree>> {
    let n = tree.len();
    if symmetric {
        (0..n).map(|root| reroot(tree, root)).collect()
    } else {
        let all = Branchings::new(weights, n)?;
        (0..n).map(|root| all.rooted_at(root)).collect()
    }
}

/// For every attribute the best at most `k` of its candidates.
pub(super) fn best_parents(
    evidence: Evidence<'_>,
    candidates: &[Vec<usize>],
    k: usize,
    control: &Control,
) -> Result<Vec<ParentSet>> {
    let n = candidates.len();
    let tasks = candidates.iter().enumerate().map(|(child, list)| Task::new(child, list.clone(), n));
    let tasks = tasks.collect::<Result<Vec<Task>>>()?;
    let families = tasks.iter().map(|task| u128::from(task.families(k))).sum::<u128>();
    let scorer = Scorer::for_source(evidence.score, evidence.counts, families.saturating_mul(8));
    best_parent_sets(evidence.counts, &scorer, &tasks, k, Pruning::Bounds, control)
}
