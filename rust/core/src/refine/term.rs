//! Learning the terms of one structure, and what they say of other rows.

use rayon::prelude::*;

use crate::control::Control;
use crate::error::Result;
use crate::refine::backoff::{Backoff, Fitted};
use crate::refine::design::{Design, StepColumn};
use crate::refine::rows::{Rows, plain};
use crate::refine::trie::NONE;
use crate::structure::{Node, Structure};

/// One structure on its training rows.
pub struct Training {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// Their smoothed tables.
    pub backoffs: Vec<Backoff>,
    /// The attributes with ordered codes.
    pub stepped: Vec<usize>,
    /// The rows as integers.
    pub design: Design,
}

impl Training {
    /// Counts, smooths and codes the rows.
    pub fn new(rows: &Rows, structure: Structure, control: &Control) -> Result<Self> {
        let (class, classes) = rows.class()?;
        let weights = rows.weights();
        let fit = |node: &Node| -> Result<Fitted> {
            control.check()?;
            let columns = rows.columns_of(node)?;
            let columns: Vec<_> = columns.iter().collect();
            Ok(Backoff::fit(&columns, &class, classes, &weights))
        };
        let fitted = structure.nodes.par_iter().map(fit).collect::<Result<Vec<_>>>()?;
        let stepped = stepped(rows, &structure.nodes);
        let steps = stepped.iter().filter_map(|&attribute| rows.steps[attribute].as_ref());
        let steps =
            steps.map(|column| StepColumn { codes: plain(column), cuts: column.arity() - 1 }).collect();
        let backoffs = fitted.iter().map(|node| node.backoff.clone()).collect();
        let columns = columns_of(&structure, rows.data.columns().len());
        let design = Design::new(classes, class, weights, fitted.into_iter().zip(columns).collect(), steps)?;
        Ok(Self { nodes: structure.nodes, backoffs, stepped, design })
    }

    /// For each node the sums of δ along the path to each place.
    pub fn paths(&self, parameters: &[f64]) -> Vec<Vec<f64>> {
        (0..self.nodes.len()).map(|node| self.design.path_sums(node, parameters)).collect()
    }

    /// For each ordered column its step function of each class.
    pub fn step_tables(&self, parameters: &[f64]) -> Vec<Vec<f64>> {
        (0..self.stepped.len()).map(|steps| self.design.step_sums(steps, parameters)).collect()
    }
}

/// The columns that each node looks at, its own and then its parents, by number; one that is joined from several has a number
/// beyond all others.
fn columns_of(structure: &Structure, attributes: usize) -> Vec<Vec<usize>> {
    let of_node = |(number, node): (usize, &Node)| {
        let own = if node.members.len() == 1 { node.members[0] } else { attributes + number };
        std::iter::once(own).chain(node.parents.iter().copied()).collect()
    };
    structure.nodes.iter().enumerate().map(of_node).collect()
}

/// Attributes of the nodes that have ordered codes.
fn stepped(rows: &Rows, nodes: &[Node]) -> Vec<usize> {
    let mut stepped: Vec<usize> = nodes.iter().flat_map(|node| node.members.iter().copied()).collect();
    stepped.retain(|&attribute| rows.steps[attribute].as_ref().is_some_and(|column| column.arity() > 1));
    stepped.sort_unstable();
    stepped
}

/// Rows that were not learned from, as a training sees them.
pub struct HeldOut {
    class: Vec<u32>,
    weights: Vec<f64>,
    places: Vec<Vec<u32>>,
    log_theta: Vec<Vec<f64>>,
    steps: Vec<Vec<u32>>,
}

impl HeldOut {
    /// Looks the rows up.
    pub fn new(rows: &Rows, training: &Training) -> Result<Self> {
        let (class, s) = rows.class()?;
        let (mut places, mut log_theta) = (Vec::new(), Vec::new());
        for (node, backoff) in training.nodes.iter().zip(&training.backoffs) {
            let columns = rows.columns_of(node)?;
            let mut of_node = vec![0.0; class.len() * s];
            let mut codes = Vec::new();
            let look_up = |(row, log_theta): (usize, &mut [f64])| {
                codes.clear();
                codes.extend(columns.iter().map(|column| column.get(row)));
                backoff.look_up(&codes, 1.0, log_theta)
            };
            places.push(of_node.chunks_exact_mut(s).enumerate().map(look_up).collect());
            log_theta.push(of_node);
        }
        let steps = training.stepped.iter().filter_map(|&attribute| rows.steps[attribute].as_ref());
        let steps = steps.map(plain).collect();
        Ok(Self { class, weights: rows.weights(), places, log_theta, steps })
    }

    /// The total weight of the rows.
    pub fn total(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// −Σ ω ln P(c | x) over these rows.
    pub fn log_loss(&self, training: &Training, parameters: &[f64]) -> f64 {
        let s = training.design.classes;
        let mut logits: Vec<f64> = parameters[..s].repeat(self.class.len());
        let paths = training.paths(parameters);
        for (node, path) in paths.iter().enumerate() {
            let weight = parameters[s + node];
            let rows =
                logits.chunks_exact_mut(s).zip(self.log_theta[node].chunks_exact(s)).zip(&self.places[node]);
            for ((logits, log_theta), &place) in rows {
                for class in 0..s {
                    let delta = if place == NONE { 0.0 } else { path[place as usize * s + class] };
                    logits[class] += weight * log_theta[class] + delta;
                }
            }
        }
        for (codes, table) in self.steps.iter().zip(training.step_tables(parameters)) {
            for (logits, &code) in logits.chunks_exact_mut(s).zip(codes) {
                if code != NONE {
                    let terms = &table[code as usize * s..][..s];
                    logits.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
                }
            }
        }
        let rows = logits.chunks_exact(s).zip(&self.class).zip(&self.weights);
        rows.map(|((logits, &class), weight)| {
            weight * (crate::math::log_sum_exp(logits) - logits[class as usize])
        })
        .sum()
    }
}
