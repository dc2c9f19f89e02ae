//! Sums over the cells of wide tables, one increment per row.

use std::ops::Range;

use crate::data::mixed_radix::{append, prepend};
use crate::data::{Column, Dataset, RowGroups};
use crate::error::Result;
use crate::score::TermTable;
use crate::with_codes;

/// The rows of a data set without missing values, those of one class next to each other: a table is then counted
/// class by class, and that of one class often fits into a near cache where that of all does not.
pub(super) struct SortedRows {
    data: Dataset,
    classes: Vec<Range<usize>>,
}

/// The configuration of some columns in every row, as one number below `size`.
#[derive(Debug, Clone)]
pub(super) struct Configurations {
    index: Vec<u32>,
    pub(super) size: usize,
}

impl SortedRows {
    pub(super) fn new(data: &Dataset) -> Result<Self> {
        let Some(class) = data.class() else {
            return Ok(Self { data: data.clone(), classes: std::iter::once(0..data.rows()).collect() });
        };
        let groups = RowGroups::new(class.arity(), (0..data.rows()).filter_map(|row| class.get(row)));
        Ok(Self { data: data.select(groups.rows())?, classes: groups.ranges().collect() })
    }

    /// The configurations of a column alone.
    pub(super) fn column(&self, column: usize) -> Configurations {
        let column = self.data.column(column);
        let mut index = vec![0; self.data.rows()];
        append(&mut index, column, 0);
        Configurations { index, size: column.arity() }
    }

    /// The configurations with one more column, which varies slowest. The caller has checked the size.
    pub(super) fn with(&self, before: &Configurations, column: usize) -> Configurations {
        let column = self.data.column(column);
        let mut index = before.index.clone();
        prepend(&mut index, column, before.size as u32);
        Configurations { index, size: before.size * column.arity() }
    }

    /// Σ term over the cells of (class, configuration, column).
    ///
    /// # Complexity
    /// O(N), and O(cells) for clearing them, a memset.
    pub(super) fn sum(
        &self,
        configurations: &Configurations,
        column: usize,
        term: &TermTable,
        scratch: &mut Vec<u32>,
    ) -> f64 {
        let column = self.data.column(column);
        let cells = configurations.size * column.arity();
        if scratch.len() < cells {
            scratch.resize(cells, 0);
        }
        let scratch = &mut scratch[..cells];
        self.classes.iter().map(|rows| sum_of_class(rows, configurations, column, term, scratch)).sum()
    }
}

fn sum_of_class(
    rows: &Range<usize>,
    configurations: &Configurations,
    column: &Column,
    term: &TermTable,
    cells: &mut [u32],
) -> f64 {
    cells.fill(0);
    let size = configurations.size;
    let index = &configurations.index[rows.clone()];
    if cells.len() < rows.len() {
        with_codes!(column.codes(), codes => for (&index, &code) in index.iter().zip(&codes[rows.clone()]) {
            cells[code as usize * size + index as usize] += 1;
        });
        cells.iter().map(|&count| term.count(count)).sum()
    } else {
        // Most cells are empty: what each row adds to its cell's term, instead of a pass over all cells.
        let mut sum = 0.0;
        with_codes!(column.codes(), codes => for (&index, &code) in index.iter().zip(&codes[rows.clone()]) {
            let cell = &mut cells[code as usize * size + index as usize];
            sum += term.count(*cell + 1) - term.count(*cell);
            *cell += 1;
        });
        sum
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::counts::count_table;
    use crate::data::Variable;
    use crate::score::Term;

    proptest! {
        #[test]
        fn sums_are_those_of_the_table(
            rows in proptest::collection::vec((0i64..3, 0i64..4, 0i64..2, 0i64..5), 1..120),
            labelled in any::<bool>(),
        ) {
            let column = |arity, pick: fn(&(i64, i64, i64, i64)) -> i64| {
                Column::from_integers("x", rows.iter().map(pick), arity, None).unwrap()
            };
            let columns = vec![column(4, |row| row.1), column(2, |row| row.2), column(300, |row| row.3)];
            let class = labelled.then(|| column(3, |row| row.0));
            let data = Dataset::new(columns, class).unwrap();
            let sorted = SortedRows::new(&data).unwrap();
            let mut variables: Vec<Variable> = (0..3).map(Variable::Attribute).collect();
            if labelled {
                variables.push(Variable::Class);
            }
            for term in [Term::XLnX { scale: 1.0 }, Term::LnGamma { offset: 0.5 }] {
                let cells = count_table(&data, &variables).unwrap();
                let expected: f64 = cells.to_f64().iter().map(|&count| term.at(count)).sum();
                let table = TermTable::new(term, 4);
                for order in [[0, 1, 2], [2, 0, 1]] {
                    let prefix = sorted.with(&sorted.column(order[0]), order[1]);
                    let sum = sorted.sum(&prefix, order[2], &table, &mut vec![5; 3]);
                    prop_assert!((sum - expected).abs() <= 1e-9 * expected.abs().max(1.0));
                }
            }
        }
    }
}
