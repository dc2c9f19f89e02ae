//! The choice of structure and ridge by inner cross-validation on log-loss.

use std::ops::Range;

use rayon::prelude::*;

use crate::control::Control;
use crate::error::Result;
use crate::memory::check_bytes;
use crate::refine::dependence::{Shape, structures};
use crate::refine::lbfgs::{Stop, minimise};
use crate::refine::objective::Objective;
use crate::refine::rows::Rows;
use crate::refine::term::{HeldOut, Training};
use crate::structure::Structure;

/// How exactly a candidate is fitted: enough to rank it.
const STOP: Stop = Stop { tolerance: 3e-4, steps: 25 };
/// A loss this many times the best so far has risen for good.
const RISEN: f64 = 1.05;
/// How exactly its concentrations are found.
const TOLERANCE: f64 = 1e-4;

/// A structure and a ridge, with their held-out log-loss.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// Which shape.
    pub shape: usize,
    /// λ.
    pub ridge: f64,
    /// The mean log-loss of the rows that were held out.
    pub log_loss: f64,
}

/// A cross-validation: the fold of each row (beyond their number: it is always learned from) and their number.
#[derive(Debug, Clone)]
pub struct Folds {
    /// The fold of each row.
    pub of_row: Vec<u32>,
    /// How many there are.
    pub number: usize,
}

impl Folds {
    /// The folds up to the last that has rows: more folds than rows would only be empty.
    fn held_out(&self) -> Range<u32> {
        let own = self.of_row.iter().filter(|&&fold| (fold as usize) < self.number);
        0..own.max().map_or(0, |last| last + 1)
    }
}

/// How many shapes go through all folds.
const FINALISTS: usize = 4;
/// In the first round one of so many ridges is tried, from the largest on.
const COARSE: usize = 2;

/// The candidates that went through every fold, the best first.
///
/// Structures, tables and MDL cuts are learned from the training rows of each fold; several cross-validations are
/// repetitions. Ridges go from large to small, each starting from the one before; once the held-out loss has risen,
/// smaller ones are not tried. A first round tries every second ridge on half of the folds. The best four shapes go on,
/// to all folds, with the ridges around their best.
pub fn choose(
    rows: &Rows,
    folds: &[Folds],
    shapes: &[Shape],
    ridges: &[f64],
    control: &Control,
) -> Result<Vec<Candidate>> {
    let shapes: Vec<&Shape> = shapes.iter().collect();
    let parts: Vec<(&Folds, u32)> =
        folds.iter().flat_map(|folds| folds.held_out().map(move |fold| (folds, fold))).collect();
    // Every fold has a copy of the rows.
    let numbers = rows.numbers.iter().flatten().count();
    check_bytes(
        || format!("{} copies of {} rows, one for each inner fold", parts.len(), rows.data.rows()),
        [parts.len(), rows.data.rows(), rows.data.n() + 8 * numbers + 1],
    )?;
    let parts: Vec<Option<Part>> = parts
        .par_iter()
        .map(|&(folds, fold)| Part::new(rows, &folds.of_row, fold, &shapes, control))
        .collect::<Result<_>>()?;
    let parts: Vec<Part> = parts.into_iter().flatten().collect();
    let half = parts.len().div_ceil(2);
    let finalists = FINALISTS.min(shapes.len());
    control.expect((half * shapes.len() + parts.len() * finalists) as u64);
    let coarse: Vec<f64> = ridges.iter().copied().step_by(COARSE).collect();
    let all: Vec<(usize, &[f64])> = (0..shapes.len()).map(|shape| (shape, coarse.as_slice())).collect();
    let mut best: Vec<(usize, &[f64])> = Vec::new();
    for Candidate { shape, ridge, .. } in tried(&parts[..half], &all, control)? {
        // Two shapes may have found the same structures.
        let is_known = |&(other, _): &(usize, &[f64])| {
            parts.iter().all(|part| part.structures[other] == part.structures[shape])
        };
        if best.len() < finalists && !best.iter().any(is_known) {
            let place = ridges.iter().position(|&other| other == ridge).unwrap_or(0);
            let around = place.saturating_sub(COARSE)..(place + COARSE + 1).min(ridges.len());
            best.push((shape, &ridges[around]));
        }
    }
    tried(&parts, &best, control)
}

/// Fits every shape with its ridges on every part. The best first; of equal ones the simpler shape and the larger ridge.
fn tried(parts: &[Part], shapes: &[(usize, &[f64])], control: &Control) -> Result<Vec<Candidate>> {
    let tasks: Vec<(usize, &Part)> =
        (0..shapes.len()).flat_map(|place| parts.iter().map(move |part| (place, part))).collect();
    let of_tasks = tasks
        .par_iter()
        .map(|&(place, part)| {
            let losses = part.path(shapes[place].0, shapes[place].1, control)?;
            control.advance(1);
            Ok(losses)
        })
        .collect::<Result<Vec<_>>>()?;
    let total: f64 = parts.iter().map(|part| part.test.weights().iter().sum::<f64>()).sum();
    let mut tried = Vec::new();
    for (place, &(shape, ridges)) in shapes.iter().enumerate() {
        for (rank, &ridge) in ridges.iter().enumerate() {
            let of_shape = tasks.iter().zip(&of_tasks).filter(|(task, _)| task.0 == place);
            // Where some fold gave up before this ridge, it is not a candidate.
            let losses: Option<Vec<f64>> = of_shape.map(|(_, losses)| losses.get(rank).copied()).collect();
            if let Some(losses) = losses {
                tried.push(Candidate { shape, ridge, log_loss: losses.iter().sum::<f64>() / total });
            }
        }
    }
    tried.sort_by(|a, b| {
        a.log_loss.total_cmp(&b.log_loss).then(a.shape.cmp(&b.shape)).then(b.ridge.total_cmp(&a.ridge))
    });
    Ok(tried)
}

/// One fold: rows to learn from, rows held out, and the structure of each shape.
struct Part {
    train: Rows,
    test: Rows,
    structures: Vec<Structure>,
}

impl Part {
    fn new(
        rows: &Rows,
        fold_of_row: &[u32],
        fold: u32,
        shapes: &[&Shape],
        control: &Control,
    ) -> Result<Option<Self>> {
        let of_part = |held_out: bool| -> Vec<u32> {
            let all = 0..rows.data.rows() as u32;
            all.filter(|&row| (fold_of_row[row as usize] == fold) == held_out).collect()
        };
        let (train, test) = (of_part(false), of_part(true));
        if train.is_empty() || test.is_empty() {
            return Ok(None);
        }
        let rows = rows.cut_by(&train)?;
        let (train, test) = (rows.select(&train)?, rows.select(&test)?.merged()?);
        let structures = structures(&train.data, shapes, control)?;
        Ok(Some(Self { train: train.merged()?, test, structures }))
    }

    /// The held-out losses of one structure along the ridges, as far as they were tried.
    fn path(&self, shape: usize, ridges: &[f64], control: &Control) -> Result<Vec<f64>> {
        let training = Training::new(&self.train, self.structures[shape].clone(), TOLERANCE, control)?;
        let held_out = HeldOut::new(&self.test, &training)?;
        let mut parameters = vec![0.0; training.design.parameters()];
        let mut losses: Vec<f64> = Vec::new();
        let mut best = f64::INFINITY;
        for &ridge in ridges {
            minimise(&Objective { design: &training.design, ridge }, &mut parameters, STOP, control)?;
            let loss = held_out.log_loss(&training, &parameters);
            losses.push(loss);
            if loss > RISEN * best {
                break;
            }
            best = best.min(loss);
        }
        Ok(losses)
    }
}
