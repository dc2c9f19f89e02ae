//! The table of a join of more values than rows, from the values that occur.

use crate::counts::CountSource;
use crate::data::mixed_radix::{SKIP, append_or_skip};
use crate::data::{Column, Dataset};
use crate::error::Result;
use crate::model::log_theta::{Occurring, ln_all};
use crate::parameters::{OccurringCounts, ParameterEstimator, Value};
use crate::structure::Node;

/// The cells of a join that occur and their rows, with the concentrations behind them; `None` for a node that is better
/// counted whole: one with parents, one without a class, or one of no more values than rows.
///
/// The result equals that of the whole table.
///
/// # Complexity
/// O(N log N + occurring values · classes), whatever the product of the members' values.
pub fn estimate(
    node: &Node,
    source: &dyn CountSource,
    estimator: &dyn ParameterEstimator,
) -> Result<Option<(Occurring, Vec<f64>)>> {
    let domain = node.members.iter().map(|&member| source.arities()[member] as f64).product::<f64>();
    let joins = node.members.len() > 1 && node.parents.is_empty() && domain <= Column::MAX_ARITY as f64;
    if !joins || source.n_classes().is_none() {
        return Ok(None);
    }
    let Some(data) = source.rows()? else { return Ok(None) };
    let (Some(class), true) = (data.class(), domain > data.rows() as f64) else { return Ok(None) };
    let classes = class.arity();
    let (cells, counts) = count(&data, class, &node.members);
    let mut sums = vec![0.0; classes];
    for by_class in counts.chunks_exact(classes) {
        sums.iter_mut().zip(by_class).for_each(|(sum, count)| *sum += count);
    }
    let visit = |visit: &mut dyn FnMut(&[f64])| counts.chunks_exact(classes).for_each(visit);
    let occurring = OccurringCounts { domain, classes: &sums, total: source.total(), values: &visit };
    let theta = estimator.given_class(&occurring)?;
    let mut rows = Vec::with_capacity(counts.len() + classes);
    let absent = vec![0.0; classes];
    for (place, by_class) in counts.chunks_exact(classes).chain([&absent[..]]).enumerate() {
        let value = Value { place, margin: by_class.iter().sum() };
        rows.extend(by_class.iter().enumerate().map(|(class, &count)| theta.theta(class, value, count)));
    }
    ln_all(&mut rows); // as all other tables, so that what ties in exact numbers ties here
    let concentrations = theta.concentrations().to_vec();
    Ok(Some((Occurring::new(cells, rows, domain as usize, classes)?, concentrations)))
}

