//! What an operation changes in the log-joint of a row, as a table over the cells that it touches.

use std::borrow::Cow;

use crate::counts::{Cell, FamilyCounts, FamilyShape};
use crate::error::Result;
use crate::model::accuracy::rows::Scope;
use crate::parameters::ParameterEstimator;

/// A variable whose table appears or disappears with an operation, made of a scope's columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Part {
    /// Both columns joined.
    Whole,
    /// The left column alone.
    Left,
    /// The right column alone.
    Right,
    /// The right column given the left one, where both have a value.
    RightGivenLeft,
    /// The right column alone, where both have a value. Its table is that of [`Part::Right`].
    RightBesideLeft,
}

/// Whether a table appears or disappears.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Turn {
    Comes,
    Goes,
}

impl Turn {
    /// +1 or −1: what its logarithms are multiplied by.
    pub fn sign(self) -> f64 {
        match self {
            Turn::Comes => 1.0,
            Turn::Goes => -1.0,
        }
    }
}

/// A part, and what happens to its table.
pub(super) type Term = (Part, Turn);

/// Per class and cell, a sum of logarithms: `[cell·s + class]`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Logs {
    /// The sum of the finite ones.
    pub finite: Vec<f64>,
    /// How many are ln 0 (those that go count negatively); absent where none is. Kept apart, because −∞ cannot be
    /// taken away again.
    pub zeros: Option<Vec<i32>>,
}

impl Logs {
    /// Sums of nothing.
    pub fn zero(len: usize) -> Self {
        Self { finite: vec![0.0; len], zeros: None }
    }

    /// Sums of one logarithm each.
    pub fn from_ln(ln_theta: Vec<f64>) -> Self {
        let zeros = ln_theta
            .contains(&f64::NEG_INFINITY)
            .then(|| ln_theta.iter().map(|&ln_theta| i32::from(ln_theta == f64::NEG_INFINITY)).collect());
        let mut finite = ln_theta;
        if zeros.is_some() {
            finite
                .iter_mut()
                .filter(|ln_theta| **ln_theta == f64::NEG_INFINITY)
                .for_each(|ln_theta| *ln_theta = 0.0);
        }
        Self { finite, zeros }
    }

    /// The sums with the other sign.
    pub fn negated(mut self) -> Self {
        self.finite.iter_mut().for_each(|sum| *sum = -*sum);
        self.zeros.iter_mut().flatten().for_each(|zeros| *zeros = -*zeros);
        self
    }

    /// Adds the sums of another's cell, all classes of it, to those of a cell.
    pub fn add_cell(&mut self, cell: usize, other: &Self, from: usize, sign: f64, classes: usize) {
        let (to, from) = (cell * classes, from * classes);
        for class in 0..classes {
            self.finite[to + class] += sign * other.finite[from + class];
        }
        if let Some(others) = &other.zeros {
            let zeros = self.zeros.get_or_insert_with(|| vec![0; self.finite.len()]);
            for class in 0..classes {
                zeros[to + class] += sign as i32 * others[from + class];
            }
        }
    }

    /// Adds `sign · ln θ` to one sum.
    pub fn add(&mut self, place: usize, ln_theta: f64, sign: f64) {
        if ln_theta == f64::NEG_INFINITY {
            let zeros = self.zeros.get_or_insert_with(|| vec![0; self.finite.len()]);
            zeros[place] += sign as i32;
        } else {
            self.finite[place] += sign * ln_theta;
        }
    }
}

/// The counts of a part: in each segment, and over all of them.
struct PartCounts<'a, T: Cell> {
    part: Part,
    sign: f64,
    values: usize,
    /// `[(fold·s + class)·values + value]`
    segments: Cow<'a, [T]>,
    /// `[class·values + value]`
    all: Vec<T>,
}

/// The counts of everything that an operation changes.
pub(super) struct Change<'a, T: Cell> {
    extents: (usize, usize),
    arities: (usize, usize),
    classes: usize,
    parts: Vec<PartCounts<'a, T>>,
}

impl<'a, T: Cell> Change<'a, T> {
    /// Sums the counts of a scope (see [`super::rows::FoldedRows::count`]) up to those of the parts.
    pub fn new(scope: &Scope<'_>, terms: &[Term], counts: &'a [T], classes: usize) -> Self {
        let (extents, arities) = (scope.extents(), scope.arities());
        let mut change = Self { extents, arities, classes, parts: Vec::with_capacity(terms.len()) };
        for &(part, turn) in terms {
            let values = change.values(part);
            let segments = change.project(part, counts);
            let mut all = vec![T::default(); classes * values];
            for segment in segments.chunks_exact(classes * values) {
                for (all, &count) in all.iter_mut().zip(segment) {
                    *all = all.plus(count);
                }
            }
            change.parts.push(PartCounts { part, sign: turn.sign(), values, segments, all });
        }
        change
    }

