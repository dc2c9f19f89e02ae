//! The best pairs of parents that share their first parent.

use std::sync::Arc;

use super::child::Child;
use super::context::Context;
use super::deep::{self, Prefix};
use super::family::Family;
use super::front::Front;
use super::histogram::Configurations;
use super::popcount::count_batch;
use super::shape_score::{ShapeScore, dominates};
use super::table::Arities;
use crate::counts::{Cells, FamilyCounts, check_cells};
use crate::data::Variable;
use crate::error::Result;
use crate::score::{PreparedFamily, TermTable};

/// Rounding in a bound, relative to the sums it is made of.
pub(super) const SLACK: f64 = 1e-12;

/// Buffers that a thread keeps between batches.
#[derive(Default)]
pub(super) struct Scratch<'a> {
    prefix: Vec<u64>,
    maps: Vec<&'a [u64]>,
    unpruned: Vec<Unpruned>,
    pub(super) counts: Vec<u32>,
    pub(super) cells: Vec<u32>,
    pub(super) histogram: Vec<u32>,
}

/// One first parent with what its children share: its pair tables with all later columns, and their row sums.
pub(super) struct FirstParent<'a> {
    context: &'a Context<'a>,
    column: usize,
    arity: usize,
    /// The pair tables with later columns: `(c·r_p + b)·r_q + d`.
    tables: Vec<&'a [u32]>,
    /// By the child's arity.
    second_parents: Vec<SecondParents>,
}

/// All later columns as second parents of children of one arity.
struct SecondParents {
    child: usize,
    groups: Vec<ArityGroup>,
    columns: Vec<SecondParent>,
}

/// A later column as second parent.
struct SecondParent {
    /// Its position in `groups`.
    group: usize,
    /// Σ row over the configurations of the two parents, where the score is a sum.
    row_sum: f64,
}

/// What holds for all second parents of one arity.
struct ArityGroup {
    arity: usize,
    shape_score: Arc<ShapeScore>,
    /// Whether Σ cell of either parent alone bounds that of both.
    bounded: bool,
    /// Whether bitmaps pay.
    bitmaps: bool,
}

/// How a family is to be counted.
enum Way {
    /// The position of its first map in the batch.
    Bitmaps(usize),
    Rows,
    /// Not at all: only larger sets may be good enough.
    Skip,
}

struct Unpruned {
    place: usize,
    way: Way,
}

impl<'a> FirstParent<'a> {
    pub(super) fn new(context: &'a Context<'a>, column: usize) -> Self {
        let tables = (column + 1..context.data.n()).map(|q| context.pairs.table(column, q).cells).collect();
        Self { context, column, arity: context.arities[column], tables, second_parents: Vec::new() }
    }

    /// Prepares for children of this arity.
    pub(super) fn prepare(&mut self, child: usize) -> Result<()> {
        if self.second_parents.iter().any(|known| known.child == child) {
            return Ok(());
        }
        let mut groups: Vec<ArityGroup> = Vec::new();
        let mut columns = Vec::with_capacity(self.tables.len());
        for (offset, cells) in self.tables.iter().enumerate() {
            let q = self.context.arities[self.column + 1 + offset];
            let group = match groups.iter().position(|group| group.arity == q) {
                Some(group) => group,
                None => {
                    groups.push(self.group(child, q)?);
                    groups.len() - 1
                }
            };
            let row_sum = groups[group].shape_score.sum().map_or(0.0, |sums| sum_terms(&sums.row, cells));
            columns.push(SecondParent { group, row_sum });
        }
        self.second_parents.push(SecondParents { child, groups, columns });
        Ok(())
    }

    /// What holds for all second parents with q values.
    fn group(&self, child: usize, q: usize) -> Result<ArityGroup> {
        let shape_scores = &self.context.shape_scores;
        let shape_score = shape_scores.of(child, &[self.arity, q])?;
        let alone = [shape_scores.of(child, &[self.arity])?, shape_scores.of(child, &[q])?];
        let bounded = shape_score.sum().is_some_and(|both| {
            let bounds = |one: &PreparedFamily| dominates(one.cell.term(), both.cell.term());
            alone.iter().all(|one| one.sum().is_some_and(bounds))
        });
        let arities = Arities { x: child, p: self.arity, q };
        let bitmaps =
            self.context.costs.bitmaps_pay((child - 1) * (self.arity - 1) * (q - 1), arities.cells());
        Ok(ArityGroup { arity: q, shape_score, bounded, bitmaps })
    }

