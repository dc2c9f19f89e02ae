//! The conditional probability table of one node, laid out for prediction.

use crate::counts::CountSource;
use crate::data::mixed_radix::append;
use crate::data::{Code, Dataset};
use crate::error::{Error, Result};
use crate::math::ln_in_place;
use crate::parameters::ParameterEstimator;
use crate::structure::Node;
use crate::with_codes;

/// ln θ of one node. Cell `(j·r + k)·s + c`: the class fastest, so that one row's entries for all classes lie
/// side by side; `j` the configuration of the attribute parents, `k` the node's value, the last member fastest.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeTable {
    node: Node,
    /// The variables of the index, slowest first: parents, then members; each with its number of values.
    axes: Vec<(usize, usize)>,
    classes: usize,
    log_theta: Vec<f64>,
    concentrations: Vec<f64>,
}

impl NodeTable {
    /// Estimates a node's table; one class where the source has none.
    pub fn estimate(
        node: &Node,
        source: &dyn CountSource,
        estimator: &dyn ParameterEstimator,
    ) -> Result<Self> {
        let family = node.counts(source)?;
        let (theta, concentrations) = match estimator.tuned(&family)? {
            Some(tuned) => (tuned.theta, tuned.concentrations),
            None => (estimator.estimate(&family, source.total())?, Vec::new()),
        };
        let classes = family.shape.class.unwrap_or(1);
        drop(family); // a join's table may be large: its counts are not needed beside the table
        let mut log_theta = vec![0.0; theta.len()];
        class_fastest(&theta, classes, &mut log_theta);
        ln_all(&mut log_theta);
        let table = Self::from_parts(node.clone(), source.arities(), classes, log_theta)?;
        Ok(table.with_concentrations(concentrations))
    }

    /// The same table with the concentrations that it was estimated with.
    pub fn with_concentrations(self, concentrations: Vec<f64>) -> Self {
        Self { concentrations, ..self }
    }

    /// The concentration of each level, for estimators that have such (see
    /// [`Hierarchical`](crate::parameters::Hierarchical)); else none.
    pub fn concentrations(&self) -> &[f64] {
        &self.concentrations
    }

    /// Puts a table together from what [`NodeTable::log_theta`] gave.
    pub fn from_parts(node: Node, arities: &[usize], classes: usize, log_theta: Vec<f64>) -> Result<Self> {
        let mut axes = Vec::with_capacity(node.parents.len() + node.members.len());
        for &column in node.parents.iter().chain(&node.members) {
            match arities.get(column) {
                Some(&arity) => axes.push((column, arity)),
                None => return Err(Error::ColumnOutOfRange { column, columns: arities.len() }),
            }
        }
        let cells = axes.iter().fold(classes as u128, |cells, axis| cells.saturating_mul(axis.1 as u128));
        if cells != log_theta.len() as u128 {
            let expected = usize::try_from(cells).unwrap_or(usize::MAX);
            return Err(Error::LengthMismatch { what: "a node's table", found: log_theta.len(), expected });
        }
        Ok(Self { node, axes, classes, log_theta, concentrations: Vec::new() })
    }

    /// Refuses a table that was made for other domains or classes.
    pub fn check_domains(&self, arities: &[usize], classes: usize) -> Result<()> {
        let domains = self.axes.iter().map(|&(column, arity)| (arity, arities[column]));
        match domains.chain([(self.classes, classes)]).find(|(found, expected)| found != expected) {
            Some((found, expected)) => {
                Err(Error::LengthMismatch { what: "an axis of a node's table", found, expected })
            }
            None => Ok(()),
        }
    }

    /// The node.
    pub fn node(&self) -> &Node {
        &self.node
    }

    /// The variables of the index, slowest first: parents, then members; each with its number of values.
    pub fn axes(&self) -> &[(usize, usize)] {
        &self.axes
    }

    /// ln θ, the class fastest.
    pub fn log_theta(&self) -> &[f64] {
        &self.log_theta
    }

    /// Adds the node's part of the log-joint of each row and class to `log_joint` (`[row·s + c]`), for the rows
    /// from `start`. `indices` is scratch space of one entry per row. Nothing is missing in the node's columns.
    pub fn add(&self, data: &Dataset, start: usize, indices: &mut [u32], log_joint: &mut [f64]) {
        if let [(column, _)] = self.axes[..] {
            // The values of one attribute are the indices, as in naive Bayes.
            let rows = start..start + indices.len();
            with_codes!(data.column(column).codes(), codes => self.add_at(&codes[rows], log_joint));
            return;
        }
        indices.fill(0);
        for &(column, _) in &self.axes {
            append(indices, data.column(column), start);
        }
        self.add_at(indices, log_joint);
    }

    fn add_at<I: Code>(&self, indices: &[I], log_joint: &mut [f64]) {
        // The number of classes as a constant lets the compiler unroll the loops of the common cases.
        match self.classes {
            1 => self.gather::<1, I>(indices, log_joint),
            2 => self.gather::<2, I>(indices, log_joint),
            3 => self.gather::<3, I>(indices, log_joint),
            4 => self.gather::<4, I>(indices, log_joint),
            classes => {
                for (joint, &index) in log_joint.chunks_exact_mut(classes).zip(indices) {
                    let row = &self.log_theta[index.index() * classes..][..classes];
                    for (joint, theta) in joint.iter_mut().zip(row) {
                        *joint += theta;
                    }
                }
            }
        }
    }

    fn gather<const S: usize, I: Code>(&self, indices: &[I], log_joint: &mut [f64]) {
        let (rows, _) = self.log_theta.as_chunks::<S>();
        let (joints, _) = log_joint.as_chunks_mut::<S>();
        for (joint, &index) in joints.iter_mut().zip(indices) {
            let row = &rows[index.index()];
            for class in 0..S {
                joint[class] += row[class];
            }
        }
    }
}

/// Turns `[class][cell]` into `[cell][class]`.
fn class_fastest(from: &[f64], classes: usize, to: &mut [f64]) {
    let cells = from.len() / classes;
    for (cell, to) in to.chunks_exact_mut(classes).enumerate() {
        for (to, from) in to.iter_mut().zip(from.chunks_exact(cells)) {
            *to = from[cell];
        }
    }
}

/// Logarithms of probabilities: several at a time where none is 0 or nearly so.
fn ln_all(theta: &mut [f64]) {
    if theta.iter().all(|&theta| theta >= f64::MIN_POSITIVE) {
        ln_in_place(theta);
    } else {
        theta.iter_mut().for_each(|theta| *theta = theta.ln());
    }
}
