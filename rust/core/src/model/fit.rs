//! From data to a fitted network: the one place where counts, structure and parameters come together.

use crate::control::Control;
use crate::counts::{CountSource, Counter, FoldCounts, FoldedData};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::model::composed::{ComposedEntry, FromCounts};
use crate::model::{
    Classifier, CrossValidatedAccuracy, Network, Summing, aode, averaged_tan, kdb_ensemble, weighted_nb,
};
use crate::options::Options;
use crate::parameters::ParameterEstimator;
use crate::registry::{self, About, Need};
use crate::score::{FamilyScore, Scorer};
use crate::structure::{self, Evidence, Learner, SearchPath};

/// What to learn, and how.
pub struct Plan<'a> {
    /// The learner's name.
    pub learner: &'a str,
    /// Its settings.
    pub settings: &'a Options,
    /// The score to maximise; learners that need none do not look at it.
    pub score: &'a dyn FamilyScore,
    /// How tables are estimated.
    pub estimator: &'a dyn ParameterEstimator,
    /// The folds of a search by accuracy, where they are given by hand: that of each row, and their number.
    pub folds: Option<(&'a [u32], usize)>,
}

/// What was learned.
#[derive(Debug)]
pub struct Fitted {
    /// Structure and tables.
    pub network: Network,
    /// The score of the network, where the learner maximises one.
    pub score: Option<f64>,
    /// How the structure was found, where it was found by a search by accuracy.
    pub path: Option<SearchPath>,
}

/// Learners that are more than one structure with its tables: an average of networks, weights of attributes. Each has
/// a fit of its own; here it tells about itself like any other.
pub const COMPOSED: &[ComposedEntry] =
    &[averaged_tan::ENTRY, aode::ENTRY, weighted_nb::ENTRY, kdb_ensemble::ENTRY];

/// What there is to tell about every learner.
pub fn learners() -> impl Iterator<Item = &'static About> {
    structure::REGISTRY.iter().map(|entry| &entry.about).chain(COMPOSED.iter().map(|entry| &entry.about))
}

/// Learns a network from counts, wherever the rows are: a classifier where there is a class, else a density. Learners that
/// search by accuracy ask for the rows, and are refused where these are elsewhere.
pub fn fit(counts: &dyn CountSource, plan: &Plan<'_>, control: &Control) -> Result<Fitted> {
    let (about, learner) = plan.learner()?;
    check_class(about, counts)?;
    let (structure, path) = match learner {
        Learner::Counts(learner) => (learner.learn(Evidence { counts, score: plan.score }, control)?, None),
        Learner::Accuracy(search) => {
            let Some(data) = counts.rows()? else { return Err(plan.needs_rows()) };
            let mut accuracy = CrossValidatedAccuracy::new(&data, plan.estimator);
            if let Some((fold_of_row, folds)) = plan.folds {
                accuracy = accuracy.with_folds(fold_of_row, folds);
            }
            let (structure, path) = search.search(counts, &accuracy, control)?;
            (structure, Some(path))
        }
    };
    let network = Network::estimate(&structure, counts, plan.estimator, control)?;
    let score = if about.needs.contains(&Need::Score) {
        Some(structure.score(counts, &Scorer::for_source(plan.score, counts, 0))?)
    } else {
        None
    };
    Ok(Fitted { network, score, path })
}

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
    plan: &Plan<'_>,
    control: &Control,
) -> Result<Vec<Vec<f64>>> {
    if let Some((settings, learn)) = plan.composed()? {
        let folded = FoldedData::new(data, fold_of_row, folds)?;
        let counts = FoldCounts::new(&folded);
        let predict = |fold: usize| {
            let Some(part) = folded.part_of_fold(fold) else { return Ok(Vec::new()) };
            let model = learn(&counts.training(part), &settings, control)?;
            model.posterior(&folded.parts()[part], Summing::Exact, control)
        };
        return (0..folds).map(predict).collect();
    }
    let (about, learner) = plan.learner()?;
    let Learner::Counts(learner) = learner else { return Err(plan.needs_rows()) };
    let folded = FoldedData::new(data, fold_of_row, folds)?;
    let counts = FoldCounts::new(&folded);
    check_class(about, &Counter::new(data))?;
    let structures = learner.learn_folds(&counts, plan.score, control)?;
    let predict = |fold: usize| {
        let Some(part) = folded.part_of_fold(fold) else { return Ok(Vec::new()) };
        let network = Network::estimate(&structures[part], &counts.training(part), plan.estimator, control)?;
        network.posterior(&folded.parts()[part], Summing::Exact, control)
    };
    (0..folds).map(predict).collect()
}

impl Plan<'_> {
    fn learner(&self) -> Result<(&'static About, Learner)> {
        let entry = registry::find("learner", structure::REGISTRY, self.learner)?;
        Ok((&entry.about, entry.make(self.settings)?))
    }

    /// The settings, and how to learn from counts, where the learner is more than one structure.
    fn composed(&self) -> Result<Option<(Options, FromCounts)>> {
        let named = COMPOSED.iter().find(|entry| entry.about.name == self.learner);
        let Some((entry, learn)) = named.and_then(|entry| Some((entry, entry.from_counts?))) else {
            return Ok(None);
        };
        Ok(Some((self.settings.resolve(self.learner, entry.about.settings)?, learn)))
    }

    fn needs_rows(&self) -> Error {
        Error::NoAccuracy { learner: self.learner.into() }
    }
}

fn check_class(about: &'static About, counts: &dyn CountSource) -> Result<()> {
    if about.needs.contains(&Need::Class) && counts.n_classes().is_none() {
        return Err(Error::NoClass { what: about.name });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Column;
    use crate::options::Setting;
    use crate::parameters::Laplace;
    use crate::score::LogLikelihood;
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
            let mut loose = Options::default();
            loose.set("alpha", Setting::Number(0.3));
            loose.set("min_cell", Setting::Number(0.5));
            let none = Options::default();
            for (learner, settings) in [("nb", &none), ("tan", &none), ("stan", &loose), ("ffss", &none), ("bckg", &none)] {
                let (score, estimator, folds_) = (&LogLikelihood, &Laplace::new(1.0), None);
                let plan = Plan { learner, settings, score, estimator, folds: folds_ };
                let found = cross_validate(&data, &folds, 3, &plan, &control).unwrap();
                for fold in 0..3 {
                    let part = |held_out: bool| -> Vec<u32> {
                        let all = 0..rows.len() as u32;
                        all.filter(|&row| (folds[row as usize] == fold) == held_out).collect()
                    };
                    let (Ok(training), Ok(test)) = (data.select(&part(false)), data.select(&part(true))) else {
                        continue;
                    };
                    let network = fit(&Counter::new(&training), &plan, &control).unwrap().network;
                    let expected = network.posterior(&test, Summing::Exact, &control).unwrap();
                    prop_assert_eq!(&found[fold as usize], &expected);
                }
            }
        }
    }
}
