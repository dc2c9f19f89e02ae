//! The accuracy of semi-naive Bayes and of trees in cross-validation, and of all that one operation can make of it.

mod changes;
mod compound;
mod groups;
mod joints;
mod occurring;
mod rows;
mod tables;

use crate::control::Control;
use crate::data::{Dataset, stratified_folds};
use crate::error::Result;
use crate::parameters::ParameterEstimator;
use crate::structure::{Accuracy, Groups, Objective, Split};

use groups::GroupModels;
use rows::FoldedRows;

/// How many rows (or which weight of them) the models of the other folds classify correctly.
///
/// # Formula
/// ```text
/// correct = Σ_rows [ c_row = argmax_c ln P_f(c, x_row) ],   ln P_f(c, x) = ln θ_c + Σ_S ln θ_{x_S | c}
/// ```
/// f the row's fold, P_f estimated from all rows outside of it (the counts of all rows less those of the fold), S the
/// groups. Log-joints within 1e-9 are tied, and the lowest class wins a tie. A table is never refitted to try an
/// operation: the log-joint of each row is kept, an operation adds to it one number for each class that depends on
/// the row's fold and its values in the touched groups only, and those numbers come from one count of these values.
/// They do not depend on the other groups, so that they are kept, up to a limit, for the steps to come.
///
/// A row in which a member of a group is missing leaves the whole group out of its joint; for groups of one attribute
/// that is the marginal. An arc i → j replaces ln θ_{x_j | c} by ln θ_{x_j | x_i, c} in the rows in which both have a value.
///
/// # Complexity
/// O(N·s) time and memory for an operation, whatever the product of values of the groups that it touches: where that is
/// large, only the values that occur are counted, and one logarithm is taken of each cell (fold, value, class) that
/// occurs; absent ones share one for each fold and class.
#[derive(Clone, Copy)]
pub struct CrossValidatedAccuracy<'a> {
    data: &'a Dataset,
    estimator: &'a dyn ParameterEstimator,
    folds: Option<(&'a [u32], usize)>,
    dense: Option<usize>,
}

impl<'a> CrossValidatedAccuracy<'a> {
    /// Folds are stratified, as the learner's [`Split`] says.
    pub fn new(data: &'a Dataset, estimator: &'a dyn ParameterEstimator) -> Self {
        Self { data, estimator, folds: None, dense: None }
    }

    /// Folds are given, whatever the learner's [`Split`]: that of each row, 0 to `folds − 1`. A row with a larger one
    /// is in every training set and never tested.
    pub fn with_folds(self, fold_of_row: &'a [u32], folds: usize) -> Self {
        Self { folds: Some((fold_of_row, folds)), ..self }
    }
}

