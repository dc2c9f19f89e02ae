//! The forest of the dependences that a test finds.

use std::sync::Mutex;

use rayon::prelude::*;

use crate::control::Control;
use crate::counts::{Cell, CountSource, FoldCounts, PairTable, PairVisitor};
use crate::error::{Error, Result, check_parameter};
use crate::graph::{Tree, direct_forest, maximum_forest};
use crate::independence::g_test;
use crate::math::Random;
use crate::memory::check_bytes;
use crate::options::{Declared, Domain, Options};
use crate::structure::Node;
use crate::with_cells;

/// When two variables count as dependent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Significance {
    /// The level: dependent where p ≤ α; in (0, 1].
    pub alpha: f64,
    /// The fewest rows per cell with which a test is relied on; otherwise the variables count as independent.
    pub min_cell: f64,
}

impl Default for Significance {
    fn default() -> Self {
        Self { alpha: 0.05, min_cell: 5.0 }
    }
}

impl Significance {
    /// Checked.
    pub fn new(alpha: f64, min_cell: f64) -> Result<Self> {
        let allowed = "a significance level lies above 0 and not above 1";
        check_parameter("alpha", alpha, alpha > 0.0 && alpha <= 1.0, allowed)?;
        let is_allowed = min_cell >= 0.0 && min_cell.is_finite();
        check_parameter("min_cell", min_cell, is_allowed, "it is a finite number from 0 on")?;
        Ok(Self { alpha, min_cell })
    }

    /// From the settings `alpha` and `min_cell`.
    pub(super) fn from_options(options: &Options) -> Result<Self> {
        Self::new(options.number("alpha")?, options.number("min_cell")?)
    }
}

/// The setting `alpha`.
pub(super) const ALPHA: Declared =
    Declared::new("alpha", Domain::Number(0.05), "the significance level of the tests");

/// The setting `min_cell`.
pub(super) const MIN_CELL: Declared =
    Declared::new("min_cell", Domain::Number(5.0), "a test with fewer rows per cell means independence");

/// The setting `roots`.
pub(super) const ROOTS: Declared =
    Declared::new("roots", Domain::Word(&["lowest", "random"]), "where the trees are rooted");

/// The setting `random_state`.
pub(super) const SEED: Declared =
    Declared::new("random_state", Domain::WholeOrNone, "the seed of random roots");

/// Where the trees of a forest are rooted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Roots {
    /// Each at its lowest group.
    #[default]
    Lowest,
    /// Each at a random group, as the seed says.
    Random(u64),
}

impl Roots {
    /// From the settings `roots` and `random_state`.
    pub(super) fn from_options(options: &Options) -> Self {
        match options.word("roots") {
            "random" => Roots::Random(options.seed()),
            _ => Roots::Lowest,
        }
    }
}

/// The maximum weighted forest over the pairs of groups that are dependent given the class: the parent group of each
/// group.
///
/// # Formula
/// ```text
/// edges  S — T with p(G) ≤ α and N / (r_S r_T s) ≥ min_cell,   G = 2 N I(X_S; X_T | C),   df = (r_S−1)(r_T−1) s
/// weight I(X_S; X_T | C)
/// ```
/// X_S the compound variable of group S with r_S values (the product of its members'), C the class with s values,
/// N rows. Without a class: the same with one stratum. Kruskal's forest; ties by decreasing weight, then the lowest
/// pair of groups. Every tree is rooted at its lowest group, or at a random one.
///
/// # Complexity
/// O(g²·N) for g groups; for single attributes the kernels that count all pairs. A pair whose test cannot be reliable
/// is not counted.
///
/// # References
/// mihaljevic2013, kruskal1956
///
/// # Differences
/// The paper roots each tree at random; the default here is the lowest group, so that the result is one.
pub fn chi2_forest(
    source: &dyn CountSource,
    groups: &[Vec<usize>],
    significance: Significance,
    roots: Roots,
    control: &Control,
) -> Result<Tree> {
    check_groups(groups, source.n())?;
    let alone = groups.len() == source.n() && groups.iter().enumerate().all(|(i, group)| *group == [i]);
    let edges = if alone {
        attribute_edges(source, significance, control)?
    } else {
        group_edges(source, groups, significance, control)?
    };
    rooted_forest(groups.len(), &edges, roots)
}

