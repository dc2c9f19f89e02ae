//! All class-conditional pair tables, block by block.
//!
//! A block is a square of columns: the tables of its pairs are counted by one thread over tiles of rows, so
//! that codes or bitmaps are read from a near cache, the result does not depend on the number of threads, and
//! memory is bounded by the blocks at work where the tables are only visited, not kept.

use std::ops::Range;

use rayon::prelude::*;

use crate::counts::{Cell, Cells, FamilyCounts, FamilyShape};
use crate::data::Dataset;
use crate::error::Result;

mod counter;
mod kernel;
mod parts;

pub use counter::{count_pairs, visit_pairs};
pub use parts::visit_pairs_without_each;

/// The table of one pair `i < j`: cell `(c·r_i + a)·r_j + b`.
#[derive(Debug, Clone, Copy)]
pub struct PairTable<'a, T> {
    /// The first column.
    pub i: usize,
    /// The second column; `i < j`.
    pub j: usize,
    /// (classes or 1, r_i, r_j).
    pub shape: (usize, usize, usize),
    /// The counts.
    pub cells: &'a [T],
}

impl<T: Cell> PairTable<'_, T> {
    /// The family of `child`, one of the two, given the other (and the class where `with_class`).
    pub fn family(&self, child: usize, with_class: bool) -> FamilyCounts {
        if child == self.j {
            self.second_given_first(with_class)
        } else {
            self.first_given_second(with_class)
        }
    }

    /// The family of `j` given `i` (and the class where `with_class`).
    pub fn second_given_first(&self, with_class: bool) -> FamilyCounts {
        let (s, r_i, r_j) = self.shape;
        let shape = FamilyShape { child: r_j, class: with_class.then_some(s), parents: vec![r_i] };
        FamilyCounts { shape, cells: T::wrap(self.cells.to_vec()) }
    }

    /// The family of `i` given `j` (and the class where `with_class`).
    pub fn first_given_second(&self, with_class: bool) -> FamilyCounts {
        let (s, r_i, r_j) = self.shape;
        let shape = FamilyShape { child: r_i, class: with_class.then_some(s), parents: vec![r_j] };
        FamilyCounts { shape, cells: T::wrap(self.transposed()) }
    }

    /// The cells with `i` fastest: `(c·r_j + b)·r_i + a`.
    pub fn transposed(&self) -> Vec<T> {
        let mut cells = Vec::with_capacity(self.cells.len());
        self.append_transposed(&mut cells);
        cells
    }

    /// Appends these.
    pub fn append_transposed(&self, to: &mut Vec<T>) {
        let (_, r_i, r_j) = self.shape;
        for table in self.cells.chunks_exact(r_i * r_j) {
            for b in 0..r_j {
                to.extend((0..r_i).map(|a| table[a * r_j + b]));
            }
        }
    }
}

/// The tables of the pairs in one square of columns.
#[derive(Debug, Clone)]
struct Block<T> {
    rows: Range<usize>,
    columns: Range<usize>,
    /// Where the table of the p-th pair begins, in the order of [`block_pairs`]; one more for the end.
    offsets: Vec<usize>,
    cells: Vec<T>,
}

impl<T: Cell> Block<T> {
    fn for_each(
        &self,
        classes: usize,
        arities: &[usize],
        visit: &mut dyn FnMut(PairTable<'_, T>) -> Result<()>,
    ) -> Result<()> {
        let tables = self.offsets.windows(2).map(|ends| &self.cells[ends[0]..ends[1]]);
        for ((i, j), cells) in block_pairs(self.rows.clone(), self.columns.clone()).zip(tables) {
            visit(PairTable { i, j, shape: (classes, arities[i], arities[j]), cells })?;
        }
        Ok(())
    }
}

/// The pairs `i < j` with `i` in `rows` and `j` in `columns`.
fn block_pairs(rows: Range<usize>, columns: Range<usize>) -> impl Iterator<Item = (usize, usize)> {
    rows.flat_map(move |i| columns.clone().filter(move |&j| i < j).map(move |j| (i, j)))
}

/// Columns along the side of a block: all where threads do not pay, more where there are many columns, fewer where their
/// tables are large, so that what one thread holds stays small.
fn block_side(classes: usize, arities: &[usize], worth_threads: bool) -> usize {
    const CELLS: usize = 1 << 20;
    let widest = arities.iter().copied().max().unwrap_or(1);
    let table = classes.saturating_mul(widest).saturating_mul(widest);
    let side = match arities.len() {
        all if !worth_threads => all,
        129.. => 8,
        _ => 4,
    };
    side.min((CELLS / table.max(1)).isqrt()).max(1)
}

/// The tables of all pairs, kept.
#[derive(Debug, Clone)]
pub struct Pairs<T> {
    arities: Vec<usize>,
    classes: usize,
    side: usize,
    blocks: Vec<Block<T>>,
}

impl<T: Cell> Pairs<T> {
    /// How many cells all pair tables of these columns have together; saturates.
    pub fn cells_needed(data: &Dataset) -> u128 {
        let arities: Vec<u128> = data.arities().iter().map(|&arity| arity as u128).collect();
        let sum: u128 = arities.iter().sum();
        let squares: u128 = arities.iter().map(|&arity| arity * arity).sum();
        (sum * sum - squares) / 2 * data.n_classes().unwrap_or(1) as u128
    }

