//! A child and its candidates: everything that pairs of columns tell about it.

use std::sync::atomic::{AtomicU64, Ordering};

use super::Task;
use super::context::Context;
use super::front::{Front, tie_floor};
use super::shape_score::{base, upper_bound};
use crate::counts::{Cells, FamilyCounts, PairTable};
use crate::data::Variable;
use crate::error::Result;
use crate::score::{PreparedFamily, Term};

/// One child of a search.
pub(super) struct Child {
    pub(super) column: usize,
    pub(super) arity: usize,
    /// Increasing.
    pub(super) candidates: Vec<usize>,
    /// N_k of the child.
    pub(super) margin: Vec<u32>,
    /// The pair tables with each candidate, the child first: `(c·r_x + a)·r_q + d`.
    tables: Vec<u32>,
    offsets: Vec<usize>,
    /// Σ cell of each candidate alone.
    pub(super) cell_sums: Vec<f64>,
    /// An upper bound on Σ cell − Σ row of every set with the candidate.
    pub(super) upper_bounds: Vec<f64>,
    pub(super) incumbent: Incumbent,
    /// Of pairs of parents.
    pub(super) pruning: PruningRecord,
    /// Of larger sets.
    pub(super) deep_pruning: PruningRecord,
}

impl Child {
    /// Scores the empty set and every single candidate.
    pub(super) fn new(context: &Context<'_>, task: &Task) -> Result<(Self, Front)> {
        context.control.check()?;
        let column = task.child;
        let arity = context.arities[column];
        let with_class = context.data.class().is_some();
        let mut child = Self {
            column,
            arity,
            candidates: task.candidates.clone(),
            margin: Vec::new(),
            tables: Vec::new(),
            offsets: vec![0],
            cell_sums: Vec::new(),
            upper_bounds: Vec::new(),
            incumbent: Incumbent::default(),
            pruning: PruningRecord::default(),
            deep_pruning: PruningRecord::default(),
        };
        let alone = context.source.family(Variable::Attribute(column), &[], with_class)?;
        child.margin = alone.child_margin().iter().map(|&count| count as u32).collect();
        let mut front = Front::default();
        child.offer(&mut front, context.shape_scores.whole(column, &alone)?, Vec::new);
        if context.k > 0 {
            child.add_singles(context, &mut front)?;
        }
        Ok((child, front))
    }

    fn add_singles(&mut self, context: &Context<'_>, front: &mut Front) -> Result<()> {
        let mut cells = Vec::new();
        for place in 0..self.candidates.len() {
            let parent = self.candidates[place];
            let q = context.arities[parent];
            transposed_family(context, self.column, parent, &mut cells);
            let shape_score = context.shape_scores.of(self.arity, &[q])?;
            let score = match shape_score.sum() {
                Some(sums) => {
                    let cell_sum: f64 = cells.iter().map(|&count| sums.cell.count(count)).sum();
                    let configurations = cells.chunks_exact(self.arity);
                    let rows: f64 = configurations.map(|cells| sums.row.count(cells.iter().sum())).sum();
                    self.cell_sums.push(cell_sum);
                    self.upper_bounds.push(self.upper_bound_of_single(context, sums, q, &cells)?);
                    cell_sum - rows + self.base(sums)
                }
                None => {
                    let shape = context.shape_scores.shape(self.arity, &[q]);
                    let cells = Cells::Integer(cells.clone());
                    context.shape_scores.whole(self.column, &FamilyCounts { shape, cells })?
                }
            };
            self.offer(front, score, || vec![parent]);
            if context.k > 1 {
                let shape = (context.classes, q, self.arity);
                PairTable { i: parent, j: self.column, shape, cells: &cells }
                    .append_transposed(&mut self.tables);
            }
            self.offsets.push(self.tables.len());
        }
        Ok(())
    }

    /// The bound of all larger sets; arities of at least 2 stand for all: see `upper_bound`.
    fn upper_bound_of_single(
        &self,
        context: &Context<'_>,
        sums: &PreparedFamily,
        q: usize,
        cells: &[u32],
    ) -> Result<f64> {
        // A sum over lnΓ costs a pass over the table: it pays where it drops whole branches, beyond pairs.
        let sum_pays = context.k > 2 || !matches!(sums.cell.term(), Term::LnGamma { .. });
        if context.k < 2 || !context.prune || !sum_pays {
            return Ok(f64::INFINITY);
        }
        let larger = context.shape_scores.terms(self.arity, &[q, 2])?;
        let bound = larger.and_then(|larger| upper_bound(sums, cells, &larger));
        Ok(bound.unwrap_or(f64::INFINITY))
    }

    /// Shows a set to the front and to the incumbent.
    fn offer(&self, front: &mut Front, score: f64, parents: impl FnOnce() -> Vec<usize>) {
        front.push(score, parents);
        self.incumbent.raise(score);
    }

    /// The pair table with the candidate at this place, child first.
    pub(super) fn table(&self, place: usize) -> &[u32] {
        &self.tables[self.offsets[place]..self.offsets[place + 1]]
    }

    /// What of φ does not depend on the cells.
    pub(super) fn base(&self, sums: &PreparedFamily) -> f64 {
        base(sums, &self.margin)
    }
}

/// The table of a child given one parent, child fastest, into `cells`.
fn transposed_family(context: &Context<'_>, child: usize, parent: usize, cells: &mut Vec<u32>) {
    let table = context.pairs.table(child, parent);
    cells.clear();
    if child == table.j {
        cells.extend_from_slice(table.cells);
    } else {
        table.append_transposed(cells);
    }
}

/// The best score so far of one child, shared by the threads that search for it.
pub(super) struct Incumbent(AtomicU64);

impl Default for Incumbent {
    fn default() -> Self {
        Self(AtomicU64::new(f64::NEG_INFINITY.to_bits()))
    }
}

impl Incumbent {
    /// A set below this cannot tie with the best.
    pub(super) fn floor(&self) -> f64 {
        tie_floor(f64::from_bits(self.0.load(Ordering::Relaxed)))
    }

    /// Takes note of a score.
    pub(super) fn raise(&self, score: f64) {
        let mut bits = self.0.load(Ordering::Relaxed);
        while score > f64::from_bits(bits) {
            match self.0.compare_exchange_weak(bits, score.to_bits(), Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return,
                Err(now) => bits = now,
            }
        }
    }
}

/// How often bounds were compared for a child, and how often they let a family be skipped.
#[derive(Default)]
pub(super) struct PruningRecord {
    compared: AtomicU64,
    skipped: AtomicU64,
}

impl PruningRecord {
    /// Comparisons after which the record speaks.
    const ENOUGH: u64 = 64;

    /// Whether to compare a batch: comparing has been worth its time where one family in 32 was skipped. Where it has
    /// not, the batches at every 16th place are compared nevertheless: the best score rises, and columns differ.
    /// Nothing is written, so that threads that search for one child do not wait for each other.
    pub(super) fn pays(&self, place: usize) -> bool {
        let compared = self.compared.load(Ordering::Relaxed);
        compared < Self::ENOUGH
            || self.skipped.load(Ordering::Relaxed) * 32 >= compared
            || place.is_multiple_of(16)
    }

    /// Takes note of a batch.
    pub(super) fn add(&self, compared: u64, skipped: u64) {
        self.compared.fetch_add(compared, Ordering::Relaxed);
        self.skipped.fetch_add(skipped, Ordering::Relaxed);
    }
}
