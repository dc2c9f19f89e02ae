//! What was learned elsewhere: parts of networks, matrices of weights, numbers for functions.

use tanager_core::Control;
use tanager_core::graph::{
    SpanningTrees, StreamedTree, ancestors, children, depths, direct_forest, maximum_branching,
    maximum_branching_from, maximum_forest, maximum_spanning_tree, order_by_depth, reroot,
};
use tanager_core::independence::g_test;
use tanager_core::math::{chi2_quantile, chi2_tail, digamma, ln_gamma, log_sum_exp, trigamma, x_ln_x};
use tanager_core::model::{Mixture, Network, NodeTable};
use tanager_core::scan::Scanner;
use tanager_core::structure::Node;

use crate::learning::ask;
use crate::tape::{Tape, rows_of, told};

/// Networks put together from parts, of which some do not fit; those that fit predict, draw and scan.
pub fn networks(tape: &mut Tape<'_>) {
    let n = tape.below(5);
    let arities = tape.list(n, |tape| *tape.one(&[4, 2, 3, 4, 1]));
    let classes = *tape.one(&[None, Some(2), Some(3), Some(0), None]);
    let uniform = |length: usize| vec![-(length as f64).ln(); length];
    let log_prior = classes.map(uniform);
    let mut tables = Vec::new();
    for column in 0..n {
        let members = if tape.seldom(12) { vec![tape.below(n), tape.below(n + 1)] } else { vec![column] };
        let parents = tape.below(3).min(column);
        let parents = tape.list(parents, |tape| {
            let choices = if tape.seldom(12) { n + 1 } else { column.max(1) };
            tape.below(choices)
        });
        let node = Node { members, parents };
        let classes = if tape.seldom(12) { 2 } else { classes.unwrap_or(1) };
        let arity = |column: &usize| arities.get(*column).copied().unwrap_or(1);
        let values: usize = node.members.iter().map(arity).product();
        let cells = values * node.parents.iter().map(arity).product::<usize>() * classes;
        let log_theta = vec![-(values as f64).ln(); cells];
        tables.extend(told(NodeTable::from_parts(node, &arities, classes, log_theta)));
    }
    let Some(network) = told(Network::from_parts(arities.clone(), log_prior, tables)) else { return };
    if n > 0 {
        ask(&network, &rows_of(tape, &arities, None), u64::from(tape.byte()));
    }
    let background = [tape.number(), 0.25, 0.25, 0.25];
    if let Some(scanner) = told(Scanner::new(&network, background)) {
        let most = if tape.seldom(2) { Some(tape.below(3)) } else { None };
        let sequence = tape.list(30, |tape| *tape.one(&[0, 1, 2, 3, 4, 255]));
        let hits = told(scanner.scan(&sequence, tape.number(), most, &Control::new())).unwrap_or_default();
        assert!(hits.iter().all(|hit| hit.start + scanner.width() <= sequence.len() && !hit.score.is_nan()));
    }
    told(Mixture::from_parts(tape.list(2, Tape::odd), vec![network.clone(), network]));
}

/// Matrices of any weights; what spans is a tree, and found alike with and without a matrix.
pub fn graphs(tape: &mut Tape<'_>) {
    let n = tape.below(7);
    let cells = if tape.seldom(12) { n } else { n * n };
    let mut weights = tape.list(cells, Tape::number);
    let root = tape.below(n + 1);
    let spans = |tree: &[Option<usize>], root: Option<usize>| {
        let found = depths(tree).unwrap();
        assert_eq!(found.iter().filter(|&&depth| depth == 0).count(), 1);
        assert!(root.is_none_or(|root| tree[root].is_none()));
    };
    if let Some(tree) = told(maximum_branching(&weights, n)).filter(|_| n > 0) {
        spans(&tree, None);
    }
    if let Some(tree) = told(maximum_branching_from(&weights, n, root)).filter(|_| n > 0) {
        spans(&tree, Some(root));
    }
    for (i, j) in (0..n).flat_map(|j| (0..j).map(move |i| (i, j))).filter(|_| cells == n * n) {
        weights[j * n + i] = weights[i * n + j];
    }
    if let Some(tree) = told(maximum_spanning_tree(&weights, n, root)).filter(|_| n > 0) {
        spans(&tree, Some(root));
        let streamed = StreamedTree::new(n).unwrap();
        for (i, j) in (0..n).flat_map(|j| (0..j).map(move |i| (i, j))) {
            streamed.add(i, j, weights[i * n + j]).unwrap();
        }
        assert_eq!(streamed.finish(root).unwrap().0, tree);
        assert_eq!(reroot(&reroot(&tree, 0).unwrap(), root).unwrap(), tree);
    }
    let nodes = tape.below(5);
    let of = tape.list(nodes, |tape| tape.below(n + 1));
    if let Some(trees) = told(SpanningTrees::new(&weights, n, &of))
        && let Some(probabilities) = told(trees.edge_probabilities(&Control::new()))
    {
        assert!(probabilities.iter().all(|p| (-1e-9..=1.0 + 1e-9).contains(p)), "{probabilities:?}");
    }
    let edges = tape.list(4, |tape| (tape.below(n + 1), tape.below(n + 1), tape.number()));
    told(maximum_forest(n, &edges));
    let arcs: Vec<(usize, usize)> = edges.iter().map(|edge| (edge.0, edge.1)).collect();
    told(direct_forest(n, &arcs, &[root]));
    let parents = tape.list(n, |tape| if tape.seldom(3) { None } else { Some(tape.below(n + 1)) });
    told(children(&parents));
    told(order_by_depth(&parents));
    told(ancestors(&parents, root));
    told(reroot(&parents, root));
}

/// Functions of any numbers: they end, and what is a probability is one.
pub fn functions(tape: &mut Tape<'_>) {
    let (x, y) = (tape.number(), tape.number());
    for value in [ln_gamma(x), digamma(x), trigamma(x), x_ln_x(x), log_sum_exp(&[x, y])] {
        assert!(!(x > 1e-290 && x < 1e290 && y.is_finite()) || value.is_finite(), "{x}: {value}");
    }
    let tail = chi2_tail(x, y);
    assert!(
        !(x >= 0.0 && y > 1e-290 && x < 1e290 && y < 1e290) || (0.0..=1.0).contains(&tail),
        "{x} {y}: {tail}"
    );
    let quantile = chi2_quantile(x, y);
    assert!(!(x > 0.0 && x < 1.0 && (1.0..1e6).contains(&y)) || quantile >= 0.0, "{x} {y}: {quantile}");
    let shape = tape.list(3, |tape| tape.below(4)).try_into().unwrap_or([0; 3]);
    let cells = tape.list(shape.iter().product(), |tape| u32::from(tape.byte()));
    assert!(g_test(&cells, shape, tape.number()).statistic >= 0.0);
}
