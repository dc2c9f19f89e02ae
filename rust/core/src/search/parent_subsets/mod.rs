//! The exact best parents of a child: at most k of its candidates.
//!
//! # Formula
//! ```text
//! Π*(x) = argmax over S ⊆ A, |S| ≤ k of  φ_x(S ∪ {C})
//! ```
//! x the child, A its candidates, C the class (left out where the data has none), φ any score. Ties: scores
//! within [`TIE`] of the best, relative to it, are equal; of equal sets the smallest is taken, of those the one
//! whose columns, in increasing order, come first. k larger than |A| means |A|.
//!
//! # Method
//! 1. The empty set and all single candidates are scored from the pair tables that the tree learner has
//!    counted already.
//! 2. All pairs that share the child x and the first parent p are one batch. The bitmaps of (x = a, p = b) are
//!    made once; each second parent's bitmaps are counted against them by AND and population count; only
//!    (r_x−1)(r_p−1)(r_q−1) cells are counted, the pair tables give the others (`table.rs`). Σ row depends on
//!    the parents alone and is summed once for all children. Terms come from tables. Where arities are
//!    large, one increment per row costs less (`histogram.rs`): a cost model chooses for each family.
//! 3. Larger sets extend a prefix whose configurations have bitmaps of their own (`deep.rs`).
//! 4. Scores that are not sums over cells get whole tables from the same counts. Data with missing values or weights, and
//!    pair tables that are too large to keep, leave one pass over the rows for each family (`exhaustive.rs`).
//! 5. Rows that are elsewhere are gone through once for as many families as fit into memory (`streamed.rs`).
//!
//! For `ll`, which never falls with more parents, every smaller set is scored on the way to the full-size
//! ones (from pair tables or a prefix's table, which are there anyway), and the tie rule drops every parent
//! that adds nothing.
//!
//! # Pruning
//! Let φ = Σ_jk cell(N_jk) − Σ_j row(N_j) + base, cell and row 0 at 0, and T a set of parents. Every set S ⊆ T
//! has coarser configurations: each cell of S is a disjoint union of cells of T. Both kinds of term are
//! convex at whole numbers (the increments of x ln x, and `ln(a + x)`, those of lnΓ(a + x), grow), and a
//! convex f with f(0) = 0 is superadditive: f(m + n) ≥ f(m) + f(n).
//!
//! *The pair itself.* Hence `Σ cell` over T is at most that over S = {p} or {q} alone, and
//! ```text
//! φ({p, q}) ≤ min(Σ cell({p}), Σ cell({q})) − Σ row({p, q}) + base({p, q})
//! ```
//! where Σ row({p, q}) is exact. bdeu's offset shrinks with more parents; lnΓ(a + x) − lnΓ(a) grows with a, so
//! the sum with the single parent's larger offset is a bound too.
//!
//! *Everything beyond.* By superadditivity of row, `Σ_k cell(N_jk) − row(N_j) ≤ Σ_k g(N_jk)`, g = cell − row.
//! - `x ln x`: cell = row, g = 0, so φ(T) ≤ base(T).
//! - lnΓ with offsets α and rα (r values of the child): g(n) = Σ_{t<n} ln((α + t)/(rα + t)). The increments
//!   grow with t, so g is superadditive as well, and Σ g over T is at most Σ g over any S ⊆ T, if α does not
//!   depend on the set (bd, k2). For every α, the first increment is −ln r and all are at most 0, so each
//!   cell of S that is not empty, holding at least one such cell of T, gives at most −ln r (bdeu).
//!
//! With base(T) ≤ base(S ∪ {t}) for S ∪ {t} ⊆ T — penalties do not shrink with more parents — a candidate t
//! is dropped, with all larger sets, where `Σ g(S) + base(S ∪ {t})` is below the best score so far by more than
//! the tie. The best score only rises and a bound is never below what it bounds, so no set that ties with
//! the optimum is ever skipped: which sets are skipped depends on timing, the result does not. A child whose
//! bounds have skipped next to nothing in dozens of comparisons is searched with next to none of them.
//!
//! # Complexity
//! O(|A|^k) families; k = 2: O(N/64·(r−1)³ + s·r³) each by bitmaps, O(N) by increments.
//!
//! # References
//! `carvalho2007bckg`, `carvalho2007ckg`; bounds in the manner of `decampos2011`

mod child;
mod context;
mod deep;
mod exhaustive;
mod family;
mod front;
mod histogram;
mod pairs;
mod popcount;
mod shape_score;
mod streamed;
mod table;
#[cfg(test)]
mod tests;

use rayon::prelude::*;

use child::Child;
use context::{Context, pair_tables};
use front::Front;
use pairs::{FirstParent, Scratch};

use crate::control::Control;
use crate::counts::CountSource;
use crate::data::Variable;
use crate::error::{Error, Result};
use crate::score::Scorer;

pub use front::{ParentSet, TIE};

/// A child and the attributes that may become its parents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// The child's column.
    pub child: usize,
    /// The candidates' columns, increasing.
    pub candidates: Vec<usize>,
}

impl Task {
    /// Sorts the candidates; refuses columns that do not exist, a candidate twice, and the child itself.
    pub fn new(child: usize, mut candidates: Vec<usize>, columns: usize) -> Result<Self> {
        candidates.sort_unstable();
        for &column in candidates.iter().chain([&child]) {
            if column >= columns {
                return Err(Error::ColumnOutOfRange { column, columns });
            }
        }
        let twice = candidates.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
        if let Some(column) = twice.or(candidates.contains(&child).then_some(child)) {
            let name = |column| Variable::Attribute(column).to_string();
            return Err(Error::RepeatedVariable { child: name(child), variable: name(column) });
        }
        Ok(Self { child, candidates })
    }

