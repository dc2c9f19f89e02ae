//! Values of several variables as one number, the last variable fastest.

use multiversion::multiversion;

use crate::data::{Code, Column};
use crate::with_codes;

/// The number of a row in which something is missing.
pub const SKIP: u32 = u32::MAX;

/// One more column, fastest: `index·arity + code` for the rows from `start`. No value is missing.
pub fn append(indices: &mut [u32], column: &Column, start: usize) {
    let arity = column.arity() as u32;
    with_codes!(column.codes(), codes => append_codes(indices, &codes[start..], arity));
}

/// One more column, fastest; [`SKIP`] where its value or one before it is missing.
pub fn append_or_skip(indices: &mut [u32], column: &Column, start: usize) {
    let arity = column.arity() as u32;
    with_codes!(column.codes(), codes => append_codes_or_skip(indices, &codes[start..], arity));
}

/// One more column, fastest; a missing entry is the value behind the last, so that the column has [`extent`] values.
pub fn append_with_missing(indices: &mut [u32], column: &Column, start: usize) {
    let (arity, extent) = (column.arity() as u32, extent(column) as u32);
    with_codes!(column.codes(), codes => append_codes_with_missing(indices, &codes[start..], arity, extent));
}

/// The number of values of a column, one more where some are missing.
pub fn extent(column: &Column) -> usize {
    column.arity() + usize::from(column.has_missing())
}

/// One more column, slowest: `code·size + index`, all numbers being below `size`. No value is missing.
pub fn prepend(indices: &mut [u32], column: &Column, size: u32) {
    with_codes!(column.codes(), codes => for (index, code) in indices.iter_mut().zip(codes) {
        *index += code.index() as u32 * size;
    });
}

#[multiversion(targets("x86_64+avx2", "aarch64+neon"))]
fn append_codes<C: Code>(indices: &mut [u32], codes: &[C], arity: u32) {
    for (index, code) in indices.iter_mut().zip(codes) {
        *index = *index * arity + code.index() as u32;
    }
}

// Wide registers were slower here: missing values are few, and a branch that is nearly never taken costs nothing.
fn append_codes_or_skip<C: Code>(indices: &mut [u32], codes: &[C], arity: u32) {
    for (index, &code) in indices.iter_mut().zip(codes) {
        *index =
            if *index == SKIP || code == C::MISSING { SKIP } else { *index * arity + code.index() as u32 };
    }
}

#[multiversion(targets("x86_64+avx2", "aarch64+neon"))]
fn append_codes_with_missing<C: Code>(indices: &mut [u32], codes: &[C], arity: u32, extent: u32) {
    for (index, code) in indices.iter_mut().zip(codes) {
        *index = *index * extent + (code.index() as u32).min(arity);
    }
}

/// The number of some values, each with its number of values.
pub fn number(values: impl IntoIterator<Item = (usize, usize)>) -> usize {
    values.into_iter().fold(0, |number, (value, arity)| number * arity + value)
}

/// How far apart two numbers are that differ by one in one value, variable by variable; saturates.
///
/// ```
/// use tanager_core::data::mixed_radix::strides;
/// assert_eq!(strides([2, 3, 4].into_iter()), [12, 4, 1]);
/// ```
pub fn strides(arities: impl DoubleEndedIterator<Item = usize>) -> Vec<usize> {
    let mut stride = 1usize;
    let mut strides = Vec::with_capacity(arities.size_hint().0);
    for arity in arities.rev() {
        strides.push(stride);
        stride = stride.saturating_mul(arity);
    }
    strides.reverse();
    strides
}

/// Goes on to the next values, the last variable fastest; behind the last ones come the first again.
pub fn advance(values: &mut [usize], arities: impl DoubleEndedIterator<Item = usize> + ExactSizeIterator) {
    for (value, arity) in values.iter_mut().zip(arities).rev() {
        *value += 1;
        if *value < arity {
            return;
        }
        *value = 0;
    }
}

