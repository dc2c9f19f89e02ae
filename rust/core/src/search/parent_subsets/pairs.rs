//! The best pairs of parents that share their first parent.

use std::sync::Arc;

use super::child::Child;
use super::context::Context;
use super::deep::{self, Prefix};
use super::family::Family;
use super::front::Front;
use super::histogram::Configurations;
use super::judge::{Judge, dominates};
use super::popcount::count_batch;
use super::table::Arities;
use crate::counts::{Cells, CountSource, FamilyCounts, check_cells};
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
    survivors: Vec<Survivor>,
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
    seconds: Vec<Seconds>,
}

/// All later columns as second parents of children of one arity.
struct Seconds {
    child: usize,
    kinds: Vec<Kind>,
    later: Vec<Later>,
}

/// A later column as second parent.
struct Later {
    /// Its position in `kinds`.
    kind: usize,
    /// Σ row over the configurations of the two parents, where the score is a sum.
    row_sum: f64,
}

/// What holds for all second parents of one arity.
struct Kind {
    arity: usize,
    judge: Arc<Judge>,
    /// Whether Σ cell of either parent alone bounds that of both.
    coarse: bool,
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

struct Survivor {
    place: usize,
    way: Way,
}

impl<'a> FirstParent<'a> {
    pub(super) fn new(context: &'a Context<'a>, column: usize) -> Self {
        let tables = (column + 1..context.data.n()).map(|q| context.pairs.table(column, q).cells).collect();
        Self { context, column, arity: context.arities[column], tables, seconds: Vec::new() }
    }

    /// Prepares for children of this arity.
    pub(super) fn prepare(&mut self, child: usize) -> Result<()> {
        if self.seconds.iter().any(|known| known.child == child) {
            return Ok(());
        }
        let mut kinds: Vec<Kind> = Vec::new();
        let mut later = Vec::with_capacity(self.tables.len());
        for (offset, cells) in self.tables.iter().enumerate() {
            let q = self.context.arities[self.column + 1 + offset];
            let kind = match kinds.iter().position(|kind| kind.arity == q) {
                Some(kind) => kind,
                None => {
                    kinds.push(self.kind(child, q)?);
                    kinds.len() - 1
                }
            };
            let row_sum = kinds[kind].judge.sum().map_or(0.0, |sums| sum_terms(&sums.row, cells));
            later.push(Later { kind, row_sum });
        }
        self.seconds.push(Seconds { child, kinds, later });
        Ok(())
    }

    /// What holds for all second parents with q values.
    fn kind(&self, child: usize, q: usize) -> Result<Kind> {
        let judges = &self.context.judges;
        let judge = judges.of(child, &[self.arity, q])?;
        let alone = [judges.of(child, &[self.arity])?, judges.of(child, &[q])?];
        let coarse = judge.sum().is_some_and(|both| {
            let bounds = |one: &PreparedFamily| dominates(one.cell.term(), both.cell.term());
            alone.iter().all(|one| one.sum().is_some_and(bounds))
        });
        let arities = Arities { x: child, p: self.arity, q };
        let bitmaps = self.context.bitmaps_pay((child - 1) * (self.arity - 1) * (q - 1), arities.cells());
        Ok(Kind { arity: q, judge, coarse, bitmaps })
    }