impl Accuracy for CrossValidatedAccuracy<'_> {
    fn total(&self) -> f64 {
        self.data.total()
    }

    fn start(&self, split: Split, groups: Groups, control: &Control) -> Result<Box<dyn Objective + '_>> {
        let rows = match (self.folds, self.data.class()) {
            (Some((fold_of_row, folds)), _) => FoldedRows::new(self.data, fold_of_row, folds)?,
            (None, Some(class)) => {
                // More folds than rows would only be empty.
                let folds = split.folds.min(self.data.rows()).max(2);
                FoldedRows::new(self.data, &stratified_folds(class, folds, split.seed)?, folds)?
            }
            (None, None) => FoldedRows::new(self.data, &[], 0)?,
        };
        let dense = self.dense.unwrap_or_else(|| (self.data.rows() / (rows.folds() + 1)).max(64));
        Ok(Box::new(GroupModels::new(rows, dense, self.estimator, groups, control)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::{FoldCounts, FoldedData};
    use crate::data::Column;
    use crate::error::Error;
    use crate::model::{Asked, Classifier, Network, Summing, Wanted};
    use crate::options::{Options, Setting};
    use crate::parameters::{Dirichlet, Laplace, Mle};
    use crate::structure::grouping::{additions, deletions, joins, merges};
    use crate::structure::{Node, Operation, Structure};
    use proptest::prelude::*;

    /// All tables by the values that occur, some of them, none.
    const DENSE: [Option<usize>; 3] = [Some(0), Some(6), None];

    fn refit(
        data: &Dataset,
        folds: &[u32],
        estimator: &dyn ParameterEstimator,
        groups: &[Vec<usize>],
    ) -> f64 {
        let nodes = groups.iter().map(|members| Node { members: members.clone(), parents: vec![] }).collect();
        refit_structure(data, folds, estimator, &Structure { nodes })
    }

    /// The same number by fitting and predicting for every fold.
    fn refit_structure(
        data: &Dataset,
        folds: &[u32],
        estimator: &dyn ParameterEstimator,
        structure: &Structure,
    ) -> f64 {
        let control = Control::new();
        let (count, s) = (folds.iter().max().unwrap() + 1, data.n_classes().unwrap());
        let folded = FoldedData::new(data, folds, count as usize).unwrap();
        let counts = FoldCounts::new(&folded);
        let mut correct = 0.0;
        for fold in 0..count {
            let rows: Vec<u32> = (0..data.rows() as u32).filter(|&row| folds[row as usize] == fold).collect();
            let Some(part) = folded.part_of_fold(fold as usize) else { continue };
            let test = data.select(&rows).unwrap();
            let model = Network::estimate(structure, &counts.training(part), estimator, &control).unwrap();
            let posterior =
                model.predict(Asked::all(&test, Summing::Exact, &control), Wanted::LogPosterior).unwrap();
            for (row, posterior) in posterior.chunks_exact(s).enumerate() {
                let largest = posterior.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let predicted = posterior.iter().position(|&value| value >= largest - 1e-9);
                if predicted == test.class().unwrap().get(row) {
                    correct += test.weights().map_or(1.0, |weights| weights[row]);
                }
            }
        }
        correct
    }

    fn operations(groups: &[Vec<usize>], n: usize) -> Vec<Operation> {
        [additions(groups, n), joins(groups, n), deletions(groups), merges(groups)].concat()
    }

    #[derive(Debug, Clone)]
    struct Case {
        data: Dataset,
        folds: Vec<u32>,
        groups: Groups,
    }

    fn case() -> impl Strategy<Value = Case> {
        let row = (prop::array::uniform5(0i64..4), 0u32..3, 0u32..4);
        (prop::collection::vec(row, 4..50), 1usize..=5, any::<bool>(), 0u32..243).prop_map(
            |(rows, s, weighted, assignment)| {
                let column = |place: usize, arity: usize| {
                    let values: Vec<i64> = rows.iter().map(|row| row.0[place] % arity as i64).collect();
                    Column::from_integers("x", values.into_iter(), arity, None).unwrap()
                };
                let columns = vec![column(0, 2), column(1, 3), column(2, 4), column(3, 1)];
                let mut data = Dataset::new(columns, Some(column(4, s))).unwrap();
                if weighted && rows.iter().any(|row| row.2 > 0) {
                    data = data.with_weights(rows.iter().map(|row| f64::from(row.2)).collect()).unwrap();
                }
                // Each attribute is in one of two groups, or in none.
                let mut groups = vec![Vec::new(), Vec::new()];
                for attribute in 0..4 {
                    let place = assignment / 3u32.pow(attribute) % 3;
                    if let Some(group) = groups.get_mut(place as usize) {
                        group.push(attribute as usize);
                    }
                }
                groups.retain(|group| !group.is_empty());
                groups.sort();
                Case { data, folds: rows.iter().map(|row| row.1).collect(), groups }
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn every_operation_is_measured_as_if_refitted(case in case()) {
            let Case { data, folds, groups } = case;
            let count = folds.iter().max().unwrap() + 1;
            // By default b is N, which the weights of a fold's training rows may leave at 0.
            let mut options = Options::default();
            options.set("b", Setting::Number(10.0));
            let acll = crate::parameters::by_name("acll", &options).unwrap();
            let estimators: [&dyn ParameterEstimator; 4] = [&Laplace::new(1.0), &Mle, &Dirichlet::new(5.0), &*acll];
            for (estimator, dense) in estimators.into_iter().flat_map(|each| DENSE.map(|dense| (each, dense))) {
                let mut accuracy = CrossValidatedAccuracy::new(&data, estimator).with_folds(&folds, count as usize);
                accuracy.dense = dense;
                let control = Control::new();
                let split = Split { folds: 2, seed: 0 };
                let mut objective = accuracy.start(split, groups.clone(), &control).unwrap();
                prop_assert_eq!(objective.value(), refit(&data, &folds, estimator, &groups));
                for operation in operations(&groups, 4) {
                    let expected = refit(&data, &folds, estimator, &operation.apply(&groups));
                    prop_assert_eq!(objective.measure(&operation).unwrap(), Some(expected), "{:?}", operation);
                }
                // The last operation, made: values and further operations are as from a fresh start.
                let Some(operation) = operations(&groups, 4).pop() else { continue };
                objective.accept(&operation, &control).unwrap();
                let after = operation.apply(&groups);
                prop_assert_eq!(objective.value(), refit(&data, &folds, estimator, &after));
                for operation in operations(&after, 4) {
                    let expected = refit(&data, &folds, estimator, &operation.apply(&after));
                    prop_assert_eq!(objective.measure(&operation).unwrap(), Some(expected));
                }
            }
        }

        #[test]
        fn every_arc_is_measured_as_if_refitted(case in case()) {
            let Case { data, folds, .. } = case;
            let count = folds.iter().max().unwrap() + 1;
            let tree = |arcs: &[(usize, usize)]| {
                let parents = |child| arcs.iter().filter(|arc| arc.1 == child).map(|arc| arc.0).collect();
                Structure { nodes: (0..4).map(|child| Node { members: vec![child], parents: parents(child) }).collect() }
            };
            let arcs = |parent, children: &[usize]| Operation::Arcs { parent, children: children.to_vec() };
            let estimators: [&dyn ParameterEstimator; 3] = [&Laplace::new(1.0), &Mle, &Dirichlet::new(5.0)];
            for estimator in estimators {
                let accuracy = CrossValidatedAccuracy::new(&data, estimator).with_folds(&folds, count as usize);
                let refit = |arcs: &[(usize, usize)]| refit_structure(&data, &folds, estimator, &tree(arcs));
                let control = Control::new();
                let start = crate::structure::grouping::singletons(4);
                let mut objective = accuracy.start(Split { folds: 2, seed: 0 }, start, &control).unwrap();
                prop_assert_eq!(objective.measure(&arcs(1, &[2])).unwrap(), Some(refit(&[(1, 2)])));
                let all = objective.measure(&arcs(1, &[0, 2, 3])).unwrap();
                prop_assert_eq!(all, Some(refit(&[(1, 0), (1, 2), (1, 3)])));
                objective.accept(&arcs(1, &[2]), &control).unwrap();
                prop_assert_eq!(objective.value(), refit(&[(1, 2)]));
                let chain = objective.measure(&arcs(2, &[0, 3])).unwrap();
                prop_assert_eq!(chain, Some(refit(&[(1, 2), (2, 0), (2, 3)])));
            }
        }

        #[test]
        fn a_row_without_a_value_leaves_the_attribute_out(
            rows in prop::collection::vec((-1i64..3, -1i64..2, 0i64..2, 0u32..3), 4..40), dense in 0usize..3,
        ) {
            let column = |values: Vec<i64>, arity| {
                Column::from_integers("x", values.into_iter(), arity, Some(-1)).unwrap()
            };
            let columns = vec![
                column(rows.iter().map(|row| row.0).collect(), 3),
                column(rows.iter().map(|row| row.1).collect(), 2),
            ];
            let data = Dataset::new(columns, Some(column(rows.iter().map(|row| row.2).collect(), 2))).unwrap();
            let folds: Vec<u32> = rows.iter().map(|row| row.3).collect();
            let estimator = Laplace::new(1.0);
            let mut accuracy = CrossValidatedAccuracy::new(&data, &estimator).with_folds(&folds, 3);
            accuracy.dense = DENSE[dense];
            let control = Control::new();
            let split = Split { folds: 3, seed: 0 };
            let merge = Operation::Merge { left: vec![0], right: vec![1] };
            let apart = accuracy.start(split, vec![vec![0], vec![1]], &control).unwrap();
            let merged = accuracy.start(split, vec![vec![0, 1]], &control).unwrap();
            prop_assert_eq!(apart.measure(&merge).unwrap(), Some(merged.value()));
            let one = accuracy.start(split, vec![vec![1]], &control).unwrap();
            prop_assert_eq!(apart.measure(&Operation::Delete { attribute: 0 }).unwrap(), Some(one.value()));
            prop_assert_eq!(merged.measure(&Operation::Delete { attribute: 0 }).unwrap(), Some(one.value()));
            // By hand for one attribute: rows without it are decided by the prior.
            let mut expected = 0;
            for (row, &(_, value, class, fold)) in rows.iter().enumerate() {
                let count = |wanted: i64, value: Option<i64>| {
                    let training = rows.iter().enumerate().filter(|(other, r)| *other != row && r.3 != fold);
                    let of_class = training.filter(|(_, r)| r.2 == wanted);
                    of_class.filter(|(_, r)| value.is_none_or(|value| r.1 == value)).count() as f64
                };
                let observed = |wanted: i64| count(wanted, Some(0)) + count(wanted, Some(1));
                let joint = |wanted: i64| {
                    let theta = (count(wanted, Some(value)) + 1.0) / (observed(wanted) + 2.0);
                    (count(wanted, None) + 1.0).ln() + if value < 0 { 0.0 } else { theta.ln() }
                };
                expected += u32::from((joint(1) - joint(0) > 1e-9) == (class == 1));
            }
            prop_assert_eq!(one.value(), f64::from(expected));
        }
    }

    #[test]
    fn rows_of_no_fold_are_trained_on_and_never_tested() {
        let column = |values: [i64; 6]| Column::from_integers("x", values.into_iter(), 2, None).unwrap();
        let data = Dataset::new(vec![column([0, 1, 0, 1, 0, 1])], Some(column([0, 1, 0, 1, 0, 1]))).unwrap();
        let estimator = Laplace::new(1.0);
        let accuracy = CrossValidatedAccuracy::new(&data, &estimator).with_folds(&[0, 1, 9, 9, 9, 9], 2);
        let split = Split { folds: 2, seed: 0 };
        assert_eq!(accuracy.start(split, vec![vec![0]], &Control::new()).unwrap().value(), 2.0);
        assert_eq!(accuracy.total(), 6.0);
    }

    #[test]
    fn what_cannot_be_measured_is_refused_or_skipped() {
        let column = |arity| Column::from_integers("x", vec![0; 4].into_iter(), arity, None).unwrap();
        let split = Split { folds: 2, seed: 0 };
        let estimator = Laplace::new(1.0);
        let without_class = Dataset::new(vec![column(2)], None).unwrap();
        let accuracy = CrossValidatedAccuracy::new(&without_class, &estimator);
        let refused = accuracy.start(split, vec![vec![0]], &Control::new()).err();
        assert_eq!(refused, Some(Error::NoClass { what: "accuracy" }));
        // Two columns of two million values each: their join does not fit into 32 bits.
        let wide = Dataset::new(vec![column(2_000_000), column(2_000_000)], Some(column(2))).unwrap();
        let accuracy = CrossValidatedAccuracy::new(&wide, &estimator);
        let objective = accuracy.start(split, vec![vec![0], vec![1]], &Control::new()).unwrap();
        assert_eq!(objective.measure(&Operation::Merge { left: vec![0], right: vec![1] }).unwrap(), None);
        assert!(objective.measure(&Operation::Delete { attribute: 0 }).unwrap().is_some());
        assert!(objective.measure(&Operation::Delete { attribute: 7 }).is_err());
    }
}
