//! From rows to a refined network: choose, refit, average.

use crate::control::Control;
use crate::data::stratified_folds;
use crate::error::{Error, Result, check_length, check_parameter};
use crate::refine::choice::{Candidate, Entrant, Folds, choose};
use crate::refine::dependence::{Shape, structures as structures_of};
use crate::refine::lbfgs::minimise;
use crate::refine::model::Refined;
use crate::refine::objective::Objective;
use crate::refine::rows::Rows;
use crate::refine::stop::Stop;
use crate::refine::term::Training;

/// Final fits end where no more than this share of the objective is to be gained, once their steps have visited so many
/// entries of tables and vectors of parameters: what is cheap ends at the optimum, whatever the order of columns …
const TOLERANCE: (f64, usize) = (1e-6, 20_000_000);
/// … or after the steps that visit so many …
const VISITS: usize = 1_000_000_000;
/// … but not before the first number of steps, nor after the second: large designs, where a step is dear, end where
/// probabilities do not move any more.
const STEPS: (usize, usize) = (100, 2000);
/// λ from large to small: two values for each power of ten.
pub const RIDGES: [f64; 11] = [100.0, 31.6, 10.0, 3.16, 1.0, 0.316, 0.1, 0.0316, 0.01, 0.00316, 0.001];
/// The largest sum of weights: beside a larger one, the ridge and light rows are lost in rounding, and no step is downhill.
const HEAVIEST: f64 = 1e18;

/// What to fit.
pub struct Settings {
    /// The structures to choose from, for each coding of the rows.
    pub shapes: Vec<Vec<Shape>>,
    /// The ridges to choose from, from large to small.
    pub ridges: Vec<f64>,
    /// How many of the best are averaged.
    pub keep: usize,
    /// The fold of each row and their number; rows of no fold have a larger one.
    pub folds: Option<(Vec<u32>, usize)>,
    /// The number of folds where none are given.
    pub cv: usize,
    /// The seed of folds and sample.
    pub seed: u64,
    /// The most rows that the choice looks at.
    pub sample: usize,
}

/// Fits a refined network; gives it with the candidates that were averaged.
///
/// `codings` are the same rows, their columns cut in several ways, of which the network reads one: candidates of others are
/// not averaged with it.
///
/// # References
/// refined networks: petitjean2018, zhang2020, greiner2005
pub fn fit(codings: &[Rows], settings: &Settings, control: &Control) -> Result<(Refined, Vec<Candidate>)> {
    let structures: usize = settings.shapes.iter().map(Vec::len).sum();
    if structures * settings.ridges.len() == 0 || settings.shapes.first().is_none_or(Vec::is_empty) {
        return Err(Error::Empty { what: "the number of structures or of ridges to choose from" });
    }
    check_length("the list of structures", settings.shapes.len(), codings.len())?;
    for rows in &codings[1..] {
        check_length("a coding of the rows", rows.data.rows(), codings[0].data.rows())?;
    }
    for &ridge in &settings.ridges {
        if !(ridge.is_finite() && ridge > 0.0) {
            let allowed = "a ridge is finite and positive";
            return Err(Error::ParameterOutOfRange { name: "ridge", value: ridge, allowed });
        }
    }
    let total = codings[0].data.total();
    let allowed = "together, the rows of a refined network weigh at most 1e18";
    check_parameter("the sum of weights", total, total <= HEAVIEST, allowed)?;
    // Also where no fold has both parts: the strongest ridge on the simplest structure.
    let entrant = Entrant { coding: 0, shape: 0 };
    let first = Candidate { entrant, ridge: settings.ridges[0], log_loss: f64::NAN };
    let mut chosen = Vec::new();
    if structures * settings.ridges.len() > 1 {
        let (samples, folds) = folded_samples(codings, settings)?;
        chosen = choose(&samples, &folds, &settings.shapes, &settings.ridges, control)?;
    }
    chosen.truncate(settings.keep.max(1));
    if chosen.is_empty() {
        chosen.push(first);
    }
    let coding = chosen[0].entrant.coding;
    control.expect(chosen.len() as u64);
    let rows = &codings[coding];
    let mut shapes: Vec<usize> = Vec::new();
    for candidate in &chosen {
        if !shapes.contains(&candidate.entrant.shape) {
            shapes.push(candidate.entrant.shape);
        }
    }
    let wanted: Vec<&Shape> = shapes.iter().map(|&shape| &settings.shapes[coding][shape]).collect();
    let structures = structures_of(&rows.data, &wanted, control)?;
    let merged = rows.merged()?;
    let mut fits = Vec::new();
    for (&shape, structure) in shapes.iter().zip(structures) {
        let mut ridges: Vec<f64> = chosen
            .iter()
            .filter(|candidate| candidate.entrant.shape == shape)
            .map(|candidate| candidate.ridge)
            .collect();
        ridges.sort_by(|a, b| b.total_cmp(a));
        let training = Training::new(&merged, structure, control)?;
        let visits = training.design.visits().max(1);
        let steps = (VISITS / visits).clamp(STEPS.0, STEPS.1);
        let stop = Stop { tolerance: TOLERANCE.0, exact: TOLERANCE.1 / visits, steps };
        let mut parameters = vec![0.0; training.design.parameters()];
        let mut found = Vec::new();
        for ridge in ridges {
            minimise(&Objective { design: &training.design, ridge }, &mut parameters, stop, control)?;
            found.push(parameters.clone());
            control.advance(1);
        }
        fits.push((training, found));
    }
    Ok((Refined::average(rows, fits)?, chosen))
}