/// Goes through all values of axes (arity, stride), the last fastest, and tells the place of each by the strides, which
/// need not be those of the order.
pub fn for_each_place(axes: &[(usize, usize)], mut visit: impl FnMut(usize)) {
    let mut values = vec![0; axes.len()];
    let mut place = 0;
    loop {
        visit(place);
        let Some(axis) = (0..axes.len()).rev().find(|&axis| values[axis] + 1 < axes[axis].0) else { return };
        for (value, (_, stride)) in values[axis + 1..].iter_mut().zip(&axes[axis + 1..]) {
            place -= *value * stride;
            *value = 0;
        }
        values[axis] += 1;
        place += axes[axis].1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn column(values: &[i64], arity: usize) -> Column {
        Column::from_integers("x", values.iter().copied(), arity, Some(-1)).unwrap()
    }

    proptest! {
        /// Columns of one, two and four bytes per code; the rows from any first one.
        #[test]
        fn columns_are_digits(
            rows in proptest::collection::vec((0i64..3, 0i64..2, 0i64..4), 1..60), start in 0usize..60, missing in 0i64..3,
        ) {
            let start = start.min(rows.len() - 1);
            let arities = [3usize, 300, 70_000];
            let columns: Vec<Vec<i64>> = vec![
                rows.iter().map(|row| row.0).collect(),
                rows.iter().map(|row| row.1).collect(),
                rows.iter().map(|row| if missing > 0 && row.2 == missing { -1 } else { row.2 }).collect(),
            ];
            let made: Vec<Column> = columns.iter().zip(arities).map(|(values, arity)| column(values, arity)).collect();
            let mut skipped = vec![0; rows.len() - start];
            let mut valued = vec![0; rows.len() - start];
            for made in &made {
                append_or_skip(&mut skipped, made, start);
                append_with_missing(&mut valued, made, start);
            }
            let extents: Vec<usize> = made.iter().map(extent).collect();
            for (offset, (&skipped, &valued)) in skipped.iter().zip(&valued).enumerate() {
                let values: Vec<i64> = columns.iter().map(|column| column[start + offset]).collect();
                let digits = |missing: usize| values.iter().map(move |&v| usize::try_from(v).unwrap_or(missing));
                let expected = if values.contains(&-1) { SKIP } else { number(digits(0).zip(arities)) as u32 };
                prop_assert_eq!(skipped, expected);
                prop_assert_eq!(valued as usize, number(digits(70_000).zip(extents.iter().copied())));
            }
            if made.iter().all(|made| !made.has_missing()) {
                let mut plain = vec![0; rows.len() - start];
                made.iter().for_each(|made| append(&mut plain, made, start));
                prop_assert_eq!(&plain, &skipped);
            }
        }

        #[test]
        fn all_values_come_in_their_order(arities in proptest::collection::vec(1usize..4, 0..4)) {
            let strides = strides(arities.iter().copied());
            let axes: Vec<(usize, usize)> = arities.iter().copied().zip(strides.iter().copied()).collect();
            let mut places = Vec::new();
            for_each_place(&axes, |place| places.push(place));
            let cells: usize = arities.iter().product();
            prop_assert_eq!(places, (0..cells).collect::<Vec<_>>());
            let mut values = vec![0; arities.len()];
            for cell in 0..cells {
                prop_assert_eq!(number(values.iter().copied().zip(arities.iter().copied())), cell);
                advance(&mut values, arities.iter().copied());
            }
            prop_assert!(values.iter().all(|&value| value == 0));
        }
    }

    #[test]
    fn a_column_may_come_slowest() {
        let (a, b) = (column(&[1, 0, 2], 3), column(&[0, 1, 1], 2));
        let mut indices = vec![0; 3];
        append(&mut indices, &a, 0);
        prepend(&mut indices, &b, 3);
        assert_eq!(indices, [1, 3, 5]);
    }
}
