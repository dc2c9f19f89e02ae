//! Training rows: columns of codes, ordered columns, classes and weights.

use rayon::prelude::*;

use crate::data::{Code, Column, Dataset, join};
use crate::error::{Error, Result};
use crate::refine::trie::NONE;
use crate::structure::Node;
use crate::with_codes;

/// A data set with a class, and for some attributes how many cuts lie below each value (a column of cuts + 1 values).
#[derive(Debug, Clone)]
pub struct Rows {
    /// The attributes and the class.
    pub data: Dataset,
    /// The ordered codes of each attribute, where it has any.
    pub steps: Vec<Option<Column>>,
}

impl Rows {
    /// Puts rows together, checked.
    pub fn new(data: Dataset, steps: Vec<Option<Column>>) -> Result<Self> {
        if steps.len() != data.n() {
            let expected = data.n();
            return Err(Error::LengthMismatch {
                what: "the list of ordered columns",
                found: steps.len(),
                expected,
            });
        }
        for column in steps.iter().flatten() {
            if column.len() != data.rows() {
                let (found, expected) = (column.len(), data.rows());
                return Err(Error::LengthMismatch { what: "an ordered column", found, expected });
            }
        }
        Ok(Self { data, steps })
    }

    /// The class of each row.
    pub fn class(&self) -> Result<(Vec<u32>, usize)> {
        let Some(class) = self.data.class() else { return Err(Error::NoClass { what: "a refined network" }) };
        Ok((plain(class), class.arity()))
    }

    /// The weight of each row.
    pub fn weights(&self) -> Vec<f64> {
        self.data.weights().map_or_else(|| vec![1.0; self.data.rows()], <[f64]>::to_vec)
    }

    /// Some of the rows.
    pub fn select(&self, rows: &[u32]) -> Result<Self> {
        let steps = self.steps.iter().map(|steps| steps.as_ref().map(|steps| steps.select(rows))).collect();
        Ok(Self { data: self.data.select(rows)?, steps })
    }

    /// Rows of equal codes as one, with the sum of their weights; rows of weight 0 are dropped. They come in an order
    /// that does not depend on that of the rows given, and so do all sums over them.
    pub fn merged(&self) -> Result<Self> {
        let (class, _) = self.class()?;
        let columns: Vec<&Column> = self.data.columns().iter().chain(self.steps.iter().flatten()).collect();
        let mut hashes = vec![0u64; self.data.rows()];
        hashes.par_chunks_mut(4096).enumerate().for_each(|(block, hashes)| {
            for column in &columns {
                with_codes!(column.codes(), codes => {
                    for (hash, code) in hashes.iter_mut().zip(&codes[block * 4096..]) {
                        let mixed = (*hash ^ code.index() as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
                        let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                        *hash = mixed ^ (mixed >> 29);
                    }
                });
            }
        });
        let weights = self.weights();
        let mut order: Vec<u32> =
            (0..self.data.rows() as u32).filter(|&row| weights[row as usize] > 0.0).collect();
        order.par_sort_unstable_by_key(|&row| (class[row as usize], hashes[row as usize], row));
        let same = |a: usize, b: usize| {
            class[a] == class[b]
                && hashes[a] == hashes[b]
                && columns.iter().all(|column| column.get(a) == column.get(b))
        };
        let (mut kept, mut sums): (Vec<u32>, Vec<f64>) = (Vec::new(), Vec::new());
        for row in order {
            match (kept.last(), sums.last_mut()) {
                (Some(&last), Some(sum)) if same(last as usize, row as usize) => {
                    *sum += weights[row as usize]
                }
                _ => {
                    kept.push(row);
                    sums.push(weights[row as usize]);
                }
            }
        }
        let merged = self.select(&kept)?;
        Ok(Self { data: merged.data.with_weights(sums)?, ..merged })
    }

    /// The node's own column, several joined into one, and those of its parents.
    pub fn columns_of(&self, node: &Node) -> Result<Vec<Column>> {
        let members: Vec<&Column> = node.members.iter().map(|&member| self.data.column(member)).collect();
        let mut columns = vec![join(&members, self.data.rows())?];
        columns.extend(node.parents.iter().map(|&parent| self.data.column(parent).clone()));
        Ok(columns)
    }
}

/// Codes as they are, [`NONE`] where they are missing.
pub fn plain(column: &Column) -> Vec<u32> {
    let arity = column.arity();
    with_codes!(column.codes(), codes => {
        codes.iter().map(|code| if code.index() < arity { code.index() as u32 } else { NONE }).collect()
    })
}
