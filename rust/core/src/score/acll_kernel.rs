//! The sum of [`Acll`](crate::score::Acll) over a table: its hot code.

use std::cell::RefCell;

use multiversion::multiversion;

use crate::counts::Cell;
use crate::math::ln_in_place;

/// A table `[class][first][second]` of counts.
#[derive(Clone, Copy)]
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

/// Cells that the kernel is compiled for.
pub(super) trait AcllCell: Cell {
    /// `Σ W ln(M / ΣM)` with the sum of M over the second variable: the score of the second given the first and
    /// the class; and, where `both`, with the sum over the first, the score of the first given the second (else
    /// NaN).
    ///
    /// # Formula
    /// ```text
    /// Σ W ln(M / ΣM) = Σ_cells W ln(M / n0) − Σ_rows W_row ln(M_row / n0)
    /// W = N + β N_·,   M = max(W, n0),   M_row = r n0 + Σ_k max(W − n0, 0)
    /// ```
    /// Relative to n0, a cell with W ≤ n0 has logarithm 0 and adds nothing to its row beyond that row's r n0: of
    /// such a cell only W counts, in the sums of W. The sum over cells is the same in both directions.
    fn score(table: ClassTable<'_, Self>, beta: f64, n0: f64, both: bool) -> (f64, f64);
}

impl AcllCell for u32 {
    fn score(table: ClassTable<'_, Self>, beta: f64, n0: f64, both: bool) -> (f64, f64) {
        with_scratch(|scratch| score_counts(scratch, table, beta, n0, both))
    }
}

impl AcllCell for f64 {
    fn score(table: ClassTable<'_, Self>, beta: f64, n0: f64, both: bool) -> (f64, f64) {
        with_scratch(|scratch| score_weights(scratch, table, beta, n0, both))
    }
}

fn with_scratch(score: impl FnOnce(&mut Scratch) -> (f64, f64)) -> (f64, f64) {
    thread_local!(static SCRATCH: RefCell<Scratch> = RefCell::default());
    SCRATCH.with_borrow_mut(|scratch| {
        let scores = score(scratch);
        scratch.trim();
        scores
    })
}

#[multiversion(targets("x86_64+avx2", "aarch64+neon"))]
fn score_counts(
    scratch: &mut Scratch,
    table: ClassTable<'_, u32>,
    beta: f64,
    n0: f64,
    both: bool,
) -> (f64, f64) {
    scratch.score(table, beta, n0, both)
}

#[multiversion(targets("x86_64+avx2", "aarch64+neon"))]
fn score_weights(
    scratch: &mut Scratch,
    table: ClassTable<'_, f64>,
    beta: f64,
    n0: f64,
    both: bool,
) -> (f64, f64) {
    scratch.score(table, beta, n0, both)
}

/// Cells of the largest table whose buffers a thread keeps: a few megabytes.
const KEPT: usize = 1 << 16;

/// Buffers that live as long as their thread: a table of two binary attributes is scored faster than allocated.
#[derive(Default)]
struct Scratch {
    /// β N_·, for each value of both variables.
    shared: Vec<f64>,
    /// W of rows `[class][first]`, then of columns `[class][second]`, then of the cells above n0.
    w: Vec<f64>,
    /// M / n0 of the same, then their logarithms.
    m: Vec<f64>,
    /// The row and the column of each cell above n0.
    places: Vec<(u32, u32)>,
}

impl Scratch {
    #[inline(always)]
    fn score<T: Cell>(&mut self, table: ClassTable<'_, T>, beta: f64, n0: f64, both: bool) -> (f64, f64) {
        let ClassTable { cells, classes, first, second } = table;
        let (rows, columns) = (classes * first, if both { classes * second } else { 0 });
        self.share(table, beta);
        self.reserve(rows + columns, cells.len(), beta, n0);
        let (rows_w, rest) = self.w.split_at_mut(rows);
        let (columns_w, cells_w) = rest.split_at_mut(columns);
        let (rows_m, rest) = self.m.split_at_mut(rows);
        let (columns_m, cells_m) = rest.split_at_mut(columns);
        sum_rows(table, &self.shared, rows_w);
        rows_m.fill(second as f64);
        if both {
            sum_columns(table, &self.shared, columns_w);
            columns_m.fill(first as f64);
        }
        let above = gather(table, &self.shared, n0, cells_w, &mut self.places);
        let scale = 1.0 / n0;
        for ((m, w), &(row, column)) in cells_m[..above].iter_mut().zip(&*cells_w).zip(&self.places) {
            *m = w * scale;
            rows_m[row as usize] += *m - 1.0;
            if both {
                columns_m[column as usize] += *m - 1.0;
            }
        }
        let end = rows + columns + above;
        ln_in_place(&mut self.m[..end]);
        let dot = |from: usize, to: usize| dot(&self.w[from..to], &self.m[from..to]);
        let of_cells = dot(rows + columns, end);
        (of_cells - dot(0, rows), if both { of_cells - dot(rows, rows + columns) } else { f64::NAN })
    }

