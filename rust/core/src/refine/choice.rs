//! The choice of structure and ridge by inner cross-validation on log-loss.

use std::collections::BTreeMap;
use std::ops::Range;

use rayon::prelude::*;

use crate::control::Control;
use crate::error::Result;
use crate::memory::check_bytes;
use crate::refine::dependence::{Shape, structures};
use crate::refine::lbfgs::minimise;
use crate::refine::objective::Objective;
use crate::refine::rows::Rows;
use crate::refine::stop::Stop;
use crate::refine::term::{HeldOut, Training};
use crate::structure::Structure;

/// How exactly a candidate is fitted in the first round, and later: a few steps rank them.
const FIRST: Stop = Stop { tolerance: 1e-3, exact: 0, steps: 15 };
const STOP: Stop = Stop { tolerance: 3e-4, exact: 0, steps: 25 };
/// A loss this many times the best so far has risen for good, and is not worth averaging.
const RISEN: f64 = 1.05;

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

/// In the first round one of so many ridges is tried, from the largest on.
const COARSE: usize = 2;
/// How many shapes go on to half of the folds, and how many ridges to each side of their best.
const SECOND: (usize, usize) = (4, COARSE);
/// The same for all of the folds.
const LAST: (usize, usize) = (3, 1);

/// The candidates that went through every fold: the best first, then the best of other structures whose loss is close to
/// its own, then the others.
///
/// Structures, tables and MDL cuts are learned from the training rows of each fold; several cross-validations are
/// repetitions. Ridges go from large to small, each starting from the one before; once the held-out loss has risen,
/// smaller ones are not tried. The choice is made by successive halving: all shapes with every second ridge on a quarter
/// of the folds; the best four with the ridges around their best on half of them; the best three on all.
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
    let (quarter, half) = (parts.len().div_ceil(4), parts.len().div_ceil(2));
    let last = LAST.0.min(shapes.len());
    let expected = quarter * shapes.len() + half * SECOND.0.min(shapes.len()) + (parts.len() - half) * last;
    control.expect(expected as u64);
    let mut race = Race { parts: &parts, ridges, losses: BTreeMap::new() };
    let coarse: Vec<usize> = (0..ridges.len()).step_by(COARSE).collect();
    let all: Vec<(usize, Vec<usize>)> = (0..shapes.len()).map(|shape| (shape, coarse.clone())).collect();
    let ranked = race.run(0..quarter, &all, FIRST, control)?;
    race.losses.clear();
    let ranked = race.run(0..half, &race.best(&ranked, SECOND), STOP, control)?;
    // The losses of the first half of the folds are known already.
    let ranked = race.run(half..parts.len(), &race.best(&ranked, LAST), STOP, control)?;
    Ok(varied(ranked))
}

/// The best, the best of every other shape that is close to it, then the others; otherwise in the order given.
fn varied(ranked: Vec<Candidate>) -> Vec<Candidate> {
    let close = ranked.first().map_or(f64::NAN, |best| RISEN * best.log_loss);
    let is_first = |place: usize| {
        let candidate = &ranked[place];
        candidate.log_loss <= close && ranked[..place].iter().all(|other| other.shape != candidate.shape)
    };
    let (first, rest): (Vec<usize>, Vec<usize>) = (0..ranked.len()).partition(|&place| is_first(place));
    first.into_iter().chain(rest).map(|place| ranked[place]).collect()
}

/// The held-out losses that are known, by shape, ridge and part (places in the lists of them).
struct Race<'a> {
    parts: &'a [Part],
    ridges: &'a [f64],
    losses: BTreeMap<(usize, usize, usize), f64>,
}

