//! Edmonds' maximum spanning arborescence of a dense directed graph, for every root at once.

use std::ops::{Add, Sub};

use super::{Tree, check_root, check_weights};
use crate::error::Result;
use crate::memory::check_bytes;

/// The best spanning arborescence over all roots.
///
/// See [`Branchings`]. Of roots with equal totals the lowest is taken. `n = 0` gives the empty tree.
pub fn maximum_branching(weights: &[f64], n: usize) -> Result<Tree> {
    let all = Branchings::new(weights, n)?;
    all.best_root().map_or(Ok(Tree::new()), |root| all.rooted_at(root))
}

/// The best spanning arborescence with the given root.
///
/// See [`Branchings`]. `n = 0` gives the empty tree, whatever the root.
pub fn maximum_branching_from(weights: &[f64], n: usize, root: usize) -> Result<Tree> {
    let all = Branchings::new(weights, n)?;
    if n == 0 { Ok(Tree::new()) } else { all.rooted_at(root) }
}

/// The maximum spanning arborescences of a complete directed graph, one for each root, after one
/// contraction.
///
/// # Formula
/// ```text
/// for a root ρ:  argmax over arborescences A from ρ of  Σ_{(i→j) ∈ A} w_ij
/// ```
/// Every node but ρ has exactly one parent: negative weights are used, the arborescence spans. Infinite
/// weights are ordered before sums: fewest `−∞` less `+∞` arcs first, then the largest finite sum.
/// Ties: of equally heavy arcs into the same (contracted) node, the lowest `(from, to)`.
///
/// # Method
/// Edmonds' algorithm with a virtual root that may be used once. Its arcs weigh one unit of a coordinate
/// that is compared before the weights, so each is worse than any real arc and no large constant, and no
/// rounding by one, is needed. In a complete graph every contracted node but the last has a real arc into
/// it. Hence virtual arcs never win while two nodes are left: the contraction runs over the real arcs alone
/// until one node remains, and only then is the virtual arc chosen. Entering by the leaf ρ gives
///
/// ```text
/// total(ρ) = Σ_v m_v − Σ_{v ∋ ρ} m_v
/// ```
/// over all contracted nodes v but the last, `m_v` being the (reduced) weight of the heaviest arc into v.
/// So one contraction serves all roots: the best root is the leaf of least `Σ_{v ∋ ρ} m_v`, and a given
/// root is entered by its own leaf.
///
/// # Complexity
/// O(n²) time and memory: a path is grown backwards, each of at most 2n−1 (contracted) nodes scans its
/// arcs once, and each contraction merges rows and columns in O(n) per node that disappears. Expansion
/// is O(n) per root.
///
/// # References
/// `edmonds1967`, `tarjan1977`, `gabow1986`
#[derive(Debug, Clone)]
pub struct Branchings {
    n: usize,
    /// Of every node, original ones first: the contracted node it went into (itself at the last).
    outer: Vec<usize>,
    /// Of every contracted node, the nodes it is made of, at `id - n`.
    members: Vec<Vec<usize>>,
    /// The heaviest arc into every node but the last, between original nodes.
    entry: Vec<(usize, usize)>,
    best_root: Option<usize>,
}

impl Branchings {
    /// Contracts the graph; refuses a matrix that is not `n × n` and NaN weights.
    pub fn new(weights: &[f64], n: usize) -> Result<Self> {
        check_weights(weights, n)?;
        check_bytes(|| format!("the arcs between {n} nodes"), [n, n, size_of::<Arc<Ranked>>()])?;
        let finite = weights.iter().enumerate().all(|(at, weight)| weight.is_finite() || at / n == at % n);
        Ok(if finite {
            contract(n, |from, to| weights[from * n + to])
        } else {
            contract(n, |from, to| Ranked::new(weights[from * n + to]))
        })
    }

    /// The root of the heaviest arborescence, the lowest of several; `None` where there are no nodes.
    fn best_root(&self) -> Option<usize> {
        self.best_root
    }

