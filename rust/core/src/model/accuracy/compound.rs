//! Groups of attributes as columns.

use std::borrow::Cow;

use crate::data::{Codes, Column, join};
use crate::error::Result;
use crate::with_codes;

/// A group as one column. Its codes number the combinations of its members' values where these are few, and otherwise
/// only those combinations that occur.
#[derive(Debug, Clone)]
pub(super) struct Compound<'a> {
    pub column: Cow<'a, Column>,
    /// The number of combinations, absent ones included.
    pub domain: f64,
}

impl<'a> Compound<'a> {
    /// Joins some columns; `most` combinations are numbered whether they occur or not.
    pub fn new(columns: &[&'a Column], rows: usize, most: usize) -> Result<Self> {
        let domain = columns.iter().map(|column| column.arity() as f64).product();
        let column = match columns {
            [column] => Cow::Borrowed(*column),
            [first, others @ ..] if domain > most as f64 => {
                let mut column = Cow::Borrowed(*first);
                for right in others {
                    column = Cow::Owned(Runs::new(Some(&column), right).column(rows)?);
                }
                column
            }
            _ => Cow::Owned(join(columns, rows)?),
        };
        Ok(Self { column, domain })
    }

    /// With a column that belongs to somebody else.
    pub fn borrowed(&self) -> Compound<'_> {
        Compound { column: Cow::Borrowed(&self.column), domain: self.domain }
    }

    /// With a column of its own.
    pub fn into_owned(self) -> Compound<'static> {
        Compound { column: Cow::Owned(self.column.into_owned()), domain: self.domain }
    }

    /// Whether every combination has a code.
    pub fn is_full(&self) -> bool {
        self.column.arity() as f64 == self.domain
    }
}

/// The rows, sorted by their values in one or two columns: equal combinations lie side by side, each in the order of the
/// rows. Missing entries are a value of their own.
pub(super) struct Runs {
    order: Vec<u32>,
    /// Where each combination begins, and the end.
    starts: Vec<u32>,
    /// Whether one of the columns is missing in it.
    missing: Vec<bool>,
}

impl Runs {
    /// Two counting sorts: O(N + values).
    pub fn new(left: Option<&Column>, right: &Column) -> Self {
        let mut order: Vec<u32> = (0..right.len() as u32).collect();
        sort_by(&mut order, right);
        if let Some(left) = left {
            sort_by(&mut order, left);
        }
        let value = |row: u32| (left.map(|left| left.get(row as usize)), right.get(row as usize));
        let (mut starts, mut missing) = (Vec::new(), Vec::new());
        let mut before = None;
        for (place, &row) in order.iter().enumerate() {
            let value = value(row);
            if before != Some(value) {
                starts.push(place as u32);
                missing.push(value.0 == Some(None) || value.1.is_none());
                before = Some(value);
            }
        }
        starts.push(order.len() as u32);
        Self { order, starts, missing }
    }

    /// For each combination its rows, and whether one of the columns is missing in it.
    pub fn iter(&self) -> impl Iterator<Item = (&[u32], bool)> {
        let bounds = self.starts.windows(2).map(|bounds| bounds[0] as usize..bounds[1] as usize);
        bounds.zip(&self.missing).map(|(bounds, &missing)| (&self.order[bounds], missing))
    }

    /// A column that numbers the combinations.
    fn column(&self, rows: usize) -> Result<Column> {
        let mut codes = vec![u32::MAX; rows];
        let mut arity = 0;
        for (rows, missing) in self.iter().filter(|run| !run.1) {
            debug_assert!(!missing);
            rows.iter().for_each(|&row| codes[row as usize] = arity);
            arity += 1;
        }
        Column::new("join", Codes::U32(codes), (arity as usize).max(1))
    }
}

/// Sorts rows by a column's values, missing ones last; equal ones keep their order.
fn sort_by(order: &mut Vec<u32>, column: &Column) {
    let arity = column.arity();
    let mut sorted = vec![0; order.len()];
    with_codes!(column.codes(), codes => {
        let mut next = vec![0u32; arity + 2];
        for code in codes {
            next[(*code as usize).min(arity) + 1] += 1;
        }
        for value in 1..next.len() {
            next[value] += next[value - 1];
        }
        for &row in order.iter() {
            let place = &mut next[(codes[row as usize] as usize).min(arity)];
            sorted[*place as usize] = row;
            *place += 1;
        }
    });
    *order = sorted;
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_occurs_is_numbered_in_the_order_of_all_combinations(
            rows in prop::collection::vec((-1i64..3, -1i64..4, -1i64..2), 1..30),
        ) {
            let column = |values: Vec<i64>, arity| {
                Column::from_integers("x", values.into_iter(), arity, Some(-1)).unwrap()
            };
            let columns = [
                column(rows.iter().map(|row| row.0).collect(), 3),
                column(rows.iter().map(|row| row.1).collect(), 4),
                column(rows.iter().map(|row| row.2).collect(), 2),
            ];
            let columns: Vec<&Column> = columns.iter().collect();
            let all = Compound::new(&columns, rows.len(), 24).unwrap();
            let found = Compound::new(&columns, rows.len(), 23).unwrap();
            prop_assert!(all.is_full() && found.domain == 24.0 && found.column.arity() <= rows.len());
            let mut occur: Vec<usize> = (0..rows.len()).filter_map(|row| all.column.get(row)).collect();
            occur.sort_unstable();
            occur.dedup();
            for row in 0..rows.len() {
                let expected = all.column.get(row).map(|value| occur.binary_search(&value).unwrap());
                prop_assert_eq!(found.column.get(row), expected);
            }
        }
    }
}
