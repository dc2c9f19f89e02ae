//! Classifiers that are more than one network: what they give, and how it becomes P(c | x) of all rows.

use rayon::prelude::*;

use crate::control::Control;
use crate::counts::CountSource;
use crate::data::{Dataset, WORTH_A_THREAD};
use crate::error::{Error, Result};
use crate::math::log_sum_exp;
use crate::memory::filled;
use crate::options::Options;
use crate::registry::About;

/// A learner that is more than one structure with its tables.
pub struct ComposedEntry {
    /// What there is to tell about it.
    pub about: About,
    /// How it learns from counts and resolved settings, where these suffice.
    pub from_counts: Option<FromCounts>,
}

/// Learns from counts.
pub type FromCounts = fn(&dyn CountSource, &Options, &Control) -> Result<Box<dyn Composed>>;

/// An average of networks, a weighted sum of terms: whatever gives, for each class, a number that is P(c | x) once it is
/// normalised, and tells how that number comes about.
///
/// # Formula
/// ```text
/// P(c | x) = J(c, x) / Σ_c' J(c', x),   ln J(c, x) = ln P(c) + Σ_t contribution_t(c, x)
/// ```
/// J the joint probability, where there is one. Where every J is 0, the posterior is the class prior.
pub trait Composed: Sync {
    /// The attributes' domain sizes.
    fn arities(&self) -> &[usize];

    /// ln P(c).
    fn log_prior(&self) -> &[f64];

    /// The number of terms of an explanation.
    fn terms(&self) -> usize;

    /// How many additions a row takes, about: decides how many rows are taken at a time.
    fn cost(&self) -> usize;

    /// ln J of the rows from `first` on: `[row·s + c]`.
    fn log_joint_of(
        &self,
        data: &Dataset,
        first: usize,
        log_joint: &mut [f64],
        control: &Control,
    ) -> Result<()>;

    /// The contributions of the rows from `first` on, which come as zeros: `[(row·terms + t)·s + c]`.
    fn contributions_of(
        &self,
        data: &Dataset,
        first: usize,
        contributions: &mut [f64],
        control: &Control,
    ) -> Result<()>;

    /// The number of classes.
    fn n_classes(&self) -> usize {
        self.log_prior().len()
    }

    /// ln J of each row and class: `[row·s + c]`.
    fn log_joint(&self, data: &Dataset, control: &Control) -> Result<Vec<f64>> {
        self.in_blocks(data, 1, control, &|first, values| self.log_joint_of(data, first, values, control))
    }

    /// ln P(c | x) of each row and class: `[row·s + c]`.
    fn log_posterior(&self, data: &Dataset, control: &Control) -> Result<Vec<f64>> {
        self.in_blocks(data, 1, control, &|first, values| {
            self.log_joint_of(data, first, values, control)?;
            for row in values.chunks_exact_mut(self.n_classes()) {
                let total = log_sum_exp(row);
                if total == f64::NEG_INFINITY {
                    row.copy_from_slice(self.log_prior());
                } else {
                    row.iter_mut().for_each(|value| *value -= total);
                }
            }
            Ok(())
        })
    }

    /// P(c | x) of each row and class: `[row·s + c]`.
    fn posterior(&self, data: &Dataset, control: &Control) -> Result<Vec<f64>> {
        self.in_blocks(data, 1, control, &|first, values| {
            self.log_joint_of(data, first, values, control)?;
            for row in values.chunks_exact_mut(self.n_classes()) {
                let mut largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                if largest == f64::NEG_INFINITY {
                    row.copy_from_slice(self.log_prior());
                    largest = 0.0;
                }
                let mut sum = 0.0;
                for value in row.iter_mut() {
                    *value = (*value - largest).exp();
                    sum += *value;
                }
                row.iter_mut().for_each(|value| *value /= sum);
            }
            Ok(())
        })
    }

    /// The contributions of each row, term and class: `[(row·terms + t)·s + c]`.
    fn contributions(&self, data: &Dataset, control: &Control) -> Result<Vec<f64>> {
        self.in_blocks(data, self.terms(), control, &|first, values| {
            self.contributions_of(data, first, values, control)
        })
    }

    /// Makes what all rows need, once, before threads take blocks of them.
    fn prepare(&self, _control: &Control) -> Result<()> {
        Ok(())
    }

    /// Whether it is prepared, so that a few rows are soon done.
    fn is_prepared(&self) -> bool {
        true
    }

    /// Whether predicting these rows is quicker here than on threads that must be woken.
    fn is_quick(&self, data: &Dataset) -> bool {
        self.is_prepared() && data.rows().saturating_mul(self.cost()) < WORTH_A_THREAD
    }

    /// Fills `terms · s` numbers per row, block by block in parallel; a block takes some milliseconds at most.
    fn in_blocks(
        &self,
        data: &Dataset,
        terms: usize,
        control: &Control,
        fill: &(dyn Fn(usize, &mut [f64]) -> Result<()> + Sync),
    ) -> Result<Vec<f64>> {
        const ADDITIONS: usize = 1 << 23;
        check_columns(self.arities(), data)?;
        self.prepare(control)?;
        let width = terms * self.n_classes();
        let rows = (ADDITIONS / self.cost().max(1)).clamp(1, 256);
        let what = || format!("{width} numbers for each of {} rows", data.rows());
        let mut values = filled(what, 0.0, data.rows().saturating_mul(width))?;
        if self.is_quick(data) {
            for (block, values) in values.chunks_mut(rows * width).enumerate() {
                fill(block * rows, values)?;
            }
        } else {
            let blocks = values.par_chunks_mut(rows * width).enumerate();
            blocks.try_for_each(|(block, values)| fill(block * rows, values))?;
        }
        Ok(values)
    }
}

fn check_columns(arities: &[usize], data: &Dataset) -> Result<()> {
    let expected = arities.len();
    if data.n() != expected {
        return Err(Error::LengthMismatch { what: "the list of columns", found: data.n(), expected });
    }
    for (column, &expected) in data.columns().iter().zip(arities) {
        if column.arity() != expected {
            let found = column.arity();
            return Err(Error::LengthMismatch { what: "the domain of a column", found, expected });
        }
    }
    Ok(())
}
