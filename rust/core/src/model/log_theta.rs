//! The cells of a node's table: all of them, or those that occurred and one row for all others.

use std::borrow::Cow;

use crate::counts::check_cells;
use crate::error::{Error, Result, check_length};
use crate::math::ln_in_place;

/// ln θ of the cells of a node, the class fastest.
#[derive(Debug, Clone, PartialEq)]
pub enum LogTheta {
    /// Every cell.
    All(Vec<f64>),
    /// What a join of more values than rows has: memory goes with the rows, not with the product of its members' values.
    Occurring(Occurring),
}

/// The cells of a join that occurred; every other one has the same θ in each class.
#[derive(Debug, Clone, PartialEq)]
pub struct Occurring {
    /// Ascending.
    cells: Vec<u32>,
    /// `[place·s + c]`, and last the row of every cell that did not occur.
    rows: Vec<f64>,
}

impl Occurring {
    /// Cells, ascending, of `domain`, and one row more than cells; anything else is refused.
    pub fn new(cells: Vec<u32>, rows: Vec<f64>, domain: usize, classes: usize) -> Result<Self> {
        let expected = (cells.len() + 1).saturating_mul(classes);
        check_length("the rows of a join's table", rows.len(), expected)?;
        let ascending = cells.windows(2).all(|pair| pair[0] < pair[1]);
        if !ascending || cells.last().is_some_and(|&cell| cell as usize >= domain) {
            let reason = "the cells of a join do not ascend within its values".into();
            return Err(Error::InvalidStructure { reason });
        }
        Ok(Self { cells, rows })
    }

    /// The cells that occurred, ascending.
    pub fn cells(&self) -> &[u32] {
        &self.cells
    }

    /// Their rows, and last that of every other cell.
    pub fn rows(&self) -> &[f64] {
        &self.rows
    }

    #[inline(always)]
    fn row(&self, cell: usize, classes: usize) -> &[f64] {
        let place = self.cells.binary_search(&(cell as u32)).unwrap_or(self.cells.len());
        &self.rows[place * classes..][..classes]
    }
}

impl LogTheta {
    /// ln θ of one cell for all classes.
    #[inline(always)]
    pub fn row(&self, cell: usize, classes: usize) -> &[f64] {
        match self {
            Self::All(cells) => &cells[cell * classes..][..classes],
            Self::Occurring(occurring) => occurring.row(cell, classes),
        }
    }

    /// Every cell of a table of `cells` of them; refused where there is no room.
    pub fn dense(&self, cells: usize, classes: usize) -> Result<Cow<'_, [f64]>> {
        let occurring = match self {
            Self::All(cells) => return Ok(Cow::Borrowed(cells)),
            Self::Occurring(occurring) => occurring,
        };
        let mut all = Vec::with_capacity(check_cells(|| "a join".into(), [cells, classes])?);
        let mut rows = occurring.rows.chunks_exact(classes);
        let (mut next, absent) =
            (occurring.cells.iter().peekable(), &occurring.rows[occurring.rows.len() - classes..]);
        for cell in 0..cells {
            let row = match next.next_if(|&&occurs| occurs as usize == cell) {
                Some(_) => rows.next().unwrap_or(absent),
                None => absent,
            };
            all.extend_from_slice(row);
        }
        Ok(Cow::Owned(all))
    }
}

/// Logarithms of probabilities: several at a time where none is 0 or nearly so.
pub(super) fn ln_all(theta: &mut [f64]) {
    if theta.iter().all(|&theta| theta >= f64::MIN_POSITIVE) {
        ln_in_place(theta);
    } else {
        theta.iter_mut().for_each(|theta| *theta = theta.ln());
    }
}
