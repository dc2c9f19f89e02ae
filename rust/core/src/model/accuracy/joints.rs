//! The log-joints of all rows, and how many rows they classify correctly after a change.

use std::ops::Range;

use crate::counts::Cell;
use crate::model::accuracy::rows::{CellsOfRows, FoldedRows, Tile};
use crate::model::accuracy::tables::Logs;

/// Log-joints that differ by no more are equal, and the lowest of the classes wins: sums of logarithms differ in the
/// last digits with the order of their terms, and no order is the right one.
const TIE: f64 = 1e-9;

/// ln P(c, x) of each row for each class, by the model of the other folds.
#[derive(Debug, Clone)]
pub(super) struct Joints {
    classes: usize,
    /// `[row·s + class]`
    logs: Logs,
    /// With two classes and no zeros: ln P(1, x) − ln P(0, x) of each row.
    margins: Vec<f64>,
    /// ln θ_c of each fold.
    priors: Vec<Vec<f64>>,
}

impl Joints {
    /// The class priors alone.
    pub fn new(rows: &FoldedRows, priors: &[Vec<f64>]) -> Self {
        let s = rows.classes();
        let mut logs = Logs::zero(rows.data().rows() * s);
        for (fold, prior) in priors.iter().enumerate() {
            for row in rows.fold(fold) {
                for (class, &ln_theta) in prior.iter().enumerate() {
                    logs.add(row * s + class, ln_theta, 1.0);
                }
            }
        }
        Self { classes: s, logs, margins: Vec::new(), priors: priors.to_vec() }
    }

    /// Adds a change to the rows of a fold.
    pub fn add(&mut self, rows: &FoldedRows, fold: usize, cells: &CellsOfRows<'_>, change: &Logs) {
        let s = self.classes;
        let logs = &mut self.logs;
        if change.zeros.is_some() && logs.zeros.is_none() {
            logs.zeros = Some(vec![0; logs.finite.len()]);
        }
        rows.tiles(rows.fold(fold), cells, &mut Tile::new(), |start, tile| {
            for (offset, &cell) in tile.iter().enumerate() {
                let (to, from) = ((start + offset) * s, cell as usize * s);
                for class in 0..s {
                    logs.finite[to + class] += change.finite[from + class];
                }
                if let (Some(zeros), Some(change)) = (&mut logs.zeros, &change.zeros) {
                    for class in 0..s {
                        zeros[to + class] += change[from + class];
                    }
                }
            }
        });
    }

    /// To be called when all is added: prepares what is read often.
    pub fn finish(&mut self) {
        self.margins = match (&self.logs.zeros, self.classes) {
            (None, 2) => {
                let (pairs, _) = self.logs.finite.as_chunks::<2>();
                pairs.iter().map(|[first, second]| second - first).collect()
            }
            _ => Vec::new(),
        };
    }

    /// The rows (or their weight) of a fold whose own class would win after a change.
    pub fn correct<T: Cell>(
        &self,
        rows: &FoldedRows,
        fold: usize,
        cells: &CellsOfRows<'_>,
        change: &Logs,
        weight: impl Fn(usize) -> T,
    ) -> T {
        let by_margin = !self.margins.is_empty() && change.zeros.is_none();
        let steps: Vec<f64> = if by_margin {
            let (pairs, _) = change.finite.as_chunks::<2>();
            pairs.iter().map(|[first, second]| second - first).collect()
        } else {
            Vec::new()
        };
        let mut correct = T::default();
        let mut indices = Tile::new();
        for class in 0..self.classes {
            rows.tiles(rows.segment(fold, class), cells, &mut indices, |start, tile| {
                let own = start..start + tile.len();
                let weight = |offset: usize| weight(start + offset);
                let part = if by_margin {
                    by_margins(&self.margins[own], &steps, tile, class, weight)
                } else if self.logs.zeros.is_some() || change.zeros.is_some() {
                    self.with_zeros(own, change, tile, class, &self.priors[fold], weight)
                } else {
                    self.by_classes(own, change, tile, class, weight)
                };
                correct = correct.plus(part);
            });
        }
        correct
    }