    /// The front of each size from 2 on, of all sets of this child that begin with this parent.
    pub(super) fn search(&self, child: &Child, scratch: &mut Scratch<'a>) -> Result<Vec<Front>> {
        let context = self.context;
        context.control.check()?;
        let mut fronts = vec![Front::default(); context.k - 1];
        let second_parents =
            self.second_parents.iter().find(|second_parents| second_parents.child == child.arity);
        let (Ok(place), Some(second_parents)) =
            (child.candidates.binary_search(&self.column), second_parents)
        else {
            return Ok(fronts);
        };
        let bases = second_parents
            .groups
            .iter()
            .map(|group| group.shape_score.sum().map_or(0.0, |sums| child.base(sums)));
        let bases: Vec<f64> = bases.collect();
        let batch = Batch { first: self, child, place, second_parents, bases: &bases };
        batch.prune(scratch);
        batch.count(scratch);
        batch.score(scratch, &mut fronts[0])?;
        if context.k > 2 {
            let first = Prefix::single(context, child, self.column);
            for second in std::mem::take(&mut scratch.unpruned) {
                deep::extend(context, child, &first, second.place, &mut fronts[1..], scratch)?;
            }
        }
        context.control.advance((child.candidates.len() - place - 1) as u64);
        Ok(fronts)
    }
}

/// Bounds of the first parent, and what Σ cell − Σ row must be at least with a second of each group.
struct Bounds {
    larger: f64,
    cell_sum: f64,
    needed: Vec<f64>,
}

/// All pairs of parents of one child that share the first.
struct Batch<'a, 'b> {
    first: &'b FirstParent<'a>,
    child: &'b Child,
    /// Of the first parent among the child's candidates.
    place: usize,
    second_parents: &'b SecondParents,
    /// What of φ does not depend on the cells, group by group.
    bases: &'b [f64],
}

