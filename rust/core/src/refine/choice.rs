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

/// A structure of rows in one of their codings, and a ridge, with their held-out log-loss.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// Which structure, of which coding.
    pub entrant: Entrant,
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

/// A shape, and the coding of the rows that it is learned from: their places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entrant {
    /// Which coding.
    pub coding: usize,
    /// Which shape.
    pub shape: usize,
}

/// The candidates that went through every fold: the best first, then the best of other structures whose loss is close to
/// its own, then the others. `codings` are the same rows, their columns cut in several ways, `shapes` those of each coding.
///
/// Structures, tables and MDL cuts are learned from the training rows of each fold; several cross-validations are
/// repetitions. Ridges go from large to small, each starting from the one before; once the held-out loss has risen,
/// smaller ones are not tried. The choice is made by successive halving: all entrants with every second ridge on a quarter
/// of the folds; the best four with the ridges around their best on half of them; the best three on all.
pub fn choose(
    codings: &[Rows],
    folds: &[Folds],
    shapes: &[Vec<Shape>],
    ridges: &[f64],
    control: &Control,
) -> Result<Vec<Candidate>> {
    let parts: Vec<(&Folds, u32)> =
        folds.iter().flat_map(|folds| folds.held_out().map(move |fold| (folds, fold))).collect();
    // Every fold has a copy of the rows.
    let of_coding = |rows: &Rows| rows.data.n() + 8 * rows.numbers.iter().flatten().count() + 1;
    let rows = codings.first().map_or(0, |rows| rows.data.rows());
    check_bytes(
        || format!("{} copies of {rows} rows, one for each inner fold", parts.len() * codings.len()),
        [parts.len(), rows, codings.iter().map(of_coding).sum()],
    )?;
    let new = |&(folds, fold): &(&Folds, u32)| Part::new(codings, &folds.of_row, fold, shapes, control);
    let parts: Vec<Option<Part>> = parts.par_iter().map(new).collect::<Result<_>>()?;
    let parts: Vec<Part> = parts.into_iter().flatten().collect();
    let of_coding = |(coding, shapes): (usize, &Vec<Shape>)| {
        (0..shapes.len()).map(move |shape| Entrant { coding, shape })
    };
    let all: Vec<Entrant> = shapes.iter().enumerate().flat_map(of_coding).collect();
    let (quarter, half, last) = (parts.len().div_ceil(4), parts.len().div_ceil(2), LAST.0.min(all.len()));
    let expected = quarter * all.len() + half * SECOND.0.min(all.len()) + (parts.len() - half) * last;
    control.expect(expected as u64);
    let mut race = Race { parts: &parts, ridges, losses: BTreeMap::new() };
    let coarse: Vec<usize> = (0..ridges.len()).step_by(COARSE).collect();
    let all: Vec<(Entrant, Vec<usize>)> = all.into_iter().map(|entrant| (entrant, coarse.clone())).collect();
    let ranked = race.run(0..quarter, &all, FIRST, control)?;
    race.losses.clear();
    let ranked = race.run(0..half, &race.best(&ranked, SECOND), STOP, control)?;
    // The losses of the first half of the folds are known already.
    let ranked = race.run(half..parts.len(), &race.best(&ranked, LAST), STOP, control)?;
    Ok(varied(of_one_coding(ranked)))
}

/// Those of the first coding where its best is close to the best of all, else those of the best's: many candidates have a lucky
/// one among them, and only what is clearly better is worth another coding than the one that asks for the class.
fn of_one_coding(mut ranked: Vec<Candidate>) -> Vec<Candidate> {
    if let Some(&best) = ranked.first() {
        let is_close = |candidate: &Candidate| {
            candidate.entrant.coding == 0 && candidate.log_loss <= RISEN * best.log_loss
        };
        let coding = if ranked.iter().any(is_close) { 0 } else { best.entrant.coding };
        ranked.retain(|candidate| candidate.entrant.coding == coding);
    }
    ranked
}

