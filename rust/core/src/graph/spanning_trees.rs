//! Sums over all spanning trees of a dense undirected graph: the matrix-tree theorem for weights of any scale.

use multiversion::multiversion;

use super::{check_root, check_weights, maximum_spanning_tree, order_by_depth};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::math::log_sum_exp;

/// Factors below this are as good as 0: what they stand for is at most e^(3·100) times as large.
const NOTHING: f64 = 1e-200;

/// The sum of the products of the weights over all spanning trees of a graph, for one set of weights W that may differ by
/// thousands of nats, and many sets of factors R that differ by less than [`SpanningTrees::WIDEST`] nats from 1.
///
/// # Formula
/// ```text
/// Z(R) = Σ_T Π_{ij ∈ T} W_ij R_ij = det of the Laplacian of W∘R without one row and its column
///
/// for a = n−1, …, 1:   σ_a = Σ_{j<a} L_aj,    L_ij ← L_ij + L_ia L_aj / σ_a  (i, j < a),     Z = Π_a σ_a
/// ```
/// T all spanning trees of the nodes 0 … n−1, L the weights W∘R to begin with. The elimination has no subtraction, and so
/// no cancellation. Ordinary floats would still overflow and underflow; logarithms of everything would cost one exponential and
/// one logarithm for each of its n³/6 steps. Instead every L_ij is kept relative to b_ij, the smallest W on the
/// way from i to j in the maximum spanning tree of W, which is the largest such value on any way:
/// ```text
/// B_ij = L_ij / b_ij,   σ_a = m_a Σ_j (b_aj / m_a) B_aj,   B_ij ← B_ij + B_ia B_aj (b_ia b_aj / (m_a b_ij)) m_a / σ_a
/// ```
/// Nodes are numbered parents first in that tree, and m_a is the weight from a to its parent, so that a is a leaf of what is
/// left. All factors in brackets are at most 1, since b is an ultrametric: min(b_ia, b_aj) ≤ b_ij. Schur complements of a
/// Laplacian stay below the effective conductance, so B_ij ≤ n² max R; and σ_a / m_a ≥ min R. Neither can leave the range of
/// a float while R is within e^±100, whatever W; what underflows is too small to matter. Sums are told relative to Π_a m_a, the
/// best tree's product: ln of that may be so large that nothing of what tells two sums apart would be left beside it.
///
/// # Complexity
/// O(n²) to prepare; O(n³/6) multiplications for each sum, several sums side by side; O(n³) for the probabilities of all edges.
///
/// # References
/// kirchhoff1847, meila2006, cerquides2005
#[derive(Debug, Clone, PartialEq)]
pub struct SpanningTrees {
    /// The node at each place, parents first.
    nodes: Vec<usize>,
    /// ln b of each pair of places; see [`pair`].
    log_bottleneck: Vec<f64>,
    /// ln W / b of each pair of places.
    log_relative: Vec<f64>,
    /// W / b of each pair of places.
    relative: Vec<f64>,
    /// ln m of each place but the first.
    log_parent: Vec<f64>,
}

/// Where the pair of places `j < a` lies in a triangle.
pub fn pair(a: usize, j: usize) -> usize {
    a * (a - 1) / 2 + j
}

impl SpanningTrees {
    /// The largest |ln R| of factors.
    pub const WIDEST: f64 = 100.0;

    /// Of the subgraph of some nodes; ln W of nodes `i < j` is `log_weights[i·n + j]`, the other triangle is not read.
    pub fn new(log_weights: &[f64], n: usize, of: &[usize]) -> Result<Self> {
        check_weights(log_weights, n)?;
        of.iter().try_for_each(|&node| check_root(node, n))?;
        let weight = |i: usize, j: usize| log_weights[i.min(j) * n + i.max(j)];
        let m = of.len();
        let among: Vec<f64> = of.iter().flat_map(|&i| of.iter().map(move |&j| weight(i, j))).collect();
        let tree = maximum_spanning_tree(&among, m, 0)?;
        let order = order_by_depth(&tree)?;
        let mut place_of = vec![0; m];
        order.iter().enumerate().for_each(|(place, &node)| place_of[node] = place);
        let mut log_bottleneck = vec![0.0; m * m.saturating_sub(1) / 2];
        let mut log_parent = vec![0.0; m];
        for (a, &node) in order.iter().enumerate() {
            let Some(parent) = tree[node] else { continue };
            let (p, to_parent) = (place_of[parent], among[parent * m + node]);
            if !to_parent.is_finite() {
                let (name, allowed) =
                    ("the logarithm of a weight", "those that connect the nodes are finite");
                return Err(Error::ParameterOutOfRange { name, value: to_parent, allowed });
            }
            log_parent[a] = to_parent;
            for j in 0..a {
                let beyond = if j == p { to_parent } else { log_bottleneck[pair(p.max(j), p.min(j))] };
                log_bottleneck[pair(a, j)] = beyond.min(to_parent);
            }
        }
        let nodes: Vec<usize> = order.iter().map(|&node| of[node]).collect();
        let pairs = (1..m).flat_map(|a| (0..a).map(move |j| (a, j)));
        let log_relative: Vec<f64> =
            pairs.map(|(a, j)| weight(nodes[a], nodes[j]) - log_bottleneck[pair(a, j)]).collect();
        let relative = log_relative.iter().map(|relative| relative.exp()).collect();
        Ok(Self { nodes, log_bottleneck, log_relative, relative, log_parent })
    }

