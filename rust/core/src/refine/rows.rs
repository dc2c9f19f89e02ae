//! Training rows: columns of codes, ordered columns, classes and weights.

use rayon::prelude::*;

use crate::data::{Code, Column, Dataset, MdlCutter, bins, join};
use crate::error::{Error, Result, check_length};
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
    /// The numbers of each attribute whose values are MDL bins that may be cut anew; NaN where they are missing.
    pub numbers: Vec<Option<Vec<f64>>>,
}

impl Rows {
    /// Puts rows together, checked.
    pub fn new(data: Dataset, steps: Vec<Option<Column>>) -> Result<Self> {
        check_length("the list of ordered columns", steps.len(), data.n())?;
        for column in steps.iter().flatten() {
            check_length("an ordered column", column.len(), data.rows())?;
        }
        let numbers = vec![None; data.n()];
        Ok(Self { data, steps, numbers })
    }

    /// With the numbers of attributes that were cut by the MDL rule.
    pub fn with_numbers(mut self, numbers: Vec<(usize, Vec<f64>)>) -> Result<Self> {
        for (attribute, of_attribute) in numbers {
            if of_attribute.len() != self.data.rows() || attribute >= self.data.n() {
                let (found, expected) = (of_attribute.len(), self.data.rows());
                return Err(Error::LengthMismatch { what: "a column of numbers", found, expected });
            }
            self.numbers[attribute] = Some(of_attribute);
        }
        Ok(self)
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
        let numbers = self.numbers.iter().map(|numbers| {
            let of_rows = |numbers: &Vec<f64>| rows.iter().map(|&row| numbers[row as usize]).collect();
            numbers.as_ref().map(of_rows)
        });
        Ok(Self { data: self.data.select(rows)?, steps, numbers: numbers.collect() })
    }

    /// With bins that only the `train` rows had a say in: what is learned from them can be judged by the others.
    pub fn cut_by(&self, train: &[u32]) -> Result<Self> {
        let (class, classes) = self.class()?;
        let of_train: Vec<u32> = train.iter().map(|&row| class[row as usize]).collect();
        let weights = self.weights();
        let weights: Vec<f64> = train.iter().map(|&row| weights[row as usize]).collect();
        let mut columns = self.data.columns().to_vec();
        let mut cutter = None;
        for (column, numbers) in columns.iter_mut().zip(&self.numbers) {
            let Some(numbers) = numbers else { continue };
            let cutter = match &mut cutter {
                None => cutter.insert(MdlCutter::new(&of_train, classes, Some(&weights))?),
                Some(cutter) => cutter,
            };
            let of_train: Vec<f64> = train.iter().map(|&row| numbers[row as usize]).collect();
            let cuts = cutter.cut_points(&of_train)?;
            // Where missing is a value of its own, it stays the last one.
            let missing_row = numbers.iter().position(|number| number.is_nan());
            let is_level = missing_row.is_some_and(|row| column.get(row).is_some());
            let values = cuts.len() + 1;
            let missing = if is_level { values as u32 } else { u32::MAX };
            let codes = bins(numbers, &cuts, missing).into_iter();
            let codes = codes.map(|code| if code == u32::MAX { -1 } else { i64::from(code) });
            let arity = values + usize::from(is_level);
            *column = Column::from_integers("a column cut anew", codes, arity, Some(-1))?;
        }
        let data = Dataset::new(columns, self.data.class().cloned())?;
        let data = match self.data.weights() {
            Some(weights) => data.with_weights(weights.to_vec())?,
            None => data,
        };
        Ok(Self { data, steps: self.steps.clone(), numbers: vec![None; self.data.n()] })
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Twenty rows of one attribute that tells the class by its sign; two bins, and one more for a missing number.
    fn rows(numbers: Vec<f64>, missing_is_level: bool) -> Rows {
        let class = (0..20).map(|row| i64::from(row % 2 == 1));
        let class = Column::from_integers("y", class, 2, None).unwrap();
        let codes: Vec<i64> = numbers
            .iter()
            .map(|number| match number.is_nan() {
                true => {
                    if missing_is_level {
                        2
                    } else {
                        -1
                    }
                }
                false => i64::from(*number > 0.0),
            })
            .collect();
        let arity = if missing_is_level { 3 } else { 2 };
        let column = Column::from_integers("x", codes.into_iter(), arity, Some(-1)).unwrap();
        let data = Dataset::new(vec![column], Some(class)).unwrap();
        Rows::new(data, vec![None]).unwrap().with_numbers(vec![(0, numbers)]).unwrap()
    }

    #[test]
    fn bins_come_from_the_training_rows_alone() {
        let train: Vec<u32> = (0..16).collect();
        let sign = |row: usize| if row % 2 == 1 { 1.0 } else { -1.0 };
        for held_out in [0.5, -0.5, 1000.0] {
            let numbers = (0..20).map(|row| if row < 16 { sign(row) } else { held_out }).collect();
            let cut = rows(numbers, false).cut_by(&train).unwrap();
            let codes: Vec<Option<usize>> = (0..20).map(|row| cut.data.column(0).get(row)).collect();
            assert_eq!(cut.data.column(0).arity(), 2);
            assert!((0..16).all(|row| codes[row] == Some(row % 2)));
            assert!((16..20).all(|row| codes[row] == Some(usize::from(held_out > 0.0))));
        }
    }

    #[test]
    fn what_is_missing_stays_so_or_stays_the_last_value() {
        let train: Vec<u32> = (0..20).collect();
        for missing_is_level in [false, true] {
            let numbers = (0..20).map(|row| if row < 4 { f64::NAN } else { 0.1 }).collect();
            let cut = rows(numbers, missing_is_level).cut_by(&train).unwrap();
            let column = cut.data.column(0);
            assert_eq!(column.arity(), 1 + usize::from(missing_is_level));
            assert_eq!(column.get(0), missing_is_level.then_some(1));
            assert_eq!(column.get(19), Some(0));
        }
    }
}
