//! Prim's maximum spanning tree of a dense undirected graph.

use super::{Tree, check_root, check_weights, direct_forest};
use crate::error::Result;

/// The maximum spanning tree, directed away from `root`.
///
/// The weight of the edge between `i < j` is `weights[i * n + j]`; the other triangle is not read, so that
/// the rounding in which `w(i→j)` and `w(j→i)` of a score-equivalent score differ cannot matter.
///
/// # Formula
/// ```text
/// argmax over spanning trees T of  Σ_{ {i,j} ∈ T, i < j }  w_ij
/// ```
/// Negative and infinite weights are weights like any other: the tree spans. Ties: edges are ordered by
/// decreasing weight, then by lowest `(i, j)`. Under this total order the best tree is unique, so its
/// edges do not depend on `root`.
///
/// `n = 0` gives the empty tree, whatever the root.
///
/// # Complexity
/// O(n²) time, O(n) memory beyond the weights.
///
/// # References
/// `prim1957`
pub fn maximum_spanning_tree(weights: &[f64], n: usize, root: usize) -> Result<Tree> {
    check_weights(weights, n)?;
    if n == 0 {
        return Ok(Tree::new());
    }
    check_root(root, n)?;
    let edge = |i: usize, j: usize| weights[i.min(j) * n + i.max(j)];
    let better = |a: (usize, usize), b: (usize, usize)| {
        let (wa, wb) = (edge(a.0, a.1), edge(b.0, b.1));
        wa > wb || (wa == wb && (a.0.min(a.1), a.0.max(a.1)) < (b.0.min(b.1), b.0.max(b.1)))
    };

    let mut tree = vec![Some(root); n];
    tree[root] = None;
    let mut outside: Vec<usize> = (0..n).filter(|&node| node != root).collect();
    let link = |tree: &Tree, node: usize| (tree[node].unwrap_or(root), node);
    while !outside.is_empty() {
        let mut best = 0;
        for at in 1..outside.len() {
            if better(link(&tree, outside[at]), link(&tree, outside[best])) {
                best = at;
            }
        }
        let joined = outside.swap_remove(best);
        for &node in &outside {
            if better((joined, node), link(&tree, node)) {
                tree[node] = Some(joined);
            }
        }
    }
    Ok(tree)
}

/// The same undirected tree, directed away from another root.
///
/// # Complexity
/// O(n log n)
pub fn reroot(tree: &[Option<usize>], root: usize) -> Result<Tree> {
    check_root(root, tree.len())?;
    let edges: Vec<(usize, usize)> =
        tree.iter().enumerate().filter_map(|(node, parent)| parent.map(|parent| (parent, node))).collect();
    direct_forest(tree.len(), &edges, &[root])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::branching::tests::{all_trees, weights_of};

    fn undirected(tree: &[Option<usize>]) -> Vec<(usize, usize)> {
        let mut edges: Vec<_> =
            tree.iter().enumerate().filter_map(|(i, p)| p.map(|p| (i.min(p), i.max(p)))).collect();
        edges.sort_unstable();
        edges
    }

    #[test]
    fn no_node_and_one_node() {
        assert_eq!(maximum_spanning_tree(&[], 0, 3).unwrap(), []);
        assert_eq!(maximum_spanning_tree(&[7.0], 1, 0).unwrap(), [None]);
    }

    #[test]
    fn ties_go_to_the_lowest_edges() {
        assert_eq!(maximum_spanning_tree(&[1.0; 16], 4, 0).unwrap(), [None, Some(0), Some(0), Some(0)]);
        assert_eq!(maximum_spanning_tree(&[1.0; 16], 4, 2).unwrap(), [Some(2), Some(0), None, Some(0)]);
    }

    #[test]
    fn infinite_weights_are_used_last_and_first() {
        let inf = f64::INFINITY;
        let mut weights = vec![-inf; 9];
        weights[1] = inf;
        assert_eq!(maximum_spanning_tree(&weights, 3, 2).unwrap(), [Some(2), Some(0), None]);
    }

    #[test]
    fn a_large_dense_graph_is_spanned() {
        let n = 500;
        let weights = weights_of(n, 11);
        let tree = maximum_spanning_tree(&weights, n, 17).unwrap();
        let reached = crate::graph::order_by_depth(&tree).unwrap();
        assert_eq!(reached.len(), n);
        assert_eq!(reached[0], 17);
    }

    proptest! {
        #[test]
        fn it_is_the_best_of_all_trees(
            (n, root, weights) in (1usize..=6).prop_flat_map(|n| {
                (Just(n), 0..n, proptest::collection::vec((-3i32..4).prop_map(f64::from), n * n))
            })
        ) {
            let tree = maximum_spanning_tree(&weights, n, root).unwrap();
            let value = |tree: &Tree| undirected(tree).iter().map(|&(i, j)| weights[i * n + j]).sum::<f64>();
            let best = all_trees(n, Some(root)).iter().map(value).fold(f64::NEG_INFINITY, f64::max);
            prop_assert_eq!(value(&tree), best);
            prop_assert_eq!(tree[root], None);
        }

        #[test]
        fn the_edges_do_not_depend_on_the_root(
            (n, weights) in (1usize..=7).prop_flat_map(|n| {
                (Just(n), proptest::collection::vec((-1i32..2).prop_map(f64::from), n * n))
            })
        ) {
            let first = maximum_spanning_tree(&weights, n, 0).unwrap();
            for root in 0..n {
                let tree = maximum_spanning_tree(&weights, n, root).unwrap();
                prop_assert_eq!(undirected(&tree), undirected(&first));
                prop_assert_eq!(reroot(&first, root).unwrap(), tree);
            }
        }
    }
}
