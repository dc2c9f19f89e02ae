//! Scores that are sums over the cells of a table.

use crate::counts::{Cell, FamilyCounts};
use crate::math::{ln_gamma, x_ln_x};
use crate::with_cells;

/// A function of one count, 0 at 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Term {
    /// Nothing.
    Zero,
    /// `scale · x ln x`.
    XLnX {
        /// The factor.
        scale: f64,
    },
    /// `lnΓ(offset + x) − lnΓ(offset)`.
    LnGamma {
        /// The pseudo-count, above 0.
        offset: f64,
    },
}

impl Term {
    /// The term at a count.
    pub fn at(self, x: f64) -> f64 {
        match self {
            Term::Zero => 0.0,
            Term::XLnX { scale } => scale * x_ln_x(x),
            Term::LnGamma { .. } if x == 0.0 => 0.0,
            Term::LnGamma { offset } => ln_gamma(offset + x) - ln_gamma(offset),
        }
    }
}

/// A score as a sum over cells.
///
/// # Formula
/// ```text
/// φ = Σ_jk cell(N_ijk) − Σ_j row(N_ij) − [ Σ_k margin(N_k) − margin(N) ] + constant
/// ```
/// N_ijk rows in which the child has value k and its parents configuration j; N_ij = Σ_k N_ijk;
/// N_k = Σ_j N_ijk; N their sum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Additive {
    /// The term of a cell.
    pub cell: Term,
    /// The term of a configuration.
    pub row: Term,
    /// The term of the child's own margin; [`Term::Zero`] for most scores.
    pub margin: Term,
    /// What depends on the shape alone: the penalty, negative.
    pub constant: f64,
}

impl Additive {
    /// The score of a family.
    pub fn evaluate(&self, family: &FamilyCounts) -> f64 {
        with_cells!(&family.cells, cells => self.sum(cells, family.shape.child))
    }

    fn sum<T: Cell>(&self, cells: &[T], r: usize) -> f64 {
        sum_of_terms(
            cells,
            r,
            self.constant,
            self.margin != Term::Zero,
            |cell| self.cell.at(cell.as_f64()),
            |row| self.row.at(row),
            |margin| self.margin.at(margin),
        )
    }
}

/// The formula of [`Additive`], with terms from wherever they come.
#[inline(always)]
pub(super) fn sum_of_terms<T: Cell>(
    cells: &[T],
    r: usize,
    constant: f64,
    with_margin: bool,
    cell: impl Fn(T) -> f64,
    row: impl Fn(f64) -> f64,
    margin: impl Fn(f64) -> f64,
) -> f64 {
    let mut score = constant + sum_of_cells(cells, cell);
    for cells in cells.chunks_exact(r) {
        score -= row(cells.iter().fold(T::default(), |sum, &count| sum.plus(count)).as_f64());
    }
    if with_margin {
        let mut margins = vec![0.0; r];
        for cells in cells.chunks_exact(r) {
            for (margin, count) in margins.iter_mut().zip(cells) {
                *margin += count.as_f64();
            }
        }
        score -= margins.iter().map(|&count| margin(count)).sum::<f64>() - margin(margins.iter().sum());
    }
    score
}

/// Several sums side by side: one alone waits for each addition before it begins the next.
#[inline(always)]
fn sum_of_cells<T: Cell>(cells: &[T], term: impl Fn(T) -> f64) -> f64 {
    let (groups, rest) = cells.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for group in groups {
        for (sum, &cell) in sums.iter_mut().zip(group) {
            *sum += term(cell);
        }
    }
    rest.iter().fold((sums[0] + sums[1]) + (sums[2] + sums[3]), |sum, &cell| sum + term(cell))
}

/// A term's values for small counts, looked up instead of computed.
#[derive(Debug)]
pub struct TermTable {
    term: Term,
    values: Vec<f64>,
}

impl TermTable {
    /// Tabulates counts below `length`; larger ones, and weights, are computed when asked for.
    pub fn new(term: Term, length: usize) -> Self {
        let values = match term {
            Term::Zero => Vec::new(),
            // lnΓ(offset) once, not for every count.
            Term::LnGamma { offset } => {
                let base = ln_gamma(offset);
                let rest = (1..length).map(|x| ln_gamma(offset + x as f64) - base);
                std::iter::once(0.0).chain(rest).take(length).collect()
            }
            _ => (0..length).map(|x| term.at(x as f64)).collect(),
        };
        Self { term, values }
    }

    /// The term that is tabulated.
    pub fn term(&self) -> Term {
        self.term
    }

    /// The tabulated values, from count 0 on.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The term at a whole number.
    #[inline(always)]
    pub fn count(&self, count: u32) -> f64 {
        match self.values.get(count as usize) {
            Some(&value) => value,
            None => self.term.at(f64::from(count)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_hold_what_terms_compute() {
        for term in [Term::Zero, Term::XLnX { scale: 2.0 }, Term::LnGamma { offset: 0.25 }] {
            let table = TermTable::new(term, 5);
            for count in 0..9 {
                assert_eq!(table.count(count), term.at(f64::from(count)), "{term:?} at {count}");
            }
            assert_eq!(TermTable::new(term, 0).count(3), term.at(3.0));
        }
    }
}
