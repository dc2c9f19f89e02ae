//! The pair tables of a data set in parts: their sum, and what is left without one of them.

use std::ops::Range;

use multiversion::multiversion;
use rayon::prelude::*;

use super::counter::PairCounter;
use super::kernel::RowKernel;
use super::{CountedPairs, PairTable, PairVisitor, Pairs, block_pairs};
use crate::control::Control;
use crate::counts::Cell;
use crate::data::Dataset;
use crate::error::Result;

impl<T: Cell> Pairs<T> {
    /// Adds the tables of another part of the same data, whose blocks may be others.
    fn add(&mut self, part: &Self) {
        for block in &mut self.blocks {
            let pairs = block_pairs(block.rows.clone(), block.columns.clone());
            for ((i, j), ends) in pairs.zip(block.offsets.windows(2)) {
                let table = part.table(i, j).cells;
                for (cell, &more) in block.cells[ends[0]..ends[1]].iter_mut().zip(table) {
                    *cell = cell.plus(more);
                }
            }
        }
    }

    /// Visits every table less that of a part of the same data, in parallel.
    ///
    /// # Complexity
    /// O(cells); each difference is made in a near cache just before it is shown.
    fn for_each_without(
        &self,
        part: &Self,
        visit: &(dyn Fn(PairTable<'_, T>) -> Result<()> + Sync),
    ) -> Result<()> {
        self.blocks.par_iter().try_for_each_init(Vec::new, |rest, block| {
            block.for_each(self.classes, &self.arities, &mut |table| {
                subtract(table.cells, part.table(table.i, table.j).cells, rest);
                visit(PairTable { cells: rest, ..table })
            })
        })
    }
}

/// Counts the pairs of all parts of a data set and shows to the visitor of each part the tables of the others,
/// keeping none. Rows with weights are counted as one each.
///
/// # Complexity
/// O(N·n²) for the counts and O(parts·cells); the tables of a pair are in a near cache from the first to the last visit.
pub fn visit_pairs_without_each<V: PairVisitor>(
    parts: &[Dataset],
    visitors: &[V],
    control: &Control,
) -> Result<()> {
    let counters = parts.par_iter().map(PairCounter::new).collect::<Result<Vec<_>>>()?;
    let Some(PairCounter { arities, classes, .. }) = counters.first() else { return Ok(()) };
    strips(arities, classes * parts.len()).into_par_iter().try_for_each_init(
        Vec::new,
        |spare, (i, columns)| {
            control.check()?;
            let count = |counter: &PairCounter<'_>| {
                counter.block(i..i + 1, columns.clone(), &RowKernel, spare.pop().unwrap_or_default())
            };
            let blocks = counters.iter().map(count).collect::<Result<Vec<_>>>()?;
            let (mut all, mut rest) = (spare.pop().unwrap_or_default(), spare.pop().unwrap_or_default());
            for (place, j) in columns.enumerate() {
                let tables =
                    blocks.iter().map(|block| &block.cells[block.offsets[place]..block.offsets[place + 1]]);
                sum(tables.clone(), &mut all);
                for (table, visitor) in tables.zip(visitors) {
                    subtract(&all, table, &mut rest);
                    visitor.integer(PairTable {
                        i,
                        j,
                        shape: (*classes, arities[i], arities[j]),
                        cells: &rest,
                    })?;
                }
            }
            spare.extend([rest, all]);
            spare.extend(blocks.into_iter().map(|block| block.cells));
            Ok(())
        },
    )
}

/// Each column with the ones behind it, as many at a time as have tables of `tables·r_i·r_j` cells that fit into a
/// second-level cache.
fn strips(arities: &[usize], tables: usize) -> Vec<(usize, Range<usize>)> {
    const CELLS: usize = 1 << 17;
    let n = arities.len();
    let mut strips = Vec::new();
    for (i, arity) in arities.iter().enumerate() {
        let mut start = i + 1;
        while start < n {
            let mut cells = 0usize;
            let fits = arities[start + 1..].iter().take_while(|&other| {
                cells = cells.saturating_add(tables.saturating_mul(arity * other));
                cells <= CELLS
            });
            let end = start + 1 + fits.count();
            strips.push((i, start..end));
            start = end;
        }
    }
    strips
}

/// The sum of tables of one shape, in the memory of `all`.
fn sum<'a>(mut tables: impl Iterator<Item = &'a [u32]>, all: &mut Vec<u32>) {
    all.clear();
    all.extend_from_slice(tables.next().unwrap_or_default());
    tables.for_each(|table| add(all, table));
}

