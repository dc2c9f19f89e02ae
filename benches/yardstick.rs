//! The pair tables of pairs.c, for the four shapes whose columns have one number of values each.

use tanager_core::data::{Codes, Dataset};

#[link(name = "yardstick", kind = "static")]
unsafe extern "C" {
    fn pairs_by_histogram(
        x: *const u8,
        y: *const u8,
        rows: usize,
        n: usize,
        r: usize,
        s: usize,
        tables: *mut u32,
    );
    fn pairs_by_bitmaps(
        x: *const u8,
        y: *const u8,
        rows: usize,
        n: usize,
        r: usize,
        s: usize,
        tables: *mut u32,
    );
}

/// Which of the two ways in C.
#[derive(Debug, Clone, Copy)]
pub enum Way {
    /// One increment per row and pair.
    Histogram,
    /// AND and popcount over bitmaps.
    Bitmaps,
}

/// The codes as C wants them: 8 bits each, columns one behind the other.
#[derive(Debug)]
pub struct Flat {
    x: Vec<u8>,
    y: Vec<u8>,
    n: usize,
    r: usize,
    s: usize,
}

impl Flat {
    /// Copies the codes of a data set without gaps whose columns all have the same number of values.
    pub fn of(data: &Dataset) -> Self {
        let bytes = |codes: &Codes| match codes {
            Codes::U8(codes) => codes.clone(),
            _ => unreachable!("the shapes have few values"),
        };
        let r = data.column(0).arity();
        assert!(data.columns().iter().all(|column| column.arity() == r && !column.has_missing()));
        let class = data.class().unwrap_or_else(|| unreachable!("the shapes have a class"));
        let x = data.columns().iter().flat_map(|column| bytes(column.codes())).collect();
        Self { x, y: bytes(class.codes()), n: data.n(), r, s: class.arity() }
    }

    /// All tables, as pairs.c lays them out.
    pub fn count(&self, way: Way) -> Vec<u32> {
        let (rows, n, r, s) = (self.y.len(), self.n, self.r, self.s);
        let mut tables = vec![0; n * (n - 1) / 2 * s * r * r];
        let function = match way {
            Way::Histogram => pairs_by_histogram,
            Way::Bitmaps => pairs_by_bitmaps,
        };
        // SAFETY: `x` holds n·rows codes below r and `y` rows codes below s (`Flat::of`); `tables` has a cell for
        // every pair, class and two values.
        unsafe { function(self.x.as_ptr(), self.y.as_ptr(), rows, n, r, s, tables.as_mut_ptr()) };
        tables
    }

    /// The cell that counts class `c`, value `a` in column `i` and value `b` in column `j < i`.
    pub fn cell(&self, tables: &[u32], (i, j): (usize, usize), (c, a, b): (usize, usize, usize)) -> u32 {
        tables[(((i * (i - 1) / 2 + j) * self.s + c) * self.r + a) * self.r + b]
    }
}