    /// The heaviest arborescence with this root.
    pub fn rooted_at(&self, root: usize) -> Result<Tree> {
        check_root(root, self.n)?;
        let mut tree = vec![None; self.n];
        // (leaf by which a node is entered, the node): its other members are entered by their own arcs.
        let mut entered = vec![(root, self.outer.len() - 1)];
        while let Some((leaf, top)) = entered.pop() {
            let mut inner = leaf;
            while inner != top {
                let outer = self.outer[inner];
                for &sibling in self.members[outer - self.n].iter().filter(|&&member| member != inner) {
                    let (from, to) = self.entry[sibling];
                    tree[to] = Some(from);
                    entered.push((to, sibling));
                }
                inner = outer;
            }
        }
        Ok(tree)
    }
}

/// What the contraction needs of a weight: an ordered group without NaN.
trait Weight: Copy + PartialOrd + Add<Output = Self> + Sub<Output = Self> {
    const ZERO: Self;
}

impl Weight for f64 {
    const ZERO: Self = 0.0;
}

/// A weight that may be infinite: infinities are counted, and compared before the finite part.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
struct Ranked {
    infinities: i64,
    finite: f64,
}

impl Ranked {
    fn new(weight: f64) -> Self {
        if weight.is_infinite() {
            Self { infinities: weight.signum() as i64, finite: 0.0 }
        } else {
            Self { infinities: 0, finite: weight }
        }
    }
}

impl Add for Ranked {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { infinities: self.infinities + other.infinities, finite: self.finite + other.finite }
    }
}

impl Sub for Ranked {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { infinities: self.infinities - other.infinities, finite: self.finite - other.finite }
    }
}

impl Weight for Ranked {
    const ZERO: Self = Self { infinities: 0, finite: 0.0 };
}

/// An arc into a (contracted) node: its reduced weight and its original ends.
#[derive(Clone, Copy)]
struct Arc<W> {
    weight: W,
    from: u32,
    to: u32,
}

impl<W: Weight> Arc<W> {
    fn beats(&self, other: &Self) -> bool {
        self.weight > other.weight
            || (self.weight == other.weight && (self.from, self.to) < (other.from, other.to))
    }
}

/// The graph while it is contracted. A contracted node lives in the slot of one of its members.
struct Contraction<W> {
    n: usize,
    /// `arcs[to * n + from]` over slots: all arcs into a node lie side by side.
    arcs: Vec<Arc<W>>,
    /// The slots still in use.
    active: Vec<usize>,
    /// The node that lives in a slot.
    node: Vec<usize>,
    /// Of every node: where it went, its heaviest arc in.
    outer: Vec<usize>,
    entry: Vec<(usize, usize)>,
    entry_weight: Vec<W>,
    members: Vec<Vec<usize>>,
}

fn contract<W: Weight>(n: usize, weight: impl Fn(usize, usize) -> W) -> Branchings {
    let arc = |to: usize, from: usize| Arc {
        weight: if to == from { W::ZERO } else { weight(from, to) },
        from: from as u32,
        to: to as u32,
    };
    let mut graph = Contraction {
        n,
        arcs: (0..n)
            .flat_map(|to| (0..n).map(move |from| (to, from)))
            .map(|(to, from)| arc(to, from))
            .collect(),
        active: (0..n).collect(),
        node: (0..n).collect(),
        outer: (0..n).collect(),
        entry: (0..n).map(|node| (node, node)).collect(),
        entry_weight: vec![W::ZERO; n],
        members: Vec::new(),
    };
    graph.run();
    Branchings {
        best_root: graph.best_root(),
        n,
        outer: graph.outer,
        members: graph.members,
        entry: graph.entry,
    }
}

impl<W: Weight> Contraction<W> {
    /// Grows a path backwards along heaviest arcs and contracts every cycle it closes, until one node is left.
    fn run(&mut self) {
        let mut path: Vec<usize> = Vec::new();
        let mut on_path = vec![false; self.n];
        let mut head = 0;
        while self.active.len() > 1 {
            path.push(head);
            on_path[head] = true;
            let source = self.enter(head);
            if !on_path[source] {
                head = source;
                continue;
            }
            let start = path.iter().rposition(|&slot| slot == source).unwrap_or(0);
            let cycle = path.split_off(start);
            for &slot in &cycle {
                on_path[slot] = false;
            }
            head = self.merge(&cycle);
        }
    }