/// [`chi2_forest`] of single attributes for each training set of a cross-validation, from one pass over all pairs.
pub(super) fn chi2_forests(
    folds: &FoldCounts<'_>,
    significance: Significance,
    roots: Roots,
    control: &Control,
) -> Result<Vec<Tree>> {
    let sinks: Vec<EdgeSink> = folds.trainings().map(|source| EdgeSink::new(&source, significance)).collect();
    if sinks.iter().any(EdgeSink::any_reliable) {
        folds.visit_pairs(&sinks, control)?;
    }
    sinks.into_iter().map(|sink| rooted_forest(sink.arities.len(), &sink.edges(), roots)).collect()
}

fn rooted_forest(n: usize, edges: &[Edge], roots: Roots) -> Result<Tree> {
    let tree = maximum_forest(n, edges)?;
    match roots {
        Roots::Lowest => Ok(tree),
        Roots::Random(seed) => {
            let mut preference: Vec<usize> = (0..n).collect();
            Random::new(seed).shuffle(&mut preference);
            let arcs: Vec<(usize, usize)> =
                tree.iter().enumerate().filter_map(|(i, parent)| parent.map(|parent| (parent, i))).collect();
            direct_forest(n, &arcs, &preference)
        }
    }
}

fn check_groups(groups: &[Vec<usize>], n: usize) -> Result<()> {
    let mut used = vec![false; n];
    for group in groups {
        if group.is_empty() {
            return Err(Error::InvalidStructure { reason: "a group has no members".into() });
        }
        for &member in group {
            match used.get_mut(member) {
                None => return Err(Error::ColumnOutOfRange { column: member, columns: n }),
                Some(true) => {
                    let reason = format!("column {member} is in two groups");
                    return Err(Error::InvalidStructure { reason });
                }
                Some(used) => *used = true,
            }
        }
    }
    Ok(())
}

type Edge = (usize, usize, f64);

/// The significant pairs of single attributes, from the tables of all pairs.
fn attribute_edges(
    source: &dyn CountSource,
    significance: Significance,
    control: &Control,
) -> Result<Vec<Edge>> {
    let sink = EdgeSink::new(source, significance);
    if sink.any_reliable() {
        source.visit_pairs(&sink, control)?;
    }
    Ok(sink.edges())
}

struct EdgeSink {
    significance: Significance,
    arities: Vec<usize>,
    classes: usize,
    /// N.
    total: f64,
    edges: Mutex<Vec<Edge>>,
}

impl EdgeSink {
    fn new(source: &dyn CountSource, significance: Significance) -> Self {
        Self {
            significance,
            total: source.total(),
            arities: source.arities().to_vec(),
            classes: source.n_classes().unwrap_or(1),
            edges: Mutex::default(),
        }
    }

    /// Whether the test of a pair can be reliable: its table holds all rows at most.
    fn reliable(&self, r_i: usize, r_j: usize) -> bool {
        self.total / (r_i as f64 * r_j as f64 * self.classes as f64) >= self.significance.min_cell
    }

    /// Whether the test of any pair can be reliable.
    fn any_reliable(&self) -> bool {
        let mut arities = self.arities.clone();
        arities.sort_unstable();
        matches!(arities[..], [r_i, r_j, ..] if self.reliable(r_i, r_j))
    }

    fn test<T: Cell + Into<f64>>(&self, table: PairTable<'_, T>) -> Result<()> {
        let (s, r_i, r_j) = table.shape;
        if !self.reliable(r_i, r_j) {
            return Ok(());
        }
        let test = g_test(table.cells, [s, r_i, r_j], self.significance.min_cell);
        if test.is_dependent(self.significance.alpha) {
            // Rows with a missing value in the pair are not in its table.
            let rows = table.cells.iter().map(|&cell| cell.as_f64()).sum();
            let mut edges = self.edges.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            if edges.len() == edges.capacity() {
                let more = edges.len().max(64);
                let name = || format!("the list of {} dependences", edges.len() + more);
                check_bytes(name, [edges.len() + more, size_of::<Edge>()])?;
                if edges.try_reserve_exact(more).is_err() {
                    let bytes = (size_of::<Edge>() * (edges.len() + more)) as u128;
                    return Err(Error::OutOfMemory { what: "the list of dependences".into(), bytes });
                }
            }
            edges.push((table.i, table.j, test.information(rows)));
        }
        Ok(())
    }

    /// What was found, in an order that does not depend on the threads that found it.
    fn edges(self) -> Vec<Edge> {
        let mut edges = self.edges.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        edges.sort_unstable_by_key(|&(i, j, _)| (i, j));
        edges
    }
}

impl PairVisitor for EdgeSink {
    fn integer(&self, table: PairTable<'_, u32>) -> Result<()> {
        self.test(table)
    }