    /// The node at each place: parents come first in the maximum spanning tree.
    pub fn nodes(&self) -> &[usize] {
        &self.nodes
    }

    /// W / b of each pair of places `j < a` at [`pair`]`(a, j)`: what factors are multiplied with for [`Self::log_sums`].
    pub fn relative(&self) -> &[f64] {
        &self.relative
    }

    /// ln of [`Self::relative`].
    pub fn log_relative(&self) -> &[f64] {
        &self.log_relative
    }

    /// ln Π_a m_a, that of the best tree.
    pub fn log_best(&self) -> f64 {
        self.log_parent.iter().sum()
    }

    /// ln Z / Π_a m_a of `lanes` sets of factors at once. `scaled` holds R·W/b of lane l at `pair(a, j)·lanes + l`, and is overwritten.
    pub fn log_sums(&self, scaled: &mut [f64], lanes: usize, control: &Control) -> Result<Vec<f64>> {
        let mut sums = vec![0.0; lanes];
        let mut factors = Factors::default();
        for a in (1..self.nodes.len()).rev() {
            control.check()?;
            factors.fill(self, a);
            let sigma = eliminate(a, &factors, scaled, lanes);
            sums.iter_mut().zip(sigma).for_each(|(sum, sigma)| *sum += sigma.ln());
        }
        Ok(sums)
    }

    /// ln Z / Π_a m_a where all R are 1.
    pub fn log_sum(&self, control: &Control) -> Result<f64> {
        Ok(self.log_sums(&mut self.relative.clone(), 1, control)?[0])
    }

    /// ln Z / Π_a m_a of factors of any size: slow, as the logarithms themselves are eliminated. `scaled` holds ln R·W/b at
    /// [`pair`]`(a, j)`, and is overwritten.
    pub fn log_sum_of_logarithms(&self, scaled: &mut [f64], control: &Control) -> Result<f64> {
        let mut total = 0.0;
        for a in (1..self.nodes.len()).rev() {
            control.check()?;
            let (before, from) = scaled.split_at_mut(pair(a, 0));
            let bottleneck = &self.log_bottleneck[pair(a, 0)..][..a];
            let near: Vec<f64> =
                bottleneck.iter().map(|bottleneck| bottleneck - self.log_parent[a]).collect();
            let of_a: Vec<f64> = from.iter().zip(&near).map(|(value, near)| value + near).collect();
            let sigma = log_sum_exp(&of_a);
            total += sigma;
            for i in 1..a {
                for (j, target) in before[pair(i, 0)..][..i].iter_mut().enumerate() {
                    // As in `Factors`: differences of equal bottlenecks are 0, however large these are.
                    let factor = if bottleneck[i] != bottleneck[j] {
                        near[i].max(near[j])
                    } else {
                        near[i] + (bottleneck[i] - self.log_bottleneck[pair(i, j)])
                    };
                    *target = log_sum_exp(&[*target, from[i] + from[j] + factor - sigma]);
                }
            }
        }
        Ok(total)
    }