impl<'a> Batch<'a, '_> {
    /// Notes which second parents may still win, and how they are counted.
    fn prune(&self, scratch: &mut Scratch<'a>) {
        let (context, child) = (self.first.context, self.child);
        scratch.unpruned.clear();
        scratch.maps.clear();
        let width = context.maps.layout().words();
        let mapped = |column: usize| context.column_words(column).is_some();
        let prefix_mapped = mapped(child.column) && mapped(self.first.column);
        let bounds = self.bounds();
        for place in self.place + 1..child.candidates.len() {
            let q = child.candidates[place];
            let second = &self.second_parents.columns[q - self.first.column - 1];
            let mut skip = false;
            if let Some(bounds) = &bounds {
                let needed = bounds.needed[second.group];
                let beyond = bounds.larger.min(child.upper_bounds[place]);
                let alone = (bounds.cell_sum.min(child.cell_sums[place]) - second.row_sum).min(beyond);
                skip = alone < needed;
                if skip && (context.k == 2 || beyond < needed) {
                    continue;
                }
            }
            let group = &self.second_parents.groups[second.group];
            let way = match context.column_words(q) {
                _ if skip => Way::Skip,
                Some(mut words) if prefix_mapped && group.bitmaps => {
                    let first = scratch.maps.len();
                    while let Some((map, rest)) = words.split_at_checked(width) {
                        scratch.maps.push(map);
                        words = rest;
                    }
                    Way::Bitmaps(first)
                }
                _ => Way::Rows,
            };
            scratch.unpruned.push(Unpruned { place, way });
        }
        if bounds.is_some() {
            let all = child.candidates.len() - self.place - 1;
            let counted = scratch.unpruned.iter().filter(|second| !matches!(second.way, Way::Skip)).count();
            child.pruning.add(all as u64, (all - counted) as u64);
        }
    }

    /// What a second parent's bounds are compared with; `None` where nothing may be skipped.
    fn bounds(&self) -> Option<Bounds> {
        let child = self.child;
        let possible = self.first.context.prune && child.cell_sums.len() == child.candidates.len();
        if !possible || !child.pruning.pays(self.place) {
            return None;
        }
        let floor = child.incumbent.floor();
        let rows = self.first.context.data.rows() as u32;
        let needed = |(group, &base): (&ArityGroup, &f64)| match group.shape_score.sum() {
            // Superadditive terms: no sum exceeds the term of all rows.
            Some(sums) if group.bounded => {
                floor - base - SLACK * (sums.cell.count(rows) + sums.row.count(rows) + base.abs())
            }
            _ => f64::NEG_INFINITY,
        };
        let needed = self.second_parents.groups.iter().zip(self.bases).map(needed).collect();
        Some(Bounds { larger: child.upper_bounds[self.place], cell_sum: child.cell_sums[self.place], needed })
    }

    /// Counts all maps against the bitmaps of (x = a, p = b).
    fn count(&self, scratch: &mut Scratch<'a>) {
        if scratch.maps.is_empty() {
            return;
        }
        let context = self.first.context;
        let width = context.maps.layout().words();
        scratch.prefix.clear();
        let words = |column: usize| context.column_words(column).unwrap_or_default();
        for x in words(self.child.column).chunks_exact(width) {
            for p in words(self.first.column).chunks_exact(width) {
                scratch.prefix.extend(x.iter().zip(p).map(|(x, p)| x & p));
            }
        }
        count_batch(context.maps.layout(), &scratch.prefix, &scratch.maps, &mut scratch.counts);
    }

    fn score(&self, scratch: &mut Scratch<'a>, front: &mut Front) -> Result<()> {
        let (context, child) = (self.first.context, self.child);
        let p = self.first.column;
        let prefixes = (child.arity - 1) * (self.first.arity - 1) * context.classes;
        let mut configurations: Option<Configurations> = None;
        let mut best = f64::NEG_INFINITY;
        let unpruned = std::mem::take(&mut scratch.unpruned);
        for second in &unpruned {
            let q = child.candidates[second.place];
            let SecondParent { group, row_sum } = &self.second_parents.columns[q - p - 1];
            let shape_score = &self.second_parents.groups[*group].shape_score;
            let family = |first: usize| Family {
                arities: Arities {
                    x: child.arity,
                    p: self.first.arity,
                    q: self.second_parents.groups[*group].arity,
                },
                classes: context.classes,
                xp: child.table(self.place),
                xq: child.table(second.place),
                pq: self.first.tables[q - p - 1],
                counts: &scratch.counts[first * prefixes..],
            };
            let score = match (&second.way, shape_score.sum()) {
                (Way::Skip, _) => continue,
                (Way::Bitmaps(first), Some(sums)) => {
                    let cells = family(*first).sum(&sums.cell, context.data.rows(), &mut scratch.cells);
                    cells - row_sum + self.bases[*group]
                }
                (Way::Bitmaps(first), None) => {
                    family(*first).whole(&mut scratch.cells);
                    let shape =
                        context.shape_scores.shape(child.arity, &[self.first.arity, context.arities[q]]);
                    let counts = FamilyCounts { shape, cells: Cells::Integer(scratch.cells.clone()) };
                    context.shape_scores.whole(child.column, &counts)?
                }
                (Way::Rows, Some(sums)) => {
                    let rows = context.rows()?;
                    self.check_size(q)?;
                    let configurations =
                        configurations.get_or_insert_with(|| rows.with(&rows.column(child.column), p));
                    let cells = rows.sum(configurations, q, &sums.cell, &mut scratch.histogram);
                    cells - row_sum + self.bases[*group]
                }
                (Way::Rows, None) => {
                    let with_class = context.data.class().is_some();
                    let variable = Variable::Attribute(child.column);
                    let counts = context.source.family(variable, &[p, q], with_class)?;
                    context.shape_scores.whole(child.column, &counts)?
                }
            };
            if score > best {
                best = score;
                child.incumbent.raise(score);
                front.push(score, || vec![p, q]);
            }
        }
        scratch.unpruned = unpruned;
        Ok(())
    }

    /// Refuses a table that does not fit, before it is allocated.
    fn check_size(&self, q: usize) -> Result<()> {
        let (context, child) = (self.first.context, self.child);
        let label = |column| context.data.label(Variable::Attribute(column));
        let name = || format!("{} given {} and {}", label(child.column), label(self.first.column), label(q));
        let sizes = [context.classes, child.arity, self.first.arity, context.arities[q]];
        check_cells(name, sizes).map(|_| ())
    }
}

/// Σ term over all cells of a pair table: each is a configuration of two parents.
fn sum_terms(term: &TermTable, cells: &[u32]) -> f64 {
    cells.iter().map(|&count| term.count(count)).sum()
}