    fn weighted(&self, table: PairTable<'_, f64>) -> Result<()> {
        self.test(table)
    }
}

/// The significant pairs of groups, each counted on its own.
fn group_edges(
    source: &dyn CountSource,
    groups: &[Vec<usize>],
    significance: Significance,
    control: &Control,
) -> Result<Vec<Edge>> {
    let pairs: Vec<(usize, usize)> =
        (0..groups.len()).flat_map(|i| (i + 1..groups.len()).map(move |j| (i, j))).collect();
    let tested: Vec<Option<Edge>> = pairs
        .par_iter()
        .map(|&(i, j)| {
            control.check()?;
            let information = group_information(source, &groups[i], &groups[j], significance)?;
            Ok(information.map(|information| (i, j, information)))
        })
        .collect::<Result<_>>()?;
    Ok(tested.into_iter().flatten().collect())
}

/// I(X_S; X_T | C) where the test finds a dependence. A pair whose test cannot be reliable is not counted.
fn group_information(
    source: &dyn CountSource,
    left: &[usize],
    right: &[usize],
    significance: Significance,
) -> Result<Option<f64>> {
    let values =
        |group: &[usize]| group.iter().map(|&member| source.arities()[member] as f64).product::<f64>();
    let cells = values(left) * values(right) * source.n_classes().unwrap_or(1) as f64;
    if source.total() / cells < significance.min_cell {
        return Ok(None);
    }
    let counts = Node { members: right.to_vec(), parents: left.to_vec() }.counts(source)?;
    let shape =
        [counts.shape.class.unwrap_or(1), counts.shape.attribute_configurations(), counts.shape.child];
    let test = with_cells!(&counts.cells, cells => g_test(cells, shape, significance.min_cell));
    Ok(test.is_dependent(significance.alpha).then(|| test.information(counts.cells.total())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::Counter;
    use crate::data::{Column, Dataset};

    fn data() -> Dataset {
        // x1 copies x0, x3 copies x2; x4 is constant.
        let column = |f: &dyn Fn(i64) -> i64| {
            Column::from_integers("x", (0..200).map(f).collect::<Vec<_>>().into_iter(), 2, None).unwrap()
        };
        let columns = vec![
            column(&|row| row % 2),
            column(&|row| row % 2),
            column(&|row| row / 2 % 2),
            column(&|row| row / 2 % 2),
            column(&|_| 0),
        ];
        Dataset::new(columns, Some(column(&|row| row / 4 % 2))).unwrap()
    }

    fn forest(groups: &[Vec<usize>], alpha: f64, min_cell: f64, roots: Roots) -> Tree {
        let data = data();
        let significance = Significance::new(alpha, min_cell).unwrap();
        chi2_forest(&Counter::new(&data), groups, significance, roots, &Control::new()).unwrap()
    }

    #[test]
    fn copies_are_joined_and_the_rest_is_not() {
        let alone: Vec<Vec<usize>> = (0..5).map(|i| vec![i]).collect();
        assert_eq!(forest(&alone, 0.05, 5.0, Roots::Lowest), [None, Some(0), None, Some(2), None]);
        assert_eq!(forest(&alone, 0.05, 1000.0, Roots::Lowest), [None; 5]);
        let groups = [vec![0, 2], vec![3], vec![1, 4]];
        assert_eq!(forest(&groups, 0.05, 5.0, Roots::Lowest), [None, Some(0), Some(0)]);
        assert_eq!(forest(&[], 0.05, 5.0, Roots::Lowest), []);
    }

    #[test]
    fn random_roots_turn_trees_around_and_join_the_same() {
        let alone: Vec<Vec<usize>> = (0..5).map(|i| vec![i]).collect();
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..20 {
            let tree = forest(&alone, 0.05, 5.0, Roots::Random(seed));
            assert!(tree[0] == Some(1) || tree[1] == Some(0));
            assert_eq!(tree.iter().flatten().count(), 2);
            seen.insert(tree);
        }
        assert_eq!(seen.len(), 4);
    }

    #[test]
    fn impossible_requests_are_refused() {
        assert!(Significance::new(0.0, 5.0).is_err() && Significance::new(1.1, 5.0).is_err());
        assert!(Significance::new(f64::NAN, 5.0).is_err() && Significance::new(0.5, -1.0).is_err());
        let data = data();
        for groups in [vec![vec![]], vec![vec![5]], vec![vec![0], vec![0, 1]]] {
            let counter = Counter::new(&data);
            assert!(
                chi2_forest(&counter, &groups, Significance::default(), Roots::Lowest, &Control::new())
                    .is_err()
            );
        }
    }
}