    /// The table of a pair `i ≠ j`, with the smaller index as its first column.
    pub fn table(&self, i: usize, j: usize) -> PairTable<'_, T> {
        let (i, j) = (i.min(j), i.max(j));
        let (row, column) = (i / self.side, j / self.side);
        let per_side = self.arities.len().div_ceil(self.side);
        // Blocks lie row by row; row `row` has `per_side − row` of them.
        let block = &self.blocks[row * per_side - row * row.saturating_sub(1) / 2 + column - row];
        let position = if row == column {
            let (within, across) = (i - block.rows.start, j - block.rows.start);
            let side = block.columns.len();
            within * side - within * (within + 1) / 2 + across - within - 1
        } else {
            (i - block.rows.start) * block.columns.len() + j - block.columns.start
        };
        let shape = (self.classes, self.arities[i], self.arities[j]);
        PairTable { i, j, shape, cells: &block.cells[block.offsets[position]..block.offsets[position + 1]] }
    }

    /// The family of `child` given `parent` (and the class where `with_class`).
    pub fn family(&self, child: usize, parent: usize, with_class: bool) -> FamilyCounts {
        self.table(child, parent).family(child, with_class)
    }

    /// Visits every table, in parallel.
    pub fn for_each(&self, visit: &(dyn Fn(PairTable<'_, T>) -> Result<()> + Sync)) -> Result<()> {
        self.blocks
            .par_iter()
            .try_for_each(|block| block.for_each(self.classes, &self.arities, &mut |table| visit(table)))
    }
}

/// Kept pair tables of either kind.
#[derive(Debug, Clone)]
pub enum CountedPairs {
    /// Numbers of rows.
    Integer(Pairs<u32>),
    /// Sums of weights.
    Weighted(Pairs<f64>),
}

/// Sees each pair table once; called from several threads.
pub trait PairVisitor: Sync {
    /// A table of counts.
    fn integer(&self, table: PairTable<'_, u32>) -> Result<()>;
    /// A table of weights.
    fn weighted(&self, table: PairTable<'_, f64>) -> Result<()>;
}

impl CountedPairs {
    /// Shows each table once.
    pub fn visit(&self, visitor: &dyn PairVisitor) -> Result<()> {
        match self {
            Self::Integer(pairs) => pairs.for_each(&|table| visitor.integer(table)),
            Self::Weighted(pairs) => pairs.for_each(&|table| visitor.weighted(table)),
        }
    }

    /// The family of `child` given `parent` (and the class where `with_class`).
    pub fn family(&self, child: usize, parent: usize, with_class: bool) -> FamilyCounts {
        match self {
            Self::Integer(pairs) => pairs.family(child, parent, with_class),
            Self::Weighted(pairs) => pairs.family(child, parent, with_class),
        }
    }

    /// All cells of all tables, pair by pair: for tests.
    pub fn cells(&self, i: usize, j: usize) -> Cells {
        match self {
            Self::Integer(pairs) => Cells::Integer(pairs.table(i, j).cells.to_vec()),
            Self::Weighted(pairs) => Cells::Weighted(pairs.table(i, j).cells.to_vec()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Control;
    use crate::counts::count_table;
    use crate::data::{Column, Variable};
    use proptest::prelude::*;

    /// Columns of 1, 2, 3, 5 (some missing), 40 and 300 values, repeated so that there are several blocks.
    fn tables() -> impl Strategy<Value = Dataset> {
        let row = (0i64..3, 0i64..2, 0i64..3, -1i64..5, 0i64..40, 0i64..300);
        (proptest::collection::vec(row, 1..400), 1usize..4, any::<bool>(), any::<bool>()).prop_map(
            |(rows, copies, with_class, weighted)| {
                let column = |values: Vec<i64>, arity| {
                    Column::from_integers("x", values.into_iter(), arity, Some(-1)).unwrap()
                };
                let mut columns = Vec::new();
                for shift in 0..copies as i64 {
                    columns.push(column(rows.iter().map(|_| 0).collect(), 1));
                    columns.push(column(rows.iter().map(|row| (row.1 + shift) % 2).collect(), 2));
                    columns.push(column(rows.iter().map(|row| (row.2 + shift) % 3).collect(), 3));
                    columns.push(column(rows.iter().map(|row| row.3).collect(), 5));
                    columns.push(column(rows.iter().map(|row| row.4).collect(), 40));
                    columns.push(column(rows.iter().map(|row| row.5).collect(), 300));
                }
                let class = with_class.then(|| column(rows.iter().map(|row| row.0).collect(), 4));
                let data = Dataset::new(columns, class).unwrap();
                let weights = rows.iter().map(|row| row.5 as f64 / 4.0 + 0.25).collect();
                if weighted { data.with_weights(weights).unwrap() } else { data }
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn pair_tables_equal_the_tables_of_their_families(data in tables()) {
            let pairs = count_pairs(&data, &Control::new()).unwrap();
            for j in 0..data.n() {
                for i in 0..j {
                    let mut variables = vec![Variable::Attribute(i), Variable::Attribute(j)];
                    if data.class().is_some() {
                        variables.insert(0, Variable::Class);
                    }
                    prop_assert_eq!(pairs.cells(i, j), count_table(&data, &variables).unwrap());
                }
            }
        }
    }
}