    fn values(&self, part: Part) -> usize {
        match part {
            Part::Whole | Part::RightGivenLeft => self.arities.0 * self.arities.1,
            Part::Left => self.arities.0,
            Part::Right | Part::RightBesideLeft => self.arities.1,
        }
    }

    /// The value that a cell counts for in the part's table; none where it is missing.
    fn counted(&self, part: Part, cell: usize) -> Option<usize> {
        self.value(if part == Part::RightBesideLeft { Part::Right } else { part }, cell)
    }

    /// The part's value in a cell; none where it does not matter there.
    fn value(&self, part: Part, cell: usize) -> Option<usize> {
        let (left, right) = (cell / self.extents.1, cell % self.extents.1);
        match part {
            Part::RightBesideLeft => (left < self.arities.0 && right < self.arities.1).then_some(right),
            Part::Whole | Part::RightGivenLeft => {
                (left < self.arities.0 && right < self.arities.1).then_some(left * self.arities.1 + right)
            }
            Part::Left => (left < self.arities.0).then_some(left),
            Part::Right => (right < self.arities.1).then_some(right),
        }
    }

    fn project(&self, part: Part, counts: &'a [T]) -> Cow<'a, [T]> {
        if matches!(part, Part::Whole | Part::RightGivenLeft) && self.extents == self.arities {
            return Cow::Borrowed(counts);
        }
        let (cells, values) = (self.extents.0 * self.extents.1, self.values(part));
        let mut projected = vec![T::default(); counts.len() / cells * values];
        for (counts, projected) in counts.chunks_exact(cells).zip(projected.chunks_exact_mut(values)) {
            for (cell, &count) in counts.iter().enumerate() {
                if let Some(value) = self.counted(part, cell) {
                    projected[value] = projected[value].plus(count);
                }
            }
        }
        Cow::Owned(projected)
    }

    /// The change of the log-joint in every cell, by the tables of all rows but those of `fold`. Only cells in which
    /// the fold has rows are filled.
    pub fn of_fold(&self, fold: usize, estimator: &dyn ParameterEstimator, rows: f64) -> Result<Logs> {
        let (s, cells) = (self.classes, self.extents.0 * self.extents.1);
        let mut logs = Logs::zero(cells * s);
        for part in &self.parts {
            let ln_theta = part.ln_theta(fold, s, estimator, rows, self.arities)?;
            for cell in 0..cells {
                if let Some(value) = self.value(part.part, cell) {
                    for class in 0..s {
                        logs.add(cell * s + class, ln_theta[class * part.values + value], part.sign);
                    }
                }
            }
        }
        Ok(logs)
    }
}

impl<T: Cell> PartCounts<'_, T> {
    /// ln θ of the training rows, `[class·values + value]`: the counts of all rows less those of the fold. 0 where the
    /// fold has no rows: nobody will ask.
    fn ln_theta(
        &self,
        fold: usize,
        classes: usize,
        estimator: &dyn ParameterEstimator,
        rows: f64,
        (left, right): (usize, usize),
    ) -> Result<Vec<f64>> {
        let held_out = &self.segments[fold * self.all.len()..][..self.all.len()];
        let training = self.all.iter().zip(held_out).map(|(&all, &held_out)| without(all, held_out));
        let shape = match self.part {
            Part::RightGivenLeft => FamilyShape { child: right, class: Some(classes), parents: vec![left] },
            _ => FamilyShape { child: self.values, class: Some(classes), parents: Vec::new() },
        };
        let family = FamilyCounts { shape, cells: T::wrap(training.collect()) };
        let mut theta = estimator.estimate(&family, rows)?;
        for value in 0..self.values {
            let occurs = (0..classes).any(|class| held_out[class * self.values + value] != T::default());
            for class in 0..classes {
                let theta = &mut theta[class * self.values + value];
                *theta = if occurs { theta.ln() } else { 0.0 };
            }
        }
        Ok(theta)
    }
}

/// What is left without a part. A difference of weights may leave a trace of rounding where nothing is left.
#[inline(always)]
pub(super) fn without<T: Cell>(all: T, part: T) -> T {
    let rest = all.minus(part);
    if rest.as_f64() <= 1e-12 * all.as_f64() { T::default() } else { rest }
}
