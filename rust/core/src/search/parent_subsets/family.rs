//! The sum of a score's terms over the table of a child and two parents.

use super::table::{Arities, PairCells, complete};
use crate::score::TermTable;

/// One family's pair tables, all classes, and where its triple counts begin.
#[derive(Clone, Copy)]
pub(super) struct Family<'a> {
    pub(super) arities: Arities,
    pub(super) classes: usize,
    /// `(c·r_x + a)·r_p + b`
    pub(super) xp: &'a [u32],
    /// `(c·r_x + a)·r_q + d`
    pub(super) xq: &'a [u32],
    /// `(c·r_p + b)·r_q + d`
    pub(super) pq: &'a [u32],
    /// The batch's counts: `(d·P + a·(r_p − 1) + b)·s + c` of this family, P = (r_x − 1)(r_p − 1).
    pub(super) counts: &'a [u32],
}

impl Family<'_> {
    /// Σ cell over the completed table. Small shapes are compiled on their own: their loops disappear.
    pub(super) fn sum(&self, term: &TermTable, rows: usize, cells: &mut Vec<u32>) -> f64 {
        let values = term.values();
        if values.len() > rows {
            match (self.arities.x, self.arities.p, self.arities.q) {
                (2, 2, 2) => return self.sum_unrolled::<2, 2, 2>(values),
                (2, 2, 3) => return self.sum_unrolled::<2, 2, 3>(values),
                (2, 3, 2) => return self.sum_unrolled::<2, 3, 2>(values),
                (2, 3, 3) => return self.sum_unrolled::<2, 3, 3>(values),
                (3, 2, 2) => return self.sum_unrolled::<3, 2, 2>(values),
                (3, 2, 3) => return self.sum_unrolled::<3, 2, 3>(values),
                (3, 3, 2) => return self.sum_unrolled::<3, 3, 2>(values),
                (3, 3, 3) => return self.sum_unrolled::<3, 3, 3>(values),
                _ => {}
            }
        }
        cells.clear();
        cells.resize(self.arities.cells(), 0);
        self.sum_as(self.arities, |count| term.count(count), cells)
    }

    /// All terms are in the table: no way out of the loop.
    #[inline(never)]
    fn sum_unrolled<const X: usize, const P: usize, const Q: usize>(&self, values: &[f64]) -> f64 {
        let mut cells = [0u32; 27];
        let arities = Arities { x: X, p: P, q: Q };
        self.sum_as(arities, |count| values[count as usize], &mut cells[..X * P * Q])
    }

    #[inline(always)]
    fn sum_as(&self, arities: Arities, term: impl Fn(u32) -> f64, cells: &mut [u32]) -> f64 {
        // Four sums side by side: one alone would wait for every addition.
        let mut sums = [0.0; 4];
        for class in 0..self.classes {
            self.complete_class(arities, class, cells);
            for (position, &count) in cells.iter().enumerate() {
                sums[position % 4] += term(count);
            }
        }
        sums.iter().sum()
    }

    /// The whole table, class slowest, child fastest.
    pub(super) fn whole(&self, cells: &mut Vec<u32>) {
        let size = self.arities.cells();
        cells.clear();
        cells.resize(self.classes * size, 0);
        for (class, cells) in cells.chunks_exact_mut(size).enumerate() {
            self.complete_class(self.arities, class, cells);
        }
    }

    #[inline(always)]
    fn complete_class(&self, arities: Arities, class: usize, cells: &mut [u32]) {
        let Arities { x, p, q } = arities;
        let prefixes = (x - 1) * (p - 1);
        let pairs = PairCells {
            xp: &self.xp[class * x * p..][..x * p],
            xq: &self.xq[class * x * q..][..x * q],
            pq: &self.pq[class * p * q..][..p * q],
        };
        let triple = |a: usize, b: usize, d: usize| {
            self.counts[(d * prefixes + a * (p - 1) + b) * self.classes + class]
        };
        complete(arities, pairs, triple, cells);
    }
}
