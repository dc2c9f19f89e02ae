//! A fitted sum of terms.

use rayon::prelude::*;

use crate::control::Control;
use crate::error::{Error, Result, check_length};
use crate::refine::backoff::Backoff;
use crate::refine::rows::Rows;
use crate::refine::term::Training;
use crate::refine::trie::NONE;
use crate::structure::Node;

const ROWS: usize = 1024;

/// A node of one structure: w ln θ + Σ δ.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeTerm {
    /// The attributes and their parents, the most informative first.
    pub node: Node,
    /// θ.
    pub backoff: Backoff,
    /// w.
    pub weight: f64,
    /// Σ δ along the path to each place, for each class.
    pub path: Vec<f64>,
}

/// ln P(c | x) up to its normaliser as a sum of one term for each node.
///
/// Structures that are averaged are averaged by their terms: a term holds the share of each.
///
/// # Missing and unseen values
/// A missing attribute has no term: summed out over x, θ(x | ·) gives 1 and ln 1 = 0, and δ, which no distribution
/// goes with, are left out like it. In the terms of its children the path ends before it: their θ is the
/// smoothed estimate without that parent, which is the hierarchy's own answer to a parent that is not known, and
/// deeper δ are left out. A value or a context that training never saw has no δ at that depth; θ knows what to do.
#[derive(Debug, Clone, PartialEq)]
pub struct Refined {
    classes: usize,
    arities: Vec<usize>,
    log_prior: Vec<f64>,
    bias: Vec<f64>,
    nodes: Vec<NodeTerm>,
    /// The step function of each attribute, for each number of cuts below the value and each class.
    steps: Vec<Option<Vec<f64>>>,
    /// The terms: which attributes, and which nodes.
    terms: Vec<(Vec<usize>, Vec<usize>)>,
}

impl Refined {
    /// The average of several fits: a training each, with parameters that were found for it.
    pub fn average(rows: &Rows, fits: Vec<(Training, Vec<Vec<f64>>)>) -> Result<Self> {
        let (class, classes) = rows.class()?;
        let mut prior = vec![0.0; classes];
        class.iter().zip(rows.weights()).for_each(|(&class, weight)| prior[class as usize] += weight);
        let log_prior = prior.iter().map(|weight| (weight / rows.data.total()).ln()).collect();
        let share = 1.0 / fits.iter().map(|(_, parameters)| parameters.len()).sum::<usize>() as f64;
        let mut bias = vec![0.0; classes];
        let mut steps: Vec<Option<Vec<f64>>> = vec![None; rows.data.n()];
        let mut nodes = Vec::new();
        for (training, found) in fits {
            let mut mean = vec![0.0; training.design.parameters()];
            for parameters in &found {
                mean.iter_mut().zip(parameters).for_each(|(mean, value)| *mean += share * value);
            }
            bias.iter_mut().zip(&mean).for_each(|(sum, value)| *sum += value);
            for (&attribute, table) in training.stepped.iter().zip(training.step_tables(&mean)) {
                match &mut steps[attribute] {
                    None => steps[attribute] = Some(table),
                    Some(sums) => sums.iter_mut().zip(table).for_each(|(sum, value)| *sum += value),
                }
            }
            let paths = training.paths(&mean);
            let parts = training.nodes.into_iter().zip(training.backoffs).zip(paths).enumerate();
            nodes.extend(parts.map(|(place, ((node, backoff), path))| NodeTerm {
                node,
                backoff,
                weight: mean[classes + place],
                path,
            }));
        }
        Self::from_parts(rows.data.arities(), log_prior, bias, nodes, steps)
    }

    /// Puts a model together.
    pub fn from_parts(
        arities: Vec<usize>,
        log_prior: Vec<f64>,
        bias: Vec<f64>,
        nodes: Vec<NodeTerm>,
        steps: Vec<Option<Vec<f64>>>,
    ) -> Result<Self> {
        let mut terms: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
        for (place, term) in nodes.iter().enumerate() {
            if term.node.members.iter().chain(&term.node.parents).any(|&column| column >= arities.len()) {
                let columns = arities.len();
                return Err(Error::ColumnOutOfRange { column: columns, columns });
            }
            match terms.iter_mut().find(|(members, _)| *members == term.node.members) {
                Some((_, places)) => places.push(place),
                None => terms.push((term.node.members.clone(), vec![place])),
            }
        }
        terms.sort();
        Ok(Self { classes: bias.len(), arities, log_prior, bias, nodes, steps, terms })
    }

