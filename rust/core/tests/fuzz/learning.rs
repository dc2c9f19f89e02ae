//! Every registered learner, score and estimator on any table with any settings.

use tanager_core::counts::Counter;
use tanager_core::data::Dataset;
use tanager_core::model::kdb_ensemble::{self, EnsembleSettings, Ladder};
use tanager_core::model::weighted_nb::{self, WeightSettings};
use tanager_core::model::{
    self, COMPOSED, Classifier, Composed, KdbEnsemble, Mixture, MixturePlan, Network, Plan, Summing,
};
use tanager_core::refine::{self, Family, Rows, Settings, Shape};
use tanager_core::structure::{Structure, Tan};
use tanager_core::{Control, parameters, score, structure};

use crate::tape::{Tape, rows_of, settings, table, told};

/// Every number is a probability, and those of each row sum to 1.
fn check_probabilities(probabilities: &[f64], classes: usize) {
    for row in probabilities.chunks_exact(classes) {
        assert!(row.iter().all(|p| (0.0..=1.0).contains(p)), "{row:?}");
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{row:?}");
    }
}

/// The distributions of all nodes sum to 1.
pub fn check_distributions(network: &Network) {
    let s = network.n_classes();
    for table in network.tables() {
        let values: usize = table.node().members.iter().map(|&member| network.arities()[member]).product();
        for distribution in table.dense().unwrap().chunks_exact(values * s) {
            for class in 0..s {
                let sum: f64 = distribution.iter().skip(class).step_by(s).map(|log| log.exp()).sum();
                assert!((sum - 1.0).abs() < 1e-9, "{:?}: {sum}", table.node());
            }
        }
    }
}

/// Rows over the same domains, with other values and other missing ones.
fn new_rows(tape: &mut Tape<'_>, data: &Dataset) -> Dataset {
    rows_of(tape, &data.arities(), None)
}

/// What a network says about rows.
pub fn ask(network: &Network, rows: &Dataset, seed: u64) {
    let control = Control::new();
    for summing in [Summing::Exact, Summing::Approximate] {
        if let Some(joint) = told(network.log_joint(rows, summing, &control)) {
            assert!(joint.iter().all(|value| !value.is_nan()));
        }
        if let Some(posterior) = told(network.posterior(rows, summing, &control)) {
            check_probabilities(&posterior, network.n_classes());
        }
    }
    if let Some((columns, _)) = told(network.sample(3, seed, &control)) {
        for (column, &arity) in columns.iter().zip(network.arities()) {
            assert!(column.iter().all(|&code| (code as usize) < arity));
        }
    }
}

/// Learners of structures, with scores and estimators.
pub fn learners(tape: &mut Tape<'_>) {
    let learner = tape.one(structure::REGISTRY);
    let entry = tape.one(score::REGISTRY);
    let Some(score) = told(entry.make(&settings(tape, entry.about.settings, 0))) else { return };
    let entry = tape.one(parameters::REGISTRY);
    let Some(estimator) = told(entry.make(&settings(tape, entry.about.settings, 0))) else { return };
    let n = 1 + tape.below(6);
    let chosen = settings(tape, learner.about.settings, n);
    let data = table(tape);
    let (score, estimator) = (&*score, &*estimator);
    let fold_of_row = tape.list(data.rows(), |tape| tape.below(3) as u32);
    let folds = if tape.seldom(4) { Some((&fold_of_row[..], 1 + tape.below(4))) } else { None };
    let plan = Plan { learner: learner.about.name, settings: &chosen, score, estimator, folds };
    let control = Control::new();
    if let Some(fitted) = told(model::fit(&Counter::new(&data), &plan, &control)) {
        assert!(fitted.score.is_none_or(|score| !score.is_nan()));
        check_distributions(&fitted.network);
        ask(&fitted.network, &new_rows(tape, &data), 1);
    }
    let folds = *tape.one(&[3, 2, 1, 0, 9]);
    for part in told(model::cross_validate(&data, &fold_of_row, folds, &plan, &control)).into_iter().flatten()
    {
        check_probabilities(&part, data.n_classes().unwrap_or(1));
    }
    control.cancel();
    assert!(
        model::fit(&Counter::new(&data), &plan, &control).is_err()
            || data.n() < 2
            || learner.about.name != "tan"
    );
}