/// Small tables are cross-validated several times, until so many rows were held out, but at most [`REPEATS`] times.
const HELD_OUT: usize = 2000;
/// The most repetitions.
const REPEATS: usize = 5;

/// The rows that the choice looks at, with their folds. A sample is one of as many stratified parts as it takes.
fn folded_samples(codings: &[Rows], settings: &Settings) -> Result<(Vec<Rows>, Vec<Folds>)> {
    let rows = &codings[0];
    let Some(class) = rows.data.class() else { return Err(Error::NoClass { what: "a refined network" }) };
    let n = rows.data.rows();
    // Rows without weight are as if they were not there: also their numbers were not read.
    let weights = rows.weights();
    let mut sample: Vec<u32> = (0..n as u32).filter(|&row| weights[row as usize] > 0.0).collect();
    let parts = sample.len().div_ceil(settings.sample.max(1));
    if parts > 1 {
        let part_of_row = stratified_folds(&class.select(&sample), parts, settings.seed)?;
        sample =
            sample.into_iter().zip(part_of_row).filter(|&(_, part)| part == 0).map(|(row, _)| row).collect();
    }
    let sampled = codings.iter().map(|rows| rows.select(&sample)).collect::<Result<Vec<_>>>()?;
    let folds = match &settings.folds {
        Some((folds, n_folds)) => {
            if folds.len() != n {
                let (found, expected) = (folds.len(), n);
                return Err(Error::LengthMismatch { what: "the list of folds", found, expected });
            }
            let of_row = sample.iter().map(|&row| folds[row as usize]).collect();
            vec![Folds { of_row, number: *n_folds }]
        }
        None => {
            let class = class.select(&sample);
            let repeats = (HELD_OUT / sample.len().max(1)).clamp(1, REPEATS) as u64;
            let seeds = (0..repeats).map(|repeat| settings.seed.wrapping_add(repeat));
            let folds = seeds.map(|seed| stratified_folds(&class, settings.cv, seed));
            let of_rows = folds.collect::<Result<Vec<_>>>()?.into_iter();
            of_rows.map(|of_row| Folds { of_row, number: settings.cv }).collect()
        }
    };
    Ok((sampled, folds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Dataset};
    use crate::refine::Family;

    #[test]
    fn the_coding_that_tells_the_class_is_the_one_that_is_read() {
        let column = |values: &[i64]| Column::from_integers("x", values.iter().copied(), 2, None).unwrap();
        let class: Vec<i64> = (0..60).map(|row| i64::from(row % 3 == 0)).collect();
        let coding = |values: &[i64]| {
            let data = Dataset::new(vec![column(values)], Some(column(&class))).unwrap();
            Rows::new(data, vec![None]).unwrap()
        };
        let codings = [coding(&[0; 60]), coding(&class)];
        let shape = || Shape::KDependence { parents: 0, family: Family::Dependence };
        let settings = |shapes: Vec<Vec<Shape>>| Settings {
            shapes,
            ridges: vec![1.0, 0.1],
            keep: 3,
            folds: None,
            cv: 4,
            seed: 0,
            sample: 1000,
        };
        let control = Control::new();
        let (model, chosen) = fit(&codings, &settings(vec![vec![shape()], vec![shape()]]), &control).unwrap();
        // The strange coding is not averaged with it, though there would be room.
        assert_eq!(chosen.len(), 2);
        assert!(chosen.iter().all(|candidate| candidate.entrant == Entrant { coding: 1, shape: 0 }));
        let scores = model.scores(&codings[1], &control).unwrap();
        assert!(
            scores
                .chunks_exact(2)
                .zip(&class)
                .all(|(scores, &class)| (scores[1] > scores[0]) == (class == 1))
        );
        for wrong in [vec![vec![shape()]], vec![vec![], vec![shape()]]] {
            assert!(fit(&codings, &settings(wrong), &control).is_err());
        }
    }
    /// Scores of a row of class 0 with this weight, in a table of light rows.
    fn heavy(weight: f64) -> Result<Vec<f64>> {
        let column = |values: &[i64]| Column::from_integers("x", values.iter().copied(), 2, None).unwrap();
        let data = Dataset::new(vec![column(&[0, 0, 1, 1, 1])], Some(column(&[0, 0, 1, 1, 0])))?;
        let rows = Rows::new(data.with_weights(vec![weight, 0.1, 0.1, 2.0, 1.0])?, vec![None])?;
        let shapes = vec![vec![Shape::KDependence { parents: 1, family: Family::Dependence }]];
        let settings =
            Settings { shapes, ridges: vec![1.0], keep: 1, folds: None, cv: 2, seed: 0, sample: 9 };
        let first = rows.select(&[0])?;
        fit(&[rows], &settings, &Control::new())?.0.scores(&first, &Control::new())
    }

    #[test]
    fn weights_beside_which_the_ridge_is_lost_are_refused() {
        let mut before = 0.0;
        for weight in [1.0, 1e3, 1e6, 1e9, 1e12, 1e15, 1e17] {
            let scores = heavy(weight).unwrap();
            let surer = scores[0] - scores[1];
            assert!(surer > before && surer < 50.0, "{weight:e}: {scores:?}");
            before = surer;
        }
        for weight in [1e19, 1e300] {
            let refused = heavy(weight).unwrap_err().to_string();
            assert!(refused.contains("weigh at most 1e18"), "{refused}");
        }
    }
}
