//! Several columns as one.

use crate::data::column::with_width;
use crate::data::mixed_radix::{SKIP, append_or_skip};
use crate::data::{Code, Column};
use crate::error::{Error, Result};

/// The compound column: its value numbers the combination of the columns' values, the last column fastest.
///
/// A row in which any of the columns is missing is missing. No columns give a constant of `rows` rows.
///
/// # Complexity
/// O(N · number of columns).
///
/// ```
/// use tanager_core::data::{Column, join};
/// let colour = Column::from_integers("colour", [0, 1, 1].into_iter(), 2, None)?;
/// let shape = Column::from_integers("shape", [2, 0, 1].into_iter(), 3, None)?;
/// let both = join(&[&colour, &shape], 3)?;
/// assert_eq!(both.arity(), 6);
/// assert_eq!((0..3).map(|row| both.get(row)).collect::<Vec<_>>(), [Some(2), Some(3), Some(4)]);
/// # Ok::<(), tanager_core::Error>(())
/// ```
pub fn join(columns: &[&Column], rows: usize) -> Result<Column> {
    if let [column] = columns {
        return Ok((*column).clone());
    }
    let arity = combinations(columns.iter().map(|column| column.arity()))?;
    let codes = with_width!(arity, T => T::wrap(combine(columns, rows)));
    Column::new("join", codes, arity)
}

/// How many combinations columns of so many values have; refused where a code cannot number them.
pub fn combinations(arities: impl ExactSizeIterator<Item = usize>) -> Result<usize> {
    let columns = arities.len();
    let cells = arities.fold(1u128, |cells, arity| cells.saturating_mul(arity as u128));
    if cells > Column::MAX_ARITY as u128 {
        let family = format!("a join of {columns} columns");
        return Err(Error::TooManyCells { family, cells, limit: Column::MAX_ARITY as u128 });
    }
    Ok(cells as usize)
}

fn combine<T: Code>(columns: &[&Column], rows: usize) -> Vec<T> {
    let mut values = vec![0; rows];
    columns.iter().for_each(|column| append_or_skip(&mut values, column, 0));
    values
        .iter()
        .map(|&value| if value == SKIP { T::MISSING } else { T::from_index(value as usize) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Codes;

    fn column(values: &[i64], arity: usize) -> Column {
        Column::from_integers("x", values.iter().copied(), arity, Some(-1)).unwrap()
    }

    #[test]
    fn missing_values_stay_missing_and_widths_follow() {
        let (a, b, c) = (column(&[1, -1, 0], 2), column(&[2, 2, -1], 3), column(&[299, 0, 1], 300));
        let both = join(&[&a, &b], 3).unwrap();
        assert_eq!((both.get(0), both.get(1), both.get(2)), (Some(5), None, None));
        let all = join(&[&a, &b, &c], 3).unwrap();
        assert_eq!((all.arity(), all.get(0)), (1800, Some(5 * 300 + 299)));
        assert!(matches!(all.codes(), Codes::U16(_)));
        assert_eq!(join(&[], 3).unwrap().get(2), Some(0));
        let wide = column(&[0], 70_000);
        assert!(matches!(join(&[&wide, &wide], 1), Err(Error::TooManyCells { .. })));
    }
}