    /// For each pair of places the share of the trees with that edge among all, where all R are 1.
    ///
    /// # Formula
    /// ```text
    /// P(ij ∈ T) = ∂ ln Z / ∂ ln W_ij = W_ij ρ_ij,   ρ the effective resistance
    /// ρ_ai = 1/σ_a + Σ_j q_j ρ_ij − ½ Σ_jk q_j q_k ρ_jk,   q_j = L_aj / σ_a,   for a = 1, 2, …
    /// ```
    /// Eliminating a node leaves the resistances between the others as they are, so that nodes come back one by one: in
    /// the space where ρ are squared distances, a hangs over the barycentre q of its neighbours. The difference is of
    /// numbers no larger than a few times the result. Kept relative to b as the sums are, ρ_ij b_ij.
    pub fn edge_probabilities(&self, control: &Control) -> Result<Vec<f64>> {
        let n = self.nodes.len();
        let mut scaled = self.relative.clone();
        let mut inverse = vec![0.0; n];
        let mut factors = Factors::default();
        for a in (1..n).rev() {
            control.check()?;
            factors.fill(self, a);
            inverse[a] = 1.0 / eliminate(a, &factors, &mut scaled, 1)[0];
        }
        let mut resistance = vec![0.0; self.relative.len()];
        let mut across = vec![0.0; n];
        for a in 1..n {
            control.check()?;
            factors.fill(self, a);
            let (before, of_a) = resistance.split_at_mut(pair(a, 0));
            let near = &scaled[pair(a, 0)..][..a];
            // Σ_j q_j ρ_ij b_ai of each i: by pairs, as b_ai b_aj / (m_a b_ij) is the same for both.
            across[..a].fill(0.0);
            let mut at = 0;
            for i in 1..a {
                for j in 0..i {
                    let shared = before[pair(i, j)] * factors.pairs[at] * inverse[a];
                    across[i] += near[j] * shared;
                    across[j] += near[i] * shared;
                    at += 1;
                }
            }
            let spread: f64 = near.iter().zip(&across).map(|(near, across)| near * across).sum();
            let above = inverse[a] - 0.5 * spread * inverse[a];
            for (i, resistance) in of_a[..a].iter_mut().enumerate() {
                *resistance = across[i] + above * factors.near[i];
            }
        }
        let probability = |(relative, resistance): (&f64, &f64)| (relative * resistance).clamp(0.0, 1.0);
        Ok(self.relative.iter().zip(&resistance).map(probability).collect())
    }
}

/// The factors in brackets of one node's elimination.
#[derive(Default)]
struct Factors {
    /// b_aj / m_a.
    near: Vec<f64>,
    /// b_ia b_aj / (m_a b_ij) of j < i, by [`pair`]; 0 where they are nothing.
    pairs: Vec<f64>,
}

impl Factors {
    fn fill(&mut self, trees: &SpanningTrees, a: usize) {
        let of_a = &trees.log_bottleneck[pair(a, 0)..][..a];
        self.near.clear();
        self.near.extend(of_a.iter().map(|bottleneck| (bottleneck - trees.log_parent[a]).exp()));
        self.pairs.clear();
        for i in 1..a {
            for j in 0..i {
                // Of the three bottlenecks between three nodes the two smallest are equal.
                let factor = if of_a[i] != of_a[j] {
                    self.near[i].max(self.near[j])
                } else if self.near[i] < NOTHING {
                    0.0
                } else {
                    self.near[i] * (of_a[i] - trees.log_bottleneck[pair(i, j)]).exp()
                };
                self.pairs.push(if factor < NOTHING { 0.0 } else { factor });
            }
        }
    }
}

