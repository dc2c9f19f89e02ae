//! Rows with missing values: sums over everything that they could have been.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use rayon::prelude::*;

use crate::control::Control;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::memory::{filled, memory_limit};
use crate::model::beliefs;
use crate::model::elimination::Plan;
use crate::model::node_table::NodeTable;

/// Rows that one thread takes at a time.
const ROWS: usize = 1024;

/// Sets of missing attributes that are planned at a time.
const GROUPS: usize = 1024;

/// How missing values are summed out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Summing {
    /// Exactly, or not at all where a table would be larger than the memory limit.
    #[default]
    Exact,
    /// Exactly where no table of more than [`Summing::CELLS`] cells is needed; by independent beliefs about the missing values
    /// (see `beliefs.rs`) in all other rows.
    Approximate,
}

impl Summing {
    /// The largest table, all classes together, of an exact sum where an approximate one will do.
    pub const CELLS: u128 = 1 << 18;

    fn limit(self) -> u128 {
        let memory = u128::from(memory_limit() / 8);
        match self {
            Self::Exact => memory,
            Self::Approximate => memory.min(Self::CELLS),
        }
    }
}

/// ln P(c, x_observed) of each row and class (`[row·s + c]`), missing values summed out.
///
/// # Formula
/// ```text
/// P(c, x_O) = θ_c Σ_{x_M} Π_i θ_{x_i | π_i, c}
/// ```
/// O the observed attributes of the row, M the missing ones. A missing node that no remaining node depends on
/// sums to 1 and is left out first, again and again; for naive Bayes that is all. What remains is summed by variable
/// elimination (see [`Plan`]), unless its tables are too large and `summing` allows the approximation.
///
/// # Complexity
/// Rows are grouped by which values are missing, and each group is planned once. Within a connected component of missing
/// attributes with w values jointly at the widest step, a row costs O(w·s); rows that agree in the observed
/// neighbours share the result. A tree never needs more than the product of two arities.
///
/// # References
/// koller2009
pub(crate) fn log_joint(
    tables: &[NodeTable],
    log_prior: &[f64],
    data: &Dataset,
    summing: Summing,
    control: &Control,
) -> Result<Vec<f64>> {
    let s = log_prior.len();
    let limit = summing.limit();
    let mut joint = filled(|| described(data.rows(), s), 0.0, data.rows().saturating_mul(s))?;
    for groups in group_by_missing(tables, data).chunks(GROUPS) {
        let plan = |group: &(Vec<usize>, Vec<u32>)| {
            control.check()?;
            Ok(Plan::new(tables, s, &group.0))
        };
        let plans = groups.par_iter().map(plan).collect::<Result<Vec<_>>>()?;
        let too_wide = groups.iter().zip(&plans).filter(|(_, plan)| plan.widest() > limit);
        // Of several, the first row is named, whatever the order of the groups and threads.
        if let (Summing::Exact, Some(((missing, rows), plan))) =
            (summing, too_wide.min_by_key(|((_, rows), _)| rows[0]))
        {
            let (row, missing, cells) = (rows[0] as usize, missing.len(), plan.widest());
            return Err(Error::TooManyMissing { row, missing, cells, limit });
        }
        let parts = groups.par_iter().zip(plans).map(|((missing, rows), plan)| {
            let data = data.select(rows)?;
            if plan.widest() > limit {
                beliefs::log_joint(tables, log_prior, &data, missing, control)
            } else {
                part(tables, log_prior, &data, &plan, control)
            }
        });
        for ((_, rows), part) in groups.iter().zip(parts.collect::<Result<Vec<_>>>()?) {
            for (&row, values) in rows.iter().zip(part.chunks_exact(s)) {
                joint[row as usize * s..][..s].copy_from_slice(values);
            }
        }
    }
    Ok(joint)
}

/// What is said of predictions that are too many.
pub(super) fn described(rows: usize, classes: usize) -> String {
    format!("the probabilities of {rows} rows and {classes} classes")
}

/// Whether any value is missing that a table asks for.
pub(crate) fn has_missing_in(tables: &[NodeTable], data: &Dataset) -> bool {
    let mut columns = tables.iter().flat_map(|table| table.axes());
    columns.any(|&(column, _)| data.column(column).has_missing())
}

/// The rows of each set of missing attributes, of those that stand in a table.
fn group_by_missing(tables: &[NodeTable], data: &Dataset) -> Vec<(Vec<usize>, Vec<u32>)> {
    let mut columns: Vec<usize> = tables.iter().flat_map(|table| &table.node().members).copied().collect();
    columns.retain(|&column| data.column(column).has_missing());
    columns.sort_unstable();
    let mut groups: BTreeMap<Vec<usize>, Vec<u32>> = BTreeMap::new();
    for row in 0..data.rows() {
        let missing = columns.iter().copied().filter(|&column| data.column(column).get(row).is_none());
        groups.entry(missing.collect()).or_default().push(row as u32);
    }
    groups.into_iter().collect()
}