    fn by_classes<T: Cell>(
        &self,
        own: Range<usize>,
        change: &Logs,
        tile: &[u32],
        class: usize,
        weight: impl Fn(usize) -> T,
    ) -> T {
        let joints = &self.logs.finite[own.start * self.classes..own.end * self.classes];
        // The number of classes as a constant lets the compiler unroll the loops of the common cases.
        match self.classes {
            3 => by_some_classes::<3, T>(joints, &change.finite, tile, class, weight),
            4 => by_some_classes::<4, T>(joints, &change.finite, tile, class, weight),
            s => {
                let hit = |(offset, joint): (usize, &[f64])| {
                    let change = &change.finite[tile[offset] as usize * s..][..s];
                    wins(|class| joint[class] + change[class], s, class)
                };
                tally(joints.chunks_exact(s).enumerate().map(hit), weight)
            }
        }
    }

    /// A class with a zero is impossible; where all are, the prior decides.
    fn with_zeros<T: Cell>(
        &self,
        own: Range<usize>,
        change: &Logs,
        tile: &[u32],
        class: usize,
        prior: &[f64],
        weight: impl Fn(usize) -> T,
    ) -> T {
        let s = self.classes;
        let zeros_at =
            |zeros: &Option<Vec<i32>>, place: usize| zeros.as_ref().map_or(0, |zeros| zeros[place]);
        let hit = |(row, &cell): (usize, &u32)| {
            let (joint, step) = (row * s, cell as usize * s);
            let value = |class: usize| {
                let zeros = zeros_at(&self.logs.zeros, joint + class) + zeros_at(&change.zeros, step + class);
                let finite = self.logs.finite[joint + class] + change.finite[step + class];
                if zeros > 0 { f64::NEG_INFINITY } else { finite }
            };
            if (0..s).all(|class| value(class) == f64::NEG_INFINITY) {
                wins(|class| prior[class], s, class)
            } else {
                wins(value, s, class)
            }
        };
        tally(own.zip(tile).map(hit), weight)
    }
}

/// Two classes: the sign of the difference decides, and a tie is for class 0.
fn by_margins<T: Cell>(
    margins: &[f64],
    steps: &[f64],
    tile: &[u32],
    class: usize,
    weight: impl Fn(usize) -> T,
) -> T {
    let hits = margins.iter().zip(tile).map(|(margin, &cell)| margin + steps[cell as usize] > TIE);
    if class == 1 { tally(hits, weight) } else { tally(hits.map(|second| !second), weight) }
}

fn by_some_classes<const S: usize, T: Cell>(
    joints: &[f64],
    change: &[f64],
    tile: &[u32],
    class: usize,
    weight: impl Fn(usize) -> T,
) -> T {
    let (joints, _) = joints.as_chunks::<S>();
    let (change, _) = change.as_chunks::<S>();
    let hit = |(joint, &cell): (&[f64; S], &u32)| {
        let change = &change[cell as usize];
        let after: [f64; S] = std::array::from_fn(|class| joint[class] + change[class]);
        wins(|class| after[class], S, class)
    };
    tally(joints.iter().zip(tile).map(hit), weight)
}

/// Whether a class is the first of the largest.
#[inline(always)]
fn wins(value: impl Fn(usize) -> f64, classes: usize, class: usize) -> bool {
    let largest = (0..classes).map(&value).fold(f64::NEG_INFINITY, f64::max);
    value(class) >= largest - TIE && (0..class).all(|lower| value(lower) < largest - TIE)
}

#[inline(always)]
fn tally<T: Cell>(hits: impl Iterator<Item = bool>, weight: impl Fn(usize) -> T) -> T {
    let weights = hits.enumerate().map(|(offset, hit)| if hit { weight(offset) } else { T::default() });
    weights.fold(T::default(), T::plus)
}