impl Race<'_> {
    /// Fits every shape with its ridges on some of the parts. Gives those that are known on all parts up to these, the
    /// best first; of equal ones the simpler shape and the larger ridge.
    fn run(
        &mut self,
        range: Range<usize>,
        shapes: &[(usize, Vec<usize>)],
        stop: Stop,
        control: &Control,
    ) -> Result<Vec<Candidate>> {
        let tasks: Vec<(&(usize, Vec<usize>), usize)> =
            shapes.iter().flat_map(|shape| range.clone().map(move |part| (shape, part))).collect();
        let of_tasks = tasks
            .par_iter()
            .map(|&((shape, places), part)| {
                let ridges: Vec<f64> = places.iter().map(|&place| self.ridges[place]).collect();
                let losses = self.parts[part].path(*shape, &ridges, stop, control)?;
                control.advance(1);
                Ok(losses)
            })
            .collect::<Result<Vec<_>>>()?;
        for (((shape, places), part), losses) in tasks.into_iter().zip(of_tasks) {
            let known = places.iter().zip(losses);
            self.losses.extend(known.map(|(&place, loss)| ((*shape, place, part), loss)));
        }
        let parts = &self.parts[..range.end];
        let total: f64 = parts.iter().map(|part| part.test.weights().iter().sum::<f64>()).sum();
        let mut ranked = Vec::new();
        for (shape, places) in shapes {
            for &place in places {
                let of_part = |part| self.losses.get(&(*shape, place, part)).copied();
                // Where some fold gave up before this ridge, it is not a candidate.
                if let Some(losses) = (0..parts.len()).map(of_part).collect::<Option<Vec<f64>>>() {
                    let log_loss = losses.iter().sum::<f64>() / total;
                    ranked.push(Candidate { shape: *shape, ridge: self.ridges[place], log_loss });
                }
            }
        }
        ranked.sort_by(|a, b| {
            a.log_loss.total_cmp(&b.log_loss).then(a.shape.cmp(&b.shape)).then(b.ridge.total_cmp(&a.ridge))
        });
        Ok(ranked)
    }

    /// The best shapes, each with the ridges around its best.
    fn best(&self, ranked: &[Candidate], (shapes, around): (usize, usize)) -> Vec<(usize, Vec<usize>)> {
        let mut best: Vec<(usize, Vec<usize>)> = Vec::new();
        for &Candidate { shape, ridge, .. } in ranked {
            // Two shapes may have found the same structures.
            let is_known = |(other, _): &(usize, Vec<usize>)| {
                self.parts.iter().all(|part| part.structures[*other] == part.structures[shape])
            };
            if best.len() < shapes && !best.iter().any(is_known) {
                let place = self.ridges.iter().position(|&other| other == ridge).unwrap_or(0);
                let end = (place + around + 1).min(self.ridges.len());
                best.push((shape, (place.saturating_sub(around)..end).collect()));
            }
        }
        best
    }
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
    fn path(&self, shape: usize, ridges: &[f64], stop: Stop, control: &Control) -> Result<Vec<f64>> {
        let training = Training::new(&self.train, self.structures[shape].clone(), control)?;
        let held_out = HeldOut::new(&self.test, &training)?;
        let mut parameters = vec![0.0; training.design.parameters()];
        let mut losses: Vec<f64> = Vec::new();
        let mut best = f64::INFINITY;
        for &ridge in ridges {
            minimise(&Objective { design: &training.design, ridge }, &mut parameters, stop, control)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_structures_come_before_neighbouring_ridges() {
        let candidate = |shape, ridge, log_loss| Candidate { shape, ridge, log_loss };
        let ranked = vec![
            candidate(2, 1.0, 0.500),
            candidate(2, 3.16, 0.501),
            candidate(0, 10.0, 0.510),
            candidate(0, 3.16, 0.512),
            candidate(1, 1.0, 0.600),
        ];
        let order: Vec<(usize, f64)> =
            varied(ranked).iter().map(|candidate| (candidate.shape, candidate.ridge)).collect();
        assert_eq!(order, [(2, 1.0), (0, 10.0), (2, 3.16), (0, 3.16), (1, 1.0)]);
        assert!(varied(Vec::new()).is_empty());
    }
}
