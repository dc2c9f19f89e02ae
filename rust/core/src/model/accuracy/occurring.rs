//! The tables of variables with many values, of which only those that occur are looked at.

use crate::counts::Cell;
use crate::error::Result;
use crate::model::accuracy::compound::Runs;
use crate::model::accuracy::rows::FoldedRows;
use crate::model::accuracy::tables::without;
use crate::parameters::{GivenClass, OccurringCounts, ParameterEstimator, Value};

/// ln θ of a variable, in the cells (fold, value) that have rows.
pub(super) struct OccurringLogs {
    /// The cell of each row; 0 for rows that are never tested.
    pub cells: Vec<u32>,
    /// One row of each cell, and its fold.
    pub samples: Vec<(u32, u32)>,
    /// `[cell·s + class]`, −∞ for ln 0.
    pub logs: Vec<f64>,
}

/// ln θ of the variable that `runs` numbers, by the tables of all rows but those of each fold; 0 where it is missing.
///
/// # Complexity
/// O(N·s) memory. One logarithm for each value and class that occur outside of a fold that has rows of that value; all
/// values that are absent from a class share one, where the estimator lets them.
pub(super) fn ln_theta<T: Cell>(
    rows: &FoldedRows,
    runs: &Runs,
    domain: f64,
    estimator: &dyn ParameterEstimator,
    training_rows: &[f64],
    weight: impl Fn(usize) -> T + Copy,
) -> Result<OccurringLogs> {
    let s = rows.classes();
    let estimates = estimates(rows, runs, domain, estimator, training_rows, weight)?;
    let absent: Vec<Vec<Option<f64>>> = estimates
        .iter()
        .map(|given| (0..s).map(|class| given.absent(class).map(f64::ln)).collect())
        .collect();
    let mut found =
        OccurringLogs { cells: vec![0; rows.data().rows()], samples: Vec::new(), logs: Vec::new() };
    let (mut all, mut held) = (ByClass::new(s), ByClass::new(s));
    let mut place = 0;
    for (run, missing) in runs.iter() {
        all.count(rows, run, weight);
        for (fold, part) in rows.by_fold(run).filter(|part| part.0 < rows.folds()) {
            let cell = found.samples.len() as u32;
            part.iter().for_each(|&row| found.cells[row as usize] = cell);
            found.samples.push((part[0], fold as u32));
            if missing {
                found.logs.resize(found.logs.len() + s, 0.0);
                continue;
            }
            held.count(rows, part, weight);
            let value = Value { place, margin: without(all.sum, held.sum).as_f64() };
            let rest = all.counts.iter().zip(&held.counts).map(|(&all, &held)| without(all, held).as_f64());
            found.logs.extend(rest.zip(&absent[fold]).enumerate().map(
                |(class, (rest, absent))| match absent {
                    Some(absent) if rest == 0.0 => *absent,
                    _ => estimates[fold].theta(class, value, rest).ln(),
                },
            ));
            held.clear();
        }
        all.clear();
        place += usize::from(!missing);
    }
    Ok(found)
}

/// The estimates of each fold's training rows.
fn estimates<T: Cell>(
    rows: &FoldedRows,
    runs: &Runs,
    domain: f64,
    estimator: &dyn ParameterEstimator,
    training_rows: &[f64],
    weight: impl Fn(usize) -> T + Copy,
) -> Result<Vec<Box<dyn GivenClass>>> {
    let mut observed = vec![true; rows.data().rows()];
    for (run, _) in runs.iter().filter(|run| run.1) {
        run.iter().for_each(|&row| observed[row as usize] = false);
    }
    let classes = rows.training_classes(|row| if observed[row] { weight(row) } else { T::default() });
    let estimate = |(fold, classes): (usize, Vec<T>)| {
        let classes: Vec<f64> = classes.into_iter().map(T::as_f64).collect();
        let values = |visit: &mut dyn FnMut(&[f64])| {
            let (mut all, mut held) = (ByClass::new(classes.len()), ByClass::new(classes.len()));
            for (run, _) in runs.iter().filter(|run| !run.1) {
                all.count(rows, run, weight);
                for (_, part) in rows.by_fold(run).filter(|part| part.0 == fold) {
                    held.count(rows, part, weight);
                }
                let rest =
                    all.counts.iter().zip(&held.counts).map(|(&all, &held)| without(all, held).as_f64());
                visit(&rest.collect::<Vec<_>>());
                all.clear();
                held.clear();
            }
        };
        let total = training_rows[fold];
        estimator.given_class(&OccurringCounts { domain, classes: &classes, total, values: &values })
    };
    classes.into_iter().enumerate().map(estimate).collect()
}

/// Counts of some rows by class.
struct ByClass<T> {
    counts: Vec<T>,
    sum: T,
}

impl<T: Cell> ByClass<T> {
    fn new(classes: usize) -> Self {
        Self { counts: vec![T::default(); classes], sum: T::default() }
    }

    fn count(&mut self, rows: &FoldedRows, some: &[u32], weight: impl Fn(usize) -> T) {
        for &row in some {
            let count = &mut self.counts[rows.class_of(row)];
            let weight = weight(row as usize);
            *count = count.plus(weight);
            self.sum = self.sum.plus(weight);
        }
    }

    fn clear(&mut self) {
        self.counts.fill(T::default());
        self.sum = T::default();
    }
}
