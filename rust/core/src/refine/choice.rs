//! The choice of structure and ridge by inner cross-validation on log-loss.

use rayon::prelude::*;

use crate::control::Control;
use crate::error::Result;
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

/// How many shapes go through all folds.
const FINALISTS: usize = 3;
/// In the first round one of so many ridges is tried, from the largest on.
const COARSE: usize = 2;

/// The candidates that went through every fold and earned their parents, the best first.
///
/// Every shape learns its structure from the training rows of the fold. Ridges go from large to small, each starting
/// from the one before; once the held-out loss has risen, smaller ones are not tried. A first round tries every
/// second ridge on half of the folds. The first shape, which is the simplest, and the best two of the others go on, to
/// all folds, with the ridges around their best.
///
/// Searching for parents finds some in noise, too, and held-out rows had a say in the cuts of numeric columns. So another
/// shape stays only if the losses of its best ridge are below those of the simplest by more than the standard error of
/// their difference.
pub fn choose(
    rows: &Rows,
    fold_of_row: &[u32],
    folds: usize,
    shapes: &[Shape],
    ridges: &[f64],
    control: &Control,
) -> Result<Vec<Candidate>> {
    let shapes: Vec<&Shape> = shapes.iter().collect();
    let parts = (0..folds as u32)
        .map(|fold| Part::new(rows, fold_of_row, fold, &shapes, control))
        .filter_map(Result::transpose)
        .collect::<Result<Vec<_>>>()?;
    let half = parts.len().div_ceil(2);
    let finalists = FINALISTS.min(shapes.len());
    control.expect((half * shapes.len() + parts.len() * finalists) as u64);
    let coarse: Vec<f64> = ridges.iter().copied().step_by(COARSE).collect();
    let all: Vec<(usize, &[f64])> = (0..shapes.len()).map(|shape| (shape, coarse.as_slice())).collect();
    let mut best: Vec<(usize, &[f64])> = Vec::new();
    for tried in tried(&parts[..half], &all, control)? {
        let (shape, ridge) = (tried.candidate.shape, tried.candidate.ridge);
        let simplest_waits = shape != 0 && !best.iter().any(|(shape, _)| *shape == 0);
        let room = finalists - best.len() - usize::from(simplest_waits);
        if room > 0 && !best.iter().any(|(other, _)| *other == shape) {
            let place = ridges.iter().position(|&other| other == ridge).unwrap_or(0);
            let around = place.saturating_sub(COARSE)..(place + COARSE + 1).min(ridges.len());
            best.push((shape, &ridges[around]));
        }
    }
    let found = tried(&parts, &best, control)?;
    let of_shape = |shape: usize| found.iter().find(|tried| tried.candidate.shape == shape);
    let earned = |shape: usize| match (of_shape(0), of_shape(shape)) {
        (Some(simplest), Some(other)) if shape != 0 => other.is_better_than(simplest),
        _ => true,
    };
    Ok(found.iter().map(|tried| tried.candidate).filter(|candidate| earned(candidate.shape)).collect())
}

/// A candidate with the loss of each row that was held out.
struct Tried {
    candidate: Candidate,
    losses: Vec<f64>,
}

impl Tried {
    /// Whether the losses are lower by more than the standard error of their sum.
    fn is_better_than(&self, other: &Self) -> bool {
        let gains: Vec<f64> = other.losses.iter().zip(&self.losses).map(|(other, own)| other - own).collect();
        let mean = gains.iter().sum::<f64>() / gains.len() as f64;
        let squares: f64 = gains.iter().map(|gain| (gain - mean).powi(2)).sum();
        gains.iter().sum::<f64>() > squares.sqrt()
    }
}

/// Fits every shape with its ridges on every part. The best first; of equal ones the simpler shape and the larger ridge.
fn tried(parts: &[Part], shapes: &[(usize, &[f64])], control: &Control) -> Result<Vec<Tried>> {
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
            let losses: Option<Vec<&Vec<f64>>> = of_shape.map(|(_, losses)| losses.get(rank)).collect();
            if let Some(losses) = losses {
                let losses: Vec<f64> = losses.into_iter().flatten().copied().collect();
                let log_loss = losses.iter().sum::<f64>() / total;
                tried.push(Tried { candidate: Candidate { shape, ridge, log_loss }, losses });
            }
        }
    }
    tried.sort_by(|a, b| {
        let (a, b) = (&a.candidate, &b.candidate);
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
        let (train, test) = (rows.select(&train)?, rows.select(&test)?.merged()?);
        let structures = structures(&train.data, shapes, control)?;
        Ok(Some(Self { train: train.merged()?, test, structures }))
    }

    /// The held-out losses of one structure along the ridges, as far as they were tried.
    fn path(&self, shape: usize, ridges: &[f64], control: &Control) -> Result<Vec<Vec<f64>>> {
        let training = Training::new(&self.train, self.structures[shape].clone(), TOLERANCE, control)?;
        let held_out = HeldOut::new(&self.test, &training)?;
        let mut parameters = vec![0.0; training.design.parameters()];
        let mut losses: Vec<Vec<f64>> = Vec::new();
        let mut best = f64::INFINITY;
        for &ridge in ridges {
            minimise(&Objective { design: &training.design, ridge }, &mut parameters, STOP, control)?;
            let of_rows = held_out.log_losses(&training, &parameters);
            let loss: f64 = of_rows.iter().sum();
            losses.push(of_rows);
            if loss > RISEN * best {
                break;
            }
            best = best.min(loss);
        }
        Ok(losses)
    }
}
