//! The table of a child and two parents from one count and three pair tables.

/// The numbers of values of a family of two parents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Arities {
    /// The child's.
    pub(super) x: usize,
    /// The first parent's.
    pub(super) p: usize,
    /// The second parent's.
    pub(super) q: usize,
}

impl Arities {
    pub(super) fn cells(self) -> usize {
        self.x * self.p * self.q
    }
}

/// The pair tables of a family, one class: `xp[a·r_p + b]`, `xq[a·r_q + d]`, `pq[b·r_q + d]`.
#[derive(Clone, Copy)]
pub(super) struct PairCells<'a> {
    pub(super) xp: &'a [u32],
    pub(super) xq: &'a [u32],
    pub(super) pq: &'a [u32],
}

/// Completes one class of a family's table: `cells[(b·r_q + d)·r_x + a]`.
///
/// # Formula
/// ```text
/// N(a, b, r_q−1) = N_xp(a, b) − Σ_{d < r_q−1} N(a, b, d)        a < r_x−1, b < r_p−1
/// N(a, r_p−1, d) = N_xq(a, d) − Σ_{b < r_p−1} N(a, b, d)        a < r_x−1
/// N(r_x−1, b, d) = N_pq(b, d) − Σ_{a < r_x−1} N(a, b, d)
/// ```
/// `triple(a, b, d)` are the rows with value a of the child, b and d of its parents, asked for where none of
/// the values is the last: (r_x−1)(r_p−1)(r_q−1) of the r_x·r_p·r_q cells are counted.
#[inline(always)]
pub(super) fn complete(
    arities: Arities,
    pairs: PairCells<'_>,
    triple: impl Fn(usize, usize, usize) -> u32,
    cells: &mut [u32],
) {
    let Arities { x, p, q } = arities;
    let at = |a: usize, b: usize, d: usize| (b * q + d) * x + a;
    for a in 0..x - 1 {
        for b in 0..p - 1 {
            let mut rest = pairs.xp[a * p + b];
            for d in 0..q - 1 {
                let count = triple(a, b, d);
                rest -= count;
                cells[at(a, b, d)] = count;
            }
            cells[at(a, b, q - 1)] = rest;
        }
        for d in 0..q {
            let mut rest = pairs.xq[a * q + d];
            for b in 0..p - 1 {
                rest -= cells[at(a, b, d)];
            }
            cells[at(a, p - 1, d)] = rest;
        }
    }
    for b in 0..p {
        for d in 0..q {
            let mut rest = pairs.pq[b * q + d];
            for a in 0..x - 1 {
                rest -= cells[at(a, b, d)];
            }
            cells[at(x - 1, b, d)] = rest;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn completing_gives_back_the_whole_table(
            (x, p, q, whole) in (1usize..5, 1usize..5, 1usize..5).prop_flat_map(|(x, p, q)| {
                (Just(x), Just(p), Just(q), proptest::collection::vec(0u32..9, x * p * q))
            })
        ) {
            let arities = Arities { x, p, q };
            let at = |a: usize, b: usize, d: usize| whole[(b * q + d) * x + a];
            let sum = |values: usize, cell: &dyn Fn(usize) -> u32| (0..values).map(cell).sum::<u32>();
            let xp: Vec<u32> = (0..x * p).map(|i| sum(q, &|d| at(i / p, i % p, d))).collect();
            let xq: Vec<u32> = (0..x * q).map(|i| sum(p, &|b| at(i / q, b, i % q))).collect();
            let pq: Vec<u32> = (0..p * q).map(|i| sum(x, &|a| at(a, i / q, i % q))).collect();
            let mut cells = vec![99; arities.cells()];
            let asked = |a: usize, b: usize, d: usize| {
                assert!(a + 1 < x && b + 1 < p && d + 1 < q);
                at(a, b, d)
            };
            complete(arities, PairCells { xp: &xp, xq: &xq, pq: &pq }, asked, &mut cells);
            prop_assert_eq!(cells, whole);
        }
    }
}
