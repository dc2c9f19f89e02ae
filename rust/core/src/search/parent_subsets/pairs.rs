//! The best pairs of parents that share their first parent.

use std::sync::Arc;

use super::child::Child;
use super::context::Context;
use super::deep::{self, Prefix};
use super::front::Front;
use super::histogram::Configurations;
use super::judge::{Judge, dominates};
use super::popcount::count_batch;
use super::table::{Arities, PairCells, complete};
use crate::counts::{Cells, CountSource, FamilyCounts, check_cells};
use crate::data::Variable;
use crate::error::Result;
use crate::score::{PreparedFamily, TermTable};

/// Rounding in a bound, relative to the sums it is made of.
pub(super) const SLACK: f64 = 1e-12;

/// Buffers that a thread keeps between batches.
#[derive(Default)]
pub(super) struct Scratch {
    prefix: Vec<u64>,
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
    /// By the child's arity: the judge and Σ row for each later column.
    rows: Vec<(usize, Vec<Later>)>,
}

/// A later column as second parent.
struct Later {
    judge: Arc<Judge>,
    /// Σ row over the configurations of the two parents, where the score is a sum.
    row_sum: f64,
    /// Whether Σ cell of either parent alone bounds that of both.
    coarse: bool,
    /// Whether bitmaps are there and pay.
    bitmaps: bool,
}