    /// The front of each size from 2 on, of all sets of this child that begin with this parent.
    pub(super) fn search(&self, child: &Child, scratch: &mut Scratch<'a>) -> Result<Vec<Front>> {
        let context = self.context;
        context.control.check()?;
        let mut fronts = vec![Front::default(); context.k - 1];
        let seconds = self.seconds.iter().find(|seconds| seconds.child == child.arity);
        let (Ok(place), Some(seconds)) = (child.candidates.binary_search(&self.column), seconds) else {
            return Ok(fronts);
        };
        let bases = seconds.kinds.iter().map(|kind| kind.judge.sum().map_or(0.0, |sums| child.base(sums)));
        let bases: Vec<f64> = bases.collect();
        let batch = Batch { first: self, child, place, seconds, bases: &bases };
        batch.admit(scratch);
        batch.count(scratch);
        batch.score(scratch, &mut fronts[0])?;
        if context.k > 2 {
            let first = Prefix::single(context, child, self.column);
            for survivor in std::mem::take(&mut scratch.survivors) {
                deep::extend(context, child, &first, survivor.place, &mut fronts[1..], scratch)?;
            }
        }
        context.control.advance((child.candidates.len() - place - 1) as u64);
        Ok(fronts)
    }
}

/// Bounds of the first parent, and what Σ cell − Σ row must reach with a second of each kind.
struct Bounds {
    reach: f64,
    coarse: f64,
    needed: Vec<f64>,
}

/// All pairs of parents of one child that share the first.
struct Batch<'a, 'b> {
    first: &'b FirstParent<'a>,
    child: &'b Child,
    /// Of the first parent among the child's candidates.
    place: usize,
    seconds: &'b Seconds,
    /// What of φ does not depend on the cells, kind by kind.
    bases: &'b [f64],
}

impl<'a> Batch<'a, '_> {
    /// Notes which second parents may still win, and how they are counted.
    fn admit(&self, scratch: &mut Scratch<'a>) {
        let (context, child) = (self.first.context, self.child);
        scratch.survivors.clear();
        scratch.maps.clear();
        let width = context.maps.layout().words();
        let mapped = |column: usize| context.column_words(column).is_some();
        let prefix_mapped = mapped(child.column) && mapped(self.first.column);
        let bounds = self.bounds();
        for place in self.place + 1..child.candidates.len() {
            let q = child.candidates[place];
            let later = &self.seconds.later[q - self.first.column - 1];
            let mut skip = false;
            if let Some(bounds) = &bounds {
                let needed = bounds.needed[later.kind];
                let beyond = bounds.reach.min(child.reach[place]);
                let alone = (bounds.coarse.min(child.coarse[place]) - later.row_sum).min(beyond);
                skip = alone < needed;
                if skip && (context.k == 2 || beyond < needed) {
                    continue;
                }
            }
            let kind = &self.seconds.kinds[later.kind];
            let way = match context.column_words(q) {
                _ if skip => Way::Skip,
                Some(mut words) if prefix_mapped && kind.bitmaps => {
                    let first = scratch.maps.len();
                    while let Some((map, rest)) = words.split_at_checked(width) {
                        scratch.maps.push(map);
                        words = rest;
                    }
                    Way::Bitmaps(first)
                }
                _ => Way::Rows,
            };
            scratch.survivors.push(Survivor { place, way });
        }
        if bounds.is_some() {
            let all = child.candidates.len() - self.place - 1;
            let counted =
                scratch.survivors.iter().filter(|survivor| !matches!(survivor.way, Way::Skip)).count();
            child.pruning.add(all as u64, (all - counted) as u64);
        }
    }

    /// What a second parent's bounds are compared with; `None` where nothing may be skipped.
    fn bounds(&self) -> Option<Bounds> {
        let child = self.child;
        let possible = self.first.context.prune && child.coarse.len() == child.candidates.len();
        if !possible || !child.pruning.pays(self.place) {
            return None;
        }
        let floor = child.incumbent.floor();
        let rows = self.first.context.data.rows() as u32;
        let needed = |(kind, &base): (&Kind, &f64)| match kind.judge.sum() {
            // Superadditive terms: no sum exceeds the term of all rows.
            Some(sums) if kind.coarse => {
                floor - base - SLACK * (sums.cell.count(rows) + sums.row.count(rows) + base.abs())
            }
            _ => f64::NEG_INFINITY,
        };
        let needed = self.seconds.kinds.iter().zip(self.bases).map(needed).collect();
        Some(Bounds { reach: child.reach[self.place], coarse: child.coarse[self.place], needed })
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
        let survivors = std::mem::take(&mut scratch.survivors);
        for survivor in &survivors {
            let q = child.candidates[survivor.place];
            let Later { kind, row_sum } = &self.seconds.later[q - p - 1];
            let judge = &self.seconds.kinds[*kind].judge;
            let family = |first: usize| Family {
                arities: Arities { x: child.arity, p: self.first.arity, q: self.seconds.kinds[*kind].arity },
                classes: context.classes,
                xp: child.table(self.place),
                xq: child.table(survivor.place),
                pq: self.first.tables[q - p - 1],
                counts: &scratch.counts[first * prefixes..],
            };
            let score = match (&survivor.way, judge.sum()) {
                (Way::Skip, _) => continue,
                (Way::Bitmaps(first), Some(sums)) => {
                    let cells = family(*first).sum(&sums.cell, context.data.rows(), &mut scratch.cells);
                    cells - row_sum + self.bases[*kind]
                }
                (Way::Bitmaps(first), None) => {
                    family(*first).whole(&mut scratch.cells);
                    let shape = context.judges.shape(child.arity, &[self.first.arity, context.arities[q]]);
                    let counts = FamilyCounts { shape, cells: Cells::Integer(scratch.cells.clone()) };
                    context.judges.whole(child.column, &counts)?
                }
                (Way::Rows, Some(sums)) => {
                    let rows = context.rows()?;
                    self.check_size(q)?;
                    let configurations =
                        configurations.get_or_insert_with(|| rows.with(&rows.column(child.column), p));
                    let cells = rows.sum(configurations, q, &sums.cell, &mut scratch.histogram);
                    cells - row_sum + self.bases[*kind]
                }
                (Way::Rows, None) => {
                    let with_class = context.data.class().is_some();
                    let variable = Variable::Attribute(child.column);
                    let counts = context.counter.family(variable, &[p, q], with_class)?;
                    context.judges.whole(child.column, &counts)?
                }
            };
            if score > best {
                best = score;
                child.incumbent.raise(score);
                front.push(score, || vec![p, q]);
            }
        }
        scratch.survivors = survivors;
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