    /// Makes room for the sums and for all cells that may be above n0.
    fn reserve(&mut self, sums: usize, cells: usize, beta: f64, n0: f64) {
        let places = if cells <= KEPT {
            cells
        } else {
            // Such a cell holds more than n0 rows: there are at most N/n0 of them, and one more place is written to.
            let total = self.shared.iter().sum::<f64>() / beta;
            cells.min((total / n0) as usize + 1)
        };
        if self.places.len() < places {
            self.places.resize(places, (0, 0));
        }
        if self.w.len() < sums + places {
            self.w.resize(sums + places, 0.0);
            self.m.resize(sums + places, 0.0);
        }
    }

    /// Lets go of what only a large table needed.
    fn trim(&mut self) {
        if self.w.len().max(self.shared.len()) > KEPT {
            *self = Self::default();
        }
    }

    #[inline(always)]
    fn share<T: Cell>(&mut self, table: ClassTable<'_, T>, beta: f64) {
        let per_class = table.first * table.second;
        self.shared.clear();
        self.shared.extend(table.cells[..per_class].iter().map(|cell| cell.as_f64()));
        for class in 1..table.classes {
            for (shared, &cell) in self.shared.iter_mut().zip(&table.cells[class * per_class..]) {
                *shared += cell.as_f64();
            }
        }
        self.shared.iter_mut().for_each(|shared| *shared *= beta);
    }
}

/// W of each row `[class][first]`.
#[inline(always)]
fn sum_rows<T: Cell>(table: ClassTable<'_, T>, shared: &[f64], sums: &mut [f64]) {
    let (first, second) = (table.first, table.second);
    for value in 0..first {
        let shared: f64 = shared[value * second..][..second].iter().sum();
        for class in 0..table.classes {
            let row = class * first + value;
            let cells = &table.cells[row * second..][..second];
            sums[row] = shared + cells.iter().fold(T::default(), |sum, &cell| sum.plus(cell)).as_f64();
        }
    }
}

/// W of each column `[class][second]`.
#[inline(always)]
fn sum_columns<T: Cell>(table: ClassTable<'_, T>, shared: &[f64], sums: &mut [f64]) {
    let (first, second) = (table.first, table.second);
    sums.fill(0.0);
    for class in 0..table.classes {
        let sums = &mut sums[class * second..][..second];
        for value in 0..first {
            let row = &table.cells[(class * first + value) * second..][..second];
            let shared = &shared[value * second..][..second];
            for column in 0..second {
                sums[column] += row[column].as_f64() + shared[column];
            }
        }
    }
}

/// Finds the cells with W > n0: their W, their rows and columns; returns how many there are.
#[inline(always)]
fn gather<T: Cell>(
    table: ClassTable<'_, T>,
    shared: &[f64],
    n0: f64,
    w: &mut [f64],
    places: &mut [(u32, u32)],
) -> usize {
    let (first, second) = (table.first, table.second);
    let mut above = 0;
    for class in 0..table.classes {
        for value in 0..first {
            let row = class * first + value;
            let cells = &table.cells[row * second..][..second];
            let shared = &shared[value * second..][..second];
            for column in 0..second {
                // Written where the next cell above n0 belongs, whether it is one: no branch to mispredict.
                let here = cells[column].as_f64() + shared[column];
                w[above] = here;
                places[above] = (row as u32, (class * second + column) as u32);
                above += usize::from(here > n0);
            }
        }
    }
    above
}

/// `Σ x y`, four terms side by side.
#[inline(always)]
fn dot(x: &[f64], y: &[f64]) -> f64 {
    let (x, x_rest) = x.as_chunks::<4>();
    let (y, y_rest) = y.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for (x, y) in x.iter().zip(y) {
        for lane in 0..4 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    let rest: f64 = x_rest.iter().zip(y_rest).map(|(x, y)| x * y).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}