/// The cells in which the join and the class are known, ascending, and their rows (or weights) by class.
fn count(data: &Dataset, class: &Column, members: &[usize]) -> (Vec<u32>, Vec<f64>) {
    let mut cell_of_row = vec![0; data.rows()];
    members.iter().for_each(|&member| append_or_skip(&mut cell_of_row, data.column(member), 0));
    let known = |&row: &u32| cell_of_row[row as usize] != SKIP && class.get(row as usize).is_some();
    let mut order: Vec<u32> = (0..data.rows() as u32).filter(known).collect();
    order.sort_by_key(|&row| cell_of_row[row as usize]); // stable: weights are summed in the order of the rows
    let (mut cells, mut counts) = (Vec::new(), Vec::new());
    for &row in &order {
        let cell = cell_of_row[row as usize];
        if cells.last() != Some(&cell) {
            cells.push(cell);
            counts.resize(counts.len() + class.arity(), 0.0);
        }
        let last = counts.len() - class.arity();
        let weight = data.weights().map_or(1.0, |weights| weights[row as usize]);
        counts[last + class.get(row as usize).unwrap_or(0)] += weight;
    }
    (cells, counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Control;
    use crate::counts::Counter;
    use crate::model::{Classifier, LogTheta, Network, NodeTable, Summing};
    use crate::options::Options;
    use crate::parameters::REGISTRY;
    use crate::structure::Structure;
    use proptest::prelude::*;

    const ARITIES: [usize; 3] = [4, 3, 5];

    fn dataset(rows: &[[i64; 4]], weighted: bool) -> Dataset {
        let column = |at: usize, arity| {
            let values: Vec<i64> = rows.iter().map(|row| row[at]).collect();
            Column::from_integers("x", values.into_iter(), arity, Some(-1)).unwrap()
        };
        let columns = ARITIES.iter().enumerate().map(|(at, &arity)| column(at, arity)).collect();
        let data = Dataset::new(columns, Some(column(3, 2))).unwrap();
        if !weighted {
            return data;
        }
        data.with_weights((0..rows.len()).map(|row| 0.5 + row as f64 / 4.0).collect()).unwrap()
    }

    fn row() -> impl Strategy<Value = [i64; 4]> {
        (-1i64..4, -1i64..3, -1i64..5, 0i64..2).prop_map(|(a, b, c, class)| [a, b, c, class])
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn what_occurs_tells_the_whole_table(
            rows in prop::collection::vec(row(), 1..59), weighted in any::<bool>(),
        ) {
            let data = dataset(&rows, weighted);
            let counts = Counter::new(&data);
            let node = Node { members: vec![0, 1, 2], parents: vec![] };
            for entry in REGISTRY {
                let estimator = entry.make(&Options::default()).unwrap();
                let table = NodeTable::estimate(&node, &counts, &*estimator).unwrap();
                prop_assert!(matches!(table.log_theta(), LogTheta::Occurring(_)));
                let theta = estimator.estimate(&node.counts(&counts).unwrap(), counts.total()).unwrap();
                for (place, log_theta) in table.dense().unwrap().iter().enumerate() {
                    let expected = theta[place % 2 * 60 + place / 2];
                    prop_assert!((log_theta.exp() - expected).abs() <= 1e-13, "{} {place}", entry.about.name);
                }
            }
        }

        #[test]
        fn rows_are_judged_and_drawn_as_by_the_whole_table(
            rows in prop::collection::vec(row(), 1..40), test in prop::collection::vec(row(), 1..10), seed in 0u64..9,
        ) {
            let (data, control) = (dataset(&rows, false), Control::new());
            let structure = Structure { nodes: vec![Node { members: vec![0, 1, 2], parents: vec![] }] };
            let estimator = REGISTRY[1].make(&Options::default()).unwrap();
            let sparse = Network::estimate(&structure, &Counter::new(&data), &*estimator, &control).unwrap();
            let table = &sparse.tables()[0];
            let cells = table.dense().unwrap().into_owned();
            let dense = NodeTable::from_parts(table.node().clone(), &ARITIES, 2, cells).unwrap();
            let log_prior = sparse.log_prior().map(<[f64]>::to_vec);
            let dense = Network::from_parts(ARITIES.to_vec(), log_prior, vec![dense]).unwrap();
            let test = dataset(&test, false);
            for summing in [Summing::Exact, Summing::Approximate] {
                let found = sparse.log_joint(&test, summing, &control).unwrap();
                prop_assert_eq!(found, dense.log_joint(&test, summing, &control).unwrap());
            }
            // Every value is drawn as often as it is probable: of many draws each lies near its share.
            let (columns, classes) = sparse.sample(20_000, seed, &control).unwrap();
            let mut shares = [0.0; 120];
            for (row, class) in classes.unwrap().iter().enumerate() {
                let cell = (columns[0][row] * 3 + columns[1][row]) * 5 + columns[2][row];
                shares[(cell * 2 + class) as usize] += 1.0 / 20_000.0;
            }
            let prior = sparse.log_prior().unwrap();
            for (place, log_theta) in sparse.tables()[0].dense().unwrap().iter().enumerate() {
                let expected = (log_theta + prior[place % 2]).exp();
                prop_assert!((shares[place] - expected).abs() < 6.0 * (expected / 20_000.0).sqrt() + 1e-3);
            }
        }
    }
}