struct Kind {
    judge: Arc<Judge>,
    coarse: bool,
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
        Self { context, column, arity: context.arities[column], tables, rows: Vec::new() }
    }

    /// Prepares for children of this arity.
    pub(super) fn prepare(&mut self, arity: usize) -> Result<()> {
        if self.rows.iter().any(|(known, _)| *known == arity) {
            return Ok(());
        }
        let mut by_arity: Vec<(usize, Kind)> = Vec::new();
        let mut later = Vec::with_capacity(self.tables.len());
        for (offset, cells) in self.tables.iter().enumerate() {
            let q = self.context.arities[self.column + 1 + offset];
            let kind = match by_arity.iter().position(|(known, _)| *known == q) {
                Some(position) => &by_arity[position].1,
                None => {
                    by_arity.push((q, self.kind(arity, q)?));
                    &by_arity[by_arity.len() - 1].1
                }
            };
            let row_sum = kind.judge.sum().map_or(0.0, |sums| sum_terms(&sums.row, cells));
            let Kind { judge, coarse, bitmaps } = kind;
            later.push(Later { judge: judge.clone(), row_sum, coarse: *coarse, bitmaps: *bitmaps });
        }
        self.rows.push((arity, later));
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
        Ok(Kind { judge, coarse, bitmaps })
    }

    /// The front of each size from 2 on, of all sets of this child that begin with this parent.
    pub(super) fn search(&self, child: &Child, scratch: &mut Scratch) -> Result<Vec<Front>> {
        let context = self.context;
        context.control.check()?;
        let mut fronts = vec![Front::default(); context.k - 1];
        let Ok(place) = child.candidates.binary_search(&self.column) else { return Ok(fronts) };
        let Some((_, later)) = self.rows.iter().find(|(arity, _)| *arity == child.arity) else {
            return Ok(fronts);
        };
        let (survivors, maps) = self.admit(child, place, later);
        self.count(child, &maps, scratch);
        self.score(child, place, later, &survivors, scratch, &mut fronts[0])?;
        if context.k > 2 {
            let first = Prefix::single(context, child, self.column);
            for survivor in &survivors {
                deep::extend(context, child, &first, survivor.place, &mut fronts[1..], scratch)?;
            }
        }
        context.control.advance((child.candidates.len() - place - 1) as u64);
        Ok(fronts)
    }

    /// Which second parents may still win, and how they are counted.
    fn admit(&self, child: &Child, place: usize, later: &[Later]) -> (Vec<Survivor>, Vec<&'a [u64]>) {
        let context = self.context;
        let floor = child.incumbent.floor();
        let mut survivors = Vec::with_capacity(child.candidates.len() - place - 1);
        let mut maps = Vec::new();
        let width = context.maps.layout().words();
        let prefix_mapped =
            context.column_words(child.column).is_some() && context.column_words(self.column).is_some();
        for place_of_q in place + 1..child.candidates.len() {
            let q = child.candidates[place_of_q];
            let later = &later[q - self.column - 1];
            let (leaf, beyond) = self.bounds(child, place, place_of_q, later);
            if beyond < floor {
                continue;
            }
            let way = match context.column_words(q) {
                _ if leaf < floor => Way::Skip,
                Some(words) if prefix_mapped && later.bitmaps => {
                    let first = maps.len();
                    maps.extend(words.chunks_exact(width));
                    Way::Bitmaps(first)
                }
                _ => Way::Rows,
            };
            if context.k > 2 || !matches!(way, Way::Skip) {
                survivors.push(Survivor { place: place_of_q, way });
            }
        }
        (survivors, maps)
    }

    /// Upper bounds: of the pair itself, and of every set that contains it.
    fn bounds(&self, child: &Child, p: usize, q: usize, later: &Later) -> (f64, f64) {
        let Some(sums) = later.judge.sum().filter(|_| self.context.prune) else {
            return (f64::INFINITY, f64::INFINITY);
        };
        let base = child.base(sums);
        let beyond = child.reach[p].min(child.reach[q]) + base;
        let cells = child.coarse[p].min(child.coarse[q]);
        let slack = SLACK * (cells.abs() + later.row_sum.abs() + base.abs());
        let leaf = if later.coarse { cells - later.row_sum + base } else { f64::INFINITY };
        (leaf.min(beyond) + slack, beyond + slack)
    }

    fn count(&self, child: &Child, maps: &[&[u64]], scratch: &mut Scratch) {
        scratch.prefix.clear();
        if maps.is_empty() {
            return;
        }
        let context = self.context;
        if let (Some(x), Some(p)) = (context.column_words(child.column), context.column_words(self.column)) {
            let width = context.maps.layout().words();
            for x in x.chunks_exact(width) {
                for p in p.chunks_exact(width) {
                    scratch.prefix.extend(x.iter().zip(p).map(|(x, p)| x & p));
                }
            }
        }
        count_batch(context.maps.layout(), &scratch.prefix, maps, &mut scratch.counts);
    }

    fn score(
        &self,
        child: &Child,
        place: usize,
        later: &[Later],
        survivors: &[Survivor],
        scratch: &mut Scratch,
        front: &mut Front,
    ) -> Result<()> {
        let context = self.context;
        let mut configurations: Option<Configurations> = None;
        let mut best = f64::NEG_INFINITY;
        for survivor in survivors {
            let q = child.candidates[survivor.place];
            let Later { judge, row_sum, .. } = &later[q - self.column - 1];
            let family = Family {
                arities: Arities { x: child.arity, p: self.arity, q: context.arities[q] },
                classes: context.classes,
                xp: child.table(place),
                xq: child.table(survivor.place),
                pq: self.tables[q - self.column - 1],
            };
            let score = match (&survivor.way, judge.sum()) {
                (Way::Skip, _) => continue,
                (Way::Bitmaps(first), Some(sums)) => {
                    family.sum(&scratch.counts, *first, &sums.cell, &mut scratch.cells) - row_sum
                        + child.base(sums)
                }
                (Way::Bitmaps(first), None) => {
                    family.whole(&scratch.counts, *first, &mut scratch.cells);
                    let shape = context.judges.shape(child.arity, &[self.arity, family.arities.q]);
                    let counts = FamilyCounts { shape, cells: Cells::Integer(scratch.cells.clone()) };
                    context.judges.whole(child.column, &counts)?
                }
                (Way::Rows, Some(sums)) => {
                    let rows = context.rows()?;
                    self.check_size(child, q)?;
                    let configurations = configurations
                        .get_or_insert_with(|| rows.with(&rows.column(child.column), self.column));
                    rows.sum(configurations, q, &sums.cell, &mut scratch.histogram) - row_sum
                        + child.base(sums)
                }
                (Way::Rows, None) => {
                    let with_class = context.data.class().is_some();
                    let variable = Variable::Attribute(child.column);
                    let counts = context.counter.family(variable, &[self.column, q], with_class)?;
                    context.judges.whole(child.column, &counts)?
                }
            };
            if score > best {
                best = score;
                child.incumbent.raise(score);
                front.push(score, || vec![self.column, q]);
            }
        }
        Ok(())
    }

    /// Refuses a table that does not fit, before it is allocated.
    fn check_size(&self, child: &Child, q: usize) -> Result<()> {
        let name = || format!("column {} given column {} and column {q}", child.column, self.column);
        let sizes = [self.context.classes, child.arity, self.arity, self.context.arities[q]];
        check_cells(name, sizes).map(|_| ())
    }
}

