//! Maximum likelihood.

use crate::counts::FamilyCounts;
use crate::error::Result;
use crate::parameters::{Entry, GivenClass, OccurringCounts, ParameterEstimator, Value, by_configuration};
use crate::registry::About;

/// Relative frequencies.
///
/// # Formula
/// ```text
/// θ_{x|π} = N_xπ / N_π,   and N_x / N where N_π = 0
/// ```
/// N_xπ rows with value x in configuration π, N_π = Σ_x N_xπ, N_x = Σ_π N_xπ, N = Σ_x N_x. Uniform where N = 0.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mle;

impl ParameterEstimator for Mle {
    fn estimate(&self, family: &FamilyCounts, _total: f64) -> Result<Vec<f64>> {
        let margin = family.child_margin();
        let rows: f64 = margin.iter().sum();
        let r = margin.len() as f64;
        let marginal: Vec<f64> =
            margin.iter().map(|count| if rows > 0.0 { count / rows } else { 1.0 / r }).collect();
        Ok(by_configuration(family, |counts, sum, theta| {
            if sum > 0.0 {
                theta.extend(counts.iter().map(|count| count / sum));
            } else {
                theta.extend(&marginal);
            }
        }))
    }

    fn given_class(&self, counts: &OccurringCounts<'_>) -> Result<Box<dyn GivenClass>> {
        Ok(Box::new(Frequencies {
            domain: counts.domain,
            classes: counts.classes.to_vec(),
            rows: counts.observed(),
        }))
    }
}

struct Frequencies {
    domain: f64,
    classes: Vec<f64>,
    rows: f64,
}

impl GivenClass for Frequencies {
    fn theta(&self, class: usize, value: Value, count: f64) -> f64 {
        if self.classes[class] > 0.0 {
            count / self.classes[class]
        } else if self.rows > 0.0 {
            value.margin / self.rows
        } else {
            1.0 / self.domain
        }
    }

    fn absent(&self, class: usize) -> Option<f64> {
        (self.classes[class] > 0.0).then_some(0.0)
    }
}

pub(super) const ENTRY: Entry = Entry {
    about: About {
        name: "mle",
        title: "MLE",
        summary: "relative frequencies",
        formula: "N_xπ / N_π; a π never seen gives the margin of x",
        settings: &[],
        needs: &[],
    },
    build: |_| Ok(Box::new(Mle)),
};