    /// Finds and notes the heaviest arc into the node of a slot; gives the slot that it comes from.
    fn enter(&mut self, slot: usize) -> usize {
        let row = &self.arcs[slot * self.n..][..self.n];
        let mut best: Option<usize> = None;
        for &from in self.active.iter().filter(|&&from| from != slot) {
            if best.is_none_or(|best| row[from].beats(&row[best])) {
                best = Some(from);
            }
        }
        // `run` calls this while two nodes are active: there is another slot.
        let source = best.unwrap_or(slot);
        let node = self.node[slot];
        self.entry[node] = (row[source].from as usize, row[source].to as usize);
        self.entry_weight[node] = row[source].weight;
        source
    }

    /// Makes one node of a cycle; gives its slot.
    fn merge(&mut self, cycle: &[usize]) -> usize {
        let (n, kept) = (self.n, cycle[0]);
        let merged = self.outer.len();
        for &slot in cycle {
            let node = self.node[slot];
            self.outer[node] = merged;
            let paid = self.entry_weight[node];
            for arc in &mut self.arcs[slot * n..][..n] {
                arc.weight = arc.weight - paid;
            }
        }
        self.members.push(cycle.iter().map(|&slot| self.node[slot]).collect());
        self.outer.push(merged);
        self.entry.push((0, 0));
        self.entry_weight.push(W::ZERO);
        self.node[kept] = merged;

        let gone = &cycle[1..];
        self.active.retain(|slot| !gone.contains(slot));
        for &slot in gone {
            for &other in &self.active {
                let into = self.arcs[slot * n + other];
                if into.beats(&self.arcs[kept * n + other]) {
                    self.arcs[kept * n + other] = into;
                }
                let out = self.arcs[other * n + slot];
                if out.beats(&self.arcs[other * n + kept]) {
                    self.arcs[other * n + kept] = out;
                }
            }
        }
        kept
    }

