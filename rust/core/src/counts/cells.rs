//! What a table holds: integer counts, or sums of row weights.

/// A number that can be counted with: `u32` for rows, `f64` for weights.
pub trait Cell: Copy + Default + PartialEq + std::fmt::Debug + Send + Sync + 'static {
    /// As a real number; exact for counts.
    fn as_f64(self) -> f64;
    /// Sum.
    fn plus(self, other: Self) -> Self;
    /// Difference; for counts `other` is not larger.
    fn minus(self, other: Self) -> Self;
    /// Wraps a table of these.
    fn wrap(cells: Vec<Self>) -> Cells;
    /// The table of these; empty where it is of the other kind.
    fn unwrap(cells: Cells) -> Vec<Self>;
}

impl Cell for u32 {
    fn as_f64(self) -> f64 {
        f64::from(self)
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self - other
    }
    fn wrap(cells: Vec<Self>) -> Cells {
        Cells::Integer(cells)
    }
    fn unwrap(cells: Cells) -> Vec<Self> {
        if let Cells::Integer(cells) = cells { cells } else { Vec::new() }
    }
}

impl Cell for f64 {
    fn as_f64(self) -> f64 {
        self
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }
    /// Rounding may leave a tiny negative rest where the exact difference is 0.
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        (self - other).max(0.0)
    }
    fn wrap(cells: Vec<Self>) -> Cells {
        Cells::Weighted(cells)
    }
    fn unwrap(cells: Cells) -> Vec<Self> {
        if let Cells::Weighted(cells) = cells { cells } else { Vec::new() }
    }
}

/// The cells of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Cells {
    /// Numbers of rows.
    Integer(Vec<u32>),
    /// Sums of row weights.
    Weighted(Vec<f64>),
}

/// Evaluates an expression with the cells of a table, whatever they are.
#[macro_export]
macro_rules! with_cells {
    ($cells:expr, $name:ident => $body:expr) => {
        match $cells {
            $crate::counts::Cells::Integer($name) => $body,
            $crate::counts::Cells::Weighted($name) => $body,
        }
    };
}

impl Cells {
    /// How many cells there are.
    pub fn len(&self) -> usize {
        with_cells!(self, cells => cells.len())
    }

    /// Whether there are no cells.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All cells as real numbers.
    pub fn to_f64(&self) -> Vec<f64> {
        with_cells!(self, cells => cells.iter().map(|cell| cell.as_f64()).collect())
    }

    /// Parts of some length as real numbers, one after the other: all at once would double the memory of a large table.
    pub fn for_each_part(&self, length: usize, mut visit: impl FnMut(&[f64])) {
        match self {
            Cells::Integer(cells) => {
                let mut part = Vec::with_capacity(length);
                for cells in cells.chunks_exact(length) {
                    part.clear();
                    part.extend(cells.iter().map(|&cell| f64::from(cell)));
                    visit(&part);
                }
            }
            Cells::Weighted(cells) => cells.chunks_exact(length).for_each(visit),
        }
    }

    /// The sum of all cells.
    pub fn total(&self) -> f64 {
        match self {
            Cells::Integer(cells) => cells.iter().map(|&cell| u64::from(cell)).sum::<u64>() as f64,
            Cells::Weighted(cells) => cells.iter().sum(),
        }
    }

    /// Adds up the segments of a given length, cell by cell.
    pub fn sum_segments(&self, length: usize) -> Cells {
        self.sum_segments_within(self.len(), length)
    }

    /// The same of each part of the cells, part after part.
    pub fn sum_segments_within(&self, part: usize, length: usize) -> Cells {
        fn sums<T: Cell>(cells: &[T], part: usize, length: usize) -> Vec<T> {
            let mut sums = vec![T::default(); cells.len() / part * length];
            for (sums, cells) in sums.chunks_exact_mut(length).zip(cells.chunks_exact(part)) {
                for segment in cells.chunks_exact(length) {
                    for (sum, &cell) in sums.iter_mut().zip(segment) {
                        *sum = sum.plus(cell);
                    }
                }
            }
            sums
        }
        with_cells!(self, cells => Cell::wrap(sums(cells, part, length)))
    }

    /// Adds another table of the same shape and kind, cell by cell.
    ///
    /// # Panics
    /// Where the tables differ in length or kind: the caller counts both from parts of the same data.
    pub fn add(&mut self, other: &Cells) {
        match (self, other) {
            (Cells::Integer(all), Cells::Integer(part)) => add(all, part),
            (Cells::Weighted(all), Cells::Weighted(part)) => add(all, part),
            _ => unreachable!("integer and weighted tables never meet: both come from one data set"),
        }
    }

    /// Subtracts the table of a part, cell by cell.
    ///
    /// # Panics
    /// Where the tables differ in length or kind: the caller counts both from the same data.
    pub fn subtract(&mut self, part: &Cells) {
        match (self, part) {
            (Cells::Integer(all), Cells::Integer(part)) => subtract(all, part),
            (Cells::Weighted(all), Cells::Weighted(part)) => subtract(all, part),
            _ => unreachable!("integer and weighted tables never meet: both come from one data set"),
        }
    }

    /// Makes every cell 0.
    pub fn clear(&mut self) {
        with_cells!(self, cells => cells.fill(Default::default()))
    }
}

fn add<T: Cell>(all: &mut [T], part: &[T]) {
    assert_eq!(all.len(), part.len(), "tables of one family have one shape");
    for (cell, &more) in all.iter_mut().zip(part) {
        *cell = cell.plus(more);
    }
}

fn subtract<T: Cell>(all: &mut [T], part: &[T]) {
    assert_eq!(all.len(), part.len(), "tables of one family have one shape");
    for (cell, &less) in all.iter_mut().zip(part) {
        *cell = cell.minus(less);
    }
}
