//! What all learners have in common, against slow and obvious versions.

use proptest::prelude::*;

use super::*;
use crate::control::Control;
use crate::counts::Counter;
use crate::data::{Column, Dataset};
use crate::error::Error;
use crate::math::log_sum_exp;
use crate::options::{Options, Setting};
use crate::parameters::Laplace;
use crate::registry::Need;
use crate::score::LogLikelihood;
use crate::structure;

const ARITIES: [usize; 4] = [2, 3, 2, 2];

/// Codes of four attributes, −1 where they are missing; class; fold; weight in halves.
type Row = ([i64; 4], i64, u32, u8);

fn dataset(rows: &[Row], weighted: bool) -> Dataset {
    let column =
        |values: Vec<i64>, arity| Column::from_integers("x", values.into_iter(), arity, Some(-1)).unwrap();
    let columns = (0..4).map(|i| column(rows.iter().map(|row| row.0[i]).collect(), ARITIES[i])).collect();
    let data = Dataset::new(columns, Some(column(rows.iter().map(|row| row.1).collect(), 2))).unwrap();
    if !weighted {
        return data;
    }
    data.with_weights(rows.iter().map(|row| f64::from(row.3) / 2.0).collect()).unwrap()
}

fn rows(least: i64, count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Row>> {
    let codes = (least..2i64, least..3i64, least..2i64, least..2i64).prop_map(|(a, b, c, d)| [a, b, c, d]);
    prop::collection::vec((codes, 0i64..2, 0u32..3, 1u8..6), count)
}

/// P(c | x) of the test rows of a fold, by a network of the training rows alone; where all rows are
/// held out, Laplace's rule leaves both classes alike.
fn of_fold(
    data: &Dataset,
    folds: &[u32],
    fold: u32,
    plan: &Plan<'_>,
    network: Option<&Network>,
) -> Option<Vec<f64>> {
    let part = |held_out: bool| -> Vec<u32> {
        (0..folds.len() as u32).filter(|&row| (folds[row as usize] == fold) == held_out).collect()
    };
    let test = data.select(&part(true)).ok()?;
    if part(false).is_empty() {
        return Some(vec![0.5; 2 * folds.len()]);
    }
    let training = data.select(&part(false)).unwrap();
    let control = Control::new();
    let counts = Counter::new(&training);
    let fitted = match network {
        None => fit(&counts, plan, &control).unwrap().network,
        Some(network) => Network::estimate(&network.structure(), &counts, plan.estimator, &control).unwrap(),
    };
    Some(fitted.posterior(&test, Summing::Exact, &control).unwrap())
}

fn settings_of(learner: &str) -> Options {
    let mut options = Options::default();
    if ["stan", "ffss"].contains(&learner) {
        options.set("alpha", Setting::Number(0.3));
        options.set("min_cell", Setting::Number(0.5));
    }
    options
}

/// The path of each search by accuracy rises, and ends with the accuracy that its network has in the folds.
fn ends_with_the_accuracy_of_what_was_found(rows: &[Row]) -> Result<(), TestCaseError> {
    let data = dataset(rows, false);
    let folds: Vec<u32> = rows.iter().map(|row| row.2).collect();
    let estimator = Laplace::new(1.0);
    for entry in structure::REGISTRY.iter().filter(|entry| entry.about.needs.contains(&Need::Accuracy)) {
        let settings = Options::default();
        let plan = Plan {
            learner: entry.about.name,
            settings: &settings,
            score: &LogLikelihood,
            estimator: &estimator,
            folds: Some((&folds, 3)),
        };
        let Ok(fitted) = fit(&Counter::new(&data), &plan, &Control::new()) else { continue };
        let path = fitted.path.unwrap();
        let mut before = path.ascent.start;
        for (_, value) in &path.ascent.steps {
            prop_assert!(*value > before, "{}: {} after {}", entry.about.name, value, before);
            before = *value;
        }
        // The path of ASB ends with its groups; the forest over them comes after.
        let augmented = fitted.network.structure().nodes.iter().any(|node| !node.parents.is_empty());
        if entry.about.name == "asb" && augmented {
            continue;
        }
        let mut right = 0.0;
        for fold in 0..3 {
            let Some(posterior) = of_fold(&data, &folds, fold, &plan, Some(&fitted.network)) else {
                continue;
            };
            let classes = rows.iter().filter(|row| row.2 == fold).map(|row| row.1);
            for (class, row) in classes.zip(posterior.chunks_exact(2)) {
                // Ties go to the lower class.
                right += f64::from(u8::from((row[1] - row[0] > 1e-9) == (class == 1)));
            }
        }
        prop_assert_eq!(before, right, "{}", entry.about.name);
    }
    Ok(())
}

/// A fold that holds all rows leaves none to learn from.
#[test]
fn searches_by_accuracy_take_a_fold_of_all_rows() {
    ends_with_the_accuracy_of_what_was_found(&[([0, 0, 0, 0], 0, 2, 1); 6]).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn folds_from_common_counts_are_those_of_the_training_rows(rows in rows(0, 6..60), weighted in any::<bool>()) {
        let data = dataset(&rows, weighted);
        let folds: Vec<u32> = rows.iter().map(|row| row.2).collect();
        let estimator = Laplace::new(1.0);
        for entry in structure::REGISTRY.iter().filter(|entry| !entry.about.needs.contains(&Need::Accuracy)) {
            let settings = settings_of(entry.about.name);
            let plan =
                Plan { learner: entry.about.name, settings: &settings, score: &LogLikelihood, estimator: &estimator, folds: None };
            let Ok(found) = cross_validate(&data, &folds, 3, &plan, &Control::new()) else { continue };
            for (fold, found) in found.iter().enumerate() {
                let Some(expected) = of_fold(&data, &folds, fold as u32, &plan, None) else { continue };
                prop_assert_eq!(found.len(), expected.len());
                for (found, expected) in found.iter().zip(expected) {
                    prop_assert!((found - expected).abs() < 1e-9, "{}: {} {}", entry.about.name, found, expected);
                }
            }
        }
    }

    #[test]
    fn searches_by_accuracy_end_with_the_accuracy_of_what_they_found(rows in rows(0, 6..60)) {
        ends_with_the_accuracy_of_what_was_found(&rows)?;
    }

    #[test]
    fn averages_over_trees_sum_over_what_is_missing(
        (train, test) in (rows(0, 6..40), rows(-1, 1..12)), summing_weighted in any::<bool>(),
    ) {
        let control = Control::new();
        let model = AveragedTan::fit(&Counter::new(&dataset(&train, summing_weighted)), &control).unwrap();
        let joint = |rows: &[Row]| model.log_joint(&dataset(rows, false), Summing::Exact, &control).unwrap();
        let found = joint(&test);
        for (row, found) in test.iter().zip(found.chunks_exact(2)) {
            let mut complete = vec![*row];
            for (i, &arity) in ARITIES.iter().enumerate() {
                let values = |one: &Row| match one.0[i] {
                    -1 => 0..arity as i64,
                    known => known..known + 1,
                };
                let completed = |one: &Row, value: i64| {
                    let mut one = *one;
                    one.0[i] = value;
                    one
                };
                complete = complete
                    .iter()
                    .flat_map(|one| values(one).map(move |value| completed(one, value)))
                    .collect();
            }
            let each = joint(&complete);
            for (c, found) in found.iter().enumerate() {
                let of_class: Vec<f64> = each.iter().skip(c).step_by(2).copied().collect();
                prop_assert!((found - log_sum_exp(&of_class)).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn rows_of_other_columns_are_refused() {
    let control = Control::new();
    let rows: Vec<Row> = (0..6).map(|i| ([i % 2, i % 3, i % 2, 0], i % 2, 0, 2)).collect();
    let data = dataset(&rows, false);
    let structure = structure::Structure::from_parents(vec![vec![]; 4]);
    let network = Network::estimate(&structure, &Counter::new(&data), &Laplace::new(1.0), &control).unwrap();
    let fewer = Dataset::new(data.columns()[..3].to_vec(), None).unwrap();
    let mut columns = data.columns().to_vec();
    columns.swap(0, 1);
    let exchanged = Dataset::new(columns, None).unwrap();
    for (other, found, expected) in [(fewer, 3, 4), (exchanged, 3, 2)] {
        for summing in [Summing::Exact, Summing::Approximate] {
            let told = |error: Error| match error {
                Error::LengthMismatch { found, expected, .. } => (found, expected),
                other => panic!("{other}"),
            };
            assert_eq!(told(network.log_joint(&other, summing, &control).unwrap_err()), (found, expected));
            assert_eq!(told(network.posterior(&other, summing, &control).unwrap_err()), (found, expected));
        }
    }
}
