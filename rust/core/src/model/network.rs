//! A fitted network, with a class or without one.

use rayon::prelude::*;

use crate::control::Control;
use crate::counts::CountSource;
use crate::data::{Dataset, Variable, WORTH_A_THREAD};
use crate::error::{Error, Result};
use crate::math::log_sum_exp;
use crate::memory::filled;
use crate::model::NodeTable;
use crate::model::marginal::{self, Summing, has_missing_in};
use crate::parameters::ParameterEstimator;
use crate::structure::Structure;

/// A structure with its tables: a classifier where there is a class, else a density.
///
/// # Formula
/// ```text
/// P(c, x) = θ_c Π_i θ_{x_i | π_i, c},   P(c | x) = P(c, x) / Σ_c' P(c', x),   P(x) = Σ_c P(c, x)
/// ```
/// c the class, x_i the value of node i, π_i the values of its attribute parents. Computed in log space and
/// normalised with log-sum-exp; where every joint is 0, which relative frequencies allow, the posterior is the
/// class prior. Without a class there is one of probability 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    arities: Vec<usize>,
    has_class: bool,
    log_prior: Vec<f64>,
    tables: Vec<NodeTable>,
    prior_concentrations: Vec<f64>,
}

/// Rows that one thread takes at a time: their log-joints stay in the second-level cache.
const ROWS: usize = 1024;

impl Network {
    /// Estimates the tables of a structure.
    pub fn estimate(
        structure: &Structure,
        source: &dyn CountSource,
        estimator: &dyn ParameterEstimator,
        control: &Control,
    ) -> Result<Self> {
        structure.validate(source.n())?;
        source.prepare(&structure.families(source.n_classes().is_some()))?;
        let (log_prior, prior_concentrations) = match source.n_classes() {
            Some(_) => {
                let class = source.family(Variable::Class, &[], false)?;
                let (prior, concentrations) = match estimator.tuned(&class)? {
                    Some(tuned) => (tuned.theta, tuned.concentrations),
                    None => (estimator.estimate_class(&class, source.total())?, Vec::new()),
                };
                (Some(prior.iter().map(|theta| theta.ln()).collect()), concentrations)
            }
            None => (None, Vec::new()),
        };
        let tables = structure
            .nodes
            .par_iter()
            .map(|node| {
                control.check()?;
                NodeTable::estimate(node, source, estimator)
            })
            .collect::<Result<_>>()?;
        let network = Self::from_parts(source.arities().to_vec(), log_prior, tables)?;
        Ok(network.with_prior_concentrations(prior_concentrations))
    }

    /// Puts a network together from its parts, checked; ln θ_c where there is a class.
    pub fn from_parts(
        arities: Vec<usize>,
        log_prior: Option<Vec<f64>>,
        tables: Vec<NodeTable>,
    ) -> Result<Self> {
        let structure = Structure { nodes: tables.iter().map(|table| table.node().clone()).collect() };
        structure.validate(arities.len())?;
        let has_class = log_prior.is_some();
        let log_prior = log_prior.unwrap_or(vec![0.0]);
        if log_prior.is_empty() {
            return Err(Error::Empty { what: "the number of classes" });
        }
        for table in &tables {
            table.check_domains(&arities, log_prior.len())?;
        }
        Ok(Self { arities, has_class, log_prior, tables, prior_concentrations: Vec::new() })
    }

    /// The same network with the concentrations that the class node was estimated with.
    pub fn with_prior_concentrations(self, prior_concentrations: Vec<f64>) -> Self {
        Self { prior_concentrations, ..self }
    }

    /// The concentrations of the class node and then of each node, level by level; `None` where the estimator has none.
    pub fn concentrations(&self) -> Option<Vec<Vec<f64>>> {
        let of_class = self.has_class.then(|| self.prior_concentrations.clone());
        let of_nodes = self.tables.iter().map(|table| table.concentrations().to_vec());
        let all: Vec<Vec<f64>> = of_class.into_iter().chain(of_nodes).collect();
        all.iter().any(|levels| !levels.is_empty()).then_some(all)
    }

    /// The attributes' domain sizes.
    pub fn arities(&self) -> &[usize] {
        &self.arities
    }

    /// The number of classes; 1 where there is no class.
    pub fn n_classes(&self) -> usize {
        self.log_prior.len()
    }

    /// ln θ_c, where there is a class.
    pub fn log_prior(&self) -> Option<&[f64]> {
        self.has_class.then_some(self.log_prior.as_slice())
    }

