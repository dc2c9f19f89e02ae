//! Trees, branchings, forests and orders over a dense graph.
//!
//! Weights are one row-major `n × n` slice, `weights[i * n + j]` being the weight of the arc `i → j`; the
//! diagonal is never read. A tree is a [`Tree`]: the parent of every node, `None` at a root.
//!
//! ```
//! use tanager_core::graph::{maximum_spanning_tree, order_by_depth};
//!
//! # fn main() -> tanager_core::Result<()> {
//! let weights = [0.0, 3.0, 1.0, 3.0, 0.0, 2.0, 1.0, 2.0, 0.0];
//! let tree = maximum_spanning_tree(&weights, 3, 0)?;
//! assert_eq!(tree, [None, Some(0), Some(1)]);
//! assert_eq!(order_by_depth(&tree)?, [0, 1, 2]);
//! # Ok(())
//! # }
//! ```

mod branching;
mod forest;
mod order;
mod spanning_tree;
mod spanning_trees;
mod streamed_tree;
mod weakest;

pub use branching::{Branchings, maximum_branching, maximum_branching_from};
pub use forest::{direct_forest, maximum_forest};
pub use order::{ancestors, children, depths, order_by_depth};
pub use spanning_tree::{maximum_spanning_tree, reroot};
pub use spanning_trees::{SpanningTrees, pair};
pub use streamed_tree::StreamedTree;

use crate::error::{Error, Result};

/// The parent of every node, `None` at a root.
pub type Tree = Vec<Option<usize>>;

/// Refuses a slice that is not `n × n` and a NaN off the diagonal.
fn check_weights(weights: &[f64], n: usize) -> Result<()> {
    if n.checked_mul(n) != Some(weights.len()) {
        return Err(Error::LengthMismatch {
            what: "the weight matrix",
            found: weights.len(),
            expected: n.saturating_mul(n),
        });
    }
    match weights.iter().enumerate().find(|&(at, weight)| weight.is_nan() && at / n != at % n) {
        Some((at, _)) => Err(Error::WeightNotANumber { from: at / n, to: at % n }),
        None => Ok(()),
    }
}

/// Refuses a root that is not one of the `n` nodes.
fn check_root(root: usize, n: usize) -> Result<()> {
    if root < n { Ok(()) } else { Err(Error::ColumnOutOfRange { column: root, columns: n }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_matrices_and_roots_are_refused() {
        assert_eq!(
            maximum_spanning_tree(&[0.0; 3], 2, 0),
            Err(Error::LengthMismatch { what: "the weight matrix", found: 3, expected: 4 })
        );
        let nan = [f64::NAN, 1.0, f64::NAN, f64::NAN];
        assert_eq!(maximum_spanning_tree(&nan, 2, 0), Err(Error::WeightNotANumber { from: 1, to: 0 }));
        assert_eq!(maximum_branching(&nan, 2), Err(Error::WeightNotANumber { from: 1, to: 0 }));
        let root = Err(Error::ColumnOutOfRange { column: 2, columns: 2 });
        assert_eq!(maximum_spanning_tree(&[0.0; 4], 2, 2), root);
        assert_eq!(maximum_branching_from(&[0.0; 4], 2, 2), root);
    }

    #[test]
    fn a_nan_on_the_diagonal_is_not_read() {
        let weights = [f64::NAN, 1.0, 1.0, f64::NAN];
        assert_eq!(maximum_spanning_tree(&weights, 2, 1).unwrap(), [Some(1), None]);
        assert_eq!(maximum_branching(&weights, 2).unwrap(), [None, Some(0)]);
    }
}
