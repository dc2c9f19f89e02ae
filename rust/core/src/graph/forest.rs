//! Kruskal's maximum weighted forest over a list of edges.

use super::{Tree, check_root};
use crate::error::{Error, Result};

pub use super::order::direct as direct_forest;

/// The maximum weighted spanning forest over the given edges `(i, j, weight)`: of every connected part of
/// the graph they form, the maximum spanning tree, directed away from its lowest node.
///
/// # Formula
/// ```text
/// argmax over acyclic F ⊆ edges with the fewest trees of  Σ_{(i,j) ∈ F} w_ij
/// ```
/// An edge that should not be used, say one of negative weight or one that fails a test, is left out by
/// the caller. Ties: decreasing weight, then lowest `(min(i,j), max(i,j))`; of parallel edges the heavier
/// counts. The edges of the result can be directed otherwise with [`direct_forest`].
///
/// # Complexity
/// O(m log m) for m edges.
///
/// # References
/// `kruskal1956`
pub fn maximum_forest(n: usize, edges: &[(usize, usize, f64)]) -> Result<Tree> {
    for &(i, j, weight) in edges {
        check_root(i, n)?;
        check_root(j, n)?;
        if weight.is_nan() {
            return Err(Error::WeightNotANumber { from: i, to: j });
        }
    }
    let mut sorted: Vec<(usize, usize, f64)> =
        edges.iter().map(|&(i, j, weight)| (i.min(j), i.max(j), weight)).collect();
    sorted.sort_by(|a, b| b.2.total_cmp(&a.2).then((a.0, a.1).cmp(&(b.0, b.1))));

    let mut group: Vec<usize> = (0..n).collect();
    let mut chosen = Vec::with_capacity(n.saturating_sub(1));
    for (i, j, _) in sorted {
        let (a, b) = (find(&mut group, i), find(&mut group, j));
        if a != b {
            group[a] = b;
            chosen.push((i, j));
        }
    }
    direct_forest(n, &chosen, &[])
}

/// The representative of a node's group, halving the path on the way.
pub(super) fn find(group: &mut [usize], mut node: usize) -> usize {
    while group[node] != node {
        group[node] = group[group[node]];
        node = group[node];
    }
    node
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::maximum_spanning_tree;

    #[test]
    fn parts_are_rooted_at_their_lowest_node() {
        let edges = [(4, 2, 1.0), (2, 3, 5.0), (3, 4, 2.0), (0, 0, 9.0)];
        assert_eq!(maximum_forest(5, &edges).unwrap(), [None, None, None, Some(2), Some(3)]);
        assert_eq!(maximum_forest(3, &[]).unwrap(), [None, None, None]);
        assert_eq!(maximum_forest(0, &[]).unwrap(), []);
    }

    #[test]
    fn a_forest_can_be_directed_from_other_roots() {
        assert_eq!(direct_forest(4, &[(0, 1), (1, 2)], &[3, 2]).unwrap(), [Some(1), Some(2), None, None]);
    }

    #[test]
    fn bad_edges_are_refused() {
        assert_eq!(maximum_forest(2, &[(0, 1, f64::NAN)]), Err(Error::WeightNotANumber { from: 0, to: 1 }));
        assert_eq!(maximum_forest(2, &[(0, 2, 1.0)]), Err(Error::ColumnOutOfRange { column: 2, columns: 2 }));
    }

    proptest! {
        #[test]
        fn over_all_edges_it_is_the_spanning_tree(
            (n, weights) in (1usize..=7).prop_flat_map(|n| {
                (Just(n), proptest::collection::vec((-2i32..3).prop_map(f64::from), n * n))
            })
        ) {
            let edges: Vec<_> =
                (0..n).flat_map(|i| (i + 1..n).map(move |j| (j, i))).map(|(j, i)| (j, i, weights[i * n + j])).collect();
            prop_assert_eq!(maximum_forest(n, &edges).unwrap(), maximum_spanning_tree(&weights, n, 0).unwrap());
        }

        #[test]
        fn it_is_the_heaviest_acyclic_subset_that_spans(
            (n, edges) in (1usize..=5).prop_flat_map(|n| {
                (Just(n), proptest::collection::vec((0..n, 0..n, (0i32..4).prop_map(f64::from)), 0..9))
            })
        ) {
            let mut best = 0.0f64;
            for mask in 0u32..1 << edges.len() {
                let subset: Vec<_> = (0..edges.len()).filter(|e| mask >> e & 1 == 1).map(|e| edges[e]).collect();
                let bare: Vec<_> = subset.iter().map(|&(i, j, _)| (i, j)).collect();
                if bare.iter().all(|&(i, j)| i != j) && direct_forest(n, &bare, &[]).is_ok() {
                    best = best.max(subset.iter().map(|e| e.2).sum());
                }
            }
            let tree = maximum_forest(n, &edges).unwrap();
            let heaviest = |i: usize, j: usize| {
                edges.iter().filter(|e| (e.0.min(e.1), e.0.max(e.1)) == (i.min(j), i.max(j)))
                    .map(|e| e.2).fold(f64::NEG_INFINITY, f64::max)
            };
            let total: f64 = tree.iter().enumerate().filter_map(|(i, p)| p.map(|p| heaviest(i, p))).sum();
            prop_assert_eq!(total, best);
        }
    }
}