    /// How many sets of at most `k` candidates there are; saturates.
    pub fn families(&self, k: usize) -> u64 {
        let m = self.candidates.len() as u64;
        let mut sets = 1u64;
        let mut total = 1u64;
        for size in 1..=(k as u64).min(m) {
            sets = (u128::from(sets) * u128::from(m - size + 1) / u128::from(size))
                .try_into()
                .unwrap_or(u64::MAX);
            total = total.saturating_add(sets);
        }
        total
    }
}

/// Whether bounds may skip families that cannot be the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pruning {
    /// They may; the result is the same.
    #[default]
    Bounds,
    /// Every family is scored: for tests and benches.
    Off,
}

/// The best set of at most `k` parents for every task. See the [module](self).
///
/// Progress is counted in families. The result does not depend on the number of threads.
pub fn best_parent_sets(
    source: &dyn CountSource,
    scorer: &Scorer<'_>,
    tasks: &[Task],
    k: usize,
    pruning: Pruning,
    control: &Control,
) -> Result<Vec<ParentSet>> {
    let k = k.min(tasks.iter().map(|task| task.candidates.len()).max().unwrap_or(0));
    control.expect(tasks.iter().map(|task| task.families(k)).fold(0, u64::saturating_add));
    if let Some(capacity) = source.capacity() {
        return streamed::best_in_passes(source, scorer, tasks, k, capacity, control);
    }
    let data = source.rows()?;
    let pairs = data.as_ref().map_or(Ok(None), |data| pair_tables(source, data, control))?;
    let (Some(data), Some(pairs)) = (&data, &pairs) else {
        return try_all(source, scorer, tasks, k, control);
    };
    let context = Context::new(source, data, pairs, scorer, k, pruning == Pruning::Bounds, control)?;
    let found = search(&context, tasks)?;
    // The score as anyone else computes it, to the last bit: sums here run in another order.
    let with_class = source.n_classes().is_some();
    tasks
        .par_iter()
        .zip(found)
        .map(|(task, set)| {
            let child = Variable::Attribute(task.child);
            let family = source.family(child, &set.parents, with_class)?;
            Ok(ParentSet { score: scorer.family(child, &family)?, parents: set.parents })
        })
        .collect()
}

/// The same, one family at a time: also the oracle of the fast way.
fn try_all(
    source: &dyn CountSource,
    scorer: &Scorer<'_>,
    tasks: &[Task],
    k: usize,
    control: &Control,
) -> Result<Vec<ParentSet>> {
    tasks.par_iter().map(|task| exhaustive::best_of_all(source, scorer, task, k, control)).collect()
}

/// Children that share the tables of a first parent in one piece of work: fewer where columns are few, so that
/// there are pieces for every thread.
fn children_of_piece(columns: usize) -> usize {
    if columns <= 64 { 8 } else { 32 }
}

fn search(context: &Context<'_>, tasks: &[Task]) -> Result<Vec<ParentSet>> {
    let prepared: Vec<(Child, Front)> =
        tasks.par_iter().map(|task| Child::new(context, task)).collect::<Result<_>>()?;
    let (children, mut fronts): (Vec<Child>, Vec<Front>) = prepared.into_iter().unzip();
    context.control.advance(tasks.iter().map(|task| task.families(context.k.min(1))).sum());
    if context.k > 1 {
        let pieces = pieces(context.data.n(), &children);
        let found: Vec<Vec<(usize, Vec<Front>)>> = pieces
            .par_iter()
            .map_init(Scratch::default, |scratch, (parent, chosen)| {
                search_piece(context, &children, *parent, chosen, scratch)
            })
            .collect::<Result<_>>()?;
        // Smaller sets are preferred: all fronts of one size before those of the next.
        let mut by_size: Vec<Vec<Front>> = vec![vec![Front::default(); context.k - 1]; tasks.len()];
        for (child, sizes) in found.into_iter().flatten() {
            for (all, part) in by_size[child].iter_mut().zip(sizes) {
                all.append(part);
            }
        }
        for (front, sizes) in fronts.iter_mut().zip(by_size) {
            sizes.into_iter().for_each(|size| front.append(size));
        }
    }
    fronts
        .into_iter()
        .zip(tasks)
        .map(|(front, task)| front.first().ok_or_else(|| no_set(task.child)))
        .collect()
}

/// First parents with the children that have them, not as their last candidate; parents increasing.
fn pieces(n: usize, children: &[Child]) -> Vec<(usize, Vec<usize>)> {
    let mut of_parent: Vec<Vec<usize>> = vec![Vec::new(); n];
    for (position, child) in children.iter().enumerate() {
        if let Some((_, firsts)) = child.candidates.split_last() {
            firsts.iter().for_each(|&parent| of_parent[parent].push(position));
        }
    }
    let pieces = of_parent.iter().enumerate();
    pieces
        .flat_map(|(parent, all)| all.chunks(children_of_piece(n)).map(move |some| (parent, some.to_vec())))
        .collect()
}

fn search_piece<'a>(
    context: &'a Context<'a>,
    children: &[Child],
    parent: usize,
    chosen: &[usize],
    scratch: &mut Scratch<'a>,
) -> Result<Vec<(usize, Vec<Front>)>> {
    let mut first = FirstParent::new(context, parent);
    let mut found = Vec::new();
    for &position in chosen {
        first.prepare(children[position].arity)?;
        let fronts = first.search(&children[position], scratch)?;
        if fronts.iter().any(|front| !front.is_empty()) {
            found.push((position, fronts));
        }
    }
    Ok(found)
}

/// Every score of a child was NaN: scorers refuse that, so this names the child for good measure.
fn no_set(child: usize) -> Error {
    Error::ScoreNotANumber { child: Variable::Attribute(child).to_string() }
}