/// The best, the best of every other entrant that is close to it, then the others; otherwise in the order given.
fn varied(ranked: Vec<Candidate>) -> Vec<Candidate> {
    let close = ranked.first().map_or(f64::NAN, |best| RISEN * best.log_loss);
    let is_first = |place: usize| {
        let candidate = &ranked[place];
        candidate.log_loss <= close && ranked[..place].iter().all(|other| other.entrant != candidate.entrant)
    };
    let (first, rest): (Vec<usize>, Vec<usize>) = (0..ranked.len()).partition(|&place| is_first(place));
    first.into_iter().chain(rest).map(|place| ranked[place]).collect()
}

/// The held-out losses that are known, by entrant, ridge and part (places in the lists of them).
struct Race<'a> {
    parts: &'a [Part],
    ridges: &'a [f64],
    losses: BTreeMap<(Entrant, usize, usize), f64>,
}

impl Race<'_> {
    /// Fits every entrant with its ridges on some of the parts. Gives those that are known on all parts up to these, the
    /// best first; of equal ones the entrant that comes first and the larger ridge.
    fn run(
        &mut self,
        range: Range<usize>,
        entrants: &[(Entrant, Vec<usize>)],
        stop: Stop,
        control: &Control,
    ) -> Result<Vec<Candidate>> {
        let tasks: Vec<(&(Entrant, Vec<usize>), usize)> =
            entrants.iter().flat_map(|entrant| range.clone().map(move |part| (entrant, part))).collect();
        let of_tasks = tasks
            .par_iter()
            .map(|&((entrant, places), part)| {
                let ridges: Vec<f64> = places.iter().map(|&place| self.ridges[place]).collect();
                let losses = self.parts[part].path(*entrant, &ridges, stop, control)?;
                control.advance(1);
                Ok(losses)
            })
            .collect::<Result<Vec<_>>>()?;
        for (((entrant, places), part), losses) in tasks.into_iter().zip(of_tasks) {
            let known = places.iter().zip(losses);
            self.losses.extend(known.map(|(&place, loss)| ((*entrant, place, part), loss)));
        }
        let parts = &self.parts[..range.end];
        let total: f64 = parts.iter().map(|part| part.weight).sum();
        let mut ranked = Vec::new();
        for (entrant, places) in entrants {
            for &place in places {
                let of_part = |part| self.losses.get(&(*entrant, place, part)).copied();
                // Where some fold gave up before this ridge, it is not a candidate.
                if let Some(losses) = (0..parts.len()).map(of_part).collect::<Option<Vec<f64>>>() {
                    let log_loss = losses.iter().sum::<f64>() / total;
                    ranked.push(Candidate { entrant: *entrant, ridge: self.ridges[place], log_loss });
                }
            }
        }
        ranked.sort_by(|a, b| {
            a.log_loss
                .total_cmp(&b.log_loss)
                .then(a.entrant.cmp(&b.entrant))
                .then(b.ridge.total_cmp(&a.ridge))
        });
        Ok(ranked)
    }

    /// The best entrants, each with the ridges around its best; the best of the first coding is always among them.
    fn best(&self, ranked: &[Candidate], (number, around): (usize, usize)) -> Vec<(Entrant, Vec<usize>)> {
        let mut best: Vec<(Entrant, Vec<usize>)> = Vec::new();
        let first = ranked.iter().find(|candidate| candidate.entrant.coding == 0);
        for &Candidate { entrant, ridge, .. } in ranked {
            // Two shapes of one coding may have found the same structures.
            let is_known = |(other, _): &(Entrant, Vec<usize>)| {
                other.coding == entrant.coding
                    && self.parts.iter().all(|part| part.structure(*other) == part.structure(entrant))
            };
            let is_first = first.is_some_and(|first| first.entrant == entrant);
            let waits = first.is_some_and(|first| best.iter().all(|(other, _)| *other != first.entrant));
            let full = best.len() + usize::from(waits && !is_first) >= number;
            if !full && !best.iter().any(is_known) {
                let place = self.ridges.iter().position(|&other| other == ridge).unwrap_or(0);
                let end = (place + around + 1).min(self.ridges.len());
                best.push((entrant, (place.saturating_sub(around)..end).collect()));
            }
        }
        best
    }
}

