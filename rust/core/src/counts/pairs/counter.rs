//! Which pairs are counted how, block by block.

use std::ops::Range;

use rayon::prelude::*;

use super::kernel::{Kernel, RowKernel, WeightKernel};
use super::{Block, CountedPairs, PairTable, PairVisitor, Pairs, block_pairs, block_side};
use crate::control::Control;
use crate::counts::bitmaps::{Bitmaps, ColumnMaps};
use crate::counts::{Cell, check_cells};
use crate::data::Dataset;
use crate::error::Result;

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
    let blocks = counter
        .blocks()
        .into_par_iter()
        .map(|(rows, columns)| {
            control.check()?;
            counter.block(rows, columns, kernel)
        })
        .collect::<Result<Vec<_>>>()?;
    let side = block_side(counter.arities.len());
    Ok(Pairs { arities: counter.arities.clone(), classes: counter.classes, side, blocks })
}

fn pass<T: Cell>(
    counter: &PairCounter<'_>,
    kernel: &impl Kernel<T>,
    control: &Control,
    visit: &(dyn Fn(PairTable<'_, T>) -> Result<()> + Sync),
) -> Result<()> {
    counter.blocks().into_par_iter().try_for_each(|(rows, columns)| {
        control.check()?;
        let block = counter.block(rows, columns, kernel)?;
        block.for_each(counter.classes, &counter.arities, visit)
    })
}

/// What counts pairs: the data, and the bitmaps of the columns for which they pay.
pub(super) struct PairCounter<'a> {
    pub(super) data: &'a Dataset,
    arities: Vec<usize>,
    classes: usize,
    pub(super) bitmaps: Option<Bitmaps>,
}

impl<'a> PairCounter<'a> {
    fn new(data: &'a Dataset) -> Result<Self> {
        let arities = data.arities();
        let classes = data.n_classes().unwrap_or(1);
        let costs = Costs { rows: data.rows() as f64, classes: classes as f64 };
        // A column gets bitmaps where counting it against its like is cheaper that way.
        let pays = |column: usize| {
            let values = arities[column] as f64;
            arities[column] <= 255 && costs.bitmaps_pay(values, values)
        };
        let any = data.weights().is_none() && data.n() > 1 && (0..data.n()).any(pays);
        let bitmaps = if any { Some(Bitmaps::build(data, pays)?) } else { None };
        Ok(Self { data, arities, classes, bitmaps })
    }

    fn blocks(&self) -> Vec<(Range<usize>, Range<usize>)> {
        let n = self.arities.len();
        let side = block_side(n);
        let ranges: Vec<_> = (0..n).step_by(side).map(|start| start..(start + side).min(n)).collect();
        let mut blocks = Vec::new();
        for (position, rows) in ranges.iter().enumerate() {
            blocks.extend(ranges[position..].iter().map(|columns| (rows.clone(), columns.clone())));
        }
        blocks
    }

    pub(super) fn maps(&self, i: usize, j: usize) -> Option<(&ColumnMaps, &ColumnMaps)> {
        let bitmaps = self.bitmaps.as_ref()?;
        Some((bitmaps.column(i)?, bitmaps.column(j)?))
    }

    fn block<T: Cell>(
        &self,
        rows: Range<usize>,
        columns: Range<usize>,
        kernel: &impl Kernel<T>,
    ) -> Result<Block<T>> {
        let pairs: Vec<(usize, usize)> = block_pairs(rows.clone(), columns.clone()).collect();
        let mut offsets = Vec::with_capacity(pairs.len() + 1);
        offsets.push(0);
        for &(i, j) in &pairs {
            let sizes = [self.classes, self.arities[i], self.arities[j]];
            let cells = check_cells(|| format!("column {i} and column {j}"), sizes)?;
            offsets.push(offsets[offsets.len() - 1] + cells);
        }
        check_cells(|| format!("the pairs of columns {rows:?} and {columns:?}"), offsets.last().copied())?;
        let mut cells = vec![T::default(); offsets[pairs.len()]];
        kernel.count(self, &pairs, &offsets, &mut cells);
        Ok(Block { rows, columns, offsets, cells })
    }
}

/// What the two kernels cost, in nanoseconds measured on one core (bench `pairs`); only ratios matter.
struct Costs {
    rows: f64,
    classes: f64,
}

impl Costs {
    /// One increment.
    const ROW: f64 = 1.2;
    /// One AND and one count of 64 bits.
    const WORD: f64 = 0.35;
    /// Starting and ending the loop over one cell's words in one class.
    const CELL: f64 = 5.0;

    fn bitmaps_pay(&self, left: f64, right: f64) -> bool {
        let cells = (left - 1.0).max(1.0) * (right - 1.0).max(1.0);
        let words = self.rows / 64.0 + self.classes * 2.0;
        cells * (words * Self::WORD + self.classes * Self::CELL) < self.rows * Self::ROW
    }
}
