//! The weakest edge on the path between two nodes of a forest, asked by many threads while the forest grows better.

use std::cmp;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

/// An edge `(i, j, weight)` with `i < j`.
pub(super) type Edge = (usize, usize, f64);

/// Nodes climb no further than this; a forest of 2³² nodes is no higher.
const HIGHEST: usize = 33;

/// The weakest edge between any two nodes of a maximum forest.
///
/// # Formula
/// Kruskal's algorithm unites two groups with each edge, the better edges first. Each group is a tree of nodes under its root, and
/// the root of the smaller group is put under that of the larger one; a node keeps the number of the edge by which this happened.
/// Numbers grow on the way up, so the weakest edge between two nodes is the last that either climbs over
/// until they meet, always the one whose next number is smaller.
///
/// # Complexity
/// O(log n) to ask, since each step at least doubles the group; O(n log n) to write a forest; O(n) memory.
///
/// # Differences
/// Nobody waits: readers look whether a forest was written meanwhile (a sequence lock), and then know nothing.
#[derive(Debug)]
pub(super) struct Weakest {
    /// Odd while a forest is written.
    version: AtomicU64,
    above: Vec<AtomicU32>,
    /// The number of the edge over which a node is below the next, [`NO_EDGE`] at roots.
    edge_above: Vec<AtomicU32>,
    /// Both ends of each edge, and the bits of its weight.
    ends: Vec<(AtomicU32, AtomicU32)>,
    weights: Vec<AtomicU64>,
}

const NO_EDGE: u32 = u32::MAX;

/// The better edge is less.
pub(super) fn rank(a: &Edge, b: &Edge) -> cmp::Ordering {
    b.2.partial_cmp(&a.2).unwrap_or(cmp::Ordering::Equal).then((a.0, a.1).cmp(&(b.0, b.1)))
}

impl Weakest {
    /// Of `n` nodes without edges.
    pub(super) fn new(n: usize) -> Self {
        let edges = n.saturating_sub(1);
        Self {
            version: AtomicU64::new(0),
            above: (0..n as u32).map(AtomicU32::new).collect(),
            edge_above: (0..n).map(|_| AtomicU32::new(NO_EDGE)).collect(),
            ends: (0..edges).map(|_| Default::default()).collect(),
            weights: (0..edges).map(|_| AtomicU64::default()).collect(),
        }
    }

    /// Replaces the forest by these edges, the best first, which close no circle. Only one thread may write at a time.
    pub(super) fn write(&self, edges: &[Edge]) {
        let version = self.version.load(Ordering::Relaxed);
        self.version.store(version + 1, Ordering::Relaxed);
        fence(Ordering::Release);
        for (node, (above, edge)) in self.above.iter().zip(&self.edge_above).enumerate() {
            above.store(node as u32, Ordering::Relaxed);
            edge.store(NO_EDGE, Ordering::Relaxed);
        }
        let mut sizes = vec![1u32; self.above.len()];
        for (number, &(i, j, weight)) in edges.iter().enumerate() {
            self.ends[number].0.store(i as u32, Ordering::Relaxed);
            self.ends[number].1.store(j as u32, Ordering::Relaxed);
            self.weights[number].store(weight.to_bits(), Ordering::Relaxed);
            let (a, b) = (self.root(i), self.root(j));
            let (small, large) = if sizes[a] < sizes[b] { (a, b) } else { (b, a) };
            sizes[large] += sizes[small];
            self.above[small].store(large as u32, Ordering::Relaxed);
            self.edge_above[small].store(number as u32, Ordering::Relaxed);
        }
        self.version.store(version + 2, Ordering::Release);
    }

    fn root(&self, mut node: usize) -> usize {
        while self.edge_above[node].load(Ordering::Relaxed) != NO_EDGE {
            node = self.above[node].load(Ordering::Relaxed) as usize;
        }
        node
    }

    /// Whether an edge closes a circle with the forest of which it is the worst edge; false where that is not known.
    pub(super) fn refuses(&self, edge: &Edge) -> bool {
        let version = self.version.load(Ordering::Acquire);
        let worst = version.is_multiple_of(2)
            && self.weakest(edge.0, edge.1).is_some_and(|weakest| rank(edge, &weakest).is_ge());
        fence(Ordering::Acquire);
        worst && self.version.load(Ordering::Relaxed) == version
    }

    fn weakest(&self, a: usize, b: usize) -> Option<Edge> {
        let edge_above = |node: usize| self.edge_above[node].load(Ordering::Relaxed);
        let (mut a, mut b) = ((a, edge_above(a)), (b, edge_above(b)));
        let mut weakest = NO_EDGE;
        // While a forest is written, what is read may go in circles.
        for _ in 0..2 * HIGHEST {
            if a.0 == b.0 {
                let (i, j) = self.ends.get(weakest as usize)?;
                let ends = (i.load(Ordering::Relaxed) as usize, j.load(Ordering::Relaxed) as usize);
                let weight = f64::from_bits(self.weights[weakest as usize].load(Ordering::Relaxed));
                return Some((ends.0, ends.1, weight));
            }
            let lower = if a.1 < b.1 { &mut a } else { &mut b };
            if lower.1 == NO_EDGE {
                return None;
            }
            weakest = lower.1;
            let above = self.above[lower.0].load(Ordering::Relaxed) as usize;
            *lower = (above, edge_above(above));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The weakest edge on the only way from one node to another, by going all ways.
    fn slow(edges: &[Edge], from: usize, to: usize, last: Option<usize>) -> Option<Edge> {
        edges.iter().enumerate().filter(|&(number, _)| Some(number) != last).find_map(|(number, &edge)| {
            let next = match edge {
                (i, j, _) if i == from => j,
                (i, j, _) if j == from => i,
                _ => return None,
            };
            if next == to {
                return Some(edge);
            }
            let rest = slow(edges, next, to, Some(number))?;
            Some(if rank(&rest, &edge).is_gt() { rest } else { edge })
        })
    }

    proptest! {
        #[test]
        fn it_is_the_weakest_edge_on_the_path(
            links in prop::collection::vec((any::<prop::sample::Index>(), -2i32..3, any::<bool>()), 1..30),
        ) {
            // Each node is tied to an earlier one, or to none.
            let n = links.len();
            let edges = links.iter().enumerate().skip(1).filter(|(_, link)| link.2);
            let mut edges: Vec<Edge> =
                edges.map(|(node, link)| (link.0.index(node), node, f64::from(link.1))).collect();
            edges.sort_unstable_by(rank);
            let weakest = Weakest::new(n);
            for written in [&edges[..edges.len() / 2], &edges] {
                weakest.write(written);
                for (i, j) in (0..n).flat_map(|j| (0..j).map(move |i| (i, j))) {
                    let expected = slow(written, i, j, None);
                    prop_assert_eq!(weakest.weakest(i, j), expected);
                    for weight in -2..3 {
                        let edge = (i, j, f64::from(weight));
                        let refused = expected.is_some_and(|weakest| rank(&edge, &weakest).is_ge());
                        prop_assert_eq!(weakest.refuses(&edge), refused);
                    }
                }
            }
        }
    }
}