/// Σ term over all rows of cells of a pair table: each cell is a configuration of two parents.
fn sum_terms(term: &TermTable, cells: &[u32]) -> f64 {
    cells.iter().map(|&count| term.count(count)).sum()
}

/// One family's pair tables, all classes.
struct Family<'a> {
    arities: Arities,
    classes: usize,
    xp: &'a [u32],
    xq: &'a [u32],
    pq: &'a [u32],
}

impl Family<'_> {
    /// Σ cell over the completed table. Small shapes are compiled on their own: their loops disappear.
    fn sum(&self, counts: &[u32], first: usize, term: &TermTable, cells: &mut Vec<u32>) -> f64 {
        macro_rules! unrolled {
            ($x:literal, $p:literal, $q:literal) => {{
                let mut cells = [0u32; $x * $p * $q];
                self.sum_as(Arities { x: $x, p: $p, q: $q }, counts, first, term, &mut cells)
            }};
        }
        match (self.arities.x, self.arities.p, self.arities.q) {
            (2, 2, 2) => unrolled!(2, 2, 2),
            (2, 2, 3) => unrolled!(2, 2, 3),
            (2, 3, 2) => unrolled!(2, 3, 2),
            (2, 3, 3) => unrolled!(2, 3, 3),
            (3, 2, 2) => unrolled!(3, 2, 2),
            (3, 2, 3) => unrolled!(3, 2, 3),
            (3, 3, 2) => unrolled!(3, 3, 2),
            (3, 3, 3) => unrolled!(3, 3, 3),
            _ => {
                cells.clear();
                cells.resize(self.arities.cells(), 0);
                self.sum_as(self.arities, counts, first, term, cells)
            }
        }
    }

    #[inline(always)]
    fn sum_as(
        &self,
        arities: Arities,
        counts: &[u32],
        first: usize,
        term: &TermTable,
        cells: &mut [u32],
    ) -> f64 {
        // Four sums side by side: one alone would wait for every addition.
        let mut sums = [0.0; 4];
        for class in 0..self.classes {
            self.complete_class(arities, class, counts, first, cells);
            for (position, &count) in cells.iter().enumerate() {
                sums[position % 4] += term.count(count);
            }
        }
        sums.iter().sum()
    }

    /// The whole table, class slowest, child fastest.
    fn whole(&self, counts: &[u32], first: usize, cells: &mut Vec<u32>) {
        let size = self.arities.cells();
        cells.clear();
        cells.resize(self.classes * size, 0);
        for class in 0..self.classes {
            self.complete_class(
                self.arities,
                class,
                counts,
                first,
                &mut cells[class * size..(class + 1) * size],
            );
        }
    }

    #[inline(always)]
    fn complete_class(
        &self,
        arities: Arities,
        class: usize,
        counts: &[u32],
        first: usize,
        cells: &mut [u32],
    ) {
        let Arities { x, p, q } = arities;
        let prefixes = (x - 1) * (p - 1);
        let pairs = PairCells {
            xp: &self.xp[class * x * p..][..x * p],
            xq: &self.xq[class * x * q..][..x * q],
            pq: &self.pq[class * p * q..][..p * q],
        };
        let triple = |a: usize, b: usize, d: usize| {
            counts[((first + d) * prefixes + a * (p - 1) + b) * self.classes + class]
        };
        complete(arities, pairs, triple, cells);
    }
}
