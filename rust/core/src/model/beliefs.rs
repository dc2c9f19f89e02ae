//! Rows that miss too much for an exact sum: independent beliefs about the missing values.

use rayon::prelude::*;

use crate::control::Control;
use crate::data::Dataset;
use crate::data::mixed_radix::{advance, strides};
use crate::error::Result;
use crate::model::node_table::NodeTable;
use crate::structure::Structure;

/// ln P̂(c, x_observed) of rows that miss the same attributes (`[row·s + c]`).
///
/// # Formula
/// For each class c on its own, the nodes are visited parents first. b_m(v) is the belief that the missing attribute m has
/// value v, given c and what was observed so far; beliefs are kept one by one, as if they were independent. At node i
/// ```text
/// T(x_M) = θ_{x_i | π_i, c} Π_{m ∈ π_i missing} b_m(x_m),   S_i = Σ_{x_M} T(x_M)
/// b_m(v) ← Σ_{x_M: x_m = v} T(x_M) / S_i   for every missing m of the node and its parents
/// P̂(c, x_O) = θ_c Π_i S_i
/// ```
/// x_M the values of the missing ones among node i and its parents, all others as observed. A node that is missing itself
/// has S_i = 1 and gives its belief. This is assumed-density filtering with one factor for each attribute: what it forgets
/// is how missing attributes depend on each other. It is exact where no node and its parents have two missing attributes among
/// them, as in naive Bayes. S_i = 0 rules the class out.
///
/// # Complexity
/// O(the cells of all nodes' tables) per row; no table is larger than a node's own.
///
/// # References
/// boyen1998
pub(crate) fn log_joint(
    tables: &[NodeTable],
    log_prior: &[f64],
    data: &Dataset,
    missing: &[usize],
    control: &Control,
) -> Result<Vec<f64>> {
    let s = log_prior.len();
    let structure = Structure { nodes: tables.iter().map(|table| table.node().clone()).collect() };
    let order = structure.order(data.n())?;
    let arity = |&column: &usize| data.column(column).arity();
    let most = missing.iter().map(arity).collect::<Vec<_>>();
    let mut joint = vec![0.0; data.rows() * s];
    joint.par_chunks_exact_mut(s).enumerate().try_for_each(|(row, joint)| -> Result<()> {
        let mut beliefs: Vec<Vec<f64>> = most.iter().map(|&arity| vec![1.0 / arity as f64; arity]).collect();
        for (class, joint) in joint.iter_mut().enumerate() {
            *joint = log_prior[class];
            for &node in &order {
                control.check()?;
                let place = |column: usize| missing.binary_search(&column).ok();
                *joint += Visit::new(&tables[node], data, row, &place).absorb(class, &mut beliefs).ln();
            }
        }
        Ok(())
    })?;
    Ok(joint)
}

/// A node's table at one row: where its cells begin, and what of it is missing.
struct Visit<'a> {
    table: &'a NodeTable,
    /// The cell of the observed values, the missing ones taken for 0.
    base: usize,
    /// Slowest first.
    missing: Vec<Missing>,
}

/// A missing variable of a node's table.
struct Missing {
    /// Of its belief.
    place: usize,
    arity: usize,
    stride: usize,
    parent: bool,
}

impl<'a> Visit<'a> {
    fn new(
        table: &'a NodeTable,
        data: &Dataset,
        row: usize,
        place: &impl Fn(usize) -> Option<usize>,
    ) -> Self {
        let (mut base, mut missing) = (0, Vec::new());
        let parents = table.node().parents.len();
        let strides = strides(table.axes().iter().map(|axis| axis.1));
        for (at, (&(column, arity), stride)) in table.axes().iter().zip(strides).enumerate() {
            match place(column) {
                Some(place) => missing.push(Missing { place, arity, stride, parent: at < parents }),
                // What is not missing in the group is observed in each of its rows.
                None => base += data.column(column).get(row).unwrap_or(0) * stride,
            }
        }
        Self { table, base, missing }
    }

    /// S_i; the beliefs become those after the node.
    fn absorb(&self, class: usize, beliefs: &mut [Vec<f64>]) -> f64 {
        let cells: usize = self.missing.iter().map(|missing| missing.arity).product();
        let mut after: Vec<Vec<f64>> = self.missing.iter().map(|missing| vec![0.0; missing.arity]).collect();
        let mut digits = vec![0; self.missing.len()];
        let mut sum = 0.0;
        for _ in 0..cells {
            let mut cell = self.base;
            let mut prior = 1.0;
            for (&digit, missing) in digits.iter().zip(&self.missing) {
                cell += digit * missing.stride;
                if missing.parent {
                    prior *= beliefs[missing.place][digit];
                }
            }
            let term = prior * self.table.row(cell)[class].exp();
            sum += term;
            for (belief, &digit) in after.iter_mut().zip(&digits) {
                belief[digit] += term;
            }
            advance(&mut digits, self.missing.iter().map(|missing| missing.arity));
        }
        if sum > 0.0 {
            for (after, missing) in after.into_iter().zip(&self.missing) {
                for (belief, value) in beliefs[missing.place].iter_mut().zip(after) {
                    *belief = value / sum;
                }
            }
        }
        sum
    }
}
