//! Which pairs are counted how, block by block.

use std::ops::Range;

use rayon::prelude::*;

use super::kernel::{Kernel, RowKernel, WeightKernel};
use super::{Block, CountedPairs, PairTable, PairVisitor, Pairs, block_pairs, block_side};
use crate::control::Control;
use crate::counts::bitmaps::Bitmaps;
use crate::counts::{Cell, Costs, check_cells};
use crate::data::{Dataset, Variable};
use crate::error::Result;
use crate::memory::{memory_limit, with_room};

/// Counts all pairs and keeps the tables; refused where they do not fit into memory.
pub fn count_pairs(data: &Dataset, control: &Control) -> Result<CountedPairs> {
    check_cells(
        || "all pairs of columns".into(),
        [usize::try_from(Pairs::<u32>::cells_needed(data)).unwrap_or(usize::MAX)],
    )?;
    let counter = PairCounter::new(data)?;
    Ok(match data.weights() {
        None => CountedPairs::Integer(keep(&counter, &RowKernel, control)?),
        Some(weights) => CountedPairs::Weighted(keep(&counter, &WeightKernel(weights), control)?),
    })
}

/// Counts all pairs and shows each table once, keeping none.
pub fn visit_pairs(data: &Dataset, visitor: &dyn PairVisitor, control: &Control) -> Result<()> {
    let counter = PairCounter::new(data)?;
    match data.weights() {
        None => pass(&counter, &RowKernel, control, &|table| visitor.integer(table)),
        Some(weights) => pass(&counter, &WeightKernel(weights), control, &|table| visitor.weighted(table)),
    }
}

fn keep<T: Cell>(counter: &PairCounter<'_>, kernel: &impl Kernel<T>, control: &Control) -> Result<Pairs<T>> {
    let blocks = counter.for_each_block(|rows, columns| {
        control.check()?;
        counter.block(rows, columns, kernel, Vec::new())
    })?;
    Ok(Pairs { arities: counter.arities.clone(), classes: counter.classes, side: counter.side, blocks })
}

fn pass<T: Cell>(
    counter: &PairCounter<'_>,
    kernel: &impl Kernel<T>,
    control: &Control,
    visit: &(dyn Fn(PairTable<'_, T>) -> Result<()> + Sync),
) -> Result<()> {
    counter.for_each_block(|rows, columns| {
        control.check()?;
        let block = counter.block(rows, columns, kernel, Vec::new())?;
        block.for_each(counter.classes, &counter.arities, &mut |table| visit(table))
    })
}

/// What counts pairs: the data, and the bitmaps of the columns for which they pay.
pub(super) struct PairCounter<'a> {
    pub(super) data: &'a Dataset,
    pub(super) arities: Vec<usize>,
    pub(super) classes: usize,
    /// Columns along the side of a block.
    side: usize,
    costs: Costs,
    pub(super) bitmaps: Option<Bitmaps>,
}

impl<'a> PairCounter<'a> {
    pub(super) fn new(data: &'a Dataset) -> Result<Self> {
        let arities = data.arities();
        let classes = data.n_classes().unwrap_or(1);
        let costs = Costs::of_pairs(data);
        let chosen = costs.columns_with_bitmaps(data);
        let any = chosen.contains(&true);
        let bitmaps = if any { Some(Bitmaps::build(data, |column| chosen[column])?) } else { None };
        let side = block_side(classes, &arities, costs.worth_threads(&arities));
        Ok(Self { data, arities, classes, side, costs, bitmaps })
    }

    /// What `work` makes of each block, in parallel unless there is only one.
    fn for_each_block<R: Send, C: FromIterator<R> + FromParallelIterator<R> + Send>(
        &self,
        work: impl Fn(Range<usize>, Range<usize>) -> Result<R> + Sync,
    ) -> Result<C> {
        let work = |position: usize| {
            let (rows, columns) = self.place(position);
            work(rows, columns)
        };
        // As many as there are columns, squared: they are not listed.
        let ranges = self.arities.len().div_ceil(self.side);
        let blocks = 0..ranges * (ranges + 1) / 2;
        if blocks.len() == 1 || !self.fits_on_all_threads() {
            return blocks.map(work).collect();
        }
        blocks.into_par_iter().map(work).collect()
    }

    /// Whether every thread may have the largest block at once.
    fn fits_on_all_threads(&self) -> bool {
        let widest = self.arities.iter().max().map_or(1, |&arity| arity as u128);
        let pairs = (self.side as u128).pow(2) * rayon::current_num_threads() as u128;
        widest.pow(2).saturating_mul(self.classes as u128 * 8).saturating_mul(pairs)
            <= u128::from(memory_limit())
    }

    /// The columns along both sides of a block; blocks lie row by row, each row from the diagonal on.
    fn place(&self, position: usize) -> (Range<usize>, Range<usize>) {
        let (n, side) = (self.arities.len(), self.side);
        let ranges = n.div_ceil(side);
        // Counted from the end, the rows have 1, 2, 3, … blocks.
        let behind = ranges * (ranges + 1) / 2 - 1 - position;
        let row_behind = ((8 * behind + 1).isqrt() - 1) / 2;
        let column_behind = behind - row_behind * (row_behind + 1) / 2;
        let range = |behind: usize| {
            let start = (ranges - 1 - behind) * side;
            start..(start + side).min(n)
        };
        (range(row_behind), range(column_behind))
    }

    /// Whether a pair is to be counted by bitmaps.
    pub(super) fn by_bitmaps(&self, i: usize, j: usize) -> bool {
        let built = |column| self.bitmaps.as_ref().is_some_and(|maps| maps.column(column).is_some());
        built(i) && built(j) && self.costs.bitmaps_pay_for_pair(self.arities[i], self.arities[j])
    }

    /// Counts a block, in the memory of `cells`.
    pub(super) fn block<T: Cell>(
        &self,
        rows: Range<usize>,
        columns: Range<usize>,
        kernel: &impl Kernel<T>,
        mut cells: Vec<T>,
    ) -> Result<Block<T>> {
        let pairs: Vec<(usize, usize)> = block_pairs(rows.clone(), columns.clone()).collect();
        let mut offsets = Vec::with_capacity(pairs.len() + 1);
        offsets.push(0);
        for &(i, j) in &pairs {
            let sizes = [self.classes, self.arities[i], self.arities[j]];
            let label = |column| self.data.label(Variable::Attribute(column));
            let cells = check_cells(|| format!("{} and {}", label(i), label(j)), sizes)?;
            offsets.push(offsets[offsets.len() - 1] + cells);
        }
        check_cells(|| format!("the pairs of columns {rows:?} and {columns:?}"), offsets.last().copied())?;
        let needed = offsets[pairs.len()];
        cells.clear();
        if cells.capacity() < needed {
            cells = with_room(|| format!("the pairs of columns {rows:?} and {columns:?}"), needed)?;
        }
        cells.resize(needed, T::default());
        kernel.count(self, &pairs, &offsets, &mut cells);
        Ok(Block { rows, columns, offsets, cells })
    }
}