    /// The number of classes.
    pub fn n_classes(&self) -> usize {
        self.classes
    }

    /// The attributes' domain sizes.
    pub fn arities(&self) -> &[usize] {
        &self.arities
    }

    /// ln of the classes' shares of the training rows.
    pub fn log_prior(&self) -> &[f64] {
        &self.log_prior
    }

    /// b of each class.
    pub fn bias(&self) -> &[f64] {
        &self.bias
    }

    /// The nodes of all structures.
    pub fn nodes(&self) -> &[NodeTerm] {
        &self.nodes
    }

    /// The step functions.
    pub fn steps(&self) -> &[Option<Vec<f64>>] {
        &self.steps
    }

    /// For each term its attributes and the nodes that it sums.
    pub fn terms(&self) -> &[(Vec<usize>, Vec<usize>)] {
        &self.terms
    }

    /// b + the sum of all terms, for each row and class; normalised, it is ln P(c | x).
    pub fn scores(&self, rows: &Rows, control: &Control) -> Result<Vec<f64>> {
        let s = self.classes;
        let mut scores = self.bias.repeat(rows.data.rows());
        self.add_terms(rows, control, &mut scores, |_| 0, s)?;
        Ok(scores)
    }

    /// Every term on its own, for each row, term and class.
    pub fn contributions(&self, rows: &Rows, control: &Control) -> Result<Vec<f64>> {
        let width = self.terms.len() * self.classes;
        let cells = width as u128 * rows.data.rows() as u128;
        let limit = u128::from(crate::memory::memory_limit() / 8);
        if cells > limit {
            return Err(Error::TooManyCells { family: "the terms of all rows".into(), cells, limit });
        }
        let mut contributions = vec![0.0; cells as usize];
        self.add_terms(rows, control, &mut contributions, |term| term * self.classes, width)?;
        Ok(contributions)
    }

    /// Adds each term of each row to `sums` at `row · width + offset(term)`.
    fn add_terms(
        &self,
        rows: &Rows,
        control: &Control,
        sums: &mut [f64],
        offset: impl Fn(usize) -> usize + Sync,
        width: usize,
    ) -> Result<()> {
        self.check_columns(rows)?;
        let s = self.classes;
        let columns =
            self.nodes.iter().map(|term| rows.columns_of(&term.node)).collect::<Result<Vec<_>>>()?;
        sums.par_chunks_mut(ROWS * width).enumerate().try_for_each(|(block, sums)| {
            control.check()?;
            let mut codes = Vec::new();
            for (term, (members, nodes)) in self.terms.iter().enumerate() {
                let start = offset(term);
                for &place in nodes {
                    let node = &self.nodes[place];
                    for (row, sums) in sums.chunks_exact_mut(width).enumerate() {
                        let sums = &mut sums[start..start + s];
                        codes.clear();
                        codes.extend(columns[place].iter().map(|column| column.get(block * ROWS + row)));
                        let reached = node.backoff.look_up(&codes, node.weight, sums);
                        if reached != NONE {
                            let path = &node.path[reached as usize * s..][..s];
                            sums.iter_mut().zip(path).for_each(|(sum, delta)| *sum += delta);
                        }
                    }
                }
                for &member in members {
                    let (Some(table), Some(column)) = (&self.steps[member], &rows.steps[member]) else {
                        continue;
                    };
                    for (row, sums) in sums.chunks_exact_mut(width).enumerate() {
                        if let Some(code) = column.get(block * ROWS + row) {
                            let terms = &table[code * s..][..s];
                            sums[start..start + s].iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
                        }
                    }
                }
            }
            Ok(())
        })
    }

    fn check_columns(&self, rows: &Rows) -> Result<()> {
        rows.data.check_domains(&self.arities)?;
        for (table, column) in self.steps.iter().zip(&rows.steps) {
            let expected = table.as_ref().map_or(0, |table| table.len() / self.classes);
            if expected != 0 {
                let found = column.as_ref().map_or(0, |column| column.arity());
                check_length("the steps of an ordered column", found, expected)?;
            }
        }
        Ok(())
    }
}
