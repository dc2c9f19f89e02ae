//! Classifiers that are more than one network: what they give, and how it becomes P(c | x) of all rows.

use rayon::prelude::*;

use crate::control::Control;
use crate::counts::CountSource;
use crate::data::{Dataset, WORTH_A_THREAD};
use crate::error::Result;
use crate::memory::filled;
use crate::model::classifier::{Asked, Classifier, Wanted};
use crate::model::marginal::Summing;
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
    fn terms(&self) -> usize {
        self.arities().len()
    }

    /// How many additions a row takes, about: decides how many rows are taken at a time.
    fn cost(&self) -> usize;

    /// ln J of the rows: `[row·s + c]`.
    fn log_joint_of(&self, asked: Asked<'_>, log_joint: &mut [f64]) -> Result<()>;

    /// The contributions of the rows, which come as zeros: `[(row·terms + t)·s + c]`.
    fn contributions_of(&self, asked: Asked<'_>, contributions: &mut [f64]) -> Result<()>;

    /// The number of classes.
    fn n_classes(&self) -> usize {
        self.log_prior().len()
    }

    /// The contributions of each row, term and class: `[(row·terms + t)·s + c]`.
    fn contributions(&self, data: &Dataset, summing: Summing, control: &Control) -> Result<Vec<f64>> {
        let asked = Asked::all(data, summing, control);
        self.in_blocks(asked, self.terms(), &|asked, values| self.contributions_of(asked, values))
    }

    /// Makes what all rows need, once, before threads take blocks of them.
    fn prepare(&self, _control: &Control) -> Result<()> {
        Ok(())
    }

    /// Whether it is prepared, so that a few rows are soon done.
    fn is_prepared(&self) -> bool {
        true
    }

    /// Fills `terms · s` numbers per row, block by block in parallel; a block takes some milliseconds at most.
    fn in_blocks(
        &self,
        asked: Asked<'_>,
        terms: usize,
        fill: &(dyn Fn(Asked<'_>, &mut [f64]) -> Result<()> + Sync),
    ) -> Result<Vec<f64>> {
        const ADDITIONS: usize = 1 << 23;
        let data = asked.data;
        data.check_domains(self.arities())?;
        self.prepare(asked.control)?;
        let width = terms * self.n_classes();
        let rows = (ADDITIONS / self.cost().max(1)).clamp(1, 256);
        let what = || format!("{width} numbers for each of {} rows", data.rows());
        let mut values = filled(what, 0.0, data.rows().saturating_mul(width))?;
        let fill =
            |(block, values): (usize, &mut [f64])| fill(Asked { first: block * rows, ..asked }, values);
        if self.is_quick(data) {
            values.chunks_mut(rows * width).enumerate().try_for_each(fill)?;
        } else {
            values.par_chunks_mut(rows * width).enumerate().try_for_each(fill)?;
        }
        Ok(values)
    }
}

impl<M: Composed + ?Sized> Classifier for M {
    fn class_prior(&self) -> &[f64] {
        self.log_prior()
    }

    fn predict(&self, asked: Asked<'_>, wanted: Wanted) -> Result<Vec<f64>> {
        self.in_blocks(asked, 1, &|asked, values| {
            self.log_joint_of(asked, values)?;
            wanted.finish(values, self.log_prior());
            Ok(())
        })
    }

    fn is_quick(&self, data: &Dataset) -> bool {
        self.is_prepared() && data.rows().saturating_mul(self.cost()) < WORTH_A_THREAD
    }
}