/// One fold, in each coding.
struct Part {
    codings: Vec<Coded>,
    /// Σ ω of the rows held out.
    weight: f64,
}

/// Rows to learn from, rows held out, and the structure of each shape.
struct Coded {
    train: Rows,
    test: Rows,
    structures: Vec<Structure>,
}

impl Part {
    fn new(
        codings: &[Rows],
        fold_of_row: &[u32],
        fold: u32,
        shapes: &[Vec<Shape>],
        control: &Control,
    ) -> Result<Option<Self>> {
        let of_part = |held_out: bool| -> Vec<u32> {
            let all = 0..fold_of_row.len() as u32;
            all.filter(|&row| (fold_of_row[row as usize] == fold) == held_out).collect()
        };
        let (train, test) = (of_part(false), of_part(true));
        if train.is_empty() || test.is_empty() {
            return Ok(None);
        }
        let of_coding = |(rows, shapes): (&Rows, &Vec<Shape>)| {
            let rows = rows.cut_by(&train)?;
            let (train, test) = (rows.select(&train)?, rows.select(&test)?.merged()?);
            let structures = structures(&train.data, &shapes.iter().collect::<Vec<_>>(), control)?;
            Ok(Coded { train: train.merged()?, test, structures })
        };
        let codings = codings.iter().zip(shapes).map(of_coding).collect::<Result<Vec<_>>>()?;
        let weight = codings.first().map_or(0.0, |coded| coded.test.weights().iter().sum());
        Ok(Some(Self { codings, weight }))
    }

    fn structure(&self, entrant: Entrant) -> &Structure {
        &self.codings[entrant.coding].structures[entrant.shape]
    }

    /// The held-out losses of one entrant along the ridges, as far as they were tried.
    fn path(&self, entrant: Entrant, ridges: &[f64], stop: Stop, control: &Control) -> Result<Vec<f64>> {
        let Coded { train, test, .. } = &self.codings[entrant.coding];
        let training = Training::new(train, self.structure(entrant).clone(), control)?;
        let held_out = HeldOut::new(test, &training)?;
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
        let candidate =
            |shape, ridge, log_loss| Candidate { entrant: Entrant { coding: 0, shape }, ridge, log_loss };
        let ranked = vec![
            candidate(2, 1.0, 0.500),
            candidate(2, 3.16, 0.501),
            candidate(0, 10.0, 0.510),
            candidate(0, 3.16, 0.512),
            candidate(1, 1.0, 0.600),
        ];
        let order: Vec<(usize, f64)> =
            varied(ranked).iter().map(|candidate| (candidate.entrant.shape, candidate.ridge)).collect();
        assert_eq!(order, [(2, 1.0), (0, 10.0), (2, 3.16), (0, 3.16), (1, 1.0)]);
        assert!(varied(Vec::new()).is_empty());
    }

    #[test]
    fn another_coding_than_the_first_has_to_be_clearly_better() {
        let candidate =
            |coding, log_loss| Candidate { entrant: Entrant { coding, shape: 0 }, ridge: 1.0, log_loss };
        let codings = |ranked: Vec<Candidate>| -> Vec<usize> {
            of_one_coding(ranked).iter().map(|candidate| candidate.entrant.coding).collect()
        };
        assert_eq!(codings(vec![candidate(1, 0.50), candidate(0, 0.52), candidate(0, 0.60)]), [0, 0]);
        assert_eq!(codings(vec![candidate(1, 0.50), candidate(1, 0.52), candidate(0, 0.53)]), [1, 1]);
        assert_eq!(codings(vec![candidate(0, 0.50), candidate(1, 0.51)]), [0]);
        assert!(codings(Vec::new()).is_empty());
    }
}
