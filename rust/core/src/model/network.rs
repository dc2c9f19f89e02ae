//! A fitted network, with a class or without one.

use rayon::prelude::*;

use crate::control::Control;
use crate::counts::CountSource;
use crate::data::{Dataset, Variable, WORTH_A_THREAD};
use crate::error::{Error, Result};
use crate::math::log_sum_exp;
use crate::memory::filled;
use crate::model::NodeTable;
use crate::model::classifier::{Asked, Classifier, Wanted};
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

    /// ln P(x) of each row.
    pub fn log_density(&self, data: &Dataset, control: &Control) -> Result<Vec<f64>> {
        let log_joint = self.log_joint(data, Summing::Exact, control)?;
        Ok(if self.has_class {
            log_joint.chunks_exact(self.n_classes()).map(log_sum_exp).collect()
        } else {
            log_joint
        })
    }
}

impl Classifier for Network {
    fn class_prior(&self) -> &[f64] {
        &self.log_prior
    }

    fn predict(&self, asked: Asked<'_>, wanted: Wanted) -> Result<Vec<f64>> {
        let Asked { data, summing, control, .. } = asked;
        data.check_domains(&self.arities)?;
        let s = self.n_classes();
        if has_missing_in(&self.tables, data) {
            let mut log_joint = marginal::log_joint(&self.tables, &self.log_prior, data, summing, control)?;
            log_joint.par_chunks_exact_mut(s).for_each(|row| wanted.finish(row, &self.log_prior));
            return Ok(log_joint);
        }
        let mut log_joint =
            filled(|| marginal::described(data.rows(), s), 0.0, data.rows().saturating_mul(s))?;
        // Rows are finished while they are in the cache.
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
            wanted.finish(log_joint, &self.log_prior);
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

    fn is_quick(&self, data: &Dataset) -> bool {
        data.rows() <= ROWS
            && data.rows() * data.n() < WORTH_A_THREAD
            && data.check_domains(&self.arities).is_ok()
            && !has_missing_in(&self.tables, data)
    }
}