    /// The nodes' tables.
    pub fn tables(&self) -> &[NodeTable] {
        &self.tables
    }

    /// The structure.
    pub fn structure(&self) -> Structure {
        Structure { nodes: self.tables.iter().map(|table| table.node().clone()).collect() }
    }

    /// ln P(c, x) of each row and class: `[row·s + c]`.
    pub fn log_joint(&self, data: &Dataset, summing: Summing, control: &Control) -> Result<Vec<f64>> {
        self.per_block(data, summing, control, |_| ())
    }

    /// ln P(c | x) of each row and class: `[row·s + c]`.
    pub fn log_posterior(&self, data: &Dataset, summing: Summing, control: &Control) -> Result<Vec<f64>> {
        self.per_block(data, summing, control, |row| self.normalise(row))
    }

    /// ln P(x) of each row.
    pub fn log_density(&self, data: &Dataset, control: &Control) -> Result<Vec<f64>> {
        let log_joint = self.log_joint(data, Summing::Exact, control)?;
        Ok(if self.has_class {
            log_joint.chunks_exact(self.n_classes()).map(log_sum_exp).collect()
        } else {
            log_joint
        })
    }

    /// P(c | x) of each row and class: `[row·s + c]`.
    pub fn posterior(&self, data: &Dataset, summing: Summing, control: &Control) -> Result<Vec<f64>> {
        // Σ e^(v − max) serves as the sum and as its terms: one exponential a class and no logarithm.
        self.per_block(data, summing, control, |row| {
            let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            if largest == f64::NEG_INFINITY {
                row.copy_from_slice(&self.log_prior);
            }
            let shift = if largest == f64::NEG_INFINITY { 0.0 } else { largest };
            let mut sum = 0.0;
            for value in row.iter_mut() {
                *value = (*value - shift).exp();
                sum += *value;
            }
            for value in row {
                *value /= sum;
            }
        })
    }

    /// The log-joints, block by block, with `finish` applied to each row while it is in the cache.
    fn per_block(
        &self,
        data: &Dataset,
        summing: Summing,
        control: &Control,
        finish: impl Fn(&mut [f64]) + Sync,
    ) -> Result<Vec<f64>> {
        self.check_columns(data)?;
        let s = self.n_classes();
        if has_missing_in(&self.tables, data) {
            let mut log_joint = marginal::log_joint(&self.tables, &self.log_prior, data, summing, control)?;
            log_joint.par_chunks_exact_mut(s).for_each(&finish);
            return Ok(log_joint);
        }
        let mut log_joint =
            filled(|| marginal::described(data.rows(), s), 0.0, data.rows().saturating_mul(s))?;
        let fill = |(block, log_joint): (usize, &mut [f64])| {
            control.check()?;
            for row in log_joint.chunks_exact_mut(s) {
                row.copy_from_slice(&self.log_prior);
            }
            let mut indices = [0; ROWS];
            let indices = &mut indices[..log_joint.len() / s];
            for table in &self.tables {
                table.add(data, block * ROWS, indices, log_joint);
            }
            log_joint.chunks_exact_mut(s).for_each(&finish);
            Ok(())
        };
        if data.rows() <= ROWS {
            // Nothing to share: a few rows are done before another thread has woken up.
            fill((0, &mut log_joint))?;
        } else {
            log_joint.par_chunks_mut(ROWS * s).enumerate().try_for_each(fill)?;
        }
        Ok(log_joint)
    }

    /// Whether predicting these rows is quicker here than on threads that must be woken.
    pub fn is_quick(&self, data: &Dataset) -> bool {
        data.rows() <= ROWS
            && data.rows() * data.n() < WORTH_A_THREAD
            && self.check_columns(data).is_ok()
            && !has_missing_in(&self.tables, data)
    }

    fn normalise(&self, row: &mut [f64]) {
        let total = log_sum_exp(row);
        if total == f64::NEG_INFINITY {
            row.copy_from_slice(&self.log_prior);
        } else {
            for value in row {
                *value -= total;
            }
        }
    }

    fn check_columns(&self, data: &Dataset) -> Result<()> {
        if data.n() != self.arities.len() {
            let expected = self.arities.len();
            return Err(Error::LengthMismatch { what: "the list of columns", found: data.n(), expected });
        }
        for (column, &arity) in data.columns().iter().zip(&self.arities) {
            if column.arity() != arity {
                return Err(Error::LengthMismatch {
                    what: "the domain of a column",
                    found: column.arity(),
                    expected: arity,
                });
            }
        }
        Ok(())
    }
}
