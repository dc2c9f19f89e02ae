//! Out-of-fold predictions of a count-based learner from one pass of counting.

use crate::control::Control;
use crate::counts::{FoldCounts, FoldedData};
use crate::data::Dataset;
use crate::error::Result;
use crate::model::{Classifier, Summing};
use crate::parameters::ParameterEstimator;
use crate::score::FamilyScore;
use crate::structure::StructureLearner;

/// P(c | x) of each row of each fold (`[fold][row·s + c]`, the fold's rows in their order) by the classifier that
/// was learned from all other folds.
///
/// The tables of all folds are counted once; each training set's are the sum of the other folds'. The result
/// equals that of learning from the training rows alone, exactly.
///
/// # Complexity
/// About one fit and one prediction of all rows, a copy of the codes, and for each fold the scores and the tree.
pub fn cross_validate(
    data: &Dataset,
    fold_of_row: &[u32],
    folds: usize,
    learner: &dyn StructureLearner,
    score: &dyn FamilyScore,
    estimator: &dyn ParameterEstimator,
    control: &Control,
) -> Result<Vec<Vec<f64>>> {
    let folded = FoldedData::new(data, fold_of_row, folds)?;
    let counts = FoldCounts::new(&folded);
    let structures = learner.learn_folds(&counts, score, control)?;
    let predict = |fold: usize| {
        let Some(part) = folded.part_of_fold(fold) else { return Ok(Vec::new()) };
        let model = Classifier::fit(&structures[part], &counts.training(part), estimator, control)?;
        model.posterior(&folded.parts()[part], Summing::Exact, control)
    };
    (0..folds).map(predict).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::Counter;
    use crate::data::Column;
    use crate::parameters::Laplace;
    use crate::score::LogLikelihood;
    use crate::structure::{
        Bckg, Evidence, Ffss, LevelOrder, NaiveBayes, Root, Roots, Significance, Stan, Tan,
    };
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(30))]
        #[test]
        fn equals_learning_from_the_training_rows(
            rows in proptest::collection::vec((0i64..2, 0i64..3, 0i64..2, 0i64..4, 0u32..3), 6..80),
        ) {
            let column =
                |values: Vec<i64>, arity| Column::from_integers("x", values.into_iter(), arity, None).unwrap();
            let columns = vec![
                column(rows.iter().map(|row| row.1).collect(), 3),
                column(rows.iter().map(|row| row.2).collect(), 2),
                column(rows.iter().map(|row| row.3).collect(), 4),
            ];
            let data = Dataset::new(columns, Some(column(rows.iter().map(|row| row.0).collect(), 2))).unwrap();
            let folds: Vec<u32> = rows.iter().map(|row| row.4).collect();
            let control = Control::new();
            let graph = Bckg { k: 2, root: Root::Free, level_order: LevelOrder::Index };
            let stan = Stan { significance: Significance::new(0.3, 0.5).unwrap(), roots: Roots::Random(1) };
            let learners: [&dyn StructureLearner; 5] =
                [&NaiveBayes, &Tan::default(), &stan, &Ffss::default(), &graph];
            for learner in learners {
                let estimator = Laplace::new(1.0);
                let found =
                    cross_validate(&data, &folds, 3, learner, &LogLikelihood, &estimator, &control).unwrap();
                for fold in 0..3 {
                    let part = |held_out: bool| -> Vec<u32> {
                        let all = 0..rows.len() as u32;
                        all.filter(|&row| (folds[row as usize] == fold) == held_out).collect()
                    };
                    let (Ok(training), Ok(test)) = (data.select(&part(false)), data.select(&part(true))) else {
                        continue;
                    };
                    let counts = Counter::new(&training);
                    let evidence = Evidence { counts: &counts, score: &LogLikelihood };
                    let structure = learner.learn(evidence, &control).unwrap();
                    let model = Classifier::fit(&structure, &counts, &estimator, &control).unwrap();
                    let expected = model.posterior(&test, Summing::Exact, &control).unwrap();
                    prop_assert_eq!(&found[fold as usize], &expected);
                }
            }
        }
    }
}
