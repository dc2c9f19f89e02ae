//! Trees by mutual information from smoothed probabilities.

use std::sync::Mutex;

use crate::control::Control;
use crate::counts::{Cell, CountSource, PairTable, PairVisitor};
use crate::error::{Result, check_parameter};
use crate::graph::{Tree, maximum_spanning_tree};
use crate::memory::filled;
use crate::options::{Declared, Domain, Options};

/// The setting `smoothed`.
pub(super) const SMOOTHED: Declared = Declared::new(
    "smoothed",
    Domain::Number(0.0),
    "pseudo-counts of the tree's mutual information; 0 for none",
);

/// The pseudo-count, where there is one.
pub(super) fn from_options(options: &Options) -> Result<Option<f64>> {
    let alpha = options.number("smoothed")?;
    let is_allowed = alpha >= 0.0 && alpha.is_finite();
    check_parameter("smoothed", alpha, is_allowed, "a pseudo-count is a finite number from 0 on")?;
    Ok((alpha > 0.0).then_some(alpha))
}

/// The spanning tree of largest smoothed information, from the root or the first column, and the weights of its arcs.
///
/// # Formula
/// ```text
/// w(i→j) = Σ_xyc P(x, y | c) P(c) ln [ P(x, y | c) / (P(x | c) P(y | c)) ]
/// P(x, y | c) = (N_xyc + α) / (N_c + α r_i r_j),  P(x | c) = (N_xc + α) / (N_c + α r_i),  P(c) = (N_c + α) / (N + α s)
/// ```
/// x, y values of X_i and X_j with r_i and r_j values, c of the class with s (one, of probability 1, where there is
/// none), N_… counts of the rows in which both are known. Each probability is smoothed on its own, so that P(x | c) is
/// not the margin of P(x, y | c), and w may be negative. Ties as in spanning trees.
///
/// # Complexity
/// O(n²·N/64) or O(n²·N) for the counts.
///
/// # References
/// dadresan2022, section 3.2.1
pub(super) fn tree(
    counts: &dyn CountSource,
    alpha: f64,
    root: Option<usize>,
    control: &Control,
) -> Result<(Tree, Vec<f64>)> {
    let n = counts.n();
    let name = || format!("the weights of {n} × {n} arcs");
    let sink = Sink { alpha, n, weights: Mutex::new(filled(name, 0.0, n.saturating_mul(n))?) };
    counts.visit_pairs(&sink, control)?;
    let weights = sink.weights.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    Ok((maximum_spanning_tree(&weights, n, root.unwrap_or(0))?, weights))
}

struct Sink {
    alpha: f64,
    n: usize,
    weights: Mutex<Vec<f64>>,
}

impl Sink {
    fn add<T: Cell>(&self, table: PairTable<'_, T>) {
        let cells: Vec<f64> = table.cells.iter().map(|&cell| cell.as_f64()).collect();
        let weight = information(&cells, table.shape, self.alpha);
        let mut weights = self.weights.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        weights[table.i * self.n + table.j] = weight;
        weights[table.j * self.n + table.i] = weight;
    }
}

impl PairVisitor for Sink {
    fn integer(&self, table: PairTable<'_, u32>) -> Result<()> {
        self.add(table);
        Ok(())
    }

    fn weighted(&self, table: PairTable<'_, f64>) -> Result<()> {
        self.add(table);
        Ok(())
    }
}

/// The smoothed information of a table [class, i, j].
fn information(cells: &[f64], (s, r_i, r_j): (usize, usize, usize), alpha: f64) -> f64 {
    let total: f64 = cells.iter().sum();
    let mut information = 0.0;
    for of_class in cells.chunks_exact(r_i * r_j) {
        let n_c: f64 = of_class.iter().sum();
        let ln_of = |count: f64, values: usize| ((count + alpha) / (n_c + alpha * values as f64)).ln();
        let left: Vec<f64> = of_class.chunks_exact(r_j).map(|row| ln_of(row.iter().sum(), r_i)).collect();
        let right: Vec<f64> =
            (0..r_j).map(|y| ln_of(of_class.iter().skip(y).step_by(r_j).sum(), r_j)).collect();
        let of_pairs: f64 = of_class
            .iter()
            .enumerate()
            .map(|(place, &count)| {
                let joint = ln_of(count, r_i * r_j);
                joint.exp() * (joint - left[place / r_j] - right[place % r_j])
            })
            .sum();
        information += of_pairs * (n_c + alpha) / (total + alpha * s as f64);
    }
    information
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_pseudo_counts_it_is_the_mutual_information() {
        let cells = [3.0, 1.0, 2.0, 4.0];
        let expected: f64 = [(3.0, 4.0, 5.0), (1.0, 4.0, 5.0), (2.0, 6.0, 5.0), (4.0, 6.0, 5.0)]
            .iter()
            .map(|(n, row, column): &(f64, f64, f64)| n / 10.0 * (n * 10.0 / (row * column)).ln())
            .sum();
        assert!((information(&cells, (1, 2, 2), 0.0) - expected).abs() < 1e-12);
        assert!(information(&cells, (1, 2, 2), 5.0) < expected);
    }

    /// Each class has its share, smoothed over the classes: 3 classes of 10, 4 and 6 rows, by the formula.
    #[test]
    fn classes_have_their_smoothed_shares() {
        let cells = [3.0, 1.0, 2.0, 4.0, 0.0, 1.0, 1.0, 2.0, 5.0, 0.0, 1.0, 0.0];
        let alpha = 0.5;
        let expected: f64 = cells
            .chunks_exact(4)
            .map(|n| {
                let n_c: f64 = n.iter().sum();
                let p = |count: f64, values: f64| (count + alpha) / (n_c + alpha * values);
                let of_pair = |x: usize, y: usize| {
                    let joint = p(n[2 * x + y], 4.0);
                    joint * (joint / (p(n[2 * x] + n[2 * x + 1], 2.0) * p(n[y] + n[2 + y], 2.0))).ln()
                };
                let own = of_pair(0, 0) + of_pair(0, 1) + of_pair(1, 0) + of_pair(1, 1);
                own * (n_c + alpha) / (20.0 + 3.0 * alpha)
            })
            .sum();
        assert!((information(&cells, (3, 2, 2), alpha) - expected).abs() < 1e-12);
    }
}
