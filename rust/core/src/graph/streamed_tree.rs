//! The maximum spanning tree of edges that come one after another and are not kept.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::forest::find;
use super::weakest::{Edge, Weakest, rank};
use super::{Tree, check_root, direct_forest};
use crate::error::{Error, Result};
use crate::memory::with_room;

/// How many lists there are in which edges wait, so that threads seldom wait for each other.
const LISTS: usize = 16;

/// The maximum spanning tree of a graph whose edges are shown once, in any order and from any thread.
///
/// # Formula
/// ```text
/// F ← ∅;   for each batch B of edges:   F ← the maximum forest of F ∪ B
/// ```
/// An edge that is the worst of a circle is in no maximum forest of any graph that has the circle, so what a batch
/// throws away is never missed. Ties: decreasing weight, then lowest `(i, j)`; under this total order the tree is unique,
/// the same as that of [`maximum_spanning_tree`](super::maximum_spanning_tree), whatever the order of the edges.
///
/// Most edges are known to be the worst of a circle with the forest so far, and wait for no batch.
///
/// # Complexity
/// O(m log n) time for m edges; O(n) memory.
///
/// # References
/// `kruskal1956`
///
/// # Differences
/// Prim's algorithm, on rows of weights that are made when they are needed, has no more memory, but each row would be
/// counted apart from all others; here pairs come in the blocks in which they are counted fastest.
#[derive(Debug)]
pub struct StreamedTree {
    n: usize,
    batch: usize,
    waiting: Vec<Mutex<Vec<Edge>>>,
    forest: Mutex<Vec<Edge>>,
    weakest: Weakest,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl StreamedTree {
    /// A graph of `n` nodes that has no edges yet.
    pub fn new(n: usize) -> Result<Self> {
        Self::with_batches(n, n.max(16))
    }

    /// With batches of so many edges.
    fn with_batches(n: usize, batch: usize) -> Result<Self> {
        // The forest twice, a batch, their union and the lists.
        drop(with_room::<Edge>(|| format!("a tree over {n} columns"), 3 * n + (LISTS + 2) * batch)?);
        Ok(Self {
            n,
            batch,
            waiting: (0..LISTS).map(|_| Mutex::default()).collect(),
            forest: Mutex::default(),
            weakest: Weakest::new(n),
        })
    }

    /// Shows an edge.
    pub fn add(&self, i: usize, j: usize, weight: f64) -> Result<()> {
        if weight.is_nan() {
            return Err(Error::WeightNotANumber { from: i, to: j });
        }
        let edge = (i.min(j), i.max(j), weight);
        check_root(edge.1, self.n)?;
        if self.weakest.refuses(&edge) {
            return Ok(());
        }
        let mut waiting = locked(&self.waiting[i % LISTS]);
        waiting.push(edge);
        if waiting.len() >= self.batch {
            let batch = std::mem::take(&mut *waiting);
            drop(waiting);
            self.merge(batch);
        }
        Ok(())
    }

    fn merge(&self, batch: Vec<Edge>) {
        let mut forest = locked(&self.forest);
        let mut edges = std::mem::take(&mut *forest);
        edges.extend(batch.into_iter().filter(|edge| !self.weakest.refuses(edge)));
        edges.sort_unstable_by(rank);
        let mut group: Vec<usize> = (0..self.n).collect();
        edges.retain(|&(i, j, _)| {
            let (a, b) = (find(&mut group, i), find(&mut group, j));
            group[a] = b;
            a != b
        });
        self.weakest.write(&edges);
        *forest = edges;
    }

    /// The tree of all edges that were shown, directed away from `root`, and the weight of the edge above each node, 0 at
    /// roots. Where the edges leave the graph in parts, each other part is directed away from its lowest node.
    pub fn finish(self, root: usize) -> Result<(Tree, Vec<f64>)> {
        if self.n == 0 {
            return Ok((Tree::new(), Vec::new()));
        }
        check_root(root, self.n)?;
        for list in &self.waiting {
            self.merge(std::mem::take(&mut *locked(list)));
        }
        let edges = std::mem::take(&mut *locked(&self.forest));
        let arcs: Vec<(usize, usize)> = edges.iter().map(|&(i, j, _)| (i, j)).collect();
        let tree = direct_forest(self.n, &arcs, &[root])?;
        let mut weights = vec![0.0; self.n];
        for (i, j, weight) in edges {
            let child = if tree[j] == Some(i) { j } else { i };
            weights[child] = weight;
        }
        Ok((tree, weights))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::maximum_spanning_tree;

    fn streamed(edges: &[Edge], n: usize, root: usize, batch: usize) -> (Tree, Vec<f64>) {
        let tree = StreamedTree::with_batches(n, batch).unwrap();
        edges.iter().for_each(|&(i, j, weight)| tree.add(i, j, weight).unwrap());
        tree.finish(root).unwrap()
    }

    #[test]
    fn few_nodes_and_bad_edges() {
        assert_eq!(StreamedTree::new(0).unwrap().finish(0).unwrap(), (vec![], vec![]));
        assert_eq!(StreamedTree::new(1).unwrap().finish(0).unwrap(), (vec![None], vec![0.0]));
        let tree = StreamedTree::new(2).unwrap();
        assert_eq!(tree.add(0, 1, f64::NAN), Err(Error::WeightNotANumber { from: 0, to: 1 }));
        assert_eq!(tree.add(0, 2, 1.0), Err(Error::ColumnOutOfRange { column: 2, columns: 2 }));
        assert_eq!(tree.finish(2), Err(Error::ColumnOutOfRange { column: 2, columns: 2 }));
    }

    #[test]
    fn parts_without_edges_have_roots_of_their_own() {
        assert_eq!(
            streamed(&[(2, 1, 4.0)], 4, 2, 1),
            (vec![None, Some(2), None, None], vec![0.0, 4.0, 0.0, 0.0])
        );
    }

    /// Each node is shown before and behind its neighbours, and there are many more nodes than lists.
    #[test]
    fn hundreds_of_nodes_find_their_lists() {
        let n = LISTS * LISTS + 40;
        let chain =
            (1..n).map(|node| if node % 2 == 0 { (node - 1, node, 2.0) } else { (node, node - 1, 2.0) });
        let worse = (2..n).map(|node| (node, node - 2, 1.0));
        let edges: Vec<Edge> = worse.chain(chain).collect();
        let (tree, above) = streamed(&edges, n, n - 1, n);
        assert!((0..n - 1).all(|node| tree[node] == Some(node + 1) && above[node] == 2.0));
        assert_eq!((tree[n - 1], above[n - 1]), (None, 0.0));
    }

    #[test]
    fn it_is_the_same_tree_whoever_shows_the_edges() {
        use rayon::prelude::*;
        let n = 150;
        // Few weights, so that there are many ties.
        let weight = |i: usize, j: usize| ((i.min(j) * 7919 + i.max(j) * 104_729) % 1009 % 37) as f64;
        let weights: Vec<f64> = (0..n * n).map(|place| weight(place / n, place % n)).collect();
        let expected = maximum_spanning_tree(&weights, n, 3).unwrap();
        for batch in [1, 5, 100] {
            let tree = StreamedTree::with_batches(n, batch).unwrap();
            let pairs: Vec<(usize, usize)> = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).collect();
            let shown = pairs.par_iter().with_max_len(4).filter(|(i, j)| i != j);
            shown.for_each(|&(i, j)| tree.add(i, j, weight(i, j)).unwrap());
            assert_eq!(tree.finish(3).unwrap().0, expected);
        }
    }

    proptest! {
        #[test]
        fn it_is_the_tree_of_the_whole_matrix(
            (n, root, weights, order) in (1usize..=9).prop_flat_map(|n| {
                let pairs: Vec<(usize, usize)> = (0..n).flat_map(|j| (0..j).map(move |i| (i, j))).collect();
                let weight = prop_oneof![(-2i32..3).prop_map(f64::from), Just(f64::INFINITY), Just(f64::NEG_INFINITY)];
                (Just(n), 0..n, prop::collection::vec(weight, n * n), Just(pairs).prop_shuffle())
            }),
            batch in 1usize..20,
        ) {
            let edges: Vec<Edge> = order.iter().map(|&(i, j)| (i, j, weights[i * n + j])).collect();
            let (tree, above) = streamed(&edges, n, root, batch);
            let expected = maximum_spanning_tree(&weights, n, root).unwrap();
            for (child, parent) in expected.iter().enumerate() {
                let weight = parent.map_or(0.0, |parent| weights[child.min(parent) * n + child.max(parent)]);
                prop_assert_eq!(above[child], weight);
            }
            prop_assert_eq!(tree, expected);
        }
    }
}
