//! The sum of [`Acll`](crate::score::Acll) over a table: its hot code.

use std::cell::RefCell;

use crate::counts::Cell;
use crate::math::ln_in_place;

/// A table `[class][first][second]` of counts.
pub(super) struct ClassTable<'a, T> {
    /// The counts.
    pub cells: &'a [T],
    /// The number of classes.
    pub classes: usize,
    /// The first variable's number of values.
    pub first: usize,
    /// The second variable's number of values.
    pub second: usize,
}

/// `Σ W ln(M / ΣM)` with the sum of M over the second variable: the score of the second given the first and the
/// class; and, where `BOTH`, with the sum over the first, the score of the first given the second (else 0).
///
/// # Formula
/// ```text
/// Σ W ln(M / ΣM) = Σ_cells W ln(M / n0) − Σ_rows W_row ln(M_row / n0)
/// W = N + β N_·,   M = max(W, n0),   M_row = r n0 + Σ_k max(W − n0, 0)
/// ```
/// Relative to n0, a cell with W ≤ n0 has logarithm 0 and adds nothing to its row beyond that row's r n0: of
/// such a cell only W counts, in the sums of W. The sum over cells is the same in both directions.
pub(super) fn score<T: Cell, const BOTH: bool>(table: &ClassTable<'_, T>, beta: f64, n0: f64) -> (f64, f64) {
    thread_local!(static SCRATCH: RefCell<Scratch> = RefCell::default());
    SCRATCH.with_borrow_mut(|scratch| scratch.score::<T, BOTH>(table, beta, n0))
}

/// Buffers that live as long as their thread: a table of two binary attributes is scored faster than allocated.
#[derive(Default)]
struct Scratch {
    /// β N_·, for each value of both variables.
    shared: Vec<f64>,
    /// W of cells above n0, then of rows `[class][first]`, then of columns `[class][second]`; M / n0 beside it.
    w: Vec<f64>,
    m: Vec<f64>,
}

impl Scratch {
    fn score<T: Cell, const BOTH: bool>(
        &mut self,
        table: &ClassTable<'_, T>,
        beta: f64,
        n0: f64,
    ) -> (f64, f64) {
        let &ClassTable { cells, classes, first, second } = table;
        self.share(cells, first * second, beta);
        let sums = if BOTH { classes * (first + second) } else { classes * first };
        if self.w.len() < cells.len() + sums {
            self.w.resize(cells.len() + sums, 0.0);
            self.m.resize(cells.len() + sums, 0.0);
        }
        // Rows and columns from the front, cells behind them.
        let (sums_w, cells_w) = self.w.split_at_mut(sums);
        let (sums_m, cells_m) = self.m.split_at_mut(sums);
        let (rows_w, columns_w) = sums_w.split_at_mut(classes * first);
        let (rows_m, columns_m) = sums_m.split_at_mut(classes * first);
        columns_w.fill(0.0);
        let scale = 1.0 / n0;
        columns_m.fill(first as f64);
        let mut above = 0;
        for class in 0..classes {
            let (columns_w, columns_m) = if BOTH {
                (&mut columns_w[class * second..][..second], &mut columns_m[class * second..][..second])
            } else {
                (&mut [][..], &mut [][..])
            };
            for value in 0..first {
                let row = &cells[(class * first + value) * second..][..second];
                let shared = &self.shared[value * second..][..second];
                let (mut row_w, mut row_m) = (0.0, second as f64);
                for k in 0..second {
                    let w = row[k].as_f64() + shared[k];
                    row_w += w;
                    if BOTH {
                        columns_w[k] += w;
                    }
                    if w > n0 {
                        let m = w * scale;
                        cells_w[above] = w;
                        cells_m[above] = m;
                        above += 1;
                        row_m += m - 1.0;
                        if BOTH {
                            columns_m[k] += m - 1.0;
                        }
                    }
                }
                rows_w[class * first + value] = row_w;
                rows_m[class * first + value] = row_m;
            }
        }
        let used = sums + above;
        ln_in_place(&mut self.m[..used]);
        let dot = |range: std::ops::Range<usize>| -> f64 {
            self.w[range.clone()].iter().zip(&self.m[range]).map(|(w, m)| w * m).sum()
        };
        let of_cells = dot(sums..used);
        let rows = classes * first;
        (of_cells - dot(0..rows), if BOTH { of_cells - dot(rows..sums) } else { 0.0 })
    }

    fn share<T: Cell>(&mut self, cells: &[T], per_class: usize, beta: f64) {
        self.shared.clear();
        self.shared.resize(per_class, 0.0);
        for segment in cells.chunks_exact(per_class) {
            for (shared, &cell) in self.shared.iter_mut().zip(segment) {
                *shared += cell.as_f64();
            }
        }
        self.shared.iter_mut().for_each(|shared| *shared *= beta);
    }
}