/// Classifiers that are more than one network.
pub fn composed(tape: &mut Tape<'_>) {
    let entry = tape.one(COMPOSED);
    let chosen = settings(tape, entry.about.settings, 0);
    let data = table(tape);
    let control = Control::new();
    let rows = new_rows(tape, &data);
    let check = |model: &dyn Composed, summing: Summing| {
        if let Some(posterior) = told(model.posterior(&rows, summing, &control)) {
            check_probabilities(&posterior, model.n_classes());
        }
        told(model.contributions(&rows, summing, &control));
    };
    let check = |model: &dyn Composed| {
        check(model, Summing::Exact);
        check(model, Summing::Approximate);
    };
    if let Some(learn) = entry.from_counts {
        let Some(resolved) = told(chosen.resolve(entry.about.name, entry.about.settings)) else { return };
        told(learn(&Counter::new(&data), &resolved, &control)).iter().for_each(|model| check(&**model));
    } else if entry.about.name == weighted_nb::ENTRY.about.name {
        let Some(settings) = told(WeightSettings::from_options(&chosen)) else { return };
        told(model::WeightedNaiveBayes::fit(&data, settings, &control)).iter().for_each(|model| check(model));
    } else {
        assert_eq!(entry.about.name, kdb_ensemble::ENTRY.about.name);
        let Some(settings) = told(EnsembleSettings::from_options(&chosen)) else { return };
        let ladders = data.arities();
        let ladders = ladders.iter().map(|&arity| {
            let cuts = if tape.seldom(2) { vec![tape.below(arity + 1)] } else { Vec::new() };
            tape.seldom(2).then_some(Ladder { bins: tape.below(arity + 2), cuts })
        });
        let ladders: Vec<Option<Ladder>> = ladders.collect();
        let Some(model) = told(KdbEnsemble::fit(&data, &ladders, settings, &control)) else { return };
        for summing in [Summing::Exact, Summing::Approximate] {
            if let Some(posterior) = told(model.posterior(&rows, summing, &control)) {
                check_probabilities(&posterior, model.class_prior().len());
            }
        }
    }
}

/// Mixtures of trees.
pub fn mixtures(tape: &mut Tape<'_>) {
    let Some(plan) = told(MixturePlan::from_options(&settings(tape, model::MIXTURE.settings, 0))) else {
        return;
    };
    let plan = MixturePlan { iterations: plan.iterations.min(5), ..plan };
    let entry = tape.one(parameters::REGISTRY);
    let Some(estimator) = told(entry.make(&settings(tape, entry.about.settings, 0))) else { return };
    let data = table(tape);
    let Some((mixture, path)) = told(Mixture::fit(&data, plan, &*estimator, &Control::new())) else { return };
    assert!(path.iter().all(|mean| !mean.is_nan()));
    if let Some(density) = told(mixture.log_density(&new_rows(tape, &data), &Control::new())) {
        assert!(density.iter().all(|value| !value.is_nan() && *value < 1e-9));
    }
}

/// Refined networks.
pub fn refined(tape: &mut Tape<'_>) {
    let shape = |tape: &mut Tape<'_>| match tape.below(4) {
        0 => Shape::KDependence { parents: tape.below(3), family: Family::Dependence },
        1 => Shape::KDependence { parents: tape.below(3), family: Family::ExplainingAway },
        2 => Shape::Learned(Box::new(Tan::default())),
        _ => Shape::Fixed(Structure::from_parents(vec![Vec::new(), vec![0]])),
    };
    let shapes = |tape: &mut Tape<'_>| {
        let number = tape.below(3);
        tape.list(number, shape)
    };
    let shapes = if tape.seldom(3) { vec![shapes(tape), shapes(tape)] } else { vec![shapes(tape)] };
    let ridges = tape.below(3);
    let ridges =
        tape.list(ridges, |tape| if tape.seldom(6) { tape.odd() } else { 1.0 + tape.below(9) as f64 });
    let (keep, cv, sample) = (tape.below(3), tape.below(6), *tape.one(&[1000, 5, 0]));
    let data = table(tape);
    let folds = if tape.seldom(3) { Some(tape.list(data.rows(), |tape| tape.below(4) as u32)) } else { None };
    let folds = folds.map(|folds| (folds, tape.below(4)));
    let settings = Settings { shapes, ridges, keep, folds, cv, seed: 1, sample };
    let Some(rows) = told(Rows::new(data.clone(), vec![None; data.n()])) else { return };
    let control = Control::new();
    let codings = vec![rows; settings.shapes.len()];
    let Some((model, _)) = told(refine::fit(&codings, &settings, &control)) else { return };
    let new = new_rows(tape, &data);
    let Some(new) = told(Rows::new(new, vec![None; data.n()])) else { return };
    if let Some(scores) = told(model.scores(&new, &control)) {
        assert!(scores.iter().all(|score| score.is_finite()));
    }
}
