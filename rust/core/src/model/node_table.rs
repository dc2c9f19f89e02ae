//! The conditional probability table of one node, laid out for prediction.

use std::borrow::Cow;

use crate::counts::CountSource;
use crate::data::mixed_radix::append;
use crate::data::{Code, Dataset, combinations};
use crate::error::{Error, Result, check_length};
use crate::model::join_table;
use crate::model::log_theta::{LogTheta, Occurring, ln_all};
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
    log_theta: LogTheta,
    concentrations: Vec<f64>,
}

impl NodeTable {
    /// Estimates a node's table; one class where the source has none.
    pub fn estimate(
        node: &Node,
        source: &dyn CountSource,
        estimator: &dyn ParameterEstimator,
    ) -> Result<Self> {
        if let Some((occurring, concentrations)) = join_table::estimate(node, source, estimator)? {
            let classes = source.n_classes().unwrap_or(1);
            let table = Self::of(node.clone(), source.arities(), classes, LogTheta::Occurring(occurring))?;
            return Ok(table.with_concentrations(concentrations));
        }
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

    /// Puts a table together from all its cells.
    pub fn from_parts(node: Node, arities: &[usize], classes: usize, log_theta: Vec<f64>) -> Result<Self> {
        let found = log_theta.len();
        let table = Self::of(node, arities, classes, LogTheta::All(log_theta))?;
        let cells =
            table.axes.iter().fold(classes as u128, |cells, axis| cells.saturating_mul(axis.1 as u128));
        if cells != found as u128 {
            let expected = usize::try_from(cells).unwrap_or(usize::MAX);
            return Err(Error::LengthMismatch { what: "a node's table", found, expected });
        }
        Ok(table)
    }

    /// Puts a join's table together from the cells that occurred, and a row for all others.
    pub fn from_occurring(
        node: Node,
        arities: &[usize],
        classes: usize,
        cells: Vec<u32>,
        rows: Vec<f64>,
    ) -> Result<Self> {
        if !node.parents.is_empty() {
            let reason = "a join with parents has all its cells".into();
            return Err(Error::InvalidStructure { reason });
        }
        let mut table = Self::of(node, arities, classes, LogTheta::All(Vec::new()))?;
        let domain = combinations(table.axes.iter().map(|axis| axis.1))?;
        table.log_theta = LogTheta::Occurring(Occurring::new(cells, rows, domain, classes)?);
        Ok(table)
    }

    fn of(node: Node, arities: &[usize], classes: usize, log_theta: LogTheta) -> Result<Self> {
        let mut axes = Vec::with_capacity(node.parents.len() + node.members.len());
        for &column in node.parents.iter().chain(&node.members) {
            match arities.get(column) {
                Some(&arity) => axes.push((column, arity)),
                None => return Err(Error::ColumnOutOfRange { column, columns: arities.len() }),
            }
        }
        Ok(Self { node, axes, classes, log_theta, concentrations: Vec::new() })
    }

    /// Refuses a table that was made for other domains or classes.
    pub fn check_domains(&self, arities: &[usize], classes: usize) -> Result<()> {
        let domains = self.axes.iter().map(|&(column, arity)| (arity, arities[column]));
        domains
            .chain([(self.classes, classes)])
            .try_for_each(|(found, expected)| check_length("an axis of a node's table", found, expected))
    }

    /// The node.
    pub fn node(&self) -> &Node {
        &self.node
    }

    /// The variables of the index, slowest first: parents, then members; each with its number of values.
    pub fn axes(&self) -> &[(usize, usize)] {
        &self.axes
    }

    /// ln θ as it is kept.
    pub fn log_theta(&self) -> &LogTheta {
        &self.log_theta
    }

    /// ln θ of every cell, the class fastest; refused where there is no room for them.
    pub fn dense(&self) -> Result<Cow<'_, [f64]>> {
        self.log_theta.dense(self.axes.iter().map(|axis| axis.1).product(), self.classes)
    }

    /// ln θ of one cell for all classes.
    #[inline(always)]
    pub fn row(&self, cell: usize) -> &[f64] {
        self.log_theta.row(cell, self.classes)
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
        match (&self.log_theta, self.classes) {
            (LogTheta::All(cells), 1) => gather::<1, I>(cells, indices, log_joint),
            (LogTheta::All(cells), 2) => gather::<2, I>(cells, indices, log_joint),
            (LogTheta::All(cells), 3) => gather::<3, I>(cells, indices, log_joint),
            (LogTheta::All(cells), 4) => gather::<4, I>(cells, indices, log_joint),
            (_, classes) => {
                for (joint, &index) in log_joint.chunks_exact_mut(classes).zip(indices) {
                    for (joint, theta) in joint.iter_mut().zip(self.row(index.index())) {
                        *joint += theta;
                    }
                }
            }
        }
    }
}

fn gather<const S: usize, I: Code>(cells: &[f64], indices: &[I], log_joint: &mut [f64]) {
    let (rows, _) = cells.as_chunks::<S>();
    let (joints, _) = log_joint.as_chunks_mut::<S>();
    for (joint, &index) in joints.iter_mut().zip(indices) {
        let row = &rows[index.index()];
        for class in 0..S {
            joint[class] += row[class];
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
