//! The best tree over so many columns that the weights of all arcs are not kept.

use std::collections::HashMap;

use crate::control::Control;
use crate::counts::Counter;
use crate::data::{Column, Dataset};
use crate::error::Result;
use crate::graph::{StreamedTree, Tree};
use crate::score::{EdgeVisitor, Scorer, visit_edge_weights};
use crate::structure::Evidence;

/// The tree of largest total weight and the weight of the arc to each column, for a score-equivalent score; `evaluations` is about how
/// many cells the tables of all pairs have.
///
/// Wide tables with few rows have many columns that are equal, value by value: 3¹⁰ differ at most where ten rows have three values.
/// Arcs between two sets of equal columns have one weight in each direction, so that only distinct columns are counted and scored,
/// and of the arcs only those of the forest are shown that is best by the order among equal weights ([`show`]). The tree is
/// the same, to the bit, as that of all arcs.
///
/// # Complexity
/// O(n + d·b) memory, for blocks of b of the d distinct columns; the counts and scores of d² / 2 pairs.
pub(super) fn wide_tree(
    evidence: Evidence<'_>,
    evaluations: u128,
    root: usize,
    control: &Control,
) -> Result<(Tree, Vec<f64>)> {
    let tree = StreamedTree::new(evidence.counts.n())?;
    let all = Scorer::for_source(evidence.score, evidence.counts, evaluations);
    let rows = if all.is_incomplete() { None } else { evidence.counts.rows()? };
    // Sums of weights are rounded, differently beside other columns.
    let rows = rows.filter(|rows| rows.weights().is_none());
    let copies = rows.as_ref().map(|rows| equal_columns(rows)).unwrap_or_default();
    match rows.filter(|rows| copies.len() < rows.n()) {
        None => visit_edge_weights(evidence.counts, &all, &Each(&tree), control)?,
        Some(rows) => {
            // Tables of the same length: whether a term is looked up or computed changes its last bit.
            let visit = |columns: &[usize], visitor: &dyn EdgeVisitor| {
                let part = part(&rows, columns)?;
                let counts = Counter::new(&part);
                let scorer = Scorer::for_source(evidence.score, &counts, evaluations);
                visit_edge_weights(&counts, &scorer.sharing_tables_with(&all), visitor, control)
            };
            let first: Vec<usize> = copies.iter().map(|group| group[0]).collect();
            visit(&first, &Copies { tree: &tree, copies: &copies })?;
            for group in copies.iter().filter(|group| group.len() > 1) {
                control.check()?;
                visit(&[group[0], group[0]], &Among { tree: &tree, group })?;
            }
        }
    }
    control.check()?;
    tree.finish(root)
}

/// The places of equal columns, ascending, by the first of each.
fn equal_columns(rows: &Dataset) -> Vec<Vec<usize>> {
    let mut group_of: HashMap<&Column, usize> = HashMap::new();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (place, column) in rows.columns().iter().enumerate() {
        let group = *group_of.entry(column).or_insert(groups.len());
        match groups.get_mut(group) {
            Some(group) => group.push(place),
            None => groups.push(vec![place]),
        }
    }
    groups
}

/// Some columns of the same rows, which have no weights.
fn part(rows: &Dataset, columns: &[usize]) -> Result<Dataset> {
    Dataset::new(columns.iter().map(|&column| rows.column(column).clone()).collect(), rows.class().cloned())
}

/// Arcs between columns that stand for themselves.
struct Each<'a>(&'a StreamedTree);

impl EdgeVisitor for Each<'_> {
    fn visit(&self, i: usize, j: usize, forward: f64, _: f64) -> Result<()> {
        self.0.add(i, j, forward)
    }
}

/// Arcs between the columns of one group.
struct Among<'a> {
    tree: &'a StreamedTree,
    group: &'a [usize],
}

impl EdgeVisitor for Among<'_> {
    fn visit(&self, _: usize, _: usize, weight: f64, _: f64) -> Result<()> {
        let (first, others) = (self.group[0], &self.group[1..]);
        others.iter().try_for_each(|&other| self.tree.add(first, other, weight))
    }
}

/// Arcs between columns that stand for all that are equal.
struct Copies<'a> {
    tree: &'a StreamedTree,
    copies: &'a [Vec<usize>],
}

impl EdgeVisitor for Copies<'_> {
    /// Whether a column like `j` stands before one like `i`: weights are those of the higher column given the lower one, which
    /// differ by rounding.
    fn wants_backward(&self, i: usize, j: usize) -> bool {
        self.copies[i].last() > self.copies[j].first()
    }

    fn visit(&self, i: usize, j: usize, forward: f64, backward: f64) -> Result<()> {
        let (i, j) = (&self.copies[i], &self.copies[j]);
        show(self.tree, i, j, forward)?;
        show(self.tree, j, i, backward)
    }
}

/// Of the edges of equal weight from each `low` to every higher `high` those of their own maximum forest: the first of the low ones
/// with all, and each other with its next. All others close a circle behind these.
fn show(tree: &StreamedTree, low: &[usize], high: &[usize], weight: f64) -> Result<()> {
    let above = |low: usize| &high[high.partition_point(|&high| high < low)..];
    above(low[0]).iter().try_for_each(|&high| tree.add(low[0], high, weight))?;
    let next = low[1..].iter().filter_map(|&low| above(low).first().map(|&high| (low, high)));
    next.into_iter().try_for_each(|(low, high)| tree.add(low, high, weight))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::maximum_spanning_tree;
    use crate::options::Options;
    use crate::score::{by_name, edge_weights};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn it_is_the_tree_of_the_whole_matrix(
            (columns, class, weights) in (2usize..8, 1usize..40).prop_flat_map(|(rows, n)| (
                prop::collection::vec((prop::collection::vec(0i64..3, rows), 3usize..5), n),
                prop::collection::vec(0i64..2, rows),
                prop::option::of(prop::collection::vec(1u8..9, rows)),
            )),
            copied in prop::collection::vec(any::<prop::sample::Index>(), 0..30),
            (root, score) in (any::<prop::sample::Index>(), prop::sample::select(vec!["ll", "bic", "bdeu"])),
        ) {
            let column = |codes: &[i64], arity| Column::from_integers("x", codes.iter().copied(), arity, None).unwrap();
            let mut columns: Vec<Column> = columns.iter().map(|(codes, arity)| column(codes, *arity)).collect();
            for index in copied {
                let copy = columns[index.index(columns.len())].clone();
                columns.push(copy);
            }
            let root = root.index(columns.len());
            let mut data = Dataset::new(columns, Some(column(&class, 2))).unwrap();
            if let Some(weights) = weights {
                data = data.with_weights(weights.into_iter().map(|weight| f64::from(weight) / 7.0).collect()).unwrap();
            }
            let counts = Counter::new(&data);
            let score = by_name(score, &Options::default()).unwrap();
            let evidence = Evidence { counts: &counts, score: &*score };
            let scorer = Scorer::for_source(&*score, &counts, 1000);
            let matrix = edge_weights(&counts, &scorer, &Control::new()).unwrap();
            let expected = maximum_spanning_tree(&matrix.weights, data.n(), root).unwrap();
            let (tree, weights) = wide_tree(evidence, 1000, root, &Control::new()).unwrap();
            for (child, parent) in expected.iter().enumerate() {
                let weight = parent.map_or(0.0, |parent| matrix.weights[parent * data.n() + child]);
                prop_assert_eq!(weights[child], weight);
            }
            prop_assert_eq!(tree, expected);
        }
    }
}
