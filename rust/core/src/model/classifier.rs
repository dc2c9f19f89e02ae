//! What every classifier gives of each row and class.

use crate::control::Control;
use crate::data::Dataset;
use crate::error::Result;
use crate::math::log_sum_exp;
use crate::model::marginal::Summing;

/// What is asked for of each row and class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// ln P(c, x).
    LogJoint,
    /// ln P(c | x).
    LogPosterior,
    /// P(c | x).
    Posterior,
}

impl Wanted {
    /// Makes it of ln P(c, x), row after row and in place. Where every joint is 0, the posterior is the class prior.
    pub(crate) fn finish(self, log_joint: &mut [f64], log_prior: &[f64]) {
        let rows = log_joint.chunks_exact_mut(log_prior.len());
        match self {
            Self::LogJoint => {}
            Self::LogPosterior => rows.for_each(|row| {
                let total = log_sum_exp(row);
                if total == f64::NEG_INFINITY {
                    row.copy_from_slice(log_prior);
                } else {
                    row.iter_mut().for_each(|value| *value -= total);
                }
            }),
            // Σ e^(v − max) serves as the sum and as its terms: one exponential per class and no logarithm.
            Self::Posterior => rows.for_each(|row| {
                let mut largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                if largest == f64::NEG_INFINITY {
                    row.copy_from_slice(log_prior);
                    largest = 0.0;
                }
                let mut sum = 0.0;
                for value in row.iter_mut() {
                    *value = (*value - largest).exp();
                    sum += *value;
                }
                row.iter_mut().for_each(|value| *value /= sum);
            }),
        }
    }
}

/// Rows that a classifier is asked about.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// The table.
    pub data: &'a Dataset,
    /// The first of its rows; how many they are, the place for the answers tells.
    pub first: usize,
    /// How missing values are met.
    pub summing: Summing,
    /// How to stop.
    pub control: &'a Control,
}

impl<'a> Asked<'a> {
    /// All rows.
    pub fn all(data: &'a Dataset, summing: Summing, control: &'a Control) -> Self {
        Self { data, first: 0, summing, control }
    }
}

/// What predicts classes: one network, or something composed of more.
pub trait Classifier: Sync {
    /// ln P(c); that of one class of probability 1 where there is none.
    fn class_prior(&self) -> &[f64];

    /// What is wanted of each row and class: `[row·s + c]`.
    fn predict(&self, asked: Asked<'_>, wanted: Wanted) -> Result<Vec<f64>>;

    /// Whether predicting these rows is quicker here than on threads that must be woken.
    fn is_quick(&self, data: &Dataset) -> bool;

    /// ln P(c, x) of each row and class: `[row·s + c]`.
    fn log_joint(&self, data: &Dataset, summing: Summing, control: &Control) -> Result<Vec<f64>> {
        self.predict(Asked::all(data, summing, control), Wanted::LogJoint)
    }

    /// P(c | x) of each row and class: `[row·s + c]`.
    fn posterior(&self, data: &Dataset, summing: Summing, control: &Control) -> Result<Vec<f64>> {
        self.predict(Asked::all(data, summing, control), Wanted::Posterior)
    }
}