    /// The leaf whose contracted nodes cost least to enter, the lowest of several.
    fn best_root(&self) -> Option<usize> {
        let last = self.outer.len().checked_sub(1)?;
        // Outer nodes have higher numbers: sum from the outermost inwards.
        let mut paid = vec![W::ZERO; self.outer.len()];
        for node in (0..last).rev() {
            paid[node] = paid[self.outer[node]] + self.entry_weight[node];
        }
        (0..self.n).reduce(|best, root| if paid[root] < paid[best] { root } else { best })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Every arborescence over `n ≤ 6` nodes, with the given root or any.
    pub fn all_trees(n: usize, root: Option<usize>) -> Vec<Tree> {
        let mut trees = Vec::new();
        for code in 0..(n as u64).pow(n as u32) {
            let digit = |node: usize| (code / (n as u64).pow(node as u32) % n as u64) as usize;
            let tree: Tree = (0..n).map(|node| Some(digit(node)).filter(|&p| p != node)).collect();
            let roots: Vec<_> = (0..n).filter(|&node| tree[node].is_none()).collect();
            if roots.len() == 1
                && root.is_none_or(|root| roots[0] == root)
                && crate::graph::depths(&tree).is_ok()
            {
                trees.push(tree);
            }
        }
        trees
    }

    /// A dense matrix of pseudo-random weights.
    pub fn weights_of(n: usize, seed: u64) -> Vec<f64> {
        let mut state = seed | 1;
        (0..n * n)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
            })
            .collect()
    }

    fn value(weights: &[f64], tree: &Tree) -> Ranked {
        let n = tree.len();
        let arcs = tree.iter().enumerate().filter_map(|(to, from)| from.map(|from| weights[from * n + to]));
        arcs.fold(Ranked::ZERO, |sum, weight| sum + Ranked::new(weight))
    }

    #[test]
    fn no_node_and_one_node() {
        assert_eq!(maximum_branching(&[], 0).unwrap(), []);
        assert_eq!(maximum_branching_from(&[], 0, 5).unwrap(), []);
        assert_eq!(maximum_branching(&[f64::NAN], 1).unwrap(), [None]);
        assert_eq!(maximum_branching_from(&[2.0], 1, 0).unwrap(), [None]);
    }

    #[test]
    fn ties_go_to_the_lowest_root() {
        assert_eq!(maximum_branching(&[-1.0; 16], 4).unwrap()[0], None);
    }

    #[test]
    fn every_weight_may_be_infinite() {
        for inf in [f64::INFINITY, f64::NEG_INFINITY] {
            let tree = maximum_branching(&[inf; 25], 5).unwrap();
            assert_eq!(tree.iter().filter(|parent| parent.is_none()).count(), 1);
            assert!(crate::graph::depths(&tree).is_ok());
        }
    }

    #[test]
    fn no_constant_swallows_small_differences() {
        // A big-M of any size that dominates 1e15 would round the 0.25 away.
        let mut weights = vec![0.0; 9];
        (weights[1], weights[3], weights[2]) = (1e15, 1e15 + 0.25, 3.0);
        assert_eq!(maximum_branching(&weights, 3).unwrap(), [Some(1), None, Some(0)]);
        (weights[1], weights[3]) = (1e15 + 0.25, 1e15);
        assert_eq!(maximum_branching(&weights, 3).unwrap(), [None, Some(0), Some(0)]);
    }

    #[test]
    fn a_large_dense_graph_is_spanned_and_beats_every_root() {
        let n = 500;
        let weights = weights_of(n, 7);
        let all = Branchings::new(&weights, n).unwrap();
        let best = all.rooted_at(all.best_root().unwrap()).unwrap();
        for root in (0..n).step_by(37) {
            let tree = all.rooted_at(root).unwrap();
            assert_eq!(crate::graph::order_by_depth(&tree).unwrap()[0], root);
            assert!(value(&weights, &tree).finite <= value(&weights, &best).finite + 1e-9);
        }
    }

    fn weight() -> impl Strategy<Value = f64> {
        prop_oneof![
            6 => (-3i32..4).prop_map(f64::from),
            1 => Just(f64::NEG_INFINITY),
            1 => Just(f64::INFINITY),
        ]
    }

    proptest! {
        #[test]
        fn it_is_the_best_of_all_arborescences(
            (n, weights) in (1usize..=5).prop_flat_map(|n| {
                (Just(n), proptest::collection::vec((-3i32..4).prop_map(f64::from), n * n))
            })
        ) {
            let trees = all_trees(n, None);
            let found = maximum_branching(&weights, n).unwrap();
            prop_assert!(trees.contains(&found));
            let best = trees.iter().map(|tree| value(&weights, tree).finite).fold(f64::NEG_INFINITY, f64::max);
            prop_assert_eq!(value(&weights, &found).finite, best);
            let lowest = trees.iter().filter(|tree| value(&weights, tree).finite == best)
                .filter_map(|tree| tree.iter().position(Option::is_none)).min();
            prop_assert_eq!(found.iter().position(Option::is_none), lowest);
        }

        #[test]
        fn every_root_gets_its_best_arborescence_infinities_included(
            (n, weights) in (1usize..=5).prop_flat_map(|n| {
                (Just(n), proptest::collection::vec(weight(), n * n))
            })
        ) {
            let all = Branchings::new(&weights, n).unwrap();
            for root in 0..n {
                let found = all.rooted_at(root).unwrap();
                let trees = all_trees(n, Some(root));
                prop_assert!(trees.contains(&found));
                prop_assert!(trees.iter().all(|tree| value(&weights, tree) <= value(&weights, &found)));
                let best = maximum_branching(&weights, n).unwrap();
                prop_assert!(value(&weights, &found) <= value(&weights, &best));
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        #[test]
        fn six_nodes_too(weights in proptest::collection::vec((-2i32..3).prop_map(f64::from), 36)) {
            let best = all_trees(6, None).iter().map(|tree| value(&weights, tree).finite)
                .fold(f64::NEG_INFINITY, f64::max);
            prop_assert_eq!(value(&weights, &maximum_branching(&weights, 6).unwrap()).finite, best);
        }
    }
}