/// The log-joints of rows that miss the same attributes.
fn part(
    tables: &[NodeTable],
    log_prior: &[f64],
    data: &Dataset,
    plan: &Plan<'_>,
    control: &Control,
) -> Result<Vec<f64>> {
    let s = log_prior.len();
    let mut joint = vec![0.0; data.rows() * s];
    joint.par_chunks_mut(ROWS * s).enumerate().try_for_each(|(block, joint)| {
        control.check()?;
        let start = block * ROWS;
        for row in joint.chunks_exact_mut(s) {
            row.copy_from_slice(log_prior);
        }
        let mut indices = vec![0; joint.len() / s];
        for &table in &plan.complete {
            tables[table].add(data, start, &mut indices, joint);
        }
        for component in &plan.components {
            let mut known: HashMap<Vec<usize>, Vec<f64>> = HashMap::new();
            for (i, row) in joint.chunks_exact_mut(s).enumerate() {
                let values = component.observed.iter().map(|&column| {
                    // Only complete columns of the group are observed.
                    data.column(column).get(start + i).unwrap_or(0)
                });
                let values: Vec<usize> = values.collect();
                let sums = match known.entry(values) {
                    Entry::Occupied(sums) => sums.into_mut(),
                    Entry::Vacant(place) => {
                        let sums = component.sum(place.key(), control)?;
                        place.insert(sums)
                    }
                };
                for (value, sum) in row.iter_mut().zip(sums.iter()) {
                    *value += sum;
                }
            }
        }
        Ok(())
    })?;
    Ok(joint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::Counter;
    use crate::data::Column;
    use crate::math::log_sum_exp;
    use crate::model::{Classifier, Network};
    use crate::parameters::{Laplace, Mle, ParameterEstimator};
    use crate::structure::{Node, Structure};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    const ARITIES: [usize; 5] = [2, 3, 2, 4, 2];

    fn dataset(rows: &[Vec<i64>], class: bool) -> Dataset {
        let column = |i: usize, arity| {
            Column::from_integers(
                "x",
                rows.iter().map(|row| row[i]).collect::<Vec<_>>().into_iter(),
                arity,
                Some(-1),
            )
            .unwrap()
        };
        let columns = ARITIES.iter().enumerate().map(|(i, &arity)| column(i, arity)).collect();
        Dataset::new(columns, class.then(|| column(5, 3))).unwrap()
    }

    /// Any row over the domains, its class last; `missing` tenths of the values are missing.
    fn row(missing: u8) -> impl Strategy<Value = Vec<i64>> {
        let value =
            move |arity: i64| (0..arity, 0u8..10).prop_map(move |(v, g)| if g < missing { -1 } else { v });
        (value(2), value(3), value(2), value(4), value(2), 0i64..3)
            .prop_map(|(a, b, c, d, e, class)| vec![a, b, c, d, e, class])
    }

    /// Parents among the attributes before; or a join of two attributes with a child, and one attribute dropped.
    fn structure() -> impl Strategy<Value = Structure> {
        let parents = (any::<bool>(), 0usize..4, 0usize..8, 0usize..16).prop_map(|(a, b, c, d)| {
            let subset = |bits: usize| (0..4).filter(|i| bits >> i & 1 == 1).collect::<Vec<_>>();
            Structure::from_parents(vec![vec![], subset(usize::from(a)), subset(b), subset(c), subset(d)])
        });
        let join = Structure {
            nodes: vec![
                Node { members: vec![0, 3], parents: vec![1] },
                Node { members: vec![1], parents: vec![] },
                Node { members: vec![4], parents: vec![3, 1] },
            ],
        };
        prop_oneof![4 => parents, 1 => Just(join)]
    }

    /// Every row with all its completions, by brute force.
    fn enumerate(model: &Network, row: &[i64]) -> Vec<f64> {
        let mut completions = vec![row.to_vec()];
        for (i, &arity) in ARITIES.iter().enumerate() {
            // A dropped attribute adds nothing, whatever its value.
            let used = model.structure().nodes.iter().any(|node| node.members.contains(&i));
            completions = completions
                .into_iter()
                .flat_map(|row| {
                    let values = if row[i] >= 0 {
                        vec![row[i]]
                    } else {
                        (0..if used { arity as i64 } else { 1 }).collect()
                    };
                    values.into_iter().map(move |v| {
                        let mut row = row.clone();
                        row[i] = v;
                        row
                    })
                })
                .collect();
        }
        let joints = model.log_joint(&dataset(&completions, false), Summing::Exact, &Control::new()).unwrap();
        (0..3).map(|c| log_sum_exp(&joints.iter().skip(c).step_by(3).copied().collect::<Vec<_>>())).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn equals_the_sum_over_all_completions(
            train in prop::collection::vec(row(0), 1..30),
            test in prop::collection::vec(row(5), 1..12),
            structure in structure(),
            smooth in any::<bool>(),
        ) {
            let data = dataset(&train, true);
            let estimator: &dyn ParameterEstimator = if smooth { &Laplace::new(1.0) } else { &Mle };
            let control = Control::new();
            let model = Network::estimate(&structure, &Counter::new(&data), estimator, &control).unwrap();
            let found = model.log_joint(&dataset(&test, false), Summing::Exact, &control).unwrap();
            for (row, found) in test.iter().zip(found.chunks_exact(3)) {
                for (a, b) in found.iter().zip(enumerate(&model, row)) {
                    prop_assert!((a - b).abs() < 1e-9 || *a == b, "{a} {b}");
                }
            }
        }

        #[test]
        fn beliefs_are_exact_where_no_table_misses_two_values(
            train in prop::collection::vec(row(0), 1..30),
            test in prop::collection::vec(row(3), 1..12),
            structure in structure(),
        ) {
            let control = Control::new();
            let data = dataset(&train, true);
            let model = Network::estimate(&structure, &Counter::new(&data), &Laplace::new(1.0), &control).unwrap();
            for row in test {
                let gone: Vec<usize> = (0..5).filter(|&i| row[i] < 0).collect();
                let shared = |table: &NodeTable| {
                    table.axes().iter().filter(|axis| gone.contains(&axis.0)).count() > 1
                };
                let data = dataset(std::slice::from_ref(&row), false);
                let found = beliefs::log_joint(model.tables(), model.log_prior().unwrap(), &data, &gone, &control).unwrap();
                for (found, exact) in found.iter().zip(enumerate(&model, &row)) {
                    prop_assert!(found.is_finite() && *found <= 0.0);
                    prop_assert!(model.tables().iter().any(shared) || (found - exact).abs() < 1e-9);
                }
            }
        }

        #[test]
        fn naive_bayes_forgets_what_is_missing(train in prop::collection::vec(row(0), 1..30), test in row(5)) {
            let data = dataset(&train, true);
            let control = Control::new();
            let counter = Counter::new(&data);
            let fit = |columns: Vec<usize>| {
                let nodes = columns.into_iter().map(|i| Node { members: vec![i], parents: vec![] }).collect();
                Network::estimate(&Structure { nodes }, &counter, &Laplace::new(1.0), &control).unwrap()
            };
            let row = dataset(std::slice::from_ref(&test), false);
            let observed = (0..5).filter(|&i| test[i] >= 0).collect();
            prop_assert_eq!(
                fit((0..5).collect()).log_joint(&row, Summing::Exact, &control).unwrap(),
                fit(observed).log_joint(&row, Summing::Exact, &control).unwrap()
            );
        }
    }

    /// Each attribute given four of the earlier ones, as if by chance, and every other one missing.
    #[test]
    fn a_sum_that_is_too_large_names_its_row_and_may_be_approximate() {
        let n = 160;
        let column = |i: usize, missing: bool| {
            let values = (0..40i32).map(move |row| {
                let row = i64::from(row);
                if missing && row > 0 && i.is_multiple_of(2) { -1 } else { (row * (i as i64 + 3) / 7) % 3 }
            });
            Column::from_integers("x", values, 3, Some(-1)).unwrap()
        };
        let columns = |missing| (0..n).map(|i| column(i, missing)).collect::<Vec<_>>();
        let class = Column::from_integers("c", (0..40i32).map(|row| i64::from(row % 2)), 2, None).unwrap();
        let parents = |i: usize| -> BTreeSet<usize> {
            [7, 31, 59, 83].map(|p| (i * i * p + 13 * p) / 8 % i.max(1)).into()
        };
        let parents = (0..n).map(|i| parents(i).into_iter().filter(|&parent| parent < i).collect());
        let data = Dataset::new(columns(false), Some(class)).unwrap();
        let (structure, control) = (Structure::from_parents(parents.collect()), Control::new());
        let model =
            Network::estimate(&structure, &Counter::new(&data), &Laplace::new(1.0), &control).unwrap();
        let test = Dataset::new(columns(true), None).unwrap();
        let error = model.posterior(&test, Summing::Exact, &control).unwrap_err();
        assert!(matches!(error, Error::TooManyMissing { row: 1, missing: 80, .. }), "{error}");
        let found = model.posterior(&test, Summing::Approximate, &control).unwrap();
        assert!(found.chunks_exact(2).all(|row| (row[0] + row[1] - 1.0).abs() < 1e-12));
        control.cancel();
        assert_eq!(model.posterior(&test, Summing::Approximate, &control), Err(Error::Cancelled));
    }
}
