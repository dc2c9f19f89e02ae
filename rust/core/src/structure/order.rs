//! Hill climbing over orders of the attributes.

use std::collections::BTreeMap;

use crate::control::Control;
use crate::error::Result;
use crate::graph::order_by_depth;
use crate::math::Random;
use crate::options::{Declared, Domain};
use crate::registry::{About, Need};
use crate::score::Scorer;
use crate::search::parent_subsets::{ParentSet, Pruning, TIE, Task, best_parent_sets};
use crate::structure::{Entry, Evidence, Learner, Structure, StructureLearner, k_graph, optimal_tree};

/// At most k parents for every attribute, the best for an order of the attributes that hill climbing finds.
///
/// # Formula
/// ```text
/// φ(≺) = Σ_i max over S ⊆ {X_j : j ≺ i}, |S| ≤ k of  φ_i(S ∪ {C})
/// from each start: exchange the two neighbours in ≺ that raise φ(≺) most, while some do
/// ```
/// ≺ an order of the attributes, φ the score, C the class. Each order is solved exactly. The first start is the
/// breadth-first order of the optimal tree, from which [`Bckg`](super::Bckg) learns: the result scores at least as
/// much. The others are random, from one seed. Values within [`TIE`], relative to φ(≺), are equal; ties: the first
/// exchange, the first start; of parent sets the smaller, then the lowest columns.
///
/// # Complexity
/// Exchanging neighbours changes two families, and a step makes at most four new searches of O(n^k) families; what was
/// searched once is kept.
///
/// # References
/// teyssier2005; `carvalho2007bckg` and `carvalho2007ckg` speak of it
///
/// # Differences
/// Teyssier and Koller keep a tabu list and perturb local optima; here restarts are random.
#[derive(Debug, Clone, Copy)]
pub struct OrderSearch {
    /// The most attribute parents.
    pub k: usize,
    /// How many random orders are climbed from beside that of the tree.
    pub restarts: usize,
    /// Their seed.
    pub seed: u64,
}

impl StructureLearner for OrderSearch {
    fn learn(&self, evidence: Evidence<'_>, control: &Control) -> Result<Structure> {
        let (tree, _) = optimal_tree(evidence, None, control)?;
        let n = tree.len();
        let mut random = Random::new(self.seed);
        let mut solved = Solved::new(evidence, self.k, control);
        let mut best: Option<(f64, Vec<ParentSet>)> = None;
        for start in 0..=self.restarts {
            let mut order = if start == 0 { order_by_depth(&tree)? } else { (0..n).collect() };
            if start > 0 {
                random.shuffle(&mut order);
            }
            climb(&mut order, &mut solved)?;
            let sets = solved.of_order(&order)?;
            let total = total(&sets);
            if best.as_ref().is_none_or(|(known, _)| total - known > tie(*known)) {
                best = Some((total, sets));
            }
        }
        Ok(k_graph::structure(best.map_or_else(Vec::new, |(_, sets)| sets)))
    }
}

fn total(sets: &[ParentSet]) -> f64 {
    sets.iter().map(|set| set.score).sum()
}

/// Values that differ by no more are equal.
fn tie(value: f64) -> f64 {
    TIE * value.abs().max(1.0)
}

/// Exchanges neighbours while that raises the score.
fn climb(order: &mut [usize], solved: &mut Solved<'_>) -> Result<()> {
    let n = order.len();
    let value = total(&solved.of_order(order)?);
    let tie = tie(value);
    loop {
        // What each neighbour scores when the two have changed places, and what both score now.
        let mut asked = Vec::with_capacity(4 * n);
        for place in 1..n {
            let (before, left, right) = (&order[..place - 1], order[place - 1], order[place]);
            let behind = |first: usize| [before, &[first]].concat();
            asked.push((right, before.to_vec()));
            asked.push((left, behind(right)));
            asked.push((left, before.to_vec()));
            asked.push((right, behind(left)));
        }
        let scores: Vec<f64> = solved.best(asked)?.into_iter().map(|set| set.score).collect();
        let gains: Vec<f64> =
            scores.chunks_exact(4).map(|four| four[0] + four[1] - (four[2] + four[3])).collect();
        let most = gains.iter().copied().fold(0.0, f64::max);
        if most <= tie {
            return Ok(());
        }
        let Some(place) = gains.iter().position(|&gain| gain >= most - tie) else { return Ok(()) };
        order.swap(place, place + 1);
    }
}

/// The best parents of attributes among those before them, each searched once.
struct Solved<'a> {
    evidence: Evidence<'a>,
    k: usize,
    control: &'a Control,
    scorer: Scorer<'a>,
    /// By the attribute and the candidates, increasing.
    known: BTreeMap<(usize, Vec<usize>), ParentSet>,
}

impl<'a> Solved<'a> {
    fn new(evidence: Evidence<'a>, k: usize, control: &'a Control) -> Self {
        let n = evidence.counts.n() as u128;
        let families = n.saturating_pow(u32::try_from(k.min(3)).unwrap_or(3) + 1);
        let scorer = Scorer::for_source(evidence.score, evidence.counts, families.saturating_mul(8));
        Self { evidence, k, control, scorer, known: BTreeMap::new() }
    }

    fn of_order(&mut self, order: &[usize]) -> Result<Vec<ParentSet>> {
        self.best(k_graph::before(order).into_iter().enumerate().collect())
    }

    fn best(&mut self, mut asked: Vec<(usize, Vec<usize>)>) -> Result<Vec<ParentSet>> {
        self.control.check()?;
        asked.iter_mut().for_each(|(_, candidates)| candidates.sort_unstable());
        let mut open: Vec<_> = asked.iter().filter(|one| !self.known.contains_key(*one)).cloned().collect();
        open.sort_unstable();
        open.dedup();
        let n = self.evidence.counts.n();
        let tasks = open.iter().map(|(child, candidates)| Task::new(*child, candidates.clone(), n));
        let tasks = tasks.collect::<Result<Vec<Task>>>()?;
        if !tasks.is_empty() {
            let counts = self.evidence.counts;
            let found =
                best_parent_sets(counts, &self.scorer, &tasks, self.k, Pruning::Bounds, self.control)?;
            self.known.extend(open.into_iter().zip(found));
        }
        Ok(asked.iter().filter_map(|one| self.known.get(one).cloned()).collect())
    }
}

pub(super) const ENTRY: Entry = Entry {
    about: About {
        name: "order",
        title: "Order search",
        summary: "at most k parents, for the best order that hill climbing finds",
        formula: "argmax over orders of Σ_i max φ_i(S ∪ {C}), S ⊆ attributes before X_i, |S| ≤ k",
        settings: &[
            k_graph::K,
            Declared::new("restarts", Domain::Whole(10), "random orders to climb from, beside the tree's"),
            Declared::new("random_state", Domain::Whole(0), "the seed of the random orders"),
        ],
        needs: &[Need::Class, Need::Score, Need::Families],
    },
    build: |options| {
        let restarts = options.whole("restarts").unwrap_or_default();
        let (k, seed) = (k_graph::limit(options), options.seed());
        Ok(Learner::Counts(Box::new(OrderSearch { k, restarts, seed })))
    },
};