#[multiversion(targets("x86_64+avx2", "aarch64+neon"))]
fn add(all: &mut [u32], part: &[u32]) {
    for (all, &part) in all.iter_mut().zip(part) {
        *all += part;
    }
}

/// All less a part, in the memory of `rest`.
fn subtract<T: Cell>(all: &[T], part: &[T], rest: &mut Vec<T>) {
    rest.resize(all.len(), T::default());
    minus(all, part, rest);
}

#[multiversion(targets("x86_64+avx2", "aarch64+neon"))]
fn minus<T: Cell>(all: &[T], part: &[T], rest: &mut [T]) {
    for ((rest, &all), &part) in rest.iter_mut().zip(all).zip(part) {
        *rest = all.minus(part);
    }
}

impl CountedPairs {
    /// The sum of the tables of parts of one data set; `None` without parts.
    pub fn sum<'a>(parts: impl IntoIterator<Item = &'a Self>) -> Option<Self> {
        let mut parts = parts.into_iter();
        let mut sum = parts.next()?.clone();
        for part in parts {
            match (&mut sum, part) {
                (Self::Integer(sum), Self::Integer(part)) => sum.add(part),
                (Self::Weighted(sum), Self::Weighted(part)) => sum.add(part),
                _ => unreachable!("integer and weighted tables never meet: both come from one data set"),
            }
        }
        Some(sum)
    }

    /// Shows each table less that of a part of the same data.
    pub fn visit_without(&self, part: &Self, visitor: &dyn PairVisitor) -> Result<()> {
        match (self, part) {
            (Self::Integer(all), Self::Integer(part)) => {
                all.for_each_without(part, &|table| visitor.integer(table))
            }
            (Self::Weighted(all), Self::Weighted(part)) => {
                all.for_each_without(part, &|table| visitor.weighted(table))
            }
            _ => unreachable!("integer and weighted tables never meet: both come from one data set"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::pairs::count_pairs;
    use crate::data::Column;
    use std::sync::Mutex;

    /// Compares each table with the one that is expected, and counts them.
    struct Check<'a>(&'a CountedPairs, Mutex<usize>);

    impl PairVisitor for Check<'_> {
        fn integer(&self, table: PairTable<'_, u32>) -> Result<()> {
            let CountedPairs::Integer(expected) = self.0 else { unreachable!("counts stay integers") };
            assert_eq!(expected.table(table.i, table.j).cells, table.cells);
            *self.1.lock().unwrap() += 1;
            Ok(())
        }
        fn weighted(&self, _: PairTable<'_, f64>) -> Result<()> {
            unreachable!("the tables of this test have no weights")
        }
    }

    #[test]
    fn parts_of_very_different_sizes_are_counted_in_different_blocks() {
        let column = |index: usize| {
            let values = (0..40_000i64).map(|row| (row * (index as i64 + 3) + row / 7) % 4);
            Column::from_integers("x", values.collect::<Vec<_>>().into_iter(), 4, None).unwrap()
        };
        let data = Dataset::new((0..12).map(column).collect(), None).unwrap();
        let rows: Vec<u32> = (0..40_000).collect();
        let (small, large) = (data.select(&rows[..10]).unwrap(), data.select(&rows[10..]).unwrap());
        let control = Control::new();
        let count = |data: &Dataset| count_pairs(data, &control).unwrap();
        let parts = [count(&small), count(&large)];
        let [CountedPairs::Integer(few), CountedPairs::Integer(many)] = &parts else { panic!("weights") };
        assert_ne!(few.side, many.side);
        let check = |expected| Check(expected, Mutex::default());
        let all = CountedPairs::sum(&parts).unwrap();
        let whole = check(&all);
        count(&data).visit(&whole).unwrap();
        let kept = check(&parts[1]);
        all.visit_without(&parts[0], &kept).unwrap();
        let visited = [check(&parts[1]), check(&parts[0])];
        visit_pairs_without_each(&[small, large], &visited, &control).unwrap();
        for check in visited.iter().chain([&whole, &kept]) {
            assert_eq!(*check.1.lock().unwrap(), 66);
        }
    }
}
