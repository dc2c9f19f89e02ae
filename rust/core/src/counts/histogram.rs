//! Pair tables by one increment a row: the kernel for many values or many classes.

use multiversion::multiversion;

use crate::counts::Cell;
use crate::data::{Code, Column, Dataset};
use crate::with_codes;

/// Rows of a tile: its indices stay in the first-level cache while many columns are counted against them.
pub const TILE: usize = 4096;

/// An index that no row of a table has: something in the row is missing.
const SKIP: u32 = u32::MAX;

/// For each row of a tile, `c·r + x`: the class and the first column of a pair as one index.
pub struct TileIndices {
    indices: Vec<u32>,
    has_missing: bool,
}

impl TileIndices {
    /// The indices of `column` for the rows from `start`.
    pub fn of(data: &Dataset, column: &Column, start: usize) -> Self {
        let end = (start + TILE).min(data.rows());
        let arity = column.arity() as u32;
        let mut indices = vec![0; end - start];
        if let Some(class) = data.class() {
            with_codes!(class.codes(), codes => multiply(&mut indices, &codes[start..end], arity));
        }
        with_codes!(column.codes(), codes => add(&mut indices, &codes[start..end]));
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

#[multiversion(targets("x86_64+avx2", "aarch64+neon"))]
fn multiply<C: Code>(indices: &mut [u32], codes: &[C], arity: u32) {
    for (index, &code) in indices.iter_mut().zip(codes) {
        *index = code.index() as u32 * arity;
    }
}

#[multiversion(targets("x86_64+avx2", "aarch64+neon"))]
fn add<C: Code>(indices: &mut [u32], codes: &[C]) {
    for (index, &code) in indices.iter_mut().zip(codes) {
        *index = if code == C::MISSING { SKIP } else { *index + code.index() as u32 };
    }
}
