//! Breadth-first consistent k-graphs.

use crate::control::Control;
use crate::error::Result;
use crate::graph::{Tree, depths, order_by_depth};
use crate::math::Random;
use crate::options::{Declared, Domain, Options};
use crate::registry::{About, Need};
use crate::structure::k_graph::{self, Root};
use crate::structure::tan::best_tree;
use crate::structure::{Entry, Evidence, Learner, Structure, StructureLearner};

/// Every attribute depends on the best at most k of all attributes before it in the breadth-first order of an
/// optimal tree.
///
/// # Formula
/// ```text
/// Π*_i = argmax over S ⊆ {X_j : j before i}, |S| ≤ k of  φ_i(S ∪ {C})
/// ```
/// R the tree that the TAN learner returns for the same score and root; φ the score; C the class, left out
/// where there is none. The order is by depth in R and within a level by column ([`LevelOrder::Index`]).
/// Ties: the smaller set, then the lowest columns. Ancestors come before, so every consistent k-graph of R
/// is among the candidates: for the same R the score is at least that of [`Ckg`](super::Ckg).
///
/// # Complexity
/// O(n^(k+1)) families; see [`parent_subsets`](crate::search::parent_subsets).
///
/// # References
/// `carvalho2007bckg`
///
/// # Differences
/// Within a level the column orders, not the queue of a breadth-first walk, which the paper leaves open. Its
/// two proposals for future work are there: [`LevelOrder::Random`] and [`LevelOrder::Tan`]. `root` may also be
/// `best`.
#[derive(Debug, Clone, Copy)]
pub struct Bckg {
    /// The most attribute parents.
    pub k: usize,
    /// The root of R.
    pub root: Root,
    /// The order within a level.
    pub level_order: LevelOrder,
}

/// How the attributes of one depth are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LevelOrder {
    /// By column.
    #[default]
    Index,
    /// At random, from this seed.
    Random(u64),
    /// By (depth, column) in the optimal tree over the attributes of the level alone, rooted at its lowest
    /// column where the score is equivalent, else at the best.
    Tan,
}

impl Bckg {
    /// All attributes, parents before children.
    fn order(&self, tree: &Tree, weights: &[f64], equivalent: bool) -> Result<Vec<usize>> {
        if self.level_order == LevelOrder::Index {
            return order_by_depth(tree);
        }
        let depth = depths(tree)?;
        let mut levels = vec![Vec::new(); depth.iter().max().map_or(0, |deepest| deepest + 1)];
        for (node, &depth) in depth.iter().enumerate() {
            levels[depth].push(node);
        }
        if let LevelOrder::Random(seed) = self.level_order {
            let mut random = Random::new(seed);
            levels.iter_mut().for_each(|level| random.shuffle(level));
            return Ok(levels.concat());
        }
        let mut order = Vec::with_capacity(tree.len());
        for level in levels {
            let of_tree = tree_order(&level, tree.len(), weights, equivalent)?;
            order.extend(of_tree.into_iter().map(|place| level[place]));
        }
        Ok(order)
    }
}

/// The order (depth, column) of the optimal tree over some of the n columns, as places in `level`.
fn tree_order(level: &[usize], n: usize, weights: &[f64], equivalent: bool) -> Result<Vec<usize>> {
    let part: Vec<f64> = level.iter().flat_map(|&i| level.iter().map(move |&j| weights[i * n + j])).collect();
    order_by_depth(&best_tree(&part, level.len(), equivalent, None)?)
}

impl StructureLearner for Bckg {
    fn learn(&self, evidence: Evidence<'_>, control: &Control) -> Result<Structure> {
        let equivalent = evidence.score.is_score_equivalent();
        let candidates =
            |tree: &Tree, weights: &[f64]| Ok(k_graph::before(&self.order(tree, weights, equivalent)?));
        k_graph::learn(evidence, self.root, None, self.k, &candidates, control)
    }
}

pub(super) const ENTRY: Entry = Entry {
    about: About {
        name: "bckg",
        title: "BCkG",
        summary: "at most k parents among those before it in breadth-first order",
        formula: "argmax φ_i(S ∪ {C}) over S ⊆ attributes before X_i, |S| ≤ k",
        settings: &[
            k_graph::K,
            k_graph::ROOT,
            Declared::new(
                "level_order",
                Domain::Word(&["index", "random", "tan"]),
                "the order within a depth",
            ),
            Declared::new("random_state", Domain::WholeOrNone, "the seed of a random order"),
        ],
        needs: &[Need::Score, Need::Families],
    },
    build,
};

fn build(options: &Options) -> Result<Learner> {
    let level_order = match options.word("level_order") {
        "random" => LevelOrder::Random(options.seed()),
        "tan" => LevelOrder::Tan,
        _ => LevelOrder::Index,
    };
    Ok(Learner::Counts(Box::new(Bckg {
        k: k_graph::limit(options),
        root: Root::from_options(options),
        level_order,
    })))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(level_order: LevelOrder, equivalent: bool) -> Vec<usize> {
        // 0 above 1, 2, 3; among these the arcs 3→1 and 3→2 are heaviest.
        let tree = vec![None, Some(0), Some(0), Some(0)];
        let mut weights = vec![0.0; 16];
        for (i, j, weight) in [(3, 1, 5.0), (1, 3, 2.0), (3, 2, 4.0), (2, 3, 1.0), (1, 2, 3.0), (2, 1, 1.0)] {
            weights[i * 4 + j] = weight;
        }
        Bckg { k: 2, root: Root::Free, level_order }.order(&tree, &weights, equivalent).unwrap()
    }

    #[test]
    fn levels_are_ordered_as_asked() {
        assert_eq!(order(LevelOrder::Index, false), [0, 1, 2, 3]);
        assert_eq!(order(LevelOrder::Tan, false), [0, 3, 1, 2]);
        assert_eq!(order(LevelOrder::Tan, true), [0, 1, 2, 3]);
        let random: Vec<Vec<usize>> = (0..20).map(|seed| order(LevelOrder::Random(seed), false)).collect();
        assert!(random.iter().all(|order| order[0] == 0));
        assert!(random.iter().any(|order| order[1..] != [1, 2, 3]));
        assert_eq!(order(LevelOrder::Random(3), false), order(LevelOrder::Random(3), false));
    }
}