/// Takes place `a` out of `scaled`; σ_a / m_a of each lane.
#[multiversion(targets("x86_64+avx2", "aarch64+neon"))]
fn eliminate(a: usize, factors: &Factors, scaled: &mut [f64], lanes: usize) -> Vec<f64> {
    let (before, from) = scaled.split_at_mut(pair(a, 0) * lanes);
    let of_a = &from[..a * lanes];
    let mut sigma = vec![0.0; lanes];
    for (near, of_a) in factors.near.iter().zip(of_a.chunks_exact(lanes)) {
        sigma.iter_mut().zip(of_a).for_each(|(sigma, value)| *sigma += near * value);
    }
    let mut share = vec![0.0; lanes];
    let mut at = 0;
    for i in 1..a {
        let of_i = &of_a[i * lanes..][..lanes];
        share
            .iter_mut()
            .zip(of_i.iter().zip(&sigma))
            .for_each(|(share, (value, sigma))| *share = value / sigma);
        let targets = before[pair(i, 0) * lanes..][..i * lanes].chunks_exact_mut(lanes);
        for (target, of_j) in targets.zip(of_a.chunks_exact(lanes)) {
            let factor = factors.pairs[at];
            at += 1;
            if factor > 0.0 {
                for ((target, share), of_j) in target.iter_mut().zip(&share).zip(of_j) {
                    *target += factor * share * of_j;
                }
            }
        }
    }
    sigma
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::branching::tests::all_trees;
    use proptest::prelude::*;

    /// ln of the product of each tree's weights, and its edges.
    fn trees(weights: &[f64], n: usize) -> Vec<(f64, Vec<(usize, usize)>)> {
        let edges = |tree: Vec<Option<usize>>| -> Vec<(usize, usize)> {
            tree.iter().enumerate().filter_map(|(i, p)| p.map(|p| (i.min(p), i.max(p)))).collect()
        };
        let trees = all_trees(n, Some(0)).into_iter().map(edges);
        trees.map(|tree| (tree.iter().map(|&(i, j)| weights[i * n + j]).sum(), tree)).collect()
    }

    fn everything(n: usize) -> Vec<usize> {
        (0..n).collect()
    }

    #[test]
    fn cayley_counts_the_trees() {
        for n in 1..12usize {
            let trees = SpanningTrees::new(&vec![0.0; n * n], n, &everything(n)).unwrap();
            let count = trees.log_sum(&Control::new()).unwrap().exp();
            let expected = if n < 3 { 1.0 } else { (n as f64).powi(n as i32 - 2) };
            assert!((count / expected - 1.0).abs() < 1e-12, "{n}: {count}");
            for probability in trees.edge_probabilities(&Control::new()).unwrap() {
                assert!((probability - 2.0 / n as f64).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn where_one_tree_dominates_it_is_the_sum() {
        // A path of 60 nodes whose edges are thousands of nats ahead, up and down along the way.
        let n = 60;
        let mut weights = vec![-2e4; n * n];
        for i in 0..n - 1 {
            weights[i * n + i + 1] = 1e3 * ((i * 7919) % 13) as f64;
        }
        let best: f64 = (0..n - 1).map(|i| weights[i * n + i + 1]).sum();
        let trees = SpanningTrees::new(&weights, n, &everything(n)).unwrap();
        assert!((trees.log_best() - best).abs() < 1e-9);
        assert!(trees.log_sum(&Control::new()).unwrap().abs() < 1e-9);
        let probabilities = trees.edge_probabilities(&Control::new()).unwrap();
        for a in 1..n {
            for j in 0..a {
                let in_path = trees.nodes()[a].abs_diff(trees.nodes()[j]) == 1;
                assert!((probabilities[pair(a, j)] - f64::from(u8::from(in_path))).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_cancelled_sum_stops() {
        let control = Control::new();
        control.cancel();
        let trees = SpanningTrees::new(&[0.0; 9], 3, &[0, 1, 2]).unwrap();
        assert!(trees.log_sum(&control).is_err() && trees.edge_probabilities(&control).is_err());
        assert!(trees.log_sum_of_logarithms(&mut [0.0; 3], &control).is_err());
    }

    proptest! {
        #[test]
        fn sums_and_edges_equal_those_of_all_trees(
            (n, weights, factors) in (2usize..=6).prop_flat_map(|n| (
                Just(n),
                prop_oneof![
                    proptest::collection::vec(-3.0..3.0f64, n * n),
                    proptest::collection::vec(-2000.0..2000.0f64, n * n),
                    proptest::collection::vec((-2i32..3).prop_map(|w| 500.0 * f64::from(w)), n * n),
                ],
                proptest::collection::vec(-20.0..20.0f64, n * n * 3),
            ))
        ) {
            let control = Control::new();
            let found = SpanningTrees::new(&weights, n, &everything(n)).unwrap();
            let with = |lane: usize| -> Vec<f64> { (0..n * n).map(|at| weights[at] + factors[at * 3 + lane]).collect() };
            let mut scaled = Vec::new();
            for a in 1..n {
                for j in 0..a {
                    let (low, high) = (found.nodes()[a].min(found.nodes()[j]), found.nodes()[a].max(found.nodes()[j]));
                    let relative = found.relative()[pair(a, j)];
                    scaled.extend((0..3).map(|lane| relative * factors[(low * n + high) * 3 + lane].exp()));
                }
            }
            let sums = found.log_sums(&mut scaled, 3, &control).unwrap();
            for (lane, sum) in sums.iter().enumerate() {
                let all: Vec<f64> = trees(&with(lane), n).into_iter().map(|(product, _)| product).collect();
                let expected = log_sum_exp(&all) - found.log_best();
                prop_assert!((sum - expected).abs() < 1e-9, "{sum} {expected}");
                let mut logarithms: Vec<f64> = (1..n)
                    .flat_map(|a| (0..a).map(move |j| (a, j)))
                    .map(|(a, j)| {
                        let (u, v) = (found.nodes()[a].min(found.nodes()[j]), found.nodes()[a].max(found.nodes()[j]));
                        found.log_relative()[pair(a, j)] + factors[(u * n + v) * 3 + lane]
                    })
                    .collect();
                let slow = found.log_sum_of_logarithms(&mut logarithms, &control).unwrap();
                prop_assert!((slow - expected).abs() < 1e-9, "{slow} {expected}");
            }
            let all = trees(&weights, n);
            let total = log_sum_exp(&all.iter().map(|(product, _)| *product).collect::<Vec<_>>());
            let probabilities = found.edge_probabilities(&control).unwrap();
            for a in 1..n {
                for j in 0..a {
                    let edge = (found.nodes()[a].min(found.nodes()[j]), found.nodes()[a].max(found.nodes()[j]));
                    let with_edge = all.iter().filter(|(_, edges)| edges.contains(&edge));
                    let expected: f64 = with_edge.map(|(product, _)| (product - total).exp()).sum();
                    let probability = probabilities[pair(a, j)];
                    prop_assert!((probability - expected).abs() < 1e-10, "{probability} {expected}");
                }
            }
        }
    }
}
