//! Pair tables by one increment per row: the kernel for many values or many classes.

use crate::counts::Cell;
use crate::data::mixed_radix::{SKIP, append, append_or_skip};
use crate::data::{Code, Column, Dataset};
use crate::with_codes;

/// Rows of a tile: its indices stay in the first-level cache while many columns are counted against them.
pub const TILE: usize = 4096;

/// For each row of a tile, `c·r + x`: the class and the first column of a pair as one index.
pub struct TileIndices {
    indices: Vec<u32>,
    has_missing: bool,
}

impl TileIndices {
    /// The indices of `column` for the rows from `start`.
    pub fn of(data: &Dataset, column: &Column, start: usize) -> Self {
        let end = (start + TILE).min(data.rows());
        let mut indices = vec![0; end - start];
        if let Some(class) = data.class() {
            append(&mut indices, class, start);
        }
        if column.has_missing() {
            append_or_skip(&mut indices, column, start);
        } else {
            append(&mut indices, column, start);
        }
        Self { indices, has_missing: column.has_missing() }
    }

    /// Counts the tile's rows against a second column: cell `(c·r_i + a)·r_j + b` of `cells`.
    pub fn count<T: Cell>(
        &self,
        column: &Column,
        start: usize,
        weight: impl Fn(usize) -> T,
        cells: &mut [T],
    ) {
        let arity = column.arity();
        let end = start + self.indices.len();
        with_codes!(column.codes(), codes => {
            let codes = &codes[start..end];
            if self.has_missing || column.has_missing() {
                for (offset, (&index, &code)) in self.indices.iter().zip(codes).enumerate() {
                    if index != SKIP && code.index() < arity {
                        let cell = &mut cells[index as usize * arity + code.index()];
                        *cell = cell.plus(weight(start + offset));
                    }
                }
            } else {
                for (offset, (&index, &code)) in self.indices.iter().zip(codes).enumerate() {
                    let cell = &mut cells[index as usize * arity + code.index()];
                    *cell = cell.plus(weight(start + offset));
                }
            }
        });
    }
}
